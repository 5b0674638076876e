"""The content of the screens' pages: the layout of the game, the sign for the players, and the table as the room may
see it. Codes and amounts only; the screens decide appearance and language. It holds no hidden card."""

from __future__ import annotations

from typing import Any

from felt.desk.answers import Answer, alerts, plain_question, waiting
from felt.loop.picture import Picture
from felt.nouns.money import minor_of
from felt.rules import shelf
from felt.rules.hand_names import name_of
from felt.rules.procedure import PROCEDURES
from felt.rules.rulebook import Line, Odds, OddsKind, PayTable, Rulebook, Terms
from felt.table import deal, discards, redacted, settle, views
from felt.table.keys import KEYS
from felt.table.redacted import PublicTable
from felt.table.state import ClaimState, Phase, Round, ServiceState

_OPEN_PHASES = (Phase.BETTING,)
_CONFIRMED = "confirmed"
NOTICES_SHOWN = 12


# --- the layout: constant while the table file is ------------------------------------------------------


def layout(picture: Picture) -> Answer:
    table = picture.table
    settings = table.settings
    assert settings is not None
    book, terms = shelf.rulebook(settings.game), settings.terms
    coins = terms.currency
    return {
        "table": settings.table_id,
        "game": book.id,
        "title": book.title,
        "version": book.version,
        "seats": settings.seats,
        "currency": {"code": coins.code, "sign": coins.sign, "digits": coins.minor_digits},
        "language": settings.language,
        "wagers": [
            {
                "name": wager.name,
                "title": wager.title,
                "rule": wager.paragraph,
                "needs": wager.needs,
                "after_cards": wager.after_cards,
                "coin": wager.coin_spot,
                "sensed": settings.senses(wager.name),
            }
            for wager in book.wagers
        ],
        "limits": [{"bet": limit.bet, "min": limit.minimum, "max": limit.maximum} for limit in terms.limits],
        "prescribed": book.prescribed_stake(terms) if settle.coin_wager(settings) is not None else None,
        "pays": [*_printed(book, terms), *_posted(book, terms)],
        "meters": list(book.meters),
        "community": book.community_cards,
        "fold": book.has_fold,
        "dealing": PROCEDURES[book.id].method(settings.dealing).words,
        "keys": [key.name for key in KEYS],
    }


def _printed(book: Rulebook, terms: Terms) -> list[Answer]:
    chosen = dict(terms.pay_letters)
    in_force = [
        pay_table
        for pay_table in book.pay_tables
        if pay_table.bet not in book.letters or chosen.get(pay_table.bet) == pay_table.letter
    ]
    return [_plain_pays(pay_table, terms) for pay_table in in_force]


def _plain_pays(table: PayTable, terms: Terms) -> Answer:
    rows = [_plain_row(hand, odds, terms) for hand, odds in table.rows]
    return {"bet": table.bet, "letter": table.letter, "rule": table.paragraph, "rows": rows}


def _plain_row(hand: str, odds: Odds, terms: Terms) -> Answer:
    row: Answer = {"hand": hand, "kind": odds.kind.value, "amount": odds.amount, "per": odds.per}
    if odds.kind is OddsKind.SUM:
        row["minor"] = odds.amount * 10**terms.currency.minor_digits
    return {**row, "meter": odds.meter} if odds.meter else row


def _posted(book: Rulebook, terms: Terms) -> list[Answer]:
    """What the house posts if the rulebook prints nothing: odds by wager, and one sum of envy."""
    posted = [
        {
            "bet": wager.bet,
            "letter": "",
            "rule": "",
            "rows": [{"hand": hand, "kind": "to", "amount": odds, "per": 1} for hand, odds in wager.rows],
        }
        for wager in terms.posted
    ]
    if terms.envy is not None and not any(table.bet == "envy" for table in book.pay_tables):
        row = {"hand": "mini_royal", "kind": "sum", "amount": 0, "per": 1, "minor": terms.envy}
        posted.append({"bet": "envy", "letter": "", "rule": "", "rows": [row]})
    return posted


# --- the sign ----------------------------------------------------------------------------------------------


def sign(picture: Picture) -> Answer:
    """What players must see, and nothing that only the house should know."""
    table = picture.table
    settings = table.settings
    assert settings is not None
    return {
        "number": picture.number,
        "table": settings.table_id,
        "state": _state_for_players(table),
        "round": table.round.number if table.round else table.tally.rounds,
        "meters": {name: minor_of(micro) for name, micro in picture.meters.items()},
        "notices": [
            {"kind": sign_notice.kind, "seat": sign_notice.seat, "rule": sign_notice.rule}
            for sign_notice in views.players_notices(table)
        ],
        "won": _won(table),
    }


def _state_for_players(table: PublicTable) -> str:
    """One word: what a player must know now."""
    if table.service.state is not ServiceState.IN_SERVICE:
        return "out_of_order"
    if table.phase is Phase.CLOSED:
        return "closed"
    if table.phase in _OPEN_PHASES:
        return "open"
    if table.phase is Phase.IDLE:
        return "between"
    if table.phase is Phase.VOIDING:
        return "void"
    return "held" if table.phase is Phase.INTERRUPTED else "locked"


def _won(table: PublicTable) -> list[Answer]:
    """Confirmed jackpots, until the next round opens."""
    shown = table.round or table.previous
    if shown is None or table.phase is Phase.CLOSED:
        return []
    return [_plain_win(shown, claim) for claim in shown.claims if claim.verdict == _CONFIRMED]


def _plain_win(shown: Round, claim: ClaimState) -> Answer:
    lines = [line for line in redacted.lines_of(shown) if (line.seat, line.level) == (claim.seat, claim.level)]
    line = lines[0] if lines else None
    return {
        "claim": claim.claim,
        "seat": claim.seat,
        "meter": claim.level,
        "award": claim.award_minor,
        "hand": _hand_of_award(shown, line),
        "share": [line.share_num, line.share_den] if line else [1, 1],
        "cards": list(line.cards) if line else [],
    }


def _hand_of_award(shown: Round, line: Line | None) -> str:
    """The row of the pay table that paid the line."""
    if line is None:
        return ""
    book = shelf.rulebook(shown.rulebook)
    rows = [row for table in book.pay_tables if table.bet == line.bet for row in table.rows]
    return next((hand for hand, odds in rows if odds.text == line.odds), "")


# --- the table ---------------------------------------------------------------------------------------------


def table_page(picture: Picture, role: str = "") -> Answer:
    """For the virtual table and the dealer's screen: all that lies on the felt and stands on the panel. `role`: of who
    looks back at a round."""
    table = picture.table
    return {
        **sign(picture),
        "phase": table.phase,
        "service": table.service.state,
        "wall_ns": picture.at.wall_ns,
        "prompt": views.prompt(table),
        "alerts": alerts(table),
        "waiting": waiting(table),
        "link": table.link,
        "shuffler": _plain_shuffler(table),
        "lamps": views.lamps(table),
        "panel": _plain_panel(table),
        "spots": {spot.spot: [spot.present, spot.keyed, spot.amount_minor] for spot in table.spots},
        "closed_spots": [*table.quarantined],
        "barred": list(table.barred),
        "playing": _plain_round(table, role),
        "questions": [plain_question(question) for question in table.irregularity.questions],
        "claim": _claim_to_confirm(table),
        "accepted": views.accepted_count(table),
    }


def _plain_shuffler(table: PublicTable) -> Answer:
    deck, playing = table.shuffler.deck, table.round
    return {
        "connected": table.shuffler.connected,
        "cards": None if deck is None else deck.cards,
        "jammed": deck is not None and deck.jammed,
        "out": 0 if playing is None else len(playing.dealt),
        "of": 0 if playing is None else len(playing.plan),
    }


def _plain_panel(table: PublicTable) -> Answer:
    panel = table.panel
    return {
        "lit": list(views.keys_lit(table)),
        "seats": list(views.seats_lit(table)),
        "mode": panel.mode,
        "mishap": panel.mishap,
        "supervisor": panel.supervisor,
        "dealer": panel.dealer,
        "notices": [
            {"number": note.number, "kind": note.kind, "said": redacted.scrubbed(note.sentence)}
            for note in panel.notices[-NOTICES_SHOWN:]
        ],
    }


def _plain_round(table: PublicTable, role: str) -> Answer | None:
    """The round in play, or the one that ended last until the next opens."""
    shown = table.round or table.previous
    if shown is None:
        return None
    return {
        "number": shown.number,
        "ended": table.round is None,
        "locked": shown.lock_ns is not None,
        "bets": [[bet.seat, bet.wager, bet.amount_minor, bet.accepted, bet.rule] for bet in shown.bets],
        "decisions": {str(decided.seat): decided.choice for decided in shown.decisions},
        "hands": [
            {
                "target": hand.target,
                "cards": list(hand.cards),
                "dealt": hand.dealt,
                "name": name_of(shown.rulebook, hand.cards),
            }
            for hand in redacted.hands_of(shown, role)
        ],
        "qualifies": _qualifies(shown),
        "to_discard": _third_community_cards(shown),
        "discard_due": discards.is_due(table),
        "seen": shown.seen,
        "collected": shown.collected,
        "revealed": shown.revealed,
        "settled": shown.settled_at is not None,
        "returned": list(shown.returned),
        "void": shown.void_rule,
        "lines": [_plain_line(line) for line in redacted.lines_of(shown, role)],
    }


def _third_community_cards(shown: Round) -> int:
    """The third community card lies with the other two until somebody says which one is discarded."""
    return 0 if shown.discarded else len(deal.hand_of(shown, deal.DISCARD))


def _qualifies(shown: Round) -> bool | None:
    dealer = next((hand.cards for hand in redacted.hands_of(shown) if hand.target == "dealer"), ())
    if len(dealer) != 3 or not name_of(shown.rulebook, dealer):
        return None
    return shelf.rulebook(shown.rulebook).qualifies(dealer)


def _plain_line(line: Line) -> dict[str, Any]:
    return {
        "seat": line.seat,
        "bet": line.bet,
        "stake": line.stake,
        "outcome": line.outcome,
        "returned": line.returned,
        "lost": line.lost,
        "paid": line.paid,
        "odds": line.odds,
        "level": line.level,
        "rule": line.rule,
        "because": line.because,
        "cards": list(line.cards),
    }


def _claim_to_confirm(table: PublicTable) -> Answer | None:
    claim = settle.claim_in_hand(table)
    if claim is None or table.phase not in (Phase.SETTLING, Phase.VERIFYING):
        return None
    playing = settle.round_of(table)
    return {
        **_plain_win(playing, claim),
        "valued": claim.value_micro is not None,
        "value": None if claim.value_micro is None else minor_of(claim.value_micro),
        "by_hand": claim.by_hand,
    }
