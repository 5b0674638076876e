"""Exports evidence for a laboratory under one manifest that the table's key signs. An export holds the journal, its
checkpoints, the identity of software, configuration and rules, and the script that checks them. A role that may not see
every card gets events instead of the journal and no digest over a card, because such a digest would reveal the card
in 52 tries."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from itertools import islice
from pathlib import Path

from felt.evidence import felt_check
from felt.evidence.checkpoints import refuse_lost_end, up_to
from felt.evidence.events import device_of, events_of, exported
from felt.evidence.felt_check import ABOUT, CHECKPOINTS, MANIFEST, MANIFEST_SEAL, PUBLIC_KEY, digest_of, listing
from felt.evidence.outcomes import outcomes
from felt.evidence.signing import SigningKey
from felt.journal.reading import head_of, whole_segments
from felt.journal.record import read_alone
from felt.journal.store import Head
from felt.nouns.values import Value
from felt.ports import Disk
from felt.table import redacted

EVENTS_A_FILE = 20_000
README = """Evidence of a card table, as felt verify --export wrote it.

    python3 felt_check.py . --key HEX

checks it offline; take felt_check.py from the release and HEX from where the table's key was registered.
"""


class Texts(Value):
    """What is exported beside the journal, by name: digests of installed files, configuration, rules."""

    software: str
    packages: str
    configuration: bytes
    rules: dict[str, bytes]
    digests: dict[str, str]  # of these parts
    about: dict[str, object]


class Signing(Value):
    key: SigningKey | None
    known: Sequence[str] = ()  # the table's public keys that the house has named

    def public(self) -> list[str]:
        """The table's present key, then its earlier ones. A checkpoint's own statement of its key proves nothing."""
        if self.key is None:
            return []
        present = self.key.public.hex()
        return [present, *(key for key in dict.fromkeys(self.known) if key != present)]


def export_files(disk: Disk, texts: Texts, role: str, signing: Signing) -> Iterator[tuple[str, bytes]]:
    """Every file of the export; the manifest and its signature come last."""
    listed: dict[str, str] = {}
    for name, content in _contents(disk, texts, role, signing):
        listed[name] = digest_of(content)
        yield name, content
    manifest = listing(listed).encode()
    yield MANIFEST, manifest
    if signing.key is not None:
        yield MANIFEST_SEAL, signing.key.seal_of_manifest(manifest)


def _contents(disk: Disk, texts: Texts, role: str, signing: Signing) -> Iterator[tuple[str, bytes]]:
    yield "README.txt", README.encode()
    yield "felt_check.py", Path(felt_check.__file__).read_bytes()
    yield "software.sha256", texts.software.encode()
    yield "packages.sha256", texts.packages.encode()
    yield "configuration.json", texts.configuration
    yield from texts.rules.items()
    digests = dict(texts.digests)
    if role in redacted.MAY_SEE_CARDS:
        digests["journal"] = yield from _journal(disk, str(texts.about["table"]))
    else:
        yield from _events(disk)
    keys = signing.public()
    if keys:
        yield PUBLIC_KEY, "".join(f"{key}\n" for key in keys).encode()
    digests["overall"] = digest_of(listing(digests).encode())
    about = {**texts.about, "redacted": role not in redacted.MAY_SEE_CARDS, "digests": digests}
    yield ABOUT, (json.dumps(about, indent=1) + "\n").encode()


def _journal(disk: Disk, table: str) -> Generator[tuple[str, bytes], None, str]:
    """The segments, and the checkpoints up to their end, since the table may be playing. Returns the digest of the
    head."""
    genesis, seq, chain = "", 0, ""
    for name, content in whole_segments(disk):
        yield f"journal/{name}", content
        first, last = (read_alone(line) for line in (content.partition(b"\n")[0], content[:-1].rpartition(b"\n")[2]))
        assert first is not None and last is not None, "an export holds whole segments only"
        genesis, seq, chain = genesis or first.chain, last.seq, last.chain
    attested = disk.read(CHECKPOINTS) if CHECKPOINTS in disk.names() else b""
    now = head_of(disk)
    if now is not None:
        refuse_lost_end(disk, now[0], Head(*now[1:]))  # the export alone could not show it
    attested = up_to(attested, seq)
    if attested:
        yield CHECKPOINTS, attested
    head = f"{table} {genesis} {seq} {chain}\n".encode("ascii")
    return digest_of(listing({"head": digest_of(head)}).encode())


def _events(disk: Disk) -> Iterator[tuple[str, bytes]]:
    device, found, number = device_of(disk), outcomes(disk), 0
    while device is not None and (some := list(islice(found, EVENTS_A_FILE))):
        number += 1
        lines = [
            exported(event, outcome.record) + "\n" for event, outcome in zip(events_of(some, device), some, strict=True)
        ]
        yield f"events/events-{number:08d}.jsonl", "".join(lines).encode()
