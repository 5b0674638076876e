"""What every fact is: frozen, with its stamp, and known by its kind's name in the journal."""

from __future__ import annotations

from felt.nouns.stamps import Stamp
from felt.nouns.values import Value


class Fact(Value, tag=True, tag_field="is"):
    at: Stamp
