"""An export for a laboratory: the journal, its checkpoints, what the software, the configuration and the rules are, and
the script that checks them, under one manifest that the table's key signs. Without the role that may see every card, a
record that shows one goes out without it, marked as such and with its own place in the chain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from felt.evidence import felt_check
from felt.evidence.felt_check import ABOUT, CHECKPOINTS, MANIFEST, MANIFEST_SEAL, PUBLIC_KEY, digest_of, listing
from felt.evidence.signing import SigningKey
from felt.journal.reading import whole_segments
from felt.journal.record import Record, read_alone
from felt.nouns.shapes import ShapeError
from felt.ports import Disk
from felt.table import redacted

README = """Evidence of a card table, as felt verify --export wrote it.

    python3 felt_check.py . --key HEX

checks it offline; take felt_check.py from the release and HEX from where the table's key was registered.
"""


class Texts(NamedTuple):
    """What is exported beside the journal, by name: digests of installed files, configuration, rules."""

    software: str
    packages: str
    configuration: bytes
    rules: dict[str, bytes]
    about: dict[str, object]


def export_files(disk: Disk, texts: Texts, role: str, key: SigningKey | None) -> Iterator[tuple[str, bytes]]:
    """Every file of the export, the manifest and its seal last."""
    listed: dict[str, str] = {}
    for name, content in _contents(disk, texts, role, key):
        listed[name] = digest_of(content)
        yield name, content
    manifest = listing(listed).encode()
    yield MANIFEST, manifest
    if key is not None:
        yield MANIFEST_SEAL, key.seal_of_manifest(manifest)


def _contents(disk: Disk, texts: Texts, role: str, key: SigningKey | None) -> Iterator[tuple[str, bytes]]:
    yield "README.txt", README.encode()
    yield "felt_check.py", Path(felt_check.__file__).read_bytes()
    yield "software.sha256", texts.software.encode()
    yield "packages.sha256", texts.packages.encode()
    yield "configuration.json", texts.configuration
    for name, content in texts.rules.items():
        yield name, content
    for name, content in whole_segments(disk):
        yield f"journal/{name}", content if role in redacted.MAY_SEE_CARDS else without_cards(content)
    attested = disk.read(CHECKPOINTS) if CHECKPOINTS in disk.names() else b""
    if attested:
        yield CHECKPOINTS, attested[: attested.rfind(b"\n") + 1]
    keys = _keys(attested, key)
    if keys:
        yield PUBLIC_KEY, "".join(f"{one}\n" for one in keys).encode()
    yield ABOUT, (json.dumps(texts.about, indent=1) + "\n").encode()


def _keys(attested: bytes, key: SigningKey | None) -> list[str]:
    """The table's present key, then those that signed before it."""
    if key is None:
        return []
    lines = attested.decode("ascii", "replace").splitlines()
    found = [one.public for line in lines if (one := felt_check.read_checkpoint(line, verify=False))]
    present = key.public.hex()
    return [present, *(one for one in dict.fromkeys(reversed(found)) if one not in ("-", present))]


def without_cards(segment: bytes) -> bytes:
    """The same records, those that show a card without it."""
    header, _, rest = segment.partition(b"\n")
    return b"".join(_line_without_cards(line) for line in (header, *rest.split(b"\n")[:-1]))


def _line_without_cards(line: bytes) -> bytes:
    record = read_alone(line)
    assert record is not None, "only whole segments are exported"
    shown = _shown(record)
    if shown == record.payload:
        return line + b"\n"
    return f"{record.seq:08d} redacted {shown} {record.digest or '-'} {record.chain}\n".encode("ascii")


def _shown(record: Record) -> str:
    plain = json.loads(record.payload)
    if "fact" not in plain:
        return record.payload  # a segment's header
    try:
        return redacted.payload_of(record.payload)
    except ShapeError:  # of another version, whose facts nobody here can read
        kept = {name: plain[name] for name in ("fact", "v", "at") if name in plain}
        return json.dumps({**kept, "withheld": "by another version"}, separators=(",", ":"))
