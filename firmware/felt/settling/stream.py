"""Settles a stream: JSON lines in, JSON lines out, in the same order and in constant memory. A bad line gets an
error in its place, and the others continue."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, Struct, UnsetType

from felt.rules.meters import RESERVE, Amount, value_lines, value_rounds
from felt.rules.rulebook import Line, MissingTermsError, Rulebook, readings_in_force
from felt.settling.request import LINE_BYTES_MAX, RoundToSettle, SettleRequest, read_request
from felt.settling.terms import SettleRefused

CHUNK_BYTES = 1 << 16


class LineAnswer(Struct):
    bet: str
    stake: int | None
    outcome: str
    returned: int | None
    lost: int | None
    paid: int | None
    rule: str
    because: str
    cards: tuple[str, ...]


class BettorAnswer(Struct):
    player: str
    lines: list[LineAnswer]
    net: int


class BoxAnswer(Struct):
    box: int
    player: str
    folded: bool
    lines: list[LineAnswer]
    net: int


class SharedBoxAnswer(Struct):
    box: int
    bettors: list[BettorAnswer]
    net: int


class TableAnswer(Struct):
    boxes: list[BoxAnswer] | list[SharedBoxAnswer]
    dealer_qualifies: bool | UnsetType = UNSET


class RoundAnswer(Struct):
    id: Any
    rulebook: str
    dealer_qualifies: bool | UnsetType = UNSET
    boxes: list[BoxAnswer] | list[SharedBoxAnswer] | UnsetType = UNSET
    tables: list[TableAnswer] | UnsetType = UNSET
    meters_after: dict[str, int | str] | UnsetType = UNSET
    reserves_after: dict[str, int | str] | UnsetType = UNSET


_encoder = msgspec.json.Encoder()


def settle_stream(source: BinaryIO, sink: BinaryIO, jobs: int = 1) -> int:
    """Returns the exit status: 0, or 1 if any line was refused."""
    refused = False
    batches = batches_of_lines(source)
    answers = map(settle_batch, batches) if jobs == 1 else _in_parallel(batches, jobs)
    for answer, any_refused in answers:
        refused = refused or any_refused
        sink.write(answer)
        sink.flush()
    return int(refused)


def _in_parallel(batches: Iterable[list[bytes]], jobs: int) -> Iterator[tuple[bytes, bool]]:
    """Answers in order. Only a few batches are in progress at a time, however long the input is."""
    waiting: deque[Future[tuple[bytes, bool]]] = deque()
    with ProcessPoolExecutor(max_workers=jobs) as pool:
        for batch in batches:
            waiting.append(pool.submit(settle_batch, batch))
            if len(waiting) >= 3 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def batches_of_lines(source: BinaryIO) -> Iterator[list[bytes]]:
    """Cuts the input into lines. A line that is too long yields just its start, longer than the limit."""
    rest = b""
    while chunk := _read_some(source):
        *lines, last = chunk.split(b"\n")
        if not lines:
            # Of an endless line, keep only enough to recognise it.
            if len(rest) <= LINE_BYTES_MAX:
                rest += last
            continue
        lines[0] = rest + lines[0]
        rest = last
        yield lines
    if rest:
        yield [rest]


def _read_some(source: BinaryIO) -> bytes:
    read_at_once = getattr(source, "read1", source.read)
    chunk: bytes = read_at_once(CHUNK_BYTES)
    return chunk


def settle_batch(lines: list[bytes]) -> tuple[bytes, bool]:
    refused = False
    answers: list[bytes] = []
    for line in lines:
        try:
            answers.append(settle_line(line))
        except SettleRefused as refusal:
            refused = True
            answers.append(_encoder.encode(_error(line, refusal)))
        answers.append(b"\n")
    return b"".join(answers), refused


def _error(line: bytes, refusal: SettleRefused) -> dict[str, object]:
    return {"id": _identity(line), "error": {"code": refusal.code, "message": refusal.message}}


def _identity(line: bytes) -> str | int | float | None:
    """The id of a refused line, if one can be found."""
    if len(line) > LINE_BYTES_MAX:
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    identity = found.get("id") if isinstance(found, dict) else None
    if isinstance(identity, str):
        # A lone surrogate cannot be encoded.
        return identity.encode("utf-8", "replace").decode("utf-8")
    return identity if isinstance(identity, int | float) else None


def settle_line(line: bytes) -> bytes:
    """The answer to one line. Raises `SettleRefused`."""
    if len(line) > LINE_BYTES_MAX:
        raise SettleRefused(
            "F-601", f"the line is longer than {LINE_BYTES_MAX} bytes: give each round a line of its own"
        )
    request = read_request(line)
    try:
        return _encoder.encode(settle_request(request))
    except MissingTermsError as error:
        raise SettleRefused("F-607", str(error)) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Our own mistake in one line must not cost the other lines their settlement.
        raise SettleRefused("F-699", f"a mistake in Felt itself: {error!r}") from error


def settle_request(request: SettleRequest) -> RoundAnswer:
    rulebook = request.rulebook
    answer = RoundAnswer(request.id, f"{rulebook.id} {rulebook.version}")
    if request.linked:
        after = _settle_linked(request, answer)
    else:
        (single,) = request.rounds
        lines = rulebook.settle(single.deal, single.terms)
        after = request.meters or {}
        if rulebook.meters:
            lines, after = value_lines(rulebook, lines, after, single.terms)
        answer.boxes = _boxes(rulebook, single, lines)
        answer.dealer_qualifies = _qualifies(rulebook, single)
    if after:
        _say_meters(after, answer)
    return answer


def _settle_linked(request: SettleRequest, answer: RoundAnswer) -> dict[str, Amount]:
    rulebook = request.rulebook
    settled = [(rulebook.settle(single.deal, single.terms), single.terms) for single in request.rounds]
    order = _order_of_payment(request, [lines for lines, _ in settled])
    valued, after = value_rounds(rulebook, settled, request.meters or {}, request.terms, order)
    answer.tables = [
        TableAnswer(_boxes(rulebook, single, lines), _qualifies(rulebook, single))
        for single, lines in zip(request.rounds, valued, strict=True)
    ]
    return after


def _order_of_payment(request: SettleRequest, settled: list[tuple[Line, ...]]) -> list[tuple[int, int]]:
    """Major awards by the time each hand was dealt. On one table equal times keep the order of its boxes. Between
    two tables equal times leave the order open, and only the house may decide it."""
    majors: list[tuple[int | float, int, int]] = []
    for place, (single, lines) in enumerate(zip(request.rounds, settled, strict=True)):
        times = {box.seat: time for box, time in zip(single.deal.boxes, single.dealt_at, strict=True)}
        for number, line in enumerate(lines):
            if not line.level:
                continue
            time = times[line.seat]
            if time is None:
                raise SettleRefused("F-602", f"tables[{place}]: box {line.seat} wins a share and has no dealt_at")
            majors.append((time, place, number))
    majors.sort(key=lambda major: major[0])
    for (time, place, _), (next_time, next_place, _) in pairwise(majors):
        if time == next_time and place != next_place:
            problem = f"tables[{place}] and tables[{next_place}] both win a share dealt at {time}"
            raise SettleRefused("F-602", f"{problem}: the order is undetermined, give each its own dealt_at")
    if readings_in_force(request.rulebook, request.terms).get("majors_across_tables") == "tables_together":
        places = list(dict.fromkeys(place for _, place, _ in majors))
        majors.sort(key=lambda major: places.index(major[1]))
    return [(place, number) for _, place, number in majors]


def _qualifies(rulebook: Rulebook, single: RoundToSettle) -> bool | UnsetType:
    if single.deal.void:
        return UNSET
    qualifies = rulebook.qualifies(single.deal.dealer)
    return UNSET if qualifies is None else qualifies


def _boxes(
    rulebook: Rulebook, single: RoundToSettle, lines: tuple[Line, ...]
) -> list[BoxAnswer] | list[SharedBoxAnswer]:
    if rulebook.has_bettors:
        return _shared_boxes(single, lines)
    void = single.deal.void
    answers = {
        box.seat: BoxAnswer(box.seat, box.player, not void and not box.invalidated and rulebook.folded(box), [], 0)
        for box in single.deal.boxes
    }
    for line in lines:
        answer = answers[line.seat]
        answer.net += _add(line, answer.lines)
    return list(answers.values())


def _add(line: Line, lines: list[LineAnswer]) -> int:
    """Adds a line to the answer. Returns what it leaves the player above his stake."""
    if line.stake == 0 and lines and lines[-1].bet == line.bet:
        # A second award of the same bet is added to the first line.
        lines[-1].paid = (lines[-1].paid or 0) + (line.paid or 0)
        lines[-1].because += " " + line.because
    else:
        lines.append(
            LineAnswer(
                line.bet, line.stake, line.outcome, line.returned, line.lost, line.paid, line.rule, line.because,
                line.cards,
            )
        )  # fmt: skip
    return (line.paid or 0) - (line.lost or 0)


def _shared_boxes(shared: RoundToSettle, lines: tuple[Line, ...]) -> list[SharedBoxAnswer]:
    """Lines come by box and, within a box, by bettor in the order of the request."""
    answers: list[SharedBoxAnswer] = []
    rest = deque(lines)
    for box in shared.deal.boxes:
        bettors: list[BettorAnswer] = []
        for bettor in box.bettors:
            own = BettorAnswer(bettor.player, [], 0)
            for _ in range(sum(1 for _, stake in bettor.bets if stake != 0)):
                own.net += _add(rest.popleft(), own.lines)
            bettors.append(own)
        answers.append(SharedBoxAnswer(box.seat, bettors, sum(bettor.net for bettor in bettors)))
    return answers


def _say_meters(after: dict[str, Amount], answer: RoundAnswer) -> None:
    meters: dict[str, int | str] = {}
    reserves: dict[str, int | str] = {}
    for name, value in after.items():
        said = f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else value
        if name.endswith(RESERVE):
            reserves[name.removesuffix(RESERVE)] = said
        else:
            meters[name] = said
    answer.meters_after = meters
    if reserves:
        answer.reserves_after = reserves
