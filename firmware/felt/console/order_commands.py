"""Commands that change something. Each becomes one fact in the name of the person who is signed in, or the table
refuses it with a reason. The console decides nothing."""

from __future__ import annotations

from felt.console.grammar import Misspelt, number_in, one_of, rest_of, whole_word
from felt.console.session import Command, ConsoleSession, folded
from felt.nouns.texts import says_something


def open_table(session: ConsoleSession, _: list[str]) -> None:
    session.order("TableOpened", "The table is open.")


def close_table(session: ConsoleSession, _: list[str]) -> None:
    session.order("TableClosed", "The table is closed.")


def void(session: ConsoleSession, arguments: list[str]) -> None:
    reason = rest_of(arguments, 0, "why, as in void cards exposed on box 2")
    number = session.ask("status")["round"]
    what = f"round {number}" if number else "the last round"
    if not _is_sure(session, f"Void {what}: every bet of it goes back."):
        return
    session.order("VoidOrdered", f"Void: {reason}", reason=reason)


def confirm(session: ConsoleSession, arguments: list[str]) -> None:
    claim = _claim(session, arguments)
    for step in (
        "The cards of the hand and of the dealer lie face up in the camera's view.",
        "The whole deck was put in order and counted.",
        "The hand is sealed with its record.",
    ):
        if not _is_sure(session, step):
            return
    session.order("ClaimConfirmed", f"Claim {claim} is confirmed.", claim=claim)


def deny(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "which claim, misread or stands, and why, as in deny 17.3 stands the chip came late"
    one_of(arguments, 0, usage)
    claim = _claim(session, arguments)
    hand = whole_word(one_of(arguments, 1, usage).lower(), ("misread", "stands"), "word of a denial")
    reason = rest_of(arguments, 2, usage)
    session.order("ClaimDenied", f"Claim {claim} is denied.", claim=claim, reason=reason, hand=hand)


def _claim(session: ConsoleSession, arguments: list[str]) -> str:
    """The named claim, or the only open one. It is known before anybody affirms anything."""
    playing = session.ask("round")["round"]
    waiting = [open_claim["claim"] for open_claim in playing["claims"] if not open_claim["verdict"]] if playing else []
    if arguments and arguments[0] not in waiting:
        raise Misspelt(f"There is no claim {arguments[0][:40]!r} to decide; open: {', '.join(waiting) or 'none'}.")
    if arguments:
        return arguments[0]
    if len(waiting) != 1:
        raise Misspelt(f"Say which claim: {', '.join(waiting) or 'none is open'}.")
    return str(waiting[0])


def hit(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "box, hand and how it is known, as in hit 3 royal_flush seen by the dealer"
    one_of(arguments, 0, usage)
    seat, hand = number_in(arguments, 0, 0, 99), one_of(arguments, 1, usage)
    evidence = rest_of(arguments, 2, usage)
    said = f"Box {seat}: {hand} is reported; leave the cards as they lie."
    session.order("HitReported", said, seat=seat, hand=hand, evidence=evidence)


def rule(session: ConsoleSession, arguments: list[str]) -> None:
    question = one_of(arguments, 0, "which question, your answer and why, as in rule q1 void power cut in the deal")
    choice = one_of(arguments, 1, "your answer and why; questions lists what can be answered")
    reason = rest_of(arguments, 2, "why")
    session.order("RulingMade", f"{question}: {choice}.", question=question, choice=choice, reason=reason)


def choose(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "question, box and what the player chose, as in choose q1 3 return"
    question, seat = one_of(arguments, 0, usage), number_in(arguments, 1, 0, 99)
    choice = one_of(arguments, 2, usage)
    session.order("PlayerChose", f"Box {seat} chose {choice}.", question=question, seat=seat, choice=choice)


def declare(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "what happened, where and how it is known, as in declare exposed_card 3 seen by the dealer"
    mishap, place, evidence = one_of(arguments, 0, usage), one_of(arguments, 1, usage), rest_of(arguments, 2, usage)
    where, _, count = ("" if place == "-" else place).partition("=")
    where, _, other = where.partition(">")
    counted = number_in([count], 0, 0, 52) if count else 0
    fields = {"mishap": mishap, "where": where, "other": other, "count": counted}
    session.order("IrregularityDeclared", f"Declared: {mishap}.", evidence=evidence, **fields)


def correct(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "the round, what was corrected and why, as in correct 12 paid box 3 the missing $25 / camera seen"
    number = number_in(arguments, 0, 0, 10**9)
    what, _, reason = rest_of(arguments, 1, usage).partition(" / ")
    if not says_something(reason):
        raise Misspelt(f"Say {usage}.")
    fields = {"round": number, "what": what.strip(), "reason": reason.strip()}
    session.order("CorrectionRecorded", f"A correction of round {number} is recorded.", **fields)


def out_of_service(session: ConsoleSession, arguments: list[str]) -> None:
    reason = rest_of(arguments, 0, "why, as in out-of-service wet layout")
    session.order("OutOfServiceOrdered", "The table is out of service.", reason=reason)


def back_in_service(session: ConsoleSession, _: list[str]) -> None:
    session.order("BackInServiceOrdered", "The table is in service.")


def bet(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "box, bet and amount in minor units, as in bet 3 ante 5000 for 50.00"
    spot = f"{number_in(arguments, 0, 0, 99)}.{one_of(arguments, 1, usage)}"
    amount = number_in(arguments, 2, 0, 10**11) or None
    session.order("BetKeyed", f"{spot} is keyed.", spot=spot, amount_minor=amount)


def unbet(session: ConsoleSession, arguments: list[str]) -> None:
    spot = f"{number_in(arguments, 0, 0, 99)}.{one_of(arguments, 1, 'box and bet, as in unbet 3 ante')}"
    session.order("BetUnkeyed", f"{spot} is not keyed any more.", spot=spot)


def amount_of(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "box, bet and the amount found in minor units, as in amount 3 ante 7500 for 75.00"
    spot = f"{number_in(arguments, 0, 0, 99)}.{one_of(arguments, 1, usage)}"
    one_of(arguments, 2, usage)
    amount = number_in(arguments, 2, 0, 10**11)
    said = session.say_money(amount, session.ask("status")["currency"])
    session.order("AmountFound", f"{spot} amounts to {said}.", spot=spot, amount_minor=amount)


def return_bets(session: ConsoleSession, arguments: list[str]) -> None:
    one_of(arguments, 0, "which box, as in return 3")
    seat = number_in(arguments, 0, 0, 99)
    session.order("BetsReturned", f"The bets of box {seat} go back.", seat=seat)


def discard(session: ConsoleSession, arguments: list[str]) -> None:
    one_of(arguments, 0, "which of the three community cards, as in discard 2")
    place = number_in(arguments, 0, 0, 99)
    session.order("DiscardSaid", f"Community card {place} is discarded.", place=place)


def unshown(session: ConsoleSession, arguments: list[str]) -> None:
    one_of(arguments, 0, "which box, as in unshown 3")
    seat = number_in(arguments, 0, 0, 99)
    session.order("RevealRefused", f"Box {seat} does not show its cards.", seat=seat)


def established(session: ConsoleSession, arguments: list[str]) -> None:
    one_of(arguments, 0, "which box, as in established 3")
    seat = number_in(arguments, 0, 0, 99)
    if not _is_sure(session, f"You have seen the hand of box {seat}."):
        return
    session.order("HandEstablished", f"The hand of box {seat} is established.", seat=seat)


def seat_out(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "which box, and out or in, as in seat 3 out"
    one_of(arguments, 0, usage)
    seat, way = number_in(arguments, 0, 0, 99), one_of(arguments, 1, usage)
    if way not in ("out", "in"):
        raise Misspelt(f"Say {usage}.")
    is_out = way == "out"
    session.order("SeatBarred", f"Box {seat} is {'out of' if is_out else 'in'} play.", seat=seat, out=is_out)


def progressive(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "off or on, and why, as in progressive off sign is dark"
    way = one_of(arguments, 0, usage)
    if way not in ("off", "on"):
        raise Misspelt(f"Say {usage}.")
    reason = rest_of(arguments, 1, usage)
    done = f"Progressive bets are {way} from the next round."
    session.order("ProgressiveSwitched", done, off=way == "off", reason=reason)


def dealer(session: ConsoleSession, arguments: list[str]) -> None:
    name = one_of(arguments, 0, "which dealer, as in dealer Kim, or dealer - for nobody")
    name = "" if name == "-" else name
    session.order("DealerSignedIn", f"Dealer: {name or 'nobody'}.", name=name)


def deck(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "changed or verified, as in deck verified"
    what = whole_word(one_of(arguments, 0, usage).lower(), ("changed", "verified"), "way to make a deck good")
    if what == "verified" and not _is_sure(session, "The deck was put in order and counted: it has its 52 cards."):
        return
    session.order("DeckChanged" if what == "changed" else "DeckVerified", f"The deck is {what}.")


def entry(session: ConsoleSession, arguments: list[str]) -> None:
    part = one_of(arguments, 0, "the part and why, as in entry cabinet sensor 3 replaced")
    reason = rest_of(arguments, 1, "why, as in entry cabinet sensor 3 replaced")
    session.order("EntryLogged", f"Entered in the log: {part}, {session.person}.", part=part, reason=reason)


def adjust(session: ConsoleSession, arguments: list[str]) -> None:
    usage = "meter, purse, amount in minor units, type and why, as in adjust major display -5000 malfunction seed twice"
    meter, purse, text = (one_of(arguments, place, usage) for place in range(3))
    way = whole_word(one_of(arguments, 3, usage).lower(), tuple(ADJUSTMENTS), "type of adjustment")
    reason = rest_of(arguments, 4, usage)
    amount = number_in([text.removeprefix("-")], 0, 0, 10**11) * (-1 if text.startswith("-") else 1)
    currency = session.ask("status")["currency"]
    way_said = "Take" if amount < 0 else "Put"
    where = f"{'out of' if amount < 0 else 'into'} the {purse} of {meter}"
    if not _is_sure(session, f"{way_said} {session.say_money(abs(amount), currency)} {where} ({way})."):
        return
    fields = {"meter": meter, "purse": purse, "amount_minor": amount, "type": ADJUSTMENTS[way], "reason": reason}
    session.order("MeterAdjusted", f"{meter} is adjusted and written down.", **fields)


def _is_sure(session: ConsoleSession, sentence: str) -> bool:
    session.say(folded(sentence))
    answer = session.terminal.read_line("Type yes: ").strip().lower()
    if answer != "yes":
        session.say("Nothing was done.")
    return answer == "yes"


# The words that a person types, and the ledger's names for them.
ADJUSTMENTS = {
    "malfunction": "malfunction_corrected",
    "over-limit": "over_limit_corrected",
    "documented": "adjusted",
    "seed-recovery": "seed_recovered",
}

ORDER_COMMANDS: dict[str, Command] = {
    "open": Command("open", "Open the table for play.", "open", open_table),
    "close": Command("close", "Close the table after its last round.", "close", close_table),
    "void": Command(
        "void REASON",
        "Void the round in play, or the last one until the next opens: every bet of it goes back. It says which round "
        "and asks first.",
        "void cards exposed on box 2",
        void,
    ),
    "confirm": Command("confirm [CLAIM]", "Confirm a jackpot, by two persons.", "confirm 17.3", confirm),
    "deny": Command(
        "deny CLAIM misread|stands REASON",
        "Deny a jackpot, by two persons: because the hand was misread, or though the hand stands. Others have envy "
        "only for a hand that stands.",
        "deny 17.3 stands the chip came late",
        deny,
    ),
    "hit": Command(
        "hit BOX HAND EVIDENCE",
        "A jackpot hand lies on the layout that the table has not found: play is held until it is ruled on.",
        "hit 3 royal_flush seen by the dealer",
        hit,
    ),
    "rule": Command("rule QUESTION ANSWER REASON", "Answer an open question.", "rule q1 void power cut", rule),
    "choose": Command("choose QUESTION BOX CHOICE", "Record what a player chose.", "choose q1 3 return", choose),
    "correct": Command(
        "correct ROUND WHAT / WHY",
        "Record what was put right about an earlier round. No round changes by it.",
        "correct 12 paid box 3 the missing $25 / seen on camera",
        correct,
    ),
    "declare": Command(
        "declare MISHAP WHERE EVIDENCE",
        "Say what went wrong where no device can know it. WHERE is a box, dealer, community, or - for none; 3>5: the "
        "hand of box 3 lies at box 5; 3=4: four cards lie at box 3.",
        "declare exposed_card 3 seen by the dealer",
        declare,
    ),
    "adjust": Command(
        "adjust METER PURSE AMOUNT TYPE REASON",
        "Adjust a meter of this table, by two persons, between rounds. PURSE is display, reserve or overflow; AMOUNT "
        "is in minor units (cents), a minus takes out: -5000 takes out 50.00; TYPE is malfunction, over-limit, "
        "documented or seed-recovery. The meters of a linked table are adjusted at its jackpot controller: felt "
        "jackpot act AdjustMeter.",
        "adjust major display -5000 malfunction the seed was entered twice",
        adjust,
    ),
    "out-of-service": Command(
        "out-of-service REASON", "Take the table out of service.", "out-of-service wet layout", out_of_service
    ),
    "back-in-service": Command(
        "back-in-service", "Bring it back when nothing stops it.", "back-in-service", back_in_service
    ),
    "bet": Command(
        "bet BOX BET [AMOUNT]",
        "Key a bet, with its amount in minor units (cents): 5000 is 50.00.",
        "bet 3 ante 5000",
        bet,
    ),
    "unbet": Command("unbet BOX BET", "Take back a keyed bet.", "unbet 3 ante", unbet),
    "amount": Command(
        "amount BOX BET AMOUNT",
        "After the lock: what a bet amounts to, in minor units (cents): 7500 is 75.00.",
        "amount 3 ante 7500",
        amount_of,
    ),
    "return": Command("return BOX", "A box is out of the round and its bets go back.", "return 3", return_bets),
    "discard": Command(
        "discard 1|2|3",
        "Say which of three community cards is discarded, before cards are seen.",
        "discard 2",
        discard,
    ),
    "unshown": Command(
        "unshown BOX",
        "After the reveal: the player of a box does not show his cards. What hangs on his hand alone is lost unless it "
        "is established.",
        "unshown 3",
        unshown,
    ),
    "established": Command(
        "established BOX",
        "You have seen the hand of a box: it counts though the player does not show it. Until the round ends.",
        "established 3",
        established,
    ),
    "seat": Command("seat BOX out|in", "Take a box out of play, or bring it back.", "seat 3 out", seat_out),
    "progressive": Command(
        "progressive off|on REASON", "Play on without progressive bets.", "progressive off sign is dark", progressive,
        ("off", "on"),
    ),
    "dealer": Command("dealer NAME", "Sign a dealer in; - signs out.", "dealer Kim", dealer),
    "deck": Command(
        "deck changed|verified",
        "A new deck was put in, or the deck was put in order, counted and found whole: a round may open again.",
        "deck verified",
        deck,
        ("changed", "verified"),
    ),
    "entry": Command(
        "entry PART REASON",
        "The entry log: you opened or touched a part, with your licence and why.",
        "entry cabinet sensor of box 3 replaced",
        entry,
    ),
}
