"""Combines defaults, table file and overrides into one checked `Config`."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from felt.config.against_rules import contradicted_by_returns, contradicted_by_rules, unknown_game
from felt.config.boards import BoardProfile, find_profile, load_profile, shipped_profiles
from felt.config.bounds import Violation
from felt.config.errors import ConfigError, UnknownGame, key_of
from felt.config.reading import Plain, decoded, read_toml
from felt.config.settings import TableFile, contradictions, drain_too_short, least_drain_ms
from felt.config.shufflers import contradicted_by_shuffler
from felt.config.terms import terms_of
from felt.nouns.ids import Spot, kind_of, seat_of, spot_of
from felt.nouns.values import Value, fields_of, parts_of, replace, to_plain
from felt.odds.cached import Return, returns_of
from felt.rules import shelf

DEFAULTS = Path(__file__).with_name("defaults.toml")
OVERRIDE_CHARACTERS_MAX = 2_000
DEMO_TABLES = Path(__file__).with_name("tables")

# Maps whose keys depend on the game: a table file replaces them as a whole, and another game starts without them.
_NAMED_BY_THE_GAME = (
    ("game", "readings"),
    ("game", "limits"),
    ("game", "pay_tables"),
    ("game", "approved"),
    ("progressive", "meters"),
    ("progressive", "envy"),
)


class Override(Value):
    text: str
    path: tuple[str, ...]
    value: object


class Config(TableFile):
    """The settings in force, the board profile that they name, and the file that they came from."""

    profile: BoardProfile | None
    source: Path | None
    returns: tuple[Return, ...] = ()  # what each wager gives back in the long run, exactly: kept with the settings

    @property
    def digest(self) -> str:
        canonical = json.dumps(self.plain(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def plain(self) -> Plain:
        """Everything in force as plain values, with the board profile."""
        return {**self.sections(), "profile": to_plain(self.profile)}

    def sections(self) -> Plain:
        """The content of a table file that states every setting."""
        return {name: to_plain(getattr(self, name)) for name in fields_of(TableFile)}

    def changed(self) -> Plain:
        """The settings that differ from the defaults, by section."""
        return _difference(self.sections(), _defaults(), ())

    def path(self, text: str) -> Path:
        """Resolves a path in the configuration: relative to the table file, not to the working directory."""
        return (self.source.parent if self.source else Path()) / text


def load(path: Path | None, overrides: Sequence[str] = (), *, whatever_it_returns: bool = False) -> Config:
    """The configuration of a table file (None: the defaults) with overrides such as `lock.drain_ms=200`.
    Raises ConfigError, and nothing else, for whatever is wrong with either. `whatever_it_returns` is for those who want
    to know what a table would give back that nobody may play on."""
    given = read_toml(path) if path else {}
    wanted = [_read_override(text) for text in overrides]

    def origin_of(where: tuple[str, ...]) -> str:
        for override in reversed(wanted):
            shorter = min(len(where), len(override.path))
            if shorter and where[:shorter] == override.path[:shorter]:
                return f"override {override.text}"
        return str(path) if path else "the built-in defaults" + (" with overrides" if wanted else "")

    settings = decoded(TableFile, _merged(given, wanted), origin_of)
    _refuse_first(contradictions(settings), origin_of)
    for violation in unknown_game(settings):
        typed = any(override.path[:2] == ("game", "id") for override in wanted)
        file, key = origin_of(violation.path), key_of(violation.path)
        raise UnknownGame(file, key, violation.problem, violation.remedy, typed=typed)
    _refuse_first(contradicted_by_rules(settings), origin_of)
    if not whatever_it_returns:
        _refuse_first(contradicted_by_returns(settings), origin_of)
    _refuse_first(contradicted_by_shuffler(settings), origin_of)
    profile = _profile_of(settings, path.parent if path else Path())
    if not _is_stated(("lock", "drain_ms"), given, wanted):
        settings = _with_drain_of_the_board(settings, profile)
    _refuse_first(_against_profile(settings, profile), origin_of)
    returns = returns_of(shelf.rulebook(settings.game.id), terms_of(settings))
    return Config(**parts_of(settings), profile=profile, source=path, returns=returns)


def demo_table(game: str) -> Path | None:
    """A game's built-in table file for a demo; None: the defaults belong to this game. Raises ConfigError for an
    unknown game."""
    if game == _at(_defaults(), ("game", "id")):
        return None
    path = DEMO_TABLES / f"{game}.toml"
    if game not in shelf.GAMES or not path.exists():
        problem, remedy = f"{game!r} is not a game on the shelf", f"use one of {', '.join(shelf.GAMES)}"
        raise UnknownGame("--game", "", problem, remedy, typed=True)
    return path


def _refuse_first(found: Iterator[Violation], origin_of: Callable[[tuple[str, ...]], str]) -> None:
    for violation in found:
        raise ConfigError(origin_of(violation.path), key_of(violation.path), violation.problem, violation.remedy)


def _defaults() -> Plain:
    return tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))


def _merged(given: Plain, overrides: Sequence[Override]) -> Plain:
    merged = _defaults()
    default_game = _at(merged, ("game", "id"))
    stated = [override.value for override in overrides if override.path == ("game", "id")]
    game = stated[-1] if stated else _at(given, ("game", "id"))
    for section, name in _NAMED_BY_THE_GAME:
        if game not in (None, default_game) or _at(given, (section, name)) is not None:
            _put(merged, (section, name), {})
    _lay_over(merged, given)
    for override in overrides:
        _put_override(merged, override)
    return merged


def _lay_over(below: Plain, above: Plain) -> None:
    for name, value in above.items():
        under = below.get(name)
        if isinstance(under, dict) and isinstance(value, dict):
            _lay_over(under, value)
        else:
            below[name] = value


def _at(plain: object, path: tuple[str, ...]) -> object:
    for name in path:
        if not isinstance(plain, dict):
            return None
        plain = plain.get(name)
    return plain


def _put(plain: Plain, path: tuple[str, ...], value: object) -> bool:
    """Sets a value at a path. Returns False if the path leads through something that is not a section."""
    for name in path[:-1]:
        inside = plain.setdefault(name, {})
        if not isinstance(inside, dict):
            return False
        plain = inside
    plain[path[-1]] = value
    return True


def _put_override(merged: Plain, override: Override) -> None:
    if not _put(merged, override.path, override.value):
        problem = "this key is below a single setting, not below a section"
        raise ConfigError(f"override {override.text}", key_of(override.path), problem, "name a setting")


def _read_override(text: str) -> Override:
    key, equals, value = text.partition("=")
    path = tuple(part.strip() for part in key.split("."))
    remedy = "write section.key=value, as in lock.drain_ms=200"
    if len(text) > OVERRIDE_CHARACTERS_MAX:
        problem = f"this has more than {OVERRIDE_CHARACTERS_MAX} characters"
        raise ConfigError(f"override {text[:40]!r}...", "", problem, "write it into the table file")
    if not equals or len(path) < 2 or not all(path):
        raise ConfigError(f"override {text!r}", "", "this is not a setting with a value", remedy)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"override {text!r}", "", "this is not UTF-8", "type it again") from None
    return Override(text, path, _read_value(value))


def _read_value(text: str) -> object:
    """A TOML value. A text that is not TOML is taken literally, so folder names need no second pair of quotes."""
    try:
        plain = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return plain["value"] if len(plain) == 1 else text


def _is_stated(path: tuple[str, ...], given: Plain, overrides: Sequence[Override]) -> bool:
    return _at(given, path) is not None or any(override.path == path for override in overrides)


def _timing_of(settings: TableFile, profile: BoardProfile | None) -> tuple[int, int]:
    """How long the board's lines take to settle, and how late their stamps may be."""
    if profile is None:
        return settings.board.settle_ms, 0
    return profile.settle_ms_max(), profile.late_ms_max()


def _with_drain_of_the_board(settings: TableFile, profile: BoardProfile | None) -> TableFile:
    """Without a configured drain, the drain is as long as the board needs, and never shorter than the default."""
    drain_ms = max(settings.lock.drain_ms, least_drain_ms(*_timing_of(settings, profile)))
    return replace(settings, lock=replace(settings.lock, drain_ms=drain_ms))


def _profile_of(settings: TableFile, folder: Path) -> BoardProfile | None:
    name = settings.board.profile
    if not name:
        return None
    path = find_profile(name, folder)
    if not path.exists():
        known = ", ".join(shipped_profiles()) or "none is shipped"
        raise ConfigError(
            str(path), "board.profile", "there is no such file", f"name a file or one of the shipped profiles: {known}"
        )
    return load_profile(path)


def _against_profile(settings: TableFile, profile: BoardProfile | None) -> Iterator[Violation]:
    yield from drain_too_short(settings, *_timing_of(settings, profile))
    if profile is None:
        return
    seats = settings.table.seats
    wired = [Spot(line.name) for line in profile.input if not line.name.startswith("key.")]
    for spot in wired:
        if seat_of(spot) > seats:
            problem = f"{seats}, but the board profile {profile.name} has a sensor {spot}"
            yield Violation(("table", "seats"), problem, "raise the number or remove the line from the profile")
        elif kind_of(spot) not in settings.board.sensed:
            problem = f"{kind_of(spot)} is missing, but the board profile {profile.name} has a sensor {spot}"
            yield Violation(("board", "sensed"), problem, "add it or remove the line from the profile")
    for seat in range(1, seats + 1):
        for kind in settings.board.sensed:
            if spot_of(seat, kind) not in wired:
                problem = f"the board profile {profile.name} has no sensor {spot_of(seat, kind)}"
                remedy = f"add the line to the profile, lower table.seats or remove {kind} from board.sensed"
                yield Violation(("board", "profile"), problem, remedy)


def _difference(plain: Plain, defaults: Plain, path: tuple[str, ...]) -> Plain:
    found: Plain = {}
    for name, value in plain.items():
        default, inside = defaults.get(name), (*path, name)
        if value == default:
            continue
        if isinstance(value, dict) and isinstance(default, dict) and inside not in _NAMED_BY_THE_GAME:
            found[name] = _difference(value, default, inside)
        else:
            found[name] = value
    return found
