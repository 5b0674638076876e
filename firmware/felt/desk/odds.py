"""What the console and the pages tell about the odds of this table, as its meters stand tonight."""

from __future__ import annotations

from felt.desk.answers import Answer
from felt.loop.picture import Picture
from felt.nouns.money import minor_of
from felt.odds.standing import above_even, plain, standing
from felt.rules import shelf


def odds(picture: Picture) -> Answer:
    """Figures to read; the exact ones are `felt odds`'s."""
    settings = picture.table.settings
    assert settings is not None
    book, terms, meters = shelf.rulebook(settings.game), settings.terms, _minor(picture)
    return {
        "game": book.id,
        "wagers": [plain(wager) for wager in standing(book, terms, meters)],
        "readings": dict(terms.readings),
        "above_even": list(above_even(book, terms, meters)),
    }


def _minor(picture: Picture) -> dict[str, int]:
    return {name: minor_of(micro) for name, micro in picture.meters.items()}
