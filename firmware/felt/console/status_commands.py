"""Commands that only show something: the status board, spots, faults, links, meters, and whatever else the desk
knows."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime
from typing import Any

from felt.console.grammar import number_in
from felt.console.ports import Gone
from felt.console.session import WIDTH, Command, ConsoleSession
from felt.nouns.faults import CATALOGUE
from felt.nouns.stamps import NS_PER_S
from felt.nouns.texts import capitalized


def wrapped(text: str, indent: int) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2))


def moment(wall_ns: int) -> str:
    return datetime.fromtimestamp(wall_ns // NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def status(session: ConsoleSession, _: list[str]) -> None:
    told = session.ask("status")
    service = {"IN_SERVICE": "in service", "TEST": "*** TEST MODE ***"}.get(told["service"], "OUT OF SERVICE")
    link = "up" if told["link"] == "UP" else "LOST"
    meters = ", ".join(f"{name} {session.say_money(value, told['currency'])}" for name, value in told["meters"].items())
    free = session.archive.free_bytes() // 1_000_000
    rows = (
        ("Table", f"{told['table']}, {told['game']}, firmware {told['firmware']}"),
        ("Time", moment(told["wall_ns"])),
        ("Service", service),
        ("Phase", f"{told['phase']}: {told['prompt']}"),
        ("Round", f"{told['round'] or 'none in play'}; {told['rounds']} since the journal began"),
        ("Dealer", told["dealer"] or "nobody signed in"),
        ("Link", f"{link}, {told['mail']} letters unanswered"),
        ("Shuffler", "connected" if told["shuffler"] else "NOT CONNECTED"),
        ("Meters", meters or "none"),
        ("Journal", f"record {told['journal']}, {free:,} MB free"),
    )
    for name, value in rows:
        session.say(wrapped(f"{name:<9}{value}", 0))
    say_alerts(session, told["alerts"], told["waiting"])


def say_alerts(session: ConsoleSession, alerts: list[dict[str, Any]], waiting: list[str]) -> None:
    if not alerts and not waiting:
        session.say("All is well: no fault stands, nothing waits for anybody.")
        return
    for alert in alerts:
        seen = f" ({alert['acknowledged']} takes care of it)" if alert["acknowledged"] else ""
        seen = f" It has passed: acknowledge {alert['code']}." if alert["passed"] else seen
        session.say(wrapped(f"! {alert['code']} {alert['where']}: {alert['sentence']}{seen}", 0))
    for sentence in waiting:
        session.say(wrapped(f"! {sentence}", 0))
    standing = [alert["code"] for alert in alerts if not alert["passed"]]
    if standing:
        session.say(f"To see what to do: faults {standing[0]}")


def spots(session: ConsoleSession, arguments: list[str]) -> None:
    seat = number_in(arguments, 0, 0, 99)
    currency = session.ask("status")["currency"]
    session.say(f"{'SPOT':<16}{'CHIP':<11}{'LAMP':<16}{'BET':<14}REMARK")
    for spot_told in session.ask("spots")["spots"]:
        if seat not in (0, spot_told["seat"]):
            continue
        bet = "" if spot_told["amount_minor"] is None else session.say_money(spot_told["amount_minor"], currency)
        bet = f"{bet} keyed".strip() if spot_told["keyed"] else bet
        chip = ("covered" if spot_told["present"] else "-") if spot_told["sensed"] else "no sensor"
        session.say(
            f"{spot_told['spot']:<16}{chip:<11}{spot_told['lamp'] or '-':<16}{bet:<14}{_remark(spot_told)}".rstrip()
        )


def _remark(spot: dict[str, Any]) -> str:
    remarks = (
        (spot["quarantined"], "OUT OF PROGRESSIVE PLAY"),
        (spot["barred"], "BOX OUT OF PLAY"),
        (spot["unseen"] > 0, f"no chip for {spot['unseen']} rounds"),
        (spot["quarantined"] and spot["proved"], "tested good: clear its fault"),
    )
    return ", ".join(text for is_so, text in remarks if is_so)


def panel(session: ConsoleSession, _: list[str]) -> None:
    told = session.ask("panel")
    session.say(f"Keys lit:  {', '.join(told['lit']) or 'none'}")
    session.say(f"Keys down: {', '.join(told['down']) or 'none'}")
    key, door = "ON" if told["supervisor"] else "off", "OPEN" if told["door_open"] else "closed"
    session.say(f"Supervisor key {key}, door {door}")
    session.say(f"Dealer: {told['dealer'] or 'nobody'}; known: {', '.join(told['dealers']) or 'nobody'}")
    for notice in told["notices"]:
        session.say(wrapped(f"{notice['number']:>4} {notice['kind']}: {notice['sentence']}", 0))


def round_in_play(session: ConsoleSession, _: list[str]) -> None:
    answer = session.ask("round")
    told = answer["round"]
    if told is None:
        session.say("No round is in play. To see the last rounds: rounds")
        return
    currency = session.ask("status")["currency"]
    locked = "locked" if told["locked"] else "not locked"
    state = {"INTERRUPTED": f"HELD ({locked}; see questions)", "BETTING": "bets are open"}.get(answer["phase"], locked)
    dealt = f"{told['dealt']} of {told['of']} cards dealt"
    session.say(wrapped(f"Round {told['number']}, {told['rulebook']}, {state}, {dealt}", 0))
    for bet in told["bets"]:
        amount = "amount unknown" if bet["amount_minor"] is None else session.say_money(bet["amount_minor"], currency)
        fate = "" if bet["accepted"] else f", returned ({bet['rule']})"
        session.say(f"  box {bet['seat']} {bet['wager']}: {amount}{fate}")
    for decided in told["decisions"]:
        session.say(f"  box {decided['seat']} decided: {decided['choice']}{', left' if decided['left'] else ''}")
    for claim in told["claims"]:
        session.say(f"  claim {claim['claim']} on {claim['level']}: {claim['verdict'] or 'open'}")


def questions(session: ConsoleSession, _: list[str]) -> None:
    asked = session.ask("questions")["questions"]
    if not asked:
        session.say("No question is open.")
    for question in asked:
        session.say(wrapped(f"{question['id']} {question['where']}: {question['because']} ({question['rule']}).", 0))
        answers = "|".join(question["options"])
        if question["players"]:
            boxes = ", ".join(map(str, question["players"]))
            session.say(wrapped(f"Box {boxes} chooses: choose {question['id']} BOX {answers}", 2))
        else:
            proposed = f"Proposed: {question['proposal']}" if question["proposal"] else "Nothing is proposed"
            session.say(wrapped(f"{proposed}. Answer: rule {question['id']} {answers} REASON", 2))


def shuffler(session: ConsoleSession, _: list[str]) -> None:
    told = session.ask("shuffler")
    if not told["connected"]:
        session.say("The shuffler is NOT CONNECTED (F-201).")
        session.say(wrapped(CATALOGUE["F-201"].remedy, 2))
    else:
        session.say(f"Connected: {told['identity'] or 'no name given'}, protocol {told['version']}")
    session.say(f"Session {told['session']}, last card message {told['sequence']}")
    deck = told["deck"]
    if deck is None:
        session.say("It has not reported its deck.")
    else:
        signs = [word for word in ("jammed", "door_open", "face_up_next") if deck[word]]
        shuffled = "shuffled" if deck["shuffled"] else "not shuffled"
        session.say(f"Deck: {deck['cards']} cards, {shuffled}, {deck['sets']} sets")
        session.say(f"Signs: {', '.join(signs).replace('_', ' ') or 'none'}")


def link(session: ConsoleSession, _: list[str]) -> None:
    told = session.ask("link")
    up = told["link"] == "UP"
    session.say(f"The jackpot controller {'answers' if up else 'does NOT ANSWER (F-301)'}.")
    if not up:
        session.say(wrapped(CATALOGUE["F-301"].remedy, 2))
    counted = f"{told['written']} letters written, {len(told['unanswered'])} unanswered"
    session.say(f"{counted}; journal nonce {told['nonce']}")


def mail(session: ConsoleSession, _: list[str]) -> None:
    letters = session.ask("link")["unanswered"]
    session.say(f"{len(letters)} letters without an answer.")
    for letter in letters[:20]:
        session.say(f"  letter {letter['sequence']}: {letter['kind']}")
    if len(letters) > 20:
        session.say(f"  and {len(letters) - 20} more")


def meters(session: ConsoleSession, _: list[str]) -> None:
    told, currency = session.ask("meters"), session.ask("status")["currency"]
    for name, value in told["meters"].items():
        session.say(f"{name}: {session.say_money(value, currency)}")
    for name, value in told["registered"].items():
        session.say(f"{name}, registered with the lock of this round: {session.say_money(value, currency)}")
    tally = told["tally"]
    session.say(f"Rounds {tally['rounds']}: {tally['settled']} settled, {tally['voided']} void")
    contributed = session.say_money(tally["contributions_minor"], currency)
    session.say(f"Progressive stakes {contributed}, awards {session.say_money(tally['awards_minor'], currency)}")


def odds(session: ConsoleSession, _: list[str]) -> None:
    told, currency = session.ask("odds"), session.ask("status")["currency"]
    session.say(f"{'WAGER':<18}{'EDGE TONIGHT':>13}{'HIT RATE':>11}{'DEVIATION':>11}{'LONG RUN':>11}")
    for wager in told["wagers"]:
        name = f"{wager['wager'].replace('_', ' ')} {wager['pay_table']}".strip()
        edge, hits, back = (
            f"{wager[key]:.2f}%" for key in ("house_edge_percent", "hit_rate_percent", "long_run_return_percent")
        )
        session.say(f"{name:<18}{edge:>13}{hits:>11}{wager['deviation']:>11.2f}{back:>11}")
        if wager["strategy"]:
            session.say(wrapped(wager["strategy"], 2))
        for level in wager["levels"]:
            stands, even = (session.say_money(level[key], currency) for key in ("minor", "even_minor"))
            adds = f"adds {level['adds_percent']:.2f}%, one hit in {level['bets_a_hit']:,.0f} bets, even at {even}"
            session.say(wrapped(f"{level['meter']} at {stands} {adds}", 2))
        if wager["strategy_changes_minor"]:
            values = ", ".join(session.say_money(minor, currency) for minor in wager["strategy_changes_minor"])
            session.say(wrapped(f"A fold forfeits it: the best strategy changes at {values}.", 2))
    for sentence in told["above_even"]:
        session.say(wrapped(f"! {capitalized(sentence)}.", 0))
    session.say("Edge in stakes, as the meters stand; long run: what goes back in time. Exactly: felt odds")


def versions(session: ConsoleSession, _: list[str]) -> None:
    for line in session.archive.versions():
        session.say(line)
    try:
        told = session.ask("versions")
    except Gone:
        session.say("The controller does not answer: this comes from the disk.")
        return
    session.say(f"running       {told['firmware']}, boot {told['boot']}, {told['rulebook'] or 'no round yet'}")
    session.say(f"settings      {told['configuration']}")
    session.say(f"journal       nonce {told['journal']}, last record {told['head']['seq']}")
    session.say(f"shuffler      {told['shuffler']}")


def clock(session: ConsoleSession, _: list[str]) -> None:
    told = session.ask("clock")
    up_s = told["mono_ns"] // NS_PER_S
    session.say(f"{moment(told['wall_ns'])}; the host has been up for {up_s // 3600} h {up_s // 60 % 60} min")
    session.say(f"boot {told['boot']}; nothing in play is ordered by the wall clock")


STATUS_COMMANDS: dict[str, Command] = {
    "status": Command("status", "The status board, and everything that needs a person.", "status", status),
    "spots": Command("spots [SEAT]", "Every bet spot: chip, lamp, bet, and what is wrong with it.", "spots 3", spots),
    "panel": Command("panel", "Keys lit and down, key switch, door, dealer, the last notices.", "panel", panel),
    "round": Command("round", "The round in play, without its cards.", "round", round_in_play),
    "questions": Command("questions", "What only a supervisor may decide.", "questions", questions),
    "shuffler": Command(
        "shuffler", "The shuffler's connection and what it reports about its deck.", "shuffler", shuffler
    ),
    "link": Command("link", "The link to the jackpot controller.", "link", link),
    "mail": Command("mail", "Letters that the jackpot controller has not answered.", "mail", mail),
    "meters": Command("meters", "The jackpots as they are shown, and what this table has counted.", "meters", meters),
    "odds": Command("odds", "What each wager costs and returns, as the meters stand tonight.", "odds", odds),
    "versions": Command(
        "versions", "Firmware, settings, rulebook, journal and shuffler.", "versions", versions, needs_table=False
    ),
    "clock": Command("clock", "The table's clocks.", "clock", clock),
}
