"""The fields that every message between a table and the jackpot controller has, in both directions."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Meta

from felt.nouns.values import WHOLE_MAX, Value

_NAME = Meta(
    pattern=r"\A[A-Za-z0-9_.-]{1,64}\Z", description="a name of 1 to 64 letters, digits, dots, dashes or underscores"
)
Name = Annotated[str, _NAME]
NAME_MEANING = _NAME.description
is_name = re.compile(_NAME.pattern or "").match
Count = Annotated[int, Meta(ge=0, le=WHOLE_MAX)]
Number = Annotated[int, Meta(ge=1, le=WHOLE_MAX)]  # counted from one


class Addressed(Value, tag=True, tag_field="is"):
    """A message belongs to one journal of one table. The nonce identifies the journal."""

    table: Name
    nonce: Name
