"""`felt demo`: an evening on one host."""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import sys
import tempfile
from pathlib import Path

from felt.commands.check import add_source_arguments
from felt.commands.demo_link import TABLES_MAX, write_link
from felt.commands.failing import WrongUse, one_sentence
from felt.config import Config, ConfigError, demo_table, load
from felt.config.settings import BenchSettings, BoardKind, LinkKind
from felt.config.writing import to_toml
from felt.demo.linked import play_linked
from felt.demo.pages import list_people, panel_secret, play_in_browser
from felt.demo.show import ShowOptions, play, say_summary, summary
from felt.demo.stage import DemoStage
from felt.nouns.values import replace
from felt.stories.bookcase import SUFFIX, Bookcase, NoSuchStory

TABLE_FILE = "demo.toml"
PACE_S, PACE_S_MAX = 3, 60
LOST_S = 8  # a link is missed sooner than on a box, because somebody waits for it
EPILOG = """examples:
  felt demo                                  play in a browser; the address is printed
  felt demo --tables 3                       three tables that share one jackpot
  felt demo --terminal                       play from the keyboard
  felt demo --story royal_in_hearts          watch a jackpot, step by step
  felt demo --autoplay --rounds 5 --seed 1   watch five rounds
  felt demo --autoplay --rounds 50 --json    print the sums alone, for a program"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    parser.add_argument("--game", metavar="GAME", help="the game to play: felt rules lists them")
    parser.add_argument("--terminal", action="store_true", help="play from the keyboard, without a browser")
    parser.add_argument("--autoplay", action="store_true", help="let dealer, players and supervisor play by themselves")
    pace = f"with --autoplay: how long each result stands (default: {PACE_S} on a terminal, otherwise 0)"
    parser.add_argument("--pace", type=_seconds, metavar="SECONDS", help=pace)
    parser.add_argument("--rounds", type=_count, metavar="N", help="stop after N rounds")
    linked = f"play at N tables, 1 to {TABLES_MAX}, that share one jackpot"
    parser.add_argument("--tables", type=_tables, metavar="N", default=1, help=linked)
    told = "show this story on the page: a name of the page's list, or a .round file"
    parser.add_argument("--story", metavar="NAME", help=told)
    more = "offer the stories of this folder too; repeat it for more"
    parser.add_argument("--stories", type=_stories, action="append", default=[], metavar="FOLDER", help=more)
    parser.add_argument("--seed", type=int, metavar="S", help="a number; the same seed deals the same cards")
    kept = "keep journal and ledger here and go on from them; the console then opens with FOLDER/demo.toml"
    parser.add_argument("--state", type=_folder, metavar="FOLDER", help=kept)
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end, for a program")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:8]) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of rounds from 1 to 1000000")
    return int(text)


def _tables(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:4]) <= TABLES_MAX:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of tables from 1 to {TABLES_MAX}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= PACE_S_MAX:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number of seconds from 0 to {PACE_S_MAX}")
    return seconds


def _folder(text: str) -> Path:
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name is no folder: name one, as in --state /tmp/felt")
    path = Path(text)
    inside = next((parent for parent in (path, *path.parents) if parent.exists()), path)
    if inside.exists() and not inside.is_dir():
        raise argparse.ArgumentTypeError(f"{inside} is a file: name a folder; it is created if needed")
    return path


def _stories(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is no folder: name one that holds .round files")
    return path


def run(arguments: argparse.Namespace) -> int:
    if not arguments.autoplay and arguments.json:
        print("felt demo: --json needs --autoplay: nobody can play on a silent table", file=sys.stderr)
        return 2
    if arguments.tables > 1 and (arguments.autoplay or arguments.terminal):
        print("felt demo: --tables is for the pages: leave --autoplay and --terminal away", file=sys.stderr)
        return 2
    if arguments.game and arguments.config:
        print("felt demo: --game picks a built-in table; --config names its game itself: use one", file=sys.stderr)
        return 2
    with one_sentence("felt demo"), tempfile.TemporaryDirectory(prefix="felt-demo-") as temporary:
        folder = (arguments.state or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        overrides = [
            *arguments.overrides,
            f'journal.folder="{folder / "journal"}"',
            f'jackpot.ledger="{folder / "jackpot.ledger"}"',
            f'desk.socket="{folder / "desk"}"',
            f'desk.people="{folder / "people.toml"}"',
            # What it plays is no evidence: nothing signs it in the table's name, and the table's witness sees nothing.
            'journal.key=""',
            "journal.public_keys=[]",
            'journal.witness=""',
        ]
        source = arguments.config or (demo_table(arguments.game) if arguments.game else None)
        config = load(source, overrides)
        if config.link.kind is not LinkKind.EMBEDDED:
            problem = "this table is linked, and a demo must not contact a jackpot controller"
            raise WrongUse(str(source or ""), "link.kind", problem, "add --set link.kind=embedded, or use felt run")
        if not arguments.terminal and not arguments.autoplay:
            return _in_browser(config, folder, arguments)
        if arguments.state:
            _write_table_file(config, folder / TABLE_FILE)
        stage = DemoStage(config, arguments.seed, folder / "chips.json")
        return _evening(stage, arguments)
    return 1


def _in_browser(config: Config, folder: Path, arguments: argparse.Namespace) -> int:
    if config.board.kind is not BoardKind.VIRTUAL:
        problem = f'board.kind is "{config.board.kind}", but only a virtual board can be played in a browser'
        raise WrongUse(str(config.source or ""), "board.kind", problem, "add --set board.kind=virtual, or use felt run")
    for option, given in (("--rounds", arguments.rounds), ("--seed", arguments.seed), ("--pace", arguments.pace)):
        if given is not None:
            print(f"felt demo: {option} is for --autoplay or --terminal", file=sys.stderr)
            return 2
    if arguments.tables > 1:
        return _linked(config, folder, arguments)
    bookcase = Bookcase(arguments.stories)
    try:
        story = _story_in(bookcase, arguments.story) if arguments.story else ""
    except NoSuchStory as error:
        problem = str(error).rstrip(".")
        raise WrongUse("", "--story", f"{arguments.story}: {problem}", "felt demo without --story lists them") from None
    levels = folder / "levels.json"
    if not levels.exists():
        levels.write_text("{}", encoding="utf-8")
    bench = BenchSettings(socket=str(folder / "bench"), levels=str(levels))
    link = replace(config.link, lost_s=min(config.link.lost_s, LOST_S))
    digest = hashlib.sha256(panel_secret(folder).encode()).hexdigest()
    desk = replace(config.desk, panel=digest)
    _write_table_file(replace(config, bench=bench, link=link, desk=desk), folder / TABLE_FILE)
    list_people(config.path(config.desk.people))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _signal, _frame: sys.exit(1))
    return play_in_browser(
        folder / TABLE_FILE, folder, bookcase, story, lambda sentence: print(f"felt demo: {sentence}", flush=True)
    )


def _linked(config: Config, folder: Path, arguments: argparse.Namespace) -> int:
    if arguments.story:
        print("felt demo: --story is told at one table: leave --tables away", file=sys.stderr)
        return 2
    linked = write_link(config, folder, arguments.tables, hashlib.sha256(panel_secret(folder).encode()).hexdigest())
    list_people(config.path(config.desk.people))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _signal, _frame: sys.exit(1))
    return play_linked(linked, folder, lambda sentence: print(f"felt demo: {sentence}", flush=True))


def _story_in(bookcase: Bookcase, wanted: str) -> str:
    """A name of the shelf, or a file that is put on it. A `NoSuchStory` where it cannot be told."""
    name = bookcase.add(Path(wanted)) if wanted.endswith(SUFFIX) else wanted
    bookcase.open(name)
    return name


def _write_table_file(config: Config, path: Path) -> None:
    """Writes a table file so that `felt console` finds desk, people and journal."""
    text = f"# What this demo plays with; written anew at each start.\n{to_toml(config.sections())}"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        problem = f"the file cannot be written ({error.strerror})"
        raise ConfigError(str(path), "", problem, "name a folder of your own") from None


def _evening(stage: DemoStage, arguments: argparse.Namespace) -> int:
    watched = not arguments.json and sys.stdout.isatty()
    pace_s = arguments.pace if arguments.pace is not None else PACE_S if watched else 0
    wishes = ShowOptions(arguments.autoplay, arguments.rounds, quiet=arguments.json, pace_ms=int(pace_s * 1000))
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(1))  # the terminal is put back on the way out
    try:
        if arguments.state:
            stage.open_desk()
        total = play(stage, wishes)
        if total.stalled:
            print(f"felt demo: {total.stalled}", file=sys.stderr)
            return 1
        facts = summary(stage, total)
        for line in [json.dumps(facts)] if arguments.json else say_summary(stage, facts):
            print(line)
    finally:
        stage.close()
    return 0 if facts["conserved"] else 1
