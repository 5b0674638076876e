"""The link with the jackpot controller, and failures of the progressive: of its system or of a coin spot. Before any
player has seen his cards such a failure voids the round. Afterwards the round continues, and the registered value
pays."""

from __future__ import annotations

from felt.nouns.ids import Spot, kind_of, seat_of
from felt.nouns.texts import capitalized
from felt.nouns.values import Value, replace
from felt.rules.remedies import VOID
from felt.table import facts, lock, notices, redacted, service, settle
from felt.table.chart import move, refuse, stay
from felt.table.maintenance import keep_alert
from felt.table.notices import notice
from felt.table.prompts import tell
from felt.table.questions import asked_by, reading, restated, say_registered
from felt.table.state import (
    BEFORE_REVEAL,
    EVERY_PHASE,
    LinkState,
    Phase,
    Question,
    Statement,
    Table,
    phase_of_play,
    with_round,
)

NO_COIN_SPOTS_HERE = "refused.no_coin_spots_here"


def game_has_no_coin_spots(table: Table, _: facts.Fact) -> bool:
    return table.settings is None or settle.coin_wager(table.settings) is None


# --- questions ---------------------------------------------------------------------------------------


class Choice(Value):
    """A reading that the house chooses, with its default."""

    name: str
    default: str


LINK_LOST = Choice("link_lost_in_betting", "coin_spots_close_at_once")
SPOT_FAILED = Choice("failure_while_betting", "void_5_16")
ONE_SPOT_DEAD = Choice("one_spot_dead_after_lock", "void_5_16")
NO_ANSWER = "the jackpot controller does not answer"
SPOT_FAULTS = ("F-101", "F-104", "F-110")  # its contact cannot be believed
LAMP_FAULTS = ("F-108", "F-109")  # no new bet is taken there; an earlier one does not change


def by_link(table: Table, _: facts.Fact) -> tuple[Question, ...]:
    if lost_link_closes_the_spots(table) or table.link is LinkState.LOST:
        return ()
    if not _is_asked_about(table) and not (settle.supervisor_decides_alone(table) and settle.unvalued_claims(table)):
        return ()
    return restated(table, _device(table, NO_ANSWER))


def _is_asked_about(table: Table) -> bool:
    """The round has progressive bets, no player has seen his cards, and the dealer's hand is closed. Later the rulebook
    says what follows; if the rulebook is silent, a supervisor is asked then too."""
    playing = table.round
    if playing is None or not playing.progressive_open:
        return False
    unseen = not playing.seen and not playing.revealed
    in_play = phase_of_play(table) in (*BEFORE_REVEAL, Phase.REVEALING)
    return in_play and (unseen or settle.supervisor_decides_alone(table))


def _choice(table: Table, choice: Choice) -> str:
    return reading(table, choice.name, choice.default)


def lost_link_closes_the_spots(table: Table) -> bool:
    """The house's choice beside 5.16 while bets are open: the base game continues without the progressive."""
    return phase_of_play(table) is Phase.BETTING and _choice(table, LINK_LOST) == LINK_LOST.default


def failure_closes_the_spot(table: Table) -> bool:
    """The same for one failed coin spot: no bet counts there, and the other spots continue."""
    return phase_of_play(table) is Phase.BETTING and _choice(table, SPOT_FAILED) == "spots_closed"


def closed_by(table: Table, choice: Choice) -> str:
    """The house's choice that closes coin spots, with the paragraph that would void."""
    rule = settle.paragraphs_of(table).device_before_seen
    return f"{choice.name}={_choice(table, choice)}, beside {rule}"


def spot_failed_by(fact: facts.Fact) -> str:
    """The coin spot whose failure this fact reports; empty if it reports none."""
    if isinstance(fact, facts.ChipChattered):
        return fact.spot
    if isinstance(fact, facts.LampFound):
        return fact.lamp if fact.state != "good" else ""
    assert isinstance(fact, facts.FaultRaised)
    return fact.where if fact.code in SPOT_FAULTS + LAMP_FAULTS else ""


def by_chatter(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """A burst across the lock does not stop the round. The lock judges it as a movement of the chip; if it cannot, a
    supervisor does."""
    assert isinstance(fact, facts.ChipChattered)
    if phase_of_play(table) is Phase.LOCKING and not lock.edge_is_after_lock(table, fact.spot, fact.edge_ns):
        return ()
    return _by_spot(table, fact.spot)


def by_spot_fault(table: Table, fact: facts.FaultRaised) -> tuple[Question, ...]:
    counts = SPOT_FAULTS + LAMP_FAULTS if phase_of_play(table) is Phase.BETTING else SPOT_FAULTS
    return _by_spot(table, Spot(fact.where)) if fact.code in counts else ()


def by_lamp(table: Table, fact: facts.Fact) -> tuple[Question, ...]:
    """A spot without its lamp takes no bet, so this matters while bets are taken."""
    assert isinstance(fact, facts.LampFound)
    failed = fact.state != "good" and phase_of_play(table) is Phase.BETTING
    return _by_spot(table, Spot(fact.lamp)) if failed else ()


def _by_spot(table: Table, spot: Spot) -> tuple[Question, ...]:
    if not _is_asked_about(table) or not is_coin(table, spot) or _fails_nobody(table, spot):
        return ()
    return restated(table, _device(table, f"the coin spot {spot} failed"))


def _fails_nobody(table: Table, spot: Spot) -> bool:
    """True if the failure affects no bet. While bets are open: the spot took none before it failed, or the other
    reading closes it and hands its chip back. After the lock: by another reading, nobody has bet on it."""
    if phase_of_play(table) is Phase.BETTING:
        closed = spot in table.quarantined or seat_of(spot) in table.barred
        return closed or failure_closes_the_spot(table)
    if _choice(table, ONE_SPOT_DEAD) != "only_if_bet_there":
        return False
    return not any(bet.accepted and f"{bet.seat}.{bet.wager}" == spot for bet in settle.round_of(table).bets)


def is_coin(table: Table, spot: str) -> bool:
    coin = settle.coin_wager(table.settings) if table.settings else None
    return coin is not None and "." in spot and kind_of(Spot(spot)) == coin.name


def _device(table: Table, cause: str) -> Question:
    phase, playing = phase_of_play(table), settle.round_of(table)
    bets = len(settle.contributions(playing))
    named = _deciding_reading(phase, cause)
    whose = (f"{named.name}={_choice(table, named)}",) if named else ()
    rule = settle.paragraphs_of(table).device_before_seen
    seen = playing.seen or playing.revealed
    why = f"the progressive failed {'after' if seen else 'before'} any player has seen cards"
    statement = Statement((cause,), phase.value, False, why, seen, bets, playing.registered, rule, VOID, whose)
    return asked_by(table, "progressive_device", statement)


def _deciding_reading(phase: Phase, cause: str) -> Choice | None:
    if phase is Phase.BETTING:
        return LINK_LOST if cause == NO_ANSWER else SPOT_FAILED
    return None if cause == NO_ANSWER else ONE_SPOT_DEAD


# --- moves -------------------------------------------------------------------------------------------

_BEFORE_SNAPSHOT = (Phase.BETTING, Phase.LOCKING)


def note_link_lost(table: Table, _: facts.Fact) -> Table:
    """Before the snapshot no jackpot bet counts any more, whatever is ruled: the system could not take it. After the
    snapshot the value registered with the lock is fixed here. It pays every jackpot of this round whose value the
    controller has not told before."""
    table = keep_alert(table, "F-301", "link")
    playing = table.round
    if playing is None or not playing.progressive_open:
        return table
    if phase_of_play(table) in _BEFORE_SNAPSHOT:
        return _close_coin_spots(table)
    return say_play_goes_on(with_round(table, malfunction=NO_ANSWER), NO_ANSWER)


def _close_coin_spots(table: Table) -> Table:
    table = say_no_progressive(with_round(table, progressive_open=False))
    if not lost_link_closes_the_spots(table):
        return table
    said = "The jackpot controller does not answer: no jackpot bet counts"
    return _say_closed(table, said, LINK_LOST, settle.chips_on_coins(table))


def say_no_progressive(table: Table, why: str = "") -> Table:
    rule = settle.paragraphs_of(table).no_progressive
    because = f": {why}" if why else ""
    return notice(table, "noted", f"No progressive bets are taken this round ({rule}){because}.")


def spot_closes(table: Table, fact: facts.Fact) -> bool:
    """A coin spot fails while bets are open, and the house closes it instead of voiding the round."""
    playing = table.round
    if playing is None or not playing.progressive_open or not failure_closes_the_spot(table):
        return False
    return is_coin(table, spot_failed_by(fact))


def note_spot_closed(table: Table, fact: facts.Fact) -> Table:
    spot = Spot(spot_failed_by(fact))
    there = tuple(coin_spot for coin_spot in settle.chips_on_coins(table) if coin_spot == spot)
    return _say_closed(table, f"The coin spot {spot} failed: no jackpot bet counts there", SPOT_FAILED, there)


def _say_closed(table: Table, said: str, choice: Choice, chips: tuple[Spot, ...]) -> Table:
    """Records the house's choice in the round."""
    by, closed = closed_by(table, choice), settle.round_of(table).spots_closed
    table = with_round(table, spots_closed=tuple(dict.fromkeys((*closed, by))))
    table = notice(table, "noted", f"{said}, and the base game goes on ({by}).")
    return notice(table, "noted", f"Hand back the chips on {', '.join(chips)}.") if chips else table


def say_play_goes_on(table: Table, cause: str) -> Table:
    """Once cards were seen there is no question: the rulebook continues play, and this notice says so."""
    playing, settings = table.round, table.settings
    if playing is None or settings is None or not (playing.seen or playing.revealed) or not playing.progressive_open:
        return table
    if settle.supervisor_decides_alone(table):
        return table
    rule = settle.paragraphs_of(table).device_after_seen
    value = say_registered(playing.registered, settings.terms.currency)
    said = f"{capitalized(cause)}: play goes on ({rule}); registered before it: {value}."
    return notice(table, "noted", said)


def note_spot_failed(table: Table, spot: str) -> Table:
    return say_play_goes_on(table, f"the coin spot {spot} failed") if is_coin(table, spot) else table


def switched_so_already(table: Table, fact: facts.Fact) -> bool:
    assert isinstance(fact, facts.ProgressiveSwitched)
    return fact.off == bool(table.progressive_off)


def switch_progressive(table: Table, fact: facts.Fact) -> Table:
    """Takes effect with the next round: a round in play keeps the bets that it has accepted."""
    assert isinstance(fact, facts.ProgressiveSwitched)
    reason = redacted.scrubbed(fact.reason)
    table = replace(table, progressive_off=f"{fact.person}: {reason}" if fact.off else "")
    rule = settle.paragraphs_of(table).without_progressive
    said = f"are not taken ({rule})" if fact.off else "are taken again"
    return notice(table, "noted", f"From the next round on progressive bets {said}: {fact.person}, {reason}.")


def switched_already(table: Table, _: facts.Fact) -> str:
    return tell(table, "refused.progressive_off" if table.progressive_off else "refused.progressive_on")


# --- rows --------------------------------------------------------------------------------------------

_UP, _LOST = LinkState
ROWS = (
    *refuse(facts.ProgressiveSwitched, EVERY_PHASE, NO_COIN_SPOTS_HERE, when=game_has_no_coin_spots),
    *refuse(facts.ProgressiveSwitched, EVERY_PHASE, switched_already, when=switched_so_already),
    *stay(facts.ProgressiveSwitched, EVERY_PHASE, do=switch_progressive),
)
LINK_ROWS = (
    *move(facts.LinkLost, _UP, _LOST, do=note_link_lost),
    *stay(facts.LinkLost, _LOST),
    *move(facts.LinkFound, LinkState, _UP),
    *stay(facts.LetterAcked, LinkState, do=notices.file_answer),
    # A round in play keeps its link state. If the controller stays silent, the loss is reported and asked about.
    *stay(facts.Booted, _UP, when=service.round_is_open),
    *move((facts.EraOpened, facts.Booted), LinkState, _LOST),
)
