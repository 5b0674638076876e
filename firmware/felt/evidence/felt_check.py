"""Checks what a table has exported as evidence: offline, in this one file, with nothing but Python 3.9 or later.

    python3 felt_check.py FOLDER                     an export, by the key that lies in it
    python3 felt_check.py FOLDER --key HEX           the same, by the key that was registered for the table
    python3 felt_check.py --tree FOLDER --manifest FILE [--challenge HEX]       software against a manifest

Every file must be the one that the manifest names, every record follow from the one before it, and every
checkpoint be of this journal and sealed. The exit status is 0 when everything holds, 1 when not, 2 for wrong use.
EVIDENCE.md has the format. Take this file from a release, not from the export that it is to judge."""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST, MANIFEST_SEAL, ABOUT = "MANIFEST", "MANIFEST.sig", "about.json"
CHECKPOINTS, PUBLIC_KEY, NOTHING = "checkpoints.felt", "public.key", "0" * 64
SIGNED_MANIFEST = b"felt-manifest-1\n"
_LISTED = re.compile(r"([0-9a-f]{64})  ([^\s/.][^\r\n]*)\n")
_SEAL = re.compile(rb"felt-signature-1 ([0-9a-f]{64}) ([0-9a-f]{128})\n")
_RECORD = re.compile(rb"(\d{8,12}) ([0-9a-f]{8}|redacted) (.*) (-|[0-9a-f]{64}) ([0-9a-f]{64})")
_CHECKPOINT = re.compile(
    r"(felt-checkpoint-1 (\d{1,20}) (\S+) ([0-9a-f]{64}) (\d{1,20}) ([0-9a-f]{64}) (\d{1,20}) ([0-9a-f]{64})"
    r" ([0-9a-f]{64}|-) ([0-9a-f]{64})) (?:ed25519:([0-9a-f]{128})|sha256:([0-9a-f]{64}))"
)


class Wrong(Exception):
    """What does not hold, in one sentence."""


def digest_of(content: bytes, challenge: bytes = b"") -> str:
    """SHA-256; with a challenge HMAC-SHA-256 keyed by it, which nobody can have prepared."""
    return (hmac.new(challenge, content, hashlib.sha256) if challenge else hashlib.sha256(content)).hexdigest()


def listing(digests: dict[str, str]) -> str:
    """A line for each name, in the order of their bytes: digest, two spaces, name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests, key=str.encode))


def read_listing(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        match = _LISTED.fullmatch(line)
        if match is None or ".." in match[2].split("/"):
            raise Wrong(f"{where}, line {number}: this is not a digest, two spaces and a relative path")
        found[match[2]] = match[1]
    if listing(found) != text:
        raise Wrong(f"{where}: its lines are not in order, or one is there twice")
    return found


PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_CURVE = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
_ROOT = pow(2, (PRIME - 1) // 4, PRIME)
Point = tuple[int, int, int, int]  # extended coordinates: x = X/Z, y = Y/Z, xy = T/Z
NEUTRAL: Point = (0, 1, 1, 0)


def add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % PRIME
    b = (one[1] + one[0]) * (other[1] + other[0]) % PRIME
    c = 2 * one[3] * other[3] * _CURVE % PRIME
    d = 2 * one[2] * other[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def times(scalar: int, point: Point) -> Point:
    total = NEUTRAL
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def packed(point: Point) -> bytes:
    inverse = pow(point[2], PRIME - 2, PRIME)
    x, y = point[0] * inverse % PRIME, point[1] * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def unpacked(text: bytes) -> Point | None:
    number = int.from_bytes(text, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(_CURVE * y * y + 1, PRIME - 2, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * _ROOT % PRIME
    if (x * x - square) % PRIME or (x == 0 and sign):
        return None
    x = PRIME - x if x & 1 != sign else x
    return x, y, 1, x * y % PRIME


BASE = unpacked((4 * pow(5, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little")) or NEUTRAL


def scalar_of(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def is_signed(public: bytes, message: bytes, signature: bytes) -> bool:
    key, first, scalar = unpacked(public), unpacked(signature[:32]), int.from_bytes(signature[32:], "little")
    if (len(public), len(signature)) != (32, 64) or key is None or first is None or scalar >= ORDER:
        return False
    challenge = scalar_of(signature[:32], public, message) % ORDER
    return packed(times(scalar, BASE)) == packed(add(first, times(challenge, key)))


class Checkpoint(NamedTuple):
    number: int
    table: str
    journal: str  # the chain after the journal's first record
    seq: int
    chain: str
    wall_ns: int
    software: str
    public: str  # the key that signed it, or -
    before: str  # the digest of the line before


def read_checkpoint(line: str, *, verify: bool = True) -> Checkpoint | None:
    """The checkpoint of a whole line (without its end) whose seal holds; else None."""
    match = _CHECKPOINT.fullmatch(line)
    if match is None or not line.isascii():
        return None
    body, number, table, journal, seq, chain, wall_ns, software, public, before, signature, digest = match.groups()
    covered = body.encode("ascii")
    if (public == "-") != (signature is None) or (digest is not None and digest != digest_of(covered)):
        return None
    if signature and verify and not is_signed(bytes.fromhex(public), covered, bytes.fromhex(signature)):
        return None
    return Checkpoint(int(number), table, journal, int(seq), chain, int(wall_ns), software, public, before)


def read_checkpoints(content: bytes, *, verify: bool = True) -> list[Checkpoint]:
    """All of them, each sealed and following the one before."""
    found, before = list[Checkpoint](), NOTHING
    if content and not content.endswith(b"\n"):
        raise Wrong(f"{CHECKPOINTS} ends in an unfinished line")
    for line in content.split(b"\n")[:-1]:
        one = read_checkpoint(line.decode("ascii", "replace"), verify=verify)
        if one is None or one.before != before or one.number != len(found) + 1:
            raise Wrong(f"{CHECKPOINTS}, line {len(found) + 1}: it was changed, or lines before it are missing")
        found.append(one)
        before = digest_of(line)
    return found


class Walked(NamedTuple):
    seq: int
    chain: str
    redacted: int
    table: str
    journal: str
    chains: dict[int, str]  # of the records that were asked for


def walk(segments: Iterable[tuple[str, bytes]], wanted: Iterable[int] = ()) -> Walked:
    """Follow the chain from the first record to the last."""
    asked, chains, seq, chain, redacted, table, journal = {*wanted}, dict[int, str](), 0, NOTHING, 0, "", ""
    for name, content in segments:
        if not content.endswith(b"\n"):
            raise Wrong(f"{name} ends in an unfinished record")
        for place, line in enumerate(content[:-1].split(b"\n")):
            where = f"{name}, record {seq + 1}"
            match = _RECORD.fullmatch(line)
            if match is None or int(match[1]) != seq + 1:
                raise Wrong(f"{where}: this is not the record that must stand here")
            if match[2] == b"redacted":
                redacted += 1
            elif digest_of(chain.encode("ascii") + line[:-64]).encode("ascii") != match[5]:
                raise Wrong(f"{where}: it does not follow from the record before, so one of them was changed")
            seq, chain = seq + 1, match[5].decode("ascii")
            if place == 0:
                table = str(json.loads(match[3])["table"])
            journal = journal or chain
            if seq in asked:
                chains[seq] = chain
    return Walked(seq, chain, redacted, table, journal, chains)


def check_manifest(folder: Path, key: str) -> tuple[dict[str, str], list[str]]:
    """What the manifest lists, once every file is the one that it names; and the table's keys, the latest first."""
    text = (folder / MANIFEST).read_bytes()
    listed = read_listing(text.decode("utf-8", "replace"), MANIFEST)
    there = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    for name in sorted((there - {MANIFEST, MANIFEST_SEAL}) ^ set(listed)):
        raise Wrong(f"{name} is " + ("not in the manifest" if name in there else "in the manifest and not there"))
    for name, digest in listed.items():
        if digest_of((folder / name).read_bytes()) != digest:
            raise Wrong(f"{name} was changed: its digest is not the one in the manifest")
    if PUBLIC_KEY not in listed:
        if key or MANIFEST_SEAL in there:
            raise Wrong("the export is not signed" if key else f"{MANIFEST_SEAL} is there, but no {PUBLIC_KEY}")
        return listed, []
    keys = (folder / PUBLIC_KEY).read_text("ascii").split()
    if key and keys[0] != key:
        raise Wrong(f"the export is signed by the key {keys[0]}, and not by the one that was registered")
    check_seal(text, (folder / MANIFEST_SEAL).read_bytes(), keys[0])
    return listed, keys


def check_seal(manifest: bytes, seal: bytes, public: str) -> None:
    match = _SEAL.fullmatch(seal)
    signature = bytes.fromhex(match[2].decode("ascii")) if match and match[1].decode("ascii") == public else b""
    if not is_signed(bytes.fromhex(public), SIGNED_MANIFEST + manifest, signature):
        raise Wrong(f"the seal is not the signature of this manifest by the key {public}")


def check_export(folder: Path, key: str) -> list[str]:
    listed, keys = check_manifest(folder, key)
    about = json.loads((folder / ABOUT).read_bytes())
    checkpoints = read_checkpoints((folder / CHECKPOINTS).read_bytes()) if CHECKPOINTS in listed else []
    names = sorted(name for name in listed if name.startswith("journal/"))
    if names != [f"journal/journal-{number:08d}.felt" for number in range(1, len(names) + 1)] or not names:
        raise Wrong("a segment of the journal is missing")
    walked = walk(((name, (folder / name).read_bytes()) for name in names), [one.seq for one in checkpoints])
    for one in checkpoints:
        if (one.table, one.journal) != (walked.table, walked.journal) or walked.chains.get(one.seq) != one.chain:
            raise Wrong(f"checkpoint {one.number} is of record {one.seq} with another chain than this journal's")
        if keys and one.public not in ("-", *keys):
            raise Wrong(f"checkpoint {one.number} is signed by another key, {one.public}")
    _check_digests(listed, about, walked)
    signed = max((one.seq for one in checkpoints if one.public != "-"), default=0)
    unsigned = f"NOT SIGNED; its checkpoints by {', '.join(sorted({one.public for one in checkpoints})) or 'nobody'}"
    return [
        f"table {walked.table}, journal {walked.journal[:16]}: {walked.seq} records hold, {walked.redacted} of them "
        "without their cards",
        f"{len(checkpoints)} checkpoints hold; signed up to record {signed}, {walked.seq - signed} records came after",
        f"{len(listed)} files are as the manifest says, " + (f"signed by {keys[0]}" if keys else unsigned),
        *([] if key or not keys else ["compare that key with the one that was registered for the table"]),
        *(f"an earlier key of the table signed checkpoints: {one}" for one in keys[1:]),
    ]


def _check_digests(listed: dict[str, str], about: dict[str, Any], walked: Walked) -> None:
    head = f"{walked.table} {walked.journal} {walked.seq} {walked.chain}\n".encode("ascii")
    rules = {name: digest for name, digest in listed.items() if name.startswith("rules/")}
    parts = {
        "software": listed["software.sha256"],
        "packages": listed["packages.sha256"],
        "configuration": digest_of(listing({"configuration.json": listed["configuration.json"]}).encode()),
        "rules": digest_of(listing(rules).encode()),
        "journal": digest_of(listing({"head": digest_of(head)}).encode()),
    }
    parts["overall"] = digest_of(listing(parts).encode())
    for name, digest in parts.items():
        if about["digests"][name] != digest:
            raise Wrong(f"the digest of {name} in {ABOUT} is not that of what was exported")


def check_tree(folder: Path, manifest: Path, challenge: bytes) -> tuple[list[str], list[str]]:
    """The digest of the files that a manifest lists, and a sentence on each that is not the one it lists."""
    listed = read_listing(manifest.read_bytes().decode("utf-8", "replace"), str(manifest))
    contents = {name: (folder / name).read_bytes() for name in listed}
    changed = [f"{name} was changed" for name, content in contents.items() if digest_of(content) != listed[name]]
    answers = {name: digest_of(content, challenge) for name, content in contents.items()}
    return [digest_of(listing(answers).encode(), challenge)], changed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="the export")
    parser.add_argument("--key", default="", help="the table's registered public key, 64 hexadecimal digits")
    parser.add_argument("--tree", type=Path, help="a folder of software")
    parser.add_argument("--manifest", type=Path, help="with --tree: what belongs there")
    parser.add_argument("--challenge", default="", help="with --tree: the inspector's challenge, hexadecimal")
    given = parser.parse_args()
    if (given.folder is None) == (given.tree is None) or (given.tree is not None and given.manifest is None):
        parser.error("name an export, or --tree and --manifest")
    try:
        if given.tree is None:
            told, changed = check_export(given.folder, given.key), list[str]()
        else:
            told, changed = check_tree(given.tree, given.manifest, bytes.fromhex(given.challenge))
        print("\n".join([*told, *changed]))
        return 1 if changed else 0
    except (Wrong, OSError, ValueError, KeyError, TypeError) as error:
        print(f"felt_check: DOES NOT HOLD: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
