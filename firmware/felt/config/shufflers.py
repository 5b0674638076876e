"""The known models of shuffler. Felt's own are listed here. A maker's model is a package that registers its adapter
as an entry point of the group `felt.shufflers`."""

from __future__ import annotations

from collections.abc import Iterator

from felt.config.bounds import Violation
from felt.config.settings import DealOrderedBy, TableFile
from felt.rules.procedure import PROCEDURES, Community

GROUP = "felt.shufflers"

# The same list as in pyproject.toml, so that a clone that was never installed finds them too.
_OWN = {
    "felt-1": "felt.wire.adapters.felt_1:Felt1",
    "simple-shoe": "felt.wire.adapters.simple_shoe:SimpleShoe",
}
_TAKES_NO_ORDERS = ("simple-shoe",)
_IN_SETS_OF_THREE = (Community.NONE, Community.LAST_OF_THREE)


def models() -> dict[str, str]:
    """The adapter classes by model name, as `module:Class`. A package cannot replace one of Felt's own models."""
    from importlib.metadata import entry_points  # slow to import, and most tables never need it

    found = {entry.name: entry.value for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.value)}
    return found | _OWN


def place_of(model: str) -> str:
    """The adapter class of a model that the configuration check accepted."""
    return _OWN.get(model) or models()[model]


def contradicted_by_shuffler(settings: TableFile) -> Iterator[Violation]:
    chosen = settings.shuffler
    if chosen.model not in _OWN and chosen.model not in models():
        known = ", ".join(sorted(models()))
        yield Violation(("shuffler", "model"), f"{chosen.model!r} is not an installed model", f"use one of {known}")
    elif chosen.model not in _OWN and not chosen.url:
        problem = f"there is no emulator of the model {chosen.model}"
        yield Violation(("shuffler", "url"), problem, "write its device, as in /dev/felt-shuffler")
    if chosen.deal_ordered_by is DealOrderedBy.DEALER:
        return
    where = ("shuffler", "deal_ordered_by")
    if chosen.model in _TAKES_NO_ORDERS:
        yield Violation(where, f"the model {chosen.model} takes no orders", 'write "dealer"')
    method = PROCEDURES[settings.game.id].method(settings.game.dealing)
    if method.one_by_one or method.community not in _IN_SETS_OF_THREE:
        problem = f"{settings.game.dealing} does not deal in sets of three, which is all that the table can order"
        yield Violation(where, problem, 'write "dealer", or choose another game.dealing')
