"""Opening and closing a table, and beginning a round: what keeps OPEN from opening a round, and the round that it
makes."""

from __future__ import annotations

from collections.abc import Callable

from felt.nouns.values import replace
from felt.rules import shelf
from felt.rules.rulebook import Rulebook, readings_in_force
from felt.table import deck, facts, inventory, maintenance, questions, service, settle, state
from felt.table.chart import move, refuse
from felt.table.link import say_no_progressive
from felt.table.notices import notice
from felt.table.prompts import tell
from felt.table.remembered import once_a_pair
from felt.table.settings import MAIL_MAX, Settings
from felt.table.state import EVERY_PHASE, Phase, Round, ServiceState, SpotState, Table

CLOSED = "refused.closed"
OPEN_ALREADY = "refused.open_already"
ROUND_OPEN = "refused.round_open"
BETS_OPEN = "refused.bets_open"
MAIL_FULL = "refused.mail_full"
ANSWER_BEFORE_OPENING = "refused.answer_before_opening"
RETURN_EVERY_BET = "refused.return_every_bet"


def why_not_open(table: Table) -> str:
    """What keeps an idle table from opening a round, one sentence each for the dealer; empty if OPEN opens one."""
    if table.service.state is not ServiceState.IN_SERVICE:
        return service.out_of_service(table)
    return " ".join(reason for find in _OBSTACLES if (reason := find(table)))


def round_may_open(table: Table, fact: facts.Fact) -> bool:
    """The usual press of OPEN: nothing needs an answer, a repair or patience."""
    return not why_not_open(table) and rulebook_is_in_force(table, fact.at.wall_ns)


def why_not_opened(table: Table, _: facts.Fact) -> str:
    """The table may not know yet that its clock was set to a time before the rulebook. Then OPEN finds it first."""
    return why_not_open(table) or tell(table, service.CLOCK_TOO_EARLY)


def no_bets_open(table: Table, _: facts.Fact) -> str:
    """Why bets cannot change outside the time in which they are open."""
    if table.phase is Phase.CLOSED:
        return tell(table, CLOSED)
    if table.phase is Phase.VOIDING:
        return tell(table, RETURN_EVERY_BET)
    reason = why_not_open(table)
    return tell(table, "refused.no_bets_open", reason=reason) if reason else tell(table, "refused.open_first")


def rulebook_is_in_force(table: Table, wall_ns: int) -> bool:
    return table.settings is not None and shelf.rulebook_at(table.settings.game, wall_ns) is not None


def _question(table: Table) -> str:
    return tell(table, ANSWER_BEFORE_OPENING) if table.irregularity.questions else ""


def _mail(table: Table) -> str:
    return tell(table, MAIL_FULL) if len(table.post.unanswered) >= MAIL_MAX else ""


def _clock(table: Table) -> str:
    return tell(table, service.CLOCK_TOO_EARLY) if table.service.clock_early else ""


# In the order of the sentences, so that the dealer sees all problems at once.
_OBSTACLES: tuple[Callable[[Table], str], ...] = (deck.why_no_deal, _clock, _question, _mail, inventory.unfit_deck)


# --- moves -------------------------------------------------------------------------------------------


def open_round(table: Table, fact: facts.Fact) -> Table:
    settings = table.settings
    assert settings is not None
    book = shelf.rulebook_at(settings.game, fact.at.wall_ns)
    assert book is not None
    readings = _say_readings(book, settings)
    number = table.tally.rounds + 1
    may_open = settle.progressive_may_open(table)
    opened = Round(
        number, fact.at, book.id, book.version, readings, progressive_open=may_open, dealer=table.panel.dealer,
        dealing=settings.dealing,
    )
    table = replace(
        table,
        round=opened,
        previous=None,
        panel=replace(state.without_mode(table.panel), notices=()),
        spots=tuple(_ready(spot, settings) for spot in table.spots),
        tally=replace(table.tally, rounds=number),
        irregularity=replace(table.irregularity, ruled=None),
    )
    if settle.coin_wager(settings) and not opened.progressive_open:
        table = say_no_progressive(table)
    return _announce_method(table, settings)


@once_a_pair
def _say_readings(book: Rulebook, settings: Settings) -> str:
    return " ".join([f"{name}={value}" for name, value in readings_in_force(book, settings.terms).items()])


def _announce_method(table: Table, settings: Settings) -> Table:
    """Announces the dealing method where the rulebook wants the players to know it before the round."""
    procedure = settle.procedure_of(table)
    if not procedure.announced:
        return table
    method = procedure.method(settings.dealing)
    sentence = f"This round is dealt {method.words} ({method.paragraph}): tell the players ({procedure.announced})."
    return notice(table, "noted", sentence)


def _ready(spot: SpotState, settings: Settings) -> SpotState:
    """Keyed bets and amounts belong to one round; chips stay where they are."""
    present = spot.present and settings.sensor(spot.spot) is not None
    used = spot.bursts or spot.keyed or spot.stakes or spot.amount_minor is not None
    if not used and spot.present == spot.before == present:
        return spot
    return replace(spot, present=present, before=present, bursts=(), keyed=False, amount_minor=None, stakes=())


def sign_out(table: Table, _: facts.Fact) -> Table:
    return replace(table, panel=replace(state.without_mode(table.panel), dealer=""))


# --- rows --------------------------------------------------------------------------------------------

_PANEL_KEYS = (
    facts.OpenPressed, facts.NoMoreBetsPressed, facts.CollectPressed, facts.CardsSeenPressed,
    facts.FoldModePressed, facts.PlayModePressed, facts.SeatPressed, facts.RevealPressed, facts.SettlePressed,
    facts.MisdealPressed, facts.CountMismatchPressed,
)
ROWS = (
    *move(
        facts.TableOpened, Phase.CLOSED, Phase.IDLE, when=service.table_is_in_service, do=maintenance.judge_contacts
    ),
    *refuse(facts.TableOpened, Phase.CLOSED, service.not_in_service),
    *refuse(facts.TableOpened, EVERY_PHASE, OPEN_ALREADY),
    *move(
        facts.TableClosed, Phase.IDLE, Phase.CLOSED, do=(sign_out, maintenance.ask_for_tests)
    ),
    *refuse(facts.TableClosed, Phase.CLOSED, CLOSED),
    *refuse(facts.TableClosed, EVERY_PHASE, ROUND_OPEN),
    *refuse(_PANEL_KEYS, Phase.CLOSED, CLOSED),
    *refuse(_PANEL_KEYS, Phase.INTERRUPTED, questions.held),
    *move(facts.OpenPressed, Phase.IDLE, Phase.BETTING, when=round_may_open, do=open_round),
    *refuse(facts.OpenPressed, Phase.IDLE, why_not_opened),
    *refuse(facts.OpenPressed, Phase.BETTING, BETS_OPEN),
    *refuse(facts.OpenPressed, EVERY_PHASE, ROUND_OPEN),
)
