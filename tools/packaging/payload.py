"""What the package puts onto the box: a virtual environment for each Python, units, settings, profiles and texts, and
the manifest of it all. This module states every file's mode and place; root owns everything."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
from pathlib import Path

from tools.packaging.wheels import BUILDS_ONLY, PYTHONS, Target, unpack

MANIFEST = "usr/share/felt/manifest"
LINKS = "usr/share/felt/links"
# Folders of systemd/ that the system looks for by name. Any other is an example and goes beside the profiles.
PLACES = {
    "sysusers.d": "usr/lib/sysusers.d",
    "tmpfiles.d": "usr/lib/tmpfiles.d",
    "journald.conf.d": "usr/lib/systemd/journald.conf.d",
    "system.conf.d": "usr/lib/systemd/system.conf.d",
}
UNITS = (".service", ".timer", ".socket", ".path", ".target", ".slice", ".mount")
EXECUTABLE = ("opt/felt/bin/felt", "usr/sbin/felt-package")


def lay_out(stage: Path, root: Path, firmware: Path, wheels: dict[Target, Path]) -> None:
    for target, folder in wheels.items():
        _environment(stage, target, [firmware, *sorted(folder.glob("*.whl"))])
    templates = root / "tools" / "debian"
    launcher = (templates / "launcher.sh").read_text(encoding="utf-8").replace("@PYTHONS@", " ".join(PYTHONS))
    _write(stage / "opt/felt/bin/felt", launcher.encode())
    _copy(templates / "felt-package", stage / "usr/sbin/felt-package")
    _link(stage / "usr/bin/felt", "/opt/felt/bin/felt")
    for name in ("table.toml", "jackpot.toml"):
        _copy(templates / name, stage / "etc/felt" / name)
    for name in ("link", "keys", "trust"):
        (stage / "etc/felt" / name).mkdir()
    _units(stage, root / "systemd")
    _hardware(stage, root / "hw")
    _documents(stage, root)


def conffiles(stage: Path) -> list[str]:
    """Files that belong to the house once installed, and survive upgrades."""
    return sorted(f"/{path.relative_to(stage)}" for path in (stage / "etc").rglob("*") if path.is_file())


def settle_modes(stage: Path, date: int) -> None:
    """Sets modes, whatever the umask and the wheels say."""
    for path in sorted(stage.rglob("*"), reverse=True):
        if not path.is_symlink():
            name = str(path.relative_to(stage))
            path.chmod(0o755 if path.is_dir() or name in EXECUTABLE or ".so" in path.suffixes else 0o644)
        os.utime(path, (date, date), follow_symlinks=False)
    for name in ("etc/felt/link", "etc/felt/keys"):
        (stage / name).chmod(0o700)
    stage.chmod(0o755)


def links(stage: Path) -> str:
    """Every symbolic link and its target, which a list of digests cannot show."""
    found = {str(path.relative_to(stage)): path.readlink() for path in stage.rglob("*") if path.is_symlink()}
    return "".join(f"{name} -> {target}\n" for name, target in sorted(found.items()))


def manifest(stage: Path) -> str:
    """Every file except the house's own settings and itself, by its path from /, as sha256sum writes it and
    evidence/felt_check.py reads it."""
    unlisted = {*conffiles(stage), f"/{MANIFEST}"}
    found = {
        str(path.relative_to(stage)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in stage.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(found.items()) if f"/{name}" not in unlisted)


def _environment(stage: Path, target: Target, wheels: list[Path]) -> None:
    """`python3 -m venv` makes a symbolic link, a file of three lines and a folder. They are the same on every Debian,
    so the package ships them. RPi.GPIO is the system's: Debian's own folder is on the path after ours, and no other
    one. It is a plain path, so that nothing in it runs just by being there."""
    home = stage / f"opt/felt/python{target.python}"
    interpreter = f"/usr/bin/python{target.python}"
    _link(home / "bin/python3", interpreter)
    _link(home / "bin/python", "python3")
    settings = f"home = /usr/bin\ninclude-system-site-packages = false\nexecutable = {interpreter}\n"
    _write(home / "pyvenv.cfg", settings.encode())
    library = home / f"lib/python{target.python}/site-packages"
    library.mkdir(parents=True)
    _write(library / "debian.pth", b"/usr/lib/python3/dist-packages\n")
    _write(library / "sitecustomize.py", b'"""Nothing, so that none is looked for further down the path."""\n')
    for wheel in wheels:
        if not wheel.name.startswith(f"{BUILDS_ONLY}-"):
            unpack(wheel, library)


def _units(stage: Path, source: Path) -> None:
    for path in sorted(source.rglob("*")):
        inside = path.relative_to(source)
        if path.is_dir():
            continue
        if len(inside.parts) == 1 and path.suffix in UNITS:
            _copy(path, stage / "usr/lib/systemd/system" / path.name)
        elif inside.parts[0] in PLACES:
            _copy(path, stage / PLACES[inside.parts[0]] / path.name)
        elif len(inside.parts) > 1:
            _copy(path, stage / "usr/share/felt" / inside)


def _hardware(stage: Path, source: Path) -> None:
    for name in ("boards", "wiring", "config", "overlays"):
        for path in sorted((source / name).iterdir()):
            _copy(path, stage / "usr/share/felt" / name / path.name)
    # The house must write the shuffler's serial number.
    _copy(source / "udev/99-felt.rules", stage / "etc/udev/rules.d/99-felt.rules")


def _documents(stage: Path, root: Path) -> None:
    """In the folders of the sources, so that links between them hold."""
    folder = stage / "usr/share/doc/felt"
    _copy(root / "LICENSE", folder / "copyright")
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        _copy(root / name, folder / name)
    for pattern in ("firmware/*.md", "firmware/*.svg", "firmware/guides/**/*.*", "hw/*.md"):
        for path in sorted(root.glob(pattern)):
            _copy(path, folder / path.relative_to(root))
    _write(folder / "changelog.gz", gzip.compress((root / "CHANGELOG.md").read_bytes(), mtime=0))


def _copy(source: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


def _write(to: Path, content: bytes) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)


def _link(path: Path, to: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)
