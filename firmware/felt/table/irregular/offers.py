"""What may be answered to a question, and what somebody has answered. Words of the table's own state."""

from __future__ import annotations

from felt.nouns.values import Value


class Offer(Value):
    """One lawful answer to a question: by which paragraph, who may give it, and which boxes choose for themselves
    after it, to go on by one paragraph or to have their bets back by another."""

    choice: str
    rule: str
    who: str = "supervisor"
    players: tuple[int, ...] = ()
    goes_on_by: str = ""
    returns_by: str = ""
    choose_by: str = ""  # the paragraph that gives them the choice, if it is one of its own


class Remedied(Value):
    """What somebody chose after something went wrong."""

    mishap: str
    place: str
    choice: str
    rule: str
    person: str
    role: str  # player: the box chose for itself
    reason: str = ""  # of a correction: what was paid and what was due
