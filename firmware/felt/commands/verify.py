"""`felt verify`: digests of what is installed, configured and recorded here, in a form that others can compute too.
It also compares the software with a release, checks the journal and its checkpoints, and exports evidence for a
laboratory. EVIDENCE.md describes the formats."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from felt import __version__
from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.commands.role import add_role_argument
from felt.commands.verify_digests import OVERALL, Parts, parts_of
from felt.commands.verify_export import export_to
from felt.config import Config, ConfigError, load
from felt.evidence import digests
from felt.evidence.audit_result import Verdict
from felt.evidence.bytecode import files_below, foreign_bytecode
from felt.evidence.changes import SoftwareChange, software_changes
from felt.evidence.checkpoints import last_checkpoint
from felt.evidence.felt_check import Checkpoint, Wrong, check_seal, digest_of, listing, read_listing
from felt.evidence.signing import write_new_key
from felt.host.audit import audit_journal
from felt.host.checkpoint_key import signing_key
from felt.host.integrity import strangers, whole_folders
from felt.nouns.stamps import NS_PER_S
from felt.nouns.values import to_plain
from felt.wiring.audit_folders import expected_of
from felt.wiring.devices import read_only_disk

DESCRIPTION = "Digests of software, configuration and journal, and whether they hold."
USAGE = """felt verify [-h] [--config FILE] [--set KEY=VALUE] [--json]
                   [--challenge HEX]
                   [--files | --manifest FILE | --full | --changes |
                    --export FOLDER | --new-key FILE]
                   [--public-key HEX] [--root FOLDER] [--role ROLE]"""
EPILOG = """examples:
  felt verify --config /etc/felt/table.toml                 a digest a part, and one over all
  felt verify --config table.toml --challenge 7f3a9c0012    the same, keyed by an inspector's challenge
  felt verify --files                                       every installed file, as a manifest
  felt verify --manifest MANIFEST                           each file that is not the one of the release
  felt verify --manifest /usr/share/felt/manifest --root /  the same for all that the package brought
  felt verify --config table.toml --full                    the whole chain, the checkpoints, the era's replay
  felt verify --config table.toml --changes                 which software kept the journal, and since when
  felt verify --config table.toml --export FOLDER           evidence for a laboratory; --role supervisor: with cards
  felt verify --new-key /etc/credstore/felt.journal.key     the table's own key, for checkpoints and exports"""
CHALLENGE_BYTES = (1, 64)
CHANGES_SHOWN = 25
UNCHALLENGED = ("manifest", "full", "changes", "export", "new_key")
OK, FAILED, WRONG_USE = 0, 1, 2
NOT_ITS_SOURCE = "is not what this Python compiles from its source, and would run instead of it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.usage = USAGE
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")
    parser.add_argument(
        "--challenge", metavar="HEX", help="answer an inspector's challenge, up to 64 bytes as hex digits"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--files", action="store_true", help="list every installed file with its digest")
    what.add_argument(
        "--manifest", type=Path, metavar="FILE", help="compare what is installed with the manifest of a release"
    )
    what.add_argument("--full", action="store_true", help="check the journal from its first record")
    what.add_argument("--changes", action="store_true", help="list the software versions that kept this journal")
    what.add_argument("--export", type=Path, metavar="FOLDER", help="write evidence for a laboratory into a new folder")
    what.add_argument("--new-key", type=Path, metavar="FILE", help="make the table's own key; print its public half")
    parser.add_argument("--public-key", metavar="HEX", help="with --manifest: the key that signed FILE.sig")
    parser.add_argument("--root", type=Path, metavar="FOLDER", help="with --manifest: its paths begin at this folder")
    add_role_argument(parser, "--export")


def run(arguments: argparse.Namespace) -> int:
    with one_sentence("felt verify"):
        try:
            challenge = bytes.fromhex(arguments.challenge or "")
        except ValueError:
            challenge = b""
        if arguments.challenge is not None and not CHALLENGE_BYTES[0] <= len(challenge) <= CHALLENGE_BYTES[1]:
            print("felt verify: --challenge takes 1 to 64 bytes in hexadecimal, as in 7f3a9c0012", file=sys.stderr)
            return WRONG_USE
        if challenge and any(getattr(arguments, name) for name in UNCHALLENGED):
            print("felt verify: --challenge keys the digests of parts and --files, and nothing else", file=sys.stderr)
            return WRONG_USE
        return _chosen(arguments, challenge)
    return FAILED


def _chosen(arguments: argparse.Namespace, challenge: bytes) -> int:
    if arguments.new_key is not None:
        return _new_key(arguments.new_key)
    if arguments.files:
        sys.stdout.write(listing({**digests.software(challenge), **digests.packages(challenge)}))
        return OK
    if arguments.manifest is not None:
        return _compare(arguments.manifest, arguments.public_key, arguments.root, as_json=arguments.json)
    about_journal: dict[str, Callable[[Config, argparse.Namespace], int]] = {
        "full": _full, "changes": _changes, "export": _export,
    }  # fmt: skip
    wanted = next((name for name in about_journal if getattr(arguments, name)), None)
    if arguments.config is None and wanted is not None:
        print(f"felt verify: --{wanted} needs a journal: name the table file with --config FILE", file=sys.stderr)
        return WRONG_USE
    config = None if arguments.config is None else load(arguments.config, arguments.overrides)
    if config is not None and wanted is not None:
        return about_journal[wanted](config, arguments)
    parts = parts_of(config, challenge)
    _tell(parts, challenge, as_json=arguments.json)
    if config is not None and parts.head is None:
        folder = config.path(config.journal.folder)
        print(f"felt verify: there is no journal in {folder}, so it is left out", file=sys.stderr)
    for name in parts.bytecode:
        print(f"felt verify: {name} {NOT_ITS_SOURCE}", file=sys.stderr)
    return FAILED if parts.bytecode else OK


def _tell(parts: Parts, challenge: bytes, *, as_json: bool) -> None:
    answers, head = parts.answers(challenge), parts.head
    if as_json:
        told = {"felt": __version__, "challenge": challenge.hex(), "digests": answers, "packages": digests.versions()}
        told["foreign_bytecode"] = list(parts.bytecode)
        print(json.dumps({**told, "journal": None if head is None else {**to_plain(head), "read": "head only"}}))
        return
    about = {
        "software": f"felt {__version__}, {len(parts.software)} files",
        "packages": ", ".join(digests.versions()),
        "journal": "" if head is None else f"table {head.table}, genesis {head.genesis[:16]}, last record {head.seq}; "
        "only the head was read: --full reads every record",
        OVERALL: f"answer to the challenge {challenge.hex()}" if challenge else "",
    }
    for name, digest in answers.items():
        print(f"{name:<13} {digest}")
        if about.get(name):
            print(f"{'':<13} {about[name]}")
    if not parts.configuration:
        print("felt verify: no table file was named, so configuration and journal are left out", file=sys.stderr)


# --- the software --------------------------------------------------------------------------------------


def _compare(manifest: Path, public: str | None, root: Path | None, *, as_json: bool) -> int:
    """Names every file that differs from the release."""
    try:
        content, seal = manifest.read_bytes(), manifest.with_name(manifest.name + ".sig")
        if public is not None:
            check_seal(content, seal.read_bytes(), public.lower())
        elif seal.exists():
            print(f"felt verify: {seal} was not checked: name the release's key with --public-key HEX", file=sys.stderr)
        expected = read_listing(content.decode("utf-8", "replace"), str(manifest))
    except (Wrong, ValueError) as error:
        raise ConfigError(str(manifest), "", str(error), "take the manifest from the release again") from None
    there = {**digests.software(), **digests.packages()} if root is None else _digests_below(root, expected)
    judged = digests.every_file() if root is None else files_below(root, whole_folders(expected))
    problems = [f"{name} is missing" for name in expected if name not in there]
    problems += [f"{name} is not part of the release" for name in there if name not in expected]
    problems += [f"{name} was changed" for name in expected if name in there and there[name] != expected[name]]
    problems += [f"{name} {NOT_ITS_SOURCE}" for name in foreign_bytecode(judged)]
    if as_json:
        print(json.dumps({"good": not problems, "files": len(expected), "problems": sorted(problems)}))
    elif not problems:
        print(f"{len(expected)} files are those of the release")
    for problem in sorted(problems):
        print(f"felt verify: {problem}", file=sys.stderr)
    return FAILED if problems else OK


def _digests_below(root: Path, expected: Iterable[str]) -> dict[str, str]:
    """Digests for a manifest of whole files, as a package has one, with all other files in its folders."""
    found = {name: digest_of((root / name).read_bytes()) for name in expected if (root / name).is_file()}
    added = [name for folder in whole_folders(expected) for name in strangers(root, folder, expected)]
    return {**found, **dict.fromkeys(added, "")}


def _new_key(file: Path) -> int:
    try:
        key = write_new_key(file)
    except FileExistsError:
        print(f"felt verify: {file} already exists; move it away first to replace it", file=sys.stderr)
        return FAILED
    print(key.public.hex())
    return OK


# --- the journal ---------------------------------------------------------------------------------------


def _full(config: Config, arguments: argparse.Namespace) -> int:
    """Does what `felt audit` does at night, and also checks that the signatures are those of the table's own key."""
    disk = read_only_disk(config.path(config.journal.folder))
    key = signing_key(config)
    audit = audit_journal(disk, __version__, time.time_ns(), expected_of(config, key.public.hex() if key else ""))
    problems = [] if audit.verdict is Verdict.GOOD else [audit.sentence]
    last = last_checkpoint(disk)
    if last is not None and key is not None and last.public != key.public.hex():
        problems.append(f"the last checkpoint, {last.number}, is not signed by the table's present key")
    if arguments.json:
        print(json.dumps({"good": not problems, **to_plain(audit), "problems": problems}))
    elif not problems:
        print(audit.sentence)
    for problem in problems:
        print(f"felt verify: {problem}", file=sys.stderr)
    if key is None:
        print(f"felt verify: {_without_key(config, last)}", file=sys.stderr)
    return FAILED if problems else OK


def _without_key(config: Config, last: Checkpoint | None) -> str:
    if last is None or last.public == "-":
        return "no key is set (journal.key), and the last checkpoint is not signed"
    if config.journal.public_keys:
        return "the table's key is not at hand, so signatures were held against journal.public_keys alone"
    return f"checkpoints are signed by {last.public}; whether that is the table's key, journal.public_keys does not say"


def _changes(config: Config, arguments: argparse.Namespace) -> int:
    found = software_changes(read_only_disk(config.path(config.journal.folder)))
    if arguments.json:
        print(json.dumps([to_plain(change) for change in found]))
        return OK
    for software_change in found[-CHANGES_SHOWN:]:
        print(told_change(software_change))
    return OK


def told_change(change: SoftwareChange) -> str:
    at = datetime.fromtimestamp(change.wall_ns // NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    before = f"{change.from_firmware} {change.from_software[:16] or '-'}" if change.from_firmware else "installed"
    return f"{at}  record {change.seq}  {before} -> {change.firmware} {change.software[:16] or '-'}"


def _export(config: Config, arguments: argparse.Namespace) -> int:
    written = export_to(arguments.export, config, arguments.role, time.time_ns())
    signed = "signed" if written.is_signed else "NOT SIGNED, because no key is set (journal.key)"
    cards = "with every card" if arguments.role else "without the cards that the rules keep closed"
    print(f"{written.files} files, {written.size_bytes} bytes, {cards}, {signed}: {arguments.export}")
    return OK
