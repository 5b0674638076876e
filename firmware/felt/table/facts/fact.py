"""What every fact is: frozen, with its stamp, and the same as another of its kind whose parts are the same."""

from __future__ import annotations

from felt.nouns.frozen import Frozen
from felt.nouns.stamps import Stamp


class Fact(Frozen):
    at: Stamp
