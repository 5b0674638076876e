"""Runs a program under the system call filter that systemd would make of a unit, on a host without systemd. libseccomp
puts the unit's SystemCallFilter, RestrictAddressFamilies and MemoryDenyWriteExecute into the kernel. It is stricter
than systemd in one point: a forbidden call kills the program instead of failing, so that no test overlooks it."""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import shlex
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSE = 0x00050000  # the lower half holds the error number
_MASKED_EQUAL, _EQUAL, _GREATER = 7, 4, 6


class _Comparison(ctypes.Structure):
    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def unit_values(files: tuple[str, ...], key: str) -> list[str]:
    """The value of a key in a unit and its drop-ins, in order."""
    lines = [line for file in files for line in (SYSTEMD / file).read_text().splitlines()]
    return [line.partition("=")[2] for line in lines if line.startswith(f"{key}=")]


@cache
def calls_of(group: str) -> frozenset[str]:
    """The system calls of a group, as this systemd knows them, including the groups within it."""
    if not group.startswith("@"):
        return frozenset({group})
    told = subprocess.run(
        ["systemd-analyze", "--no-pager", "syscall-filter", group],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    words = [line.strip() for line in told.stdout.splitlines()[1:]]
    return frozenset().union(*(calls_of(word) for word in words if word and not word.startswith("#")))


def allowed_calls(files: tuple[str, ...]) -> frozenset[str]:
    allowed = calls_of("@default")  # always allowed
    for value in unit_values(files, "SystemCallFilter"):
        named = frozenset[str]().union(*(calls_of(word) for word in value.lstrip("~").split()))
        allowed = allowed - named if value.startswith("~") else allowed | named
    return allowed


class Confinement(NamedTuple):
    calls: list[str]
    families: list[int]
    no_written_code: bool


def confinement_of(*files: str) -> Confinement:
    families = " ".join(unit_values(files, "RestrictAddressFamilies")).split()
    return Confinement(
        sorted(allowed_calls(files)),
        sorted({int(getattr(socket, family)) for family in families}),
        unit_values(files, "MemoryDenyWriteExecute") == ["yes"],
    )


def confined_python(place: Path, *files: str) -> Path:
    """A program that runs this Python as a service of that unit would run it."""
    rules = place.with_suffix(".json")
    rules.write_text(json.dumps(confinement_of(*files)))
    words = shlex.join([sys.executable, str(Path(__file__).resolve()), str(rules), sys.executable])
    place.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    place.chmod(0o700)
    return place


class _Filter:
    def __init__(self, otherwise: int) -> None:
        self._library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(ctypes.c_uint32(otherwise)))

    def rule(self, action: int, call: str, *comparisons: _Comparison) -> None:
        number = self._library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:  # the call belongs to another machine, or to a newer kernel
            return
        array = (_Comparison * len(comparisons))(*comparisons)
        done = self._library.seccomp_rule_add_array(
            self._context, ctypes.c_uint32(action), number, len(comparisons), array
        )
        assert done in (0, -errno.EACCES, -errno.EEXIST), f"{call}: {os.strerror(-done)}"

    def load(self) -> None:
        done = self._library.seccomp_load(self._context)
        assert done == 0, os.strerror(-done)


def confine(rules: Confinement) -> None:
    """Confine this process and its children for good. Three filters are stacked, as systemd does it."""
    calls, sockets, memory = _Filter(KILL), _Filter(ALLOW), _Filter(ALLOW)
    for call in (*rules.calls, "seccomp"):  # the last one allows the filters that follow
        calls.rule(ALLOW, call)
    if os.geteuid() == 0:  # no service may do it: SQLite, run as root, gives its files away and accepts a refusal
        calls.rule(REFUSE | errno.EPERM, "fchown")
    highest = max(rules.families)
    refused = [family for family in range(highest) if family not in rules.families]
    for family in refused:
        sockets.rule(REFUSE | errno.EAFNOSUPPORT, "socket", _Comparison(0, _EQUAL, family, 0))
    sockets.rule(REFUSE | errno.EAFNOSUPPORT, "socket", _Comparison(0, _GREATER, highest, 0))
    if rules.no_written_code:
        both, execute = mmap.PROT_WRITE | mmap.PROT_EXEC, mmap.PROT_EXEC
        memory.rule(KILL, "mmap", _Comparison(2, _MASKED_EQUAL, both, both))
        for call in ("mprotect", "pkey_mprotect"):
            memory.rule(KILL, call, _Comparison(2, _MASKED_EQUAL, execute, execute))
    for laid in (calls, sockets, memory):
        laid.load()


if __name__ == "__main__":
    confine(Confinement(*json.loads(Path(sys.argv[1]).read_text())))
    os.execv(sys.argv[2], sys.argv[2:])
