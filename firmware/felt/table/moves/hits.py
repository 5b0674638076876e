"""A reported hit becomes a claim like any other, or is rejected with a reason."""

from __future__ import annotations

from felt.letters import from_table as letters
from felt.nouns.cards import Card
from felt.nouns.ids import claim_id
from felt.nouns.stamps import Stamp
from felt.nouns.values import replace
from felt.rules.reported import as_reported
from felt.rules.rulebook import Line
from felt.table import deal, facts, settle
from felt.table.irregular import cards, hits
from felt.table.redacted import scrubbed
from felt.table.registered import shares_equally, value_registered
from felt.table.state import ClaimState, Phase, Question, Table, with_round
from felt.table.upkeep import notice, post


def cannot_be_reported(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.HitReported)
    return bool(hits.problem_of(table, fact))


def why_not_reported(table: Table, fact: facts.Fact) -> str:
    assert isinstance(fact, facts.HitReported)
    return hits.problem_of(table, fact)


def ruled_on(table: Table, asked: Question, fact: facts.RulingMade) -> Table:
    """As the ruling has it. A round that was being paid waits again, for the claim's value."""
    if fact.choice == hits.REJECT:
        said = f"the reported {hits.say_hand(asked.other)} is rejected: {scrubbed(fact.reason)} ({fact.person})."
        return notice(table, "noted", f"Box {asked.place}: {said}")
    table = _claimed(table, asked, fact)
    playing = settle.round_of(table)
    if playing.held_from is Phase.PAYING:
        table = with_round(table, held_from=Phase.SETTLING)
    said = f"the reported {hits.say_hand(asked.other)} is claimed ({asked.rule}; {fact.person})."
    check = "Pay nothing that this hand changes (its other bets, envy) before it is confirmed or denied."
    return notice(table, "noted", f"Box {asked.place}: {said} {check}")


def _claimed(table: Table, asked: Question, fact: facts.RulingMade) -> Table:
    assert table.settings is not None
    playing, seat = settle.round_of(table), int(asked.place)
    line = next(line for line in playing.lines if _is_jackpot_line(table, line.seat, line.bet, seat))
    because = f"reported by {asked.reported_by}: {hits.say_hand(asked.other)}"
    won = as_reported(settle.book_of(table), table.settings.terms, line, asked.other, because)
    lines = tuple(won if one is line else one for one in playing.lines)
    no_cards: tuple[Card, ...] = ()  # the recorded ones do not show it
    people = (asked.reported_by, fact.person)
    return claim_late(with_round(table, lines=lines), won, no_cards, people, asked.because, fact.at)


def claim_late(
    table: Table, won: Line, cards_of_hand: tuple[Card, ...], people: tuple[str, str], because: str, at: Stamp
) -> Table:
    """A claim that comes after the result, with a letter of its own: who saw the hand, and who has it claimed."""
    playing, (reported_by, person) = settle.round_of(table), people
    dealt_ns, uncertain_ns = deal.time_of_hand(playing, str(won.seat))
    claim = letters.Claim(
        claim_id(playing.number, won.seat), won.seat, won.level, won.share_num, won.share_den, won.because,
        cards_of_hand, dealt_ns, dict(playing.registered).get(won.level, 0), uncertain_ns, by_hand=True,
        dealer=playing.dealer, shoe=deal.shoe_of(table),
    )
    state = ClaimState(
        claim.claim, won.seat, won.level,
        registered_micro=value_registered(table, won.level), by_hand=True, reported_by=reported_by,
    )
    table = with_round(table, claims=_among_claims(table, state))
    questions = tuple(cards.as_claimed(table, one) for one in table.irregularity.questions)
    table = replace(table, irregularity=replace(table.irregularity, questions=questions))
    told = scrubbed(because)
    return post(table, letters.HitReportedLetter(playing.number, claim, reported_by, person, told, at))


def _among_claims(table: Table, late: ClaimState) -> tuple[ClaimState, ...]:
    """With one that came late: after those in whose turn it came, before those that were dealt later. Of a box whose
    claim was denied, it is the claim from here on; the journal has the other."""
    others = [one for one in settle.round_of(table).claims if one.claim != late.claim]
    began = [one for one in others if one.verdict or one.value_micro is not None]
    waiting = [one for one in others if one not in began]
    shares = shares_equally(table)
    # Boxes are dealt to in their order, and by that the settlement has brought its own. Where those share one value,
    # whoever stands outside comes after them.
    return (*began, *sorted((*waiting, late), key=lambda one: (shares and bool(one.reported_by), one.seat)))


def as_settled(table: Table, claim: ClaimState) -> Table:
    """A reported hit that was denied takes nothing from the player: his bet stands as the recorded cards have it, with
    the amounts that are known by now."""
    found = next(line for line in settle.lines_of(table) if _is_jackpot_line(table, line.seat, line.bet, claim.seat))
    if found.level:  # a ruling has moved cards since; a major award is nobody's without a claim of its own
        return table
    lines = tuple(
        found if _is_jackpot_line(table, line.seat, line.bet, claim.seat) else line
        for line in settle.round_of(table).lines
    )
    table = with_round(table, lines=lines)
    return notice(table, "noted", f"Box {claim.seat}: claim {claim.claim} is denied; the bet stands as it was settled.")


def without_reports(table: Table, gone: tuple[int, ...]) -> Table:
    """Reports of boxes that have left the round are closed, and everybody hears of it."""
    asked = table.irregularity.questions
    left = hits.without_boxes(asked, gone)
    if len(left) == len(asked):
        return table
    table = replace(table, irregularity=replace(table.irregularity, questions=left))
    for one in asked:
        if one not in left:
            said = f"nothing is left to decide of the reported {hits.say_hand(one.other)}: its bets go back ({one.id})."
            table = notice(table, "noted", f"Box {one.place}: {said}")
    return table


def _is_jackpot_line(table: Table, line_seat: int, bet: str, seat: int) -> bool:
    assert table.settings is not None
    coin = settle.coin_wager(table.settings)
    return coin is not None and (line_seat, bet) == (seat, coin.name)
