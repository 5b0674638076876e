"""Checks what a table has exported as evidence: offline, in this one file, with nothing but Python 3.9 or later.

    python3 felt_check.py FOLDER                     an export, by the key that lies in it
    python3 felt_check.py FOLDER --key HEX           the same, by the key that was registered for the table
    python3 felt_check.py --tree FOLDER --manifest FILE [--challenge HEX]       software against a manifest

Every file must be the one that the manifest names, every record follow from the one before it, and every checkpoint
be of this journal and of a known key: with --key that one, or an --earlier-key. The exit status is 0 when all holds, 1
when not, 2 for wrong use. EVIDENCE.md has the format. Take this file from a release, not from what it is to judge."""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST, MANIFEST_SEAL, ABOUT = "MANIFEST", "MANIFEST.sig", "about.json"
CHECKPOINTS, PUBLIC_KEY, NOTHING = "checkpoints.felt", "public.key", "0" * 64
SIGNED_MANIFEST = b"felt-manifest-1\n"
_LISTED = re.compile(r"([0-9a-f]{64})  ([^\s/.][^\r\n]*)\n")
_SEAL = re.compile(rb"felt-signature-1 ([0-9a-f]{64}) ([0-9a-f]{128})\n")
_RECORD = re.compile(rb"(\d{8,12}) ([0-9a-f]{8}) (.*) (-|[0-9a-f]{64}) ([0-9a-f]{64})")
_CHECKPOINT = re.compile(
    r"(felt-checkpoint-1 (\d{1,20}) (\S+) ([0-9a-f]{64}) (\d{1,20}) ([0-9a-f]{64}) (\d{1,20}) ([0-9a-f]{64})"
    r" ([0-9a-f]{64}|-) ([0-9a-f]{64})) (?:ed25519:([0-9a-f]{128})|sha256:([0-9a-f]{64}))"
)


class Wrong(Exception):
    """Why a check failed, in one sentence."""


def digest_of(content: bytes, challenge: bytes = b"") -> str:
    """SHA-256. With a challenge, HMAC-SHA-256 keyed by it, so the answer cannot be prepared in advance."""
    return (hmac.new(challenge, content, hashlib.sha256) if challenge else hashlib.sha256(content)).hexdigest()


def listing(digests: dict[str, str]) -> str:
    """One line per name, sorted by bytes: digest, two spaces, name."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests, key=str.encode))


def read_listing(text: str, where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        match = _LISTED.fullmatch(line)
        if match is None or ".." in match[2].split("/"):
            raise Wrong(f"{where}, line {number}: expected a digest, two spaces and a relative path")
        found[match[2]] = match[1]
    if listing(found) != text:
        raise Wrong(f"{where}: the lines are not sorted, or one is duplicated")
    return found


PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_CURVE = -121665 * pow(121666, PRIME - 2, PRIME) % PRIME
_ROOT = pow(2, (PRIME - 1) // 4, PRIME)
Point = tuple[int, int, int, int]  # extended coordinates: x = X/Z, y = Y/Z, xy = T/Z
NEUTRAL: Point = (0, 1, 1, 0)


def add(augend: Point, other: Point) -> Point:
    a = (augend[1] - augend[0]) * (other[1] - other[0]) % PRIME
    b = (augend[1] + augend[0]) * (other[1] + other[0]) % PRIME
    c = 2 * augend[3] * other[3] * _CURVE % PRIME
    d = 2 * augend[2] * other[2] % PRIME
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
    """The checkpoint of a whole line (without its line break), or None if its signature is invalid."""
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
    """All checkpoints; each must be signed and follow the one before."""
    found, before = list[Checkpoint](), NOTHING
    if content and not content.endswith(b"\n"):
        raise Wrong(f"{CHECKPOINTS} ends in an unfinished line")
    for line in content.split(b"\n")[:-1]:
        checkpoint = read_checkpoint(line.decode("ascii", "replace"), verify=verify)
        if checkpoint is None or checkpoint.before != before or checkpoint.number != len(found) + 1:
            raise Wrong(f"{CHECKPOINTS}, line {len(found) + 1}: the line was changed, or lines before it are missing")
        found.append(checkpoint)
        before = digest_of(line)
    return found


class Walked(NamedTuple):
    seq: int
    chain: str
    table: str
    journal: str
    chains: dict[int, str]  # of the requested records


def walk(segments: Iterable[tuple[str, bytes]], wanted: Iterable[int] = ()) -> Walked:
    """Verifies the chain from the first record to the last."""
    asked, chains, seq, chain, table, journal = {*wanted}, dict[int, str](), 0, NOTHING, "", ""
    for name, content in segments:
        if not content.endswith(b"\n"):
            raise Wrong(f"{name} ends in an unfinished record")
        for place, line in enumerate(content[:-1].split(b"\n")):
            match = _RECORD.fullmatch(line)
            if match is None or int(match[1]) != seq + 1:
                raise Wrong(f"{name}, record {seq + 1}: another record was expected here")
            if digest_of(chain.encode("ascii") + line[:-64]).encode("ascii") != match[5]:
                raise Wrong(
                    f"{name}, record {seq + 1}: the chain is broken: this record or the previous one was changed"
                )
            seq, chain = seq + 1, match[5].decode("ascii")
            table = table if place else str(json.loads(match[3])["table"])
            journal = journal or chain
            if seq in asked:
                chains[seq] = chain
    return Walked(seq, chain, table, journal, chains)


def check_manifest(folder: Path, key: str) -> tuple[dict[str, str], list[str]]:
    """Verifies every file against the manifest. Returns the manifest's list and the table's keys, latest first."""
    text = (folder / MANIFEST).read_bytes()
    listed = read_listing(text.decode("utf-8", "replace"), MANIFEST)
    folders = {str(above) for name in listed for above in Path(name).parents}
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*")}
    there = {name for name, path in found.items() if path.is_symlink() or not path.is_dir() or name not in folders}
    for name in sorted((there - {MANIFEST, MANIFEST_SEAL}) ^ set(listed)):
        raise Wrong(
            f"{name} is " + ("not in the manifest" if name in there else "missing, although the manifest names it")
        )
    for name in sorted(there):
        if found[name].is_symlink() or not found[name].is_file():
            raise Wrong(f"{name} is not a regular file")
        if name in listed and digest_of(found[name].read_bytes()) != listed[name]:
            raise Wrong(f"{name} was changed: its digest differs from the manifest")
    if PUBLIC_KEY not in listed:
        if key or MANIFEST_SEAL in there:
            raise Wrong("the export is not signed" if key else f"{MANIFEST_SEAL} is there, but no {PUBLIC_KEY}")
        return listed, []
    keys = (folder / PUBLIC_KEY).read_text("ascii").split() or [""]
    if key and keys[0] != key:
        raise Wrong(f"the export is signed by the key {keys[0]}, not by the registered key")
    check_seal(text, (folder / MANIFEST_SEAL).read_bytes(), keys[0])
    return listed, keys


def check_seal(manifest: bytes, seal: bytes, public: str) -> None:
    match = _SEAL.fullmatch(seal)
    signature = bytes.fromhex(match[2].decode("ascii")) if match and match[1].decode("ascii") == public else b""
    if not is_signed(bytes.fromhex(public), SIGNED_MANIFEST + manifest, signature):
        raise Wrong(f"the signature of the manifest is not valid for the key {public}")


def check_export(folder: Path, key: str = "", earlier: Sequence[str] = (), *, unsigned: bool = False) -> list[str]:
    """The checks that passed, as sentences. `key` and `earlier` are the registered keys; without them the export's
    own keys count."""
    listed, keys = check_manifest(folder, key)
    if not keys and not unsigned:
        raise Wrong("the manifest is not signed, so anybody may have made this export (see --unsigned)")
    about = json.loads((folder / ABOUT).read_bytes())
    sealed = f"signed by {keys[0]}" + ("" if key else ": is it the registered one?") if keys else "NOT SIGNED"
    told = [f"{len(listed)} files are as the manifest says, {sealed}"]
    if about["redacted"]:
        _check_digests(listed, about, None)
        if any(name == CHECKPOINTS or name.startswith("journal/") for name in listed):
            raise Wrong("a redacted export has neither journal nor checkpoints")
        return [*told, "redacted: signature and manifest checked; the chain needs the supervisor's export"]
    checkpoints = read_checkpoints((folder / CHECKPOINTS).read_bytes()) if CHECKPOINTS in listed else []
    names = sorted(name for name in listed if name.startswith("journal/"))
    if names != [f"journal/journal-{number:08d}.felt" for number in range(1, len(names) + 1)] or not names:
        raise Wrong("a segment of the journal is missing")
    walked = walk(
        ((name, (folder / name).read_bytes()) for name in names), [checkpoint.seq for checkpoint in checkpoints]
    )
    for checkpoint in checkpoints:
        if (checkpoint.table, checkpoint.journal) != (walked.table, walked.journal) or walked.chains.get(
            checkpoint.seq
        ) != checkpoint.chain:
            raise Wrong(
                f"checkpoint {checkpoint.number} is of record {checkpoint.seq} of another chain than this journal's"
            )
    for sentence in strangers(checkpoints, [key, *earlier] if key else keys):
        raise Wrong(sentence)
    _check_digests(listed, about, walked)
    signed = [checkpoint for checkpoint in checkpoints if checkpoint.public != "-"]
    if key and not signed:
        raise Wrong("no checkpoint is signed, so the key proves nothing about the journal: were checkpoints removed?")
    last = signed[-1].seq if signed else 0
    return [
        f"table {walked.table}, genesis {walked.journal[:16]}: the records up to {walked.seq} hold",
        f"{len(checkpoints)} checkpoints hold, {len(signed)} signed up to record {last}; {walked.seq - last} are later",
        *(
            f"an earlier key signed checkpoints: {checkpoint}"
            for checkpoint in sorted({checkpoint.public for checkpoint in signed} - {*keys[:1]})
        ),
        *told,
    ]


def strangers(checkpoints: Sequence[Checkpoint], known: Sequence[str]) -> list[str]:
    """One sentence per checkpoint that none of these keys signed. Before a table has a key, unsigned checkpoints are
    allowed."""
    first = next((place for place, checkpoint in enumerate(checkpoints) if checkpoint.public != "-"), len(checkpoints))
    unknown = [checkpoint for checkpoint in checkpoints[first:] if known and checkpoint.public not in known]
    return [
        f"checkpoint {checkpoint.number} is not signed by a known key, but by {checkpoint.public}"
        for checkpoint in unknown
    ]


def _check_digests(listed: dict[str, str], about: dict[str, Any], walked: Walked | None) -> None:
    parts = {
        "software": listed["software.sha256"],
        "packages": listed["packages.sha256"],
        "configuration": digest_of(listing({"configuration.json": listed["configuration.json"]}).encode()),
        "rules": digest_of(listing({name: listed[name] for name in listed if name.startswith("rules/")}).encode()),
    }
    if walked is not None:
        head = f"{walked.table} {walked.journal} {walked.seq} {walked.chain}\n".encode("ascii")
        parts["journal"] = digest_of(listing({"head": digest_of(head)}).encode())
    parts["overall"] = digest_of(listing(parts).encode())
    for name in {**parts, **about["digests"]}:
        if about["digests"].get(name) != parts.get(name):
            raise Wrong(f"the digest of {name} in {ABOUT} does not match the exported content")


def check_tree(folder: Path, manifest: Path, challenge: bytes) -> tuple[list[str], list[str]]:
    """The digests that `felt verify` prints for the same files, and one sentence per difference."""
    listed = read_listing(manifest.read_bytes().decode("utf-8", "replace"), str(manifest))
    there = [path for path in (folder / "felt").rglob("*") if path.is_symlink() or not path.is_dir()]
    added = {str(path.relative_to(folder)) for path in there if path.suffix not in (".pyc", ".pyo")} - set(listed)
    wrong = [f"{name} is not in the manifest" for name in sorted(added)]
    answers: dict[str, dict[str, str]] = {"software": {}, "packages": {}}
    for name in listed:
        content = (folder / name).read_bytes()
        answers["software" if name.startswith("felt/") else "packages"][name] = digest_of(content, challenge)
        wrong += [f"{name} was changed"] if digest_of(content) != listed[name] else []
    return [
        f"{part:<13} {digest_of(listing(listed_part).encode(), challenge)}"
        for part, listed_part in answers.items()
        if listed_part
    ], wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="the export")
    parser.add_argument("--key", type=str.lower, help="the table's registered public key, 64 hexadecimal digits")
    parser.add_argument("--earlier-key", type=str.lower, action="append", default=[], help="with --key: an earlier key")
    parser.add_argument("--unsigned", action="store_true", help="without --key: accept an unsigned export")
    parser.add_argument("--tree", type=Path, help="a folder of software")
    parser.add_argument("--manifest", type=Path, help="with --tree: its list of files")
    parser.add_argument("--challenge", type=str.lower, help="with --tree: the inspector's challenge, hexadecimal")
    given = parser.parse_args()
    keys = [given_key for given_key in (given.key, *given.earlier_key) if given_key is not None]
    is_tree = None not in (given.tree, given.manifest) and given.folder is None and not keys and not given.unsigned
    is_export = given.folder is not None and (given.tree, given.manifest, given.challenge) == (None, None, None)
    if not is_tree and (not is_export or (keys and (given.key is None or given.unsigned))):
        parser.error("name an export (--earlier-key with --key, --unsigned without), or --tree and --manifest")
    challenge = "00" if given.challenge is None else given.challenge
    if not all(re.fullmatch("[0-9a-f]{64}", given_key) for given_key in keys) or not re.fullmatch(
        "([0-9a-f]{2}){1,64}", challenge
    ):
        parser.error("a public key is 64 hexadecimal digits, and a challenge 1 to 64 bytes of them")
    try:
        told, wrong = list[str](), list[str]()
        if given.tree is None:
            told = check_export(given.folder, given.key or "", given.earlier_key, unsigned=given.unsigned)
        else:
            told, wrong = check_tree(given.tree, given.manifest, bytes.fromhex(given.challenge or ""))
        print("\n".join([*told, *wrong]))
        return 1 if wrong else 0
    except (Wrong, OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        print(f"felt_check: DOES NOT HOLD: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
