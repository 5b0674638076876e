"""Every setting of a table file, with its type and bounds. Amounts are whole minor units (cents)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import Annotated

from msgspec import Meta

from felt.config.bounds import Violation, worded
from felt.jackpot.books.terms import AMOUNT_MINOR_MAX, ODDS_TO_ONE_MAX
from felt.nouns.ids import CODE_DIGITS
from felt.nouns.money import BASIS_POINTS
from felt.nouns.stamps import BURST_SETTLE_TIMES, DELIVERY_MS
from felt.nouns.values import Value

MINOR_MAX = 10**12  # ten thousand million dollars: catches a typing error; not a limit of the house
POSTED_ODDS_MAX = 10**9  # the same for what a pay table pays to 1

_NAME = worded(r"[a-z][a-z0-9_]{0,39}", "a name of small letters, digits and _")
_PERSON = worded(r"[A-Za-z][A-Za-z0-9_-]{0,39}", "a name of letters, digits, - and _")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class BoardKind(StrEnum):
    VIRTUAL = "virtual"
    MOCK = "mock"
    GPIOCHIP = "gpiochip"
    RPIGPIO = "rpigpio"


class Antes(StrEnum):
    """How the table knows of the bet that other bets need: the Ante, or in 001 the Initial Bet."""

    SENSED = "sensed"
    KEYED = "keyed"
    PRESUMED = "presumed"
    BY_THE_BOARD = "by_the_board"  # sensed if the board senses it, otherwise presumed


class Language(StrEnum):
    """The language of prompts and questions at the table."""

    EN = "en"
    DE = "de"
    ZH = "zh"  # Simplified Chinese
    MS = "ms"  # Malay


class DealOrderedBy(StrEnum):
    DEALER = "dealer"
    TABLE = "table"


class LinkKind(StrEnum):
    EMBEDDED = "embedded"  # the table keeps its own meters
    MQTT = "mqtt"  # a jackpot controller keeps them, for this table and others


class CurrencySettings(Value):
    code: Annotated[str, worded(r"[A-Z]{3}", "a currency code of three capitals, as in USD")]
    sign: Annotated[str, worded(r"[^\s\x00-\x1f\x7f]{1,4}", "a sign of one to four characters, as in $")]
    minor_digits: Annotated[int, Meta(ge=0, le=4)]


class TableSettings(Value):
    id: Annotated[str, worded(r"[A-Za-z0-9][A-Za-z0-9_-]{0,15}", "a table id of up to 16 letters, digits, - and _")]
    seats: Annotated[int, Meta(ge=1, le=9)]
    currency: CurrencySettings
    language: Language
    antes: Antes


class LimitSettings(Value):
    min: Annotated[int, Meta(ge=1, le=MINOR_MAX)]
    max: Annotated[int, Meta(ge=1, le=MINOR_MAX)]


class GameSettings(Value):
    id: Annotated[str, worded(r"[a-z0-9][a-z0-9-]{0,63}", "a game id, as in progressive-3-card-poker")]
    dealing: Annotated[str, _NAME]  # one of the rulebook's methods
    readings: dict[Annotated[str, _NAME], str]
    limits: dict[Annotated[str, _NAME], LimitSettings]
    # By wager: the letter of a printed pay table, or the posted odds to 1 by outcome.
    pay_tables: dict[Annotated[str, _NAME], object]
    # By wager: the return that the approved sheet prints, as in "94.43%". A table with another return is refused.
    approved: dict[Annotated[str, _NAME], str]


class MeterSettings(Value):
    reset_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)]
    rate_bp: Annotated[int, Meta(ge=0, le=BASIS_POINTS)]
    reserve_bp: Annotated[int, Meta(ge=0, le=BASIS_POINTS)]  # the part of rate_bp that goes to the reserve
    limit_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)]  # 0: no limit
    base_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)] = 0  # initial value of a new meter; 0: its reset value
    threshold_minor: Annotated[int, Meta(ge=0, le=AMOUNT_MINOR_MAX)] = 0  # a larger stake is implausible; 0: no check
    odds_to_one: Annotated[int, Meta(ge=0, le=ODDS_TO_ONE_MAX)] = 0  # against the top award; 0: not shown
    secondary_award: Annotated[str, worded(r"[^\x00-\x1f\x7f]{0,120}", "one line of text")] = ""  # shown on the sign


class ProgressiveSettings(Value):
    stake_minor: Annotated[int, Meta(ge=1, le=MINOR_MAX)]
    meters: dict[Annotated[str, _NAME], MeterSettings]
    envy: dict[Annotated[str, _NAME], int]  # posted envy amounts, if the rulebook prints none
    # Who approved meters that differ from the printed ones; empty: they do not differ.
    approval: Annotated[str, worded(r"[^\x00-\x1f\x7f]{0,120}", "one line of text")] = ""


class BoardSettings(Value):
    kind: BoardKind
    profile: str  # a file, or the name of a profile in hw/boards; empty for the virtual board
    settle_ms: Annotated[int, Meta(ge=1, le=1000)]  # for the virtual board's lines; a profile states its own
    sensed: tuple[Annotated[str, _NAME], ...]


class LockSettings(Value):
    drain_ms: Annotated[int, Meta(ge=1, le=10_000)]


class ShufflerSettings(Value):
    url: str  # a device or a pyserial URL; empty: the built-in emulator
    baud: Annotated[int, Meta(ge=300, le=4_000_000)]
    model: Annotated[str, worded(r"[a-z0-9][a-z0-9-]{0,39}", "a model of small letters, digits and -, as in felt-1")]
    deal_ordered_by: DealOrderedBy


class JournalSettings(Value):
    folder: Annotated[str, worded(r"[^\x00]+", "a folder")]
    segment_bytes: Annotated[int, Meta(ge=4096, le=2**30)]
    checkpoint_rounds: Annotated[int, Meta(ge=1, le=10_000)]  # rounds between two checkpoints of the chain
    key: Annotated[str, worded(r"[^\x00]*", "a file, or nothing")]  # the table's own key; see felt verify --new-key
    # Public keys whose checkpoints count: the present key and earlier ones. Empty: a single key.
    public_keys: tuple[Annotated[str, worded(r"[0-9a-f]{64}", "a public key of 64 hexadecimal digits")], ...] = ()
    # The folder outside the state where the witness records the journal's progress; empty: no witness.
    witness: Annotated[str, worded(r"[^\x00]*", "a folder, or nothing")] = ""


class JackpotSettings(Value):
    ledger: Annotated[str, worded(r"[^\x00]+", "a file")]


class BrokerSettings(Value):
    """The broker between tables and controller."""

    name: Annotated[str, worded(r"[a-z][a-z0-9_-]{0,31}", "a name of small letters, digits, - and _")] = "main"
    host: Annotated[str, worded(r"[A-Za-z0-9.:_-]{1,253}", "the broker's name or address")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=1, le=65535)] = 1883
    tls: bool = False
    folder: Annotated[str, worded(r"[^\x00]+", "a folder")] = "link"  # keys, and certificates if tls is true


class LinkSettings(BrokerSettings):
    kind: LinkKind = LinkKind.EMBEDDED
    group: Annotated[str, worded(r"(?:[a-z][a-z0-9_]{0,39})?", "the table's link, or nothing where there is one")] = ""
    lost_s: Annotated[int, Meta(ge=1, le=3600)] = 30


class ReportSettings(Value):
    """When shifts begin, by the host's clock. A day begins with its first shift."""

    shifts: tuple[Annotated[str, worded(r"(?:[01]\d|2[0-3]):[0-5]\d", "a time as in 06:00")], ...] = (
        "06:00", "14:00", "22:00"
    )  # fmt: skip


class DiagnosisSettings(Value):
    unseen_rounds: Annotated[int, Meta(ge=0, le=10_000)]  # 0: never
    stub_check_rounds: Annotated[int, Meta(ge=0, le=10_000)]  # 0: never


class DeskSettings(Value):
    socket: Annotated[str, worded(r"[^\x00]*", "a socket's path, or nothing for a table without a desk")]
    people: Annotated[str, worded(r"[^\x00]+", "a file")]  # written by felt console add-person
    idle_s: Annotated[int, Meta(ge=5, le=86_400)]  # after so long without a key the console signs out
    # SHA-256 of the secret of a screen that is part of the dealer's panel.
    panel: Annotated[str, worded(r"([0-9a-f]{64})?", "64 digits of SHA-256 in hex, or nothing")]


class SignLanguage(StrEnum):
    EN = "en"
    ZH = "zh"  # Simplified Chinese
    MS = "ms"  # Malay


class ScreensSettings(Value):
    """Where pages are served. The sign has a listener of its own that accepts no input."""

    address: Annotated[str, worded(r"[0-9A-Fa-f.:]{2,45}", "an address of this host, as in 127.0.0.1")]
    port: Annotated[int, Meta(ge=1, le=65535)]  # if taken, the next free port
    sign_address: Annotated[str, worded(r"[0-9A-Fa-f.:]{2,45}", "an address of this host, as in 127.0.0.1")]
    sign_port: Annotated[int, Meta(ge=1, le=65535)]
    certificate: Annotated[str, worded(r"[^\x00]*", "a file, or nothing")]  # needed beyond this host
    key: Annotated[str, worded(r"[^\x00]*", "a file, or nothing")]
    # Host names that browsers may use besides the address; others are refused.
    names: tuple[
        Annotated[str, worded(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", "a host's name in small letters")], ...
    ]
    languages: tuple[SignLanguage, ...]  # of the sign; several are shown in turn


class BenchSettings(Value):
    socket: Annotated[str, worded(r"[^\x00]{0,100}", "a socket path of at most 100 characters")]
    levels: Annotated[str, worded(r"[^\x00]*", "a file")]  # a JSON object: the lines that are active at start


class TableFile(Value):
    table: TableSettings
    game: GameSettings
    progressive: ProgressiveSettings
    board: BoardSettings
    lock: LockSettings
    shuffler: ShufflerSettings
    journal: JournalSettings
    jackpot: JackpotSettings
    link: LinkSettings
    diagnosis: DiagnosisSettings
    dealers: dict[Annotated[str, _PERSON], str]  # name and sign-in code of each dealer
    desk: DeskSettings
    screens: ScreensSettings
    bench: BenchSettings
    reports: ReportSettings


def contradictions(settings: TableFile) -> Iterator[Violation]:
    """Contradictions between settings that are each within their bounds."""
    yield from _in_money(settings)
    yield from _in_pay_tables(settings)
    yield from _in_hardware(settings)
    yield from _in_codes(settings)
    yield from unordered_shifts(settings.reports)
    yield from _in_screens(settings.screens)
    if settings.link.kind is LinkKind.MQTT:
        yield from broker_contradictions(settings.link, ("link",))


def broker_contradictions(broker: BrokerSettings, path: tuple[str, ...]) -> Iterator[Violation]:
    """MACs keep a broker honest, but without TLS anybody on the network could read every bet."""
    if not broker.tls and broker.host not in LOOPBACK:
        problem = f"a broker at {broker.host} would be reached without encryption"
        yield Violation((*path, "tls"), problem, "set it to true, or use a broker on this host: 127.0.0.1")


def _in_screens(screens: ScreensSettings) -> Iterator[Violation]:
    """Names, PINs and bets must not cross a network unencrypted."""
    served = bool(screens.certificate), bool(screens.key)
    if served[0] != served[1]:
        missing = "key" if served[0] else "certificate"
        yield Violation(("screens", missing), "a certificate and its key come together", "name both files, or neither")
    for name in ("address", "sign_address"):
        address = getattr(screens, name)
        if address not in LOOPBACK and not all(served):
            problem = f"pages at {address} would cross the network unencrypted"
            remedy = "name screens.certificate and screens.key, or serve on this host alone: 127.0.0.1"
            yield Violation(("screens", name), problem, remedy)
    if not screens.languages:
        yield Violation(("screens", "languages"), "the sign has no language", "write at least one, as in [\"en\"]")


def unordered_shifts(reports: ReportSettings) -> Iterator[Violation]:
    """Each shift begins after the previous one, and the last before the day ends, possibly after midnight."""
    shifts = reports.shifts
    first = shifts[0] if shifts else ""
    turned = [(text < first, text) for text in shifts]
    if not shifts or any(earlier >= other for earlier, other in pairwise(turned)):
        remedy = "write at least one starting time, in order, as in 06:00, 14:00, 22:00"
        yield Violation(("reports", "shifts"), "these times are not the shifts of a day", remedy)


def _in_money(settings: TableFile) -> Iterator[Violation]:
    for wager, limit in settings.game.limits.items():
        if limit.min > limit.max:
            yield Violation(
                ("game", "limits", wager, "min"),
                f"{limit.min} is more than the maximum of {limit.max}",
                "lower it or raise max",
            )
    meters = settings.progressive.meters
    for name, meter in meters.items():
        where = ("progressive", "meters", name)
        if meter.reserve_bp > meter.rate_bp:
            problem = f"{meter.reserve_bp} is more than the whole growth rate, rate_bp = {meter.rate_bp}"
            yield Violation((*where, "reserve_bp"), problem, "the reserve is a part of the growth: lower it")
        for name_of_value in ("reset_minor", "base_minor"):
            value = getattr(meter, name_of_value)
            if 0 < meter.limit_minor < value:
                problem = f"{meter.limit_minor} is below {name_of_value} = {value}"
                yield Violation((*where, "limit_minor"), problem, "raise it, or write 0 for no limit")
        if 0 < meter.threshold_minor < settings.progressive.stake_minor:
            problem = f"{meter.threshold_minor} is below the stake itself, {settings.progressive.stake_minor}"
            yield Violation((*where, "threshold_minor"), problem, "raise it, or write 0 for no threshold")
    growth_bp = sum(meter.rate_bp for meter in meters.values())
    if growth_bp > BASIS_POINTS:
        problem = f"the meters together grow by {growth_bp} hundredths of a per cent of each stake"
        yield Violation(("progressive", "meters"), problem, f"lower their rates to {BASIS_POINTS} in all")


def _in_pay_tables(settings: TableFile) -> Iterator[Violation]:
    remedy = 'write a letter, as in "A", or odds to 1 by outcome, as in { pair = 1, flush = 4 }'
    for wager, posted in settings.game.pay_tables.items():
        is_letter = isinstance(posted, str) and len(posted) == 1 and posted.isascii() and posted.isupper()
        where = ("game", "pay_tables", wager)
        if not is_letter and not (isinstance(posted, dict) and posted):
            yield Violation(where, f"{posted!r} is not a pay table", remedy)
        for hand, odds in posted.items() if isinstance(posted, dict) else ():
            if type(odds) is not int or not 1 <= odds <= POSTED_ODDS_MAX:
                told = f"{odds!r} is not an award to 1"
                yield Violation((*where, hand), told, f"write a whole number from 1 to {POSTED_ODDS_MAX}")


def _in_codes(settings: TableFile) -> Iterator[Violation]:
    """Codes are typed on the seat keys and have no end mark, so no code may begin with another."""
    seats = settings.table.seats
    remedy = f"write {CODE_DIGITS[0]} to {CODE_DIGITS[1]} digits from 1 to {seats}, in quotes"
    for name, code in settings.dealers.items():
        where = ("dealers", name)
        typed = code.isascii() and code.isdigit() and all(1 <= int(digit) <= seats for digit in code)
        if not typed or not CODE_DIGITS[0] <= len(code) <= CODE_DIGITS[1]:
            yield Violation(where, "the code cannot be typed on this table's seat keys", remedy)
        for other, theirs in settings.dealers.items():
            if other != name and code.startswith(theirs):
                yield Violation(where, f"the code begins with that of {other}", "choose another code")


def _in_hardware(settings: TableFile) -> Iterator[Violation]:
    board = settings.board
    is_virtual = board.kind is BoardKind.VIRTUAL
    if len(set(board.sensed)) != len(board.sensed):
        yield Violation(("board", "sensed"), "a kind is listed twice", "remove one")
    if is_virtual and board.profile:
        remedy = "remove it, or choose another board.kind"
        yield Violation(("board", "profile"), "the virtual board has no pins and takes no profile", remedy)
    if not is_virtual and not board.profile:
        remedy = "name a file, or one of the profiles in hw/boards"
        yield Violation(("board", "profile"), f'board.kind = "{board.kind}" needs a board profile', remedy)
    for name in ("socket", "levels"):
        if not is_virtual and getattr(settings.bench, name):
            problem = f'a remote control of the board is for the virtual board alone, and board.kind is "{board.kind}"'
            yield Violation(("bench", name), problem, "remove it")
    if board.kind in (BoardKind.GPIOCHIP, BoardKind.RPIGPIO) and not settings.shuffler.url:
        remedy = "write its device, as in /dev/serial/by-id/…"
        yield Violation(("shuffler", "url"), "a real board needs a real shuffler", remedy)


def least_drain_ms(settle_ms: int, late_ms_max: int) -> int:
    """The drain must outlast the longest burst that its first edge dates (four settle times), the quiet settle time
    after it, and the latest edge. Otherwise a chip in time could arrive after the snapshot."""
    return (BURST_SETTLE_TIMES + 1) * settle_ms + late_ms_max + DELIVERY_MS


def drain_too_short(settings: TableFile, settle_ms: int, late_ms_max: int) -> Iterator[Violation]:
    least_ms = least_drain_ms(settle_ms, late_ms_max)
    if settings.lock.drain_ms < least_ms:
        problem = (
            f"{settings.lock.drain_ms} is too short for lines that settle in {settle_ms} ms and are up to "
            f"{late_ms_max} ms late: {BURST_SETTLE_TIMES + 1} settle times, the lateness and {DELIVERY_MS} ms for "
            f"delivery are {least_ms} ms"
        )
        remedy = f"make it at least {least_ms}, or leave it out: then it follows the board"
        yield Violation(("lock", "drain_ms"), problem, remedy)
