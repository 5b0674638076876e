"""What every fact is: frozen, with its stamp."""

from __future__ import annotations

from dataclasses import dataclass

from felt.nouns.stamps import Stamp


@dataclass(frozen=True, slots=True)
class Fact:
    at: Stamp
