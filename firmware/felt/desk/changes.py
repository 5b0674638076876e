"""What changed between two pictures of the table, in words, for watchers: contacts, keys, lamps, cards without their
faces, notices, phases."""

from __future__ import annotations

from collections.abc import Iterator

from felt.loop.picture import Picture
from felt.table import views
from felt.table.redacted import PublicTable

Change = tuple[str, str]  # kind, sentence


def changes(before: Picture, after: Picture) -> Iterator[Change]:
    yield from _keys(before, after)
    if after.table is before.table:
        return
    yield from _contacts(before.table, after.table)
    yield from _cards(before.table, after.table)
    yield from _lamps(before.table, after.table)
    yield from _house(before.table, after.table)
    yield from _notices(before.table, after.table)


def _keys(before: Picture, after: Picture) -> Iterator[Change]:
    for key in after.down:
        if key not in before.down:
            yield "key", f"{key}: down"
    for key in before.down:
        if key not in after.down:
            yield "key", f"{key}: up"


def _contacts(before: PublicTable, after: PublicTable) -> Iterator[Change]:
    known = {spot.spot: spot for spot in before.spots}
    for spot in after.spots:
        was = known.get(spot.spot)
        if was is None or was is spot:
            continue
        fresh = [burst for burst in spot.bursts if burst.ended and burst not in was.bursts]
        for ended in fresh:
            how = " (level read again, no edge)" if ended.found else ""
            yield "sensor", f"{spot.spot}: {'covered' if ended.present else 'uncovered'}{how}"
        if not fresh and was.present != spot.present:
            yield "sensor", f"{spot.spot}: {'covered' if spot.present else 'uncovered'}"
        if (was.keyed, was.amount_minor) != (spot.keyed, spot.amount_minor):
            yield "bet", f"{spot.spot}: {'keyed' if spot.keyed else 'not keyed'}"


def _cards(before: PublicTable, after: PublicTable) -> Iterator[Change]:
    if after.round is None:
        return
    same_round = before.round is not None and before.round.number == after.round.number
    dealt = len(before.round.dealt) if before.round is not None and same_round else 0
    for place, card in enumerate(after.round.dealt[dealt:], dealt + 1):
        target = f"box {card.target}" if card.target.isdigit() else card.target
        yield "card", f"card {place} of {len(after.round.plan)} to {target}"
    strays = len(before.round.strays) if before.round is not None and same_round else 0
    for _ in after.round.strays[strays:]:
        yield "card", "a card that belongs to no hand"


def _lamps(before: PublicTable, after: PublicTable) -> Iterator[Change]:
    dark = views.lamps(before)
    for lamp, pattern in views.lamps(after).items():
        if dark.get(lamp) != pattern:
            yield "lamp", f"{lamp}: {pattern}"


def _house(before: PublicTable, after: PublicTable) -> Iterator[Change]:
    if before.phase is not after.phase:
        yield "phase", f"{after.phase}"
    if before.service.state is not after.service.state:
        yield "phase", f"{after.service.state}"
    if before.link is not after.link:
        yield "link", f"jackpot link {after.link}"
    if before.shuffler.connected != after.shuffler.connected:
        yield "link", f"shuffler {'connected' if after.shuffler.connected else 'LOST'}"
    for fault in before.service.faults:
        if fault not in after.service.faults:
            yield "fault", f"{fault.code} {fault.where}: cleared"


def _notices(before: PublicTable, after: PublicTable) -> Iterator[Change]:
    for notice in after.panel.notices:
        if notice.number > before.panel.noticed:
            yield notice.kind, notice.sentence
