"""What test mode refuses of the round's chart. A table in test mode is closed and has no round,
and still its last round could be voided, ruled on, declared wrong or corrected, and letters would tell of it. Whatever
persons order or declare about play waits until the mode is left. What devices tell goes on, and moves no money of a
closed table; a meter adjusted is refused at the desk, before its ledger: the fact tells what the ledger has done."""

from __future__ import annotations

from felt.table import care, facts
from felt.table import reasons as why
from felt.table.charts.rows import refuse
from felt.table.state import Phase

REFUSED = (
    facts.VoidOrdered, facts.VoidPressed, facts.RulingMade, facts.PlayerChose, facts.IrregularityDeclared,
    facts.HitReported, facts.StubChecked, facts.CorrectionRecorded, facts.ClaimConfirmed, facts.ClaimDenied,
    facts.BetKeyed, facts.BetUnkeyed, facts.AmountFound, facts.BetsReturned, facts.SeatBarred,
    facts.ProgressiveSwitched, facts.RevealRefused, facts.HandEstablished, facts.DiscardSaid,
    facts.CardKeyed, facts.CardStruck, facts.DeckChanged, facts.DeckVerified,
)

TESTED = (*refuse(REFUSED, Phase.CLOSED, why.in_test, when=care.table_is_tested),)
