"""What a table can have registered: the most that each meter showed from the table's lock before to its lock. Nothing
is written for a ping; a meter that only rose shows the most at the lock itself, and one that fell is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from felt.jackpot.meters import Meter
from felt.jackpot.standing import Journal, Shown, Standing, shown_micro, with_journal
from felt.jackpot.terms import link_of


def most_shown(standing: Standing, journal: Journal, link_meters: Iterable[Meter]) -> tuple[Shown, ...]:
    """At a lock of this journal."""
    return tuple(
        Shown(meter.terms.name, max(shown_micro(standing, meter), *_before(standing, journal, meter.terms.name)))
        for meter in link_meters
    )


def _before(standing: Standing, journal: Journal, meter: str) -> list[int]:
    """A journal's first lock has none before it: there is what anybody can have seen lately."""
    if journal.peaks is not None:
        return [0, *(peak.micro for peak in journal.peaks if peak.meter == meter)]
    hits = [hit.value_micro for hit in standing.hits if hit.meter == meter]
    peaks = [peak.micro for other in standing.journals for peak in other.peaks or () if peak.meter == meter]
    return [0, *hits, *peaks]


def with_peaks(before: Standing, after: Standing, link_of_table: Callable[[str], str]) -> Standing:
    """After a letter or an act: of the meters that show less than before, every table of their link may have heard
    what they showed."""
    if before.meters is after.meters and before.claims is after.claims:
        return after
    fallen = [
        Shown(former.terms.name, shown)
        for former, latter in zip(before.meters, after.meters, strict=False)
        if (shown := shown_micro(before, former)) > shown_micro(after, latter)
    ]
    for journal in after.journals if fallen else ():
        link = link_of_table(journal.table)
        own = [peak for peak in fallen if link_of(peak.meter) == link]
        if own and journal.peaks is not None and not journal.superseded:
            after = with_journal(after, journal._replace(peaks=_highest(journal.peaks, own)))
    return after


def _highest(known: tuple[Shown, ...], more: list[Shown]) -> tuple[Shown, ...]:
    highest: dict[str, int] = {}
    for meter, micro in (*known, *more):
        highest[meter] = max(micro, highest.get(meter, 0))
    return tuple(Shown(*found) for found in sorted(highest.items()))
