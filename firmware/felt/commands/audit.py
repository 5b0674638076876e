"""`felt audit`: checks that the journal is whole, that its present era leads to every recorded table, and that the
software is the delivered one. It runs nightly and on demand. The exit status gives the result, and the table is
told."""

from __future__ import annotations

import argparse
import json
import sys
import time

from felt import __version__
from felt.commands.check import add_source_arguments
from felt.commands.failing import one_sentence
from felt.config import Config, ConfigError, load
from felt.evidence.audit_result import Audit, Verdict
from felt.host.audit import audit_journal
from felt.host.checkpoint_key import signing_key
from felt.host.clock_status import clock_trouble
from felt.host.integrity import changed_software
from felt.nouns.values import replace, to_plain
from felt.ports import DiskError
from felt.wiring.audit_folders import expected_of, keep_audit
from felt.wiring.devices import read_only_disk

EPILOG = """examples:
  felt audit --config /etc/felt/table.toml
  felt audit --config table.toml --json

The exit status is 0 if nothing is wrong. It is 1 if the journal is
damaged or leads to another table (F-408), or if the software was changed
(F-410). It is 3 if the journal could not be read (F-409). A clock that was
not synchronised for a day is reported too (F-411)."""
STATUS = {Verdict.GOOD: 0, Verdict.BAD: 1, Verdict.UNDONE: 3}
SAID = {Verdict.GOOD: "good", Verdict.BAD: "F-408, the journal does not hold", Verdict.UNDONE: "F-409, not done"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object, for a program")


def run(arguments: argparse.Namespace) -> int:
    if arguments.config is None:
        print("felt audit: no table file: name it with --config FILE", file=sys.stderr)
        return 2
    with one_sentence("felt audit"):
        config = load(arguments.config, arguments.overrides)
        audit = _audit(config)
        keep_audit(config, audit)
        print(json.dumps(to_plain(audit)) if arguments.json else _sentence(audit), flush=True)
        return STATUS[audit.verdict] or (1 if audit.software else 0)
    return 1


def _audit(config: Config) -> Audit:
    now_ns = time.time_ns()
    try:
        expected = expected_of(config, _public_key(config))
        disk = read_only_disk(config.path(config.journal.folder))
    except (DiskError, ConfigError) as error:
        return Audit(now_ns, Verdict.UNDONE, str(error))
    try:
        found = audit_journal(disk, __version__, now_ns, expected)
        return replace(found, software=changed_software(with_bytecode=True), clock=clock_trouble(now_ns))
    finally:
        disk.close()


def _public_key(config: Config) -> str:
    """The public half of the available key. At night no key is available, so the settings must name its public half."""
    try:
        key = signing_key(config)
    except ConfigError:
        return ""
    return key.public.hex() if key else ""


def _sentence(audit: Audit) -> str:
    said = f"felt audit: {SAID[audit.verdict]}: {audit.sentence}"
    if audit.software:
        said += f"\nfelt audit: F-410, the software differs from what was delivered: {audit.software}"
    if audit.clock:
        said += f"\nfelt audit: F-411, {audit.clock}"
    return said
