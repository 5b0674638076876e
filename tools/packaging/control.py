"""What dpkg itself reads: the package's name and dependencies, its maintainer scripts, and the firmware with which the
first of them checks whether the new version accepts the configuration."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from tools.packaging.payload import conffiles
from tools.packaging.wheels import PYTHONS

SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
# sha256sum, install and find are Debian's own essentials.
DEPENDS = f"{' | '.join(f'python{python}' for python in PYTHONS)}, systemd, openssl"
SUGGESTS = "mosquitto, postgresql, python3-rpi.gpio, cage, chromium, fonts-noto-cjk"
ABOUT = """firmware of a casino card table with progressive jackpots
 Sensors, shuffler, rules, settlement and journal of one card table, the jackpot
 controller of linked tables, and the console for those who look after them.
 It brings its own virtual environment for each Python it runs under."""


def debian_version(version: str) -> str:
    """A release candidate comes before its release here too: 0.2.0rc1 is 0.2.0~rc1."""
    return re.sub(r"(?<=\d)\.?(?=(?:a|b|rc|dev)\d)", "~", version)


def version_of(root: Path) -> str:
    found = re.search(r'__version__ = "([^"]+)"', (root / "firmware/felt/__init__.py").read_text(encoding="utf-8"))
    assert found is not None, "the firmware states its version"
    return debian_version(found[1])


def write_control(stage: Path, root: Path, arch: str, firmware: Path) -> None:
    folder = stage / "DEBIAN"
    version = version_of(root)
    fields = {
        "Package": "felt",
        "Version": version,
        "Architecture": arch,
        "Maintainer": "The Felt authors <authors@felt.invalid>",
        "Installed-Size": str(sum(path.lstat().st_size for path in stage.rglob("*") if path.is_file()) // 1024),
        "Depends": DEPENDS,
        "Suggests": SUGGESTS,
        "Section": "misc",
        "Priority": "optional",
        "Description": ABOUT,
    }
    settings = conffiles(stage)
    folder.mkdir()
    (folder / "control").write_text("".join(f"{name}: {text}\n" for name, text in fields.items()), encoding="utf-8")
    (folder / "conffiles").write_text("".join(f"{name}\n" for name in settings), encoding="utf-8")
    # A Debian that is upgraded in place brings another Python.
    pythons = "".join(f"interest-noawait /usr/bin/python{python}\n" for python in PYTHONS)
    (folder / "triggers").write_text(pythons, encoding="utf-8")
    for name in SCRIPTS:
        (folder / name).write_text(_script(root / "tools/debian", name, version), encoding="utf-8")
        (folder / name).chmod(0o755)
    _pack_firmware(firmware, folder / "firmware.zip")


def _script(templates: Path, name: str, version: str) -> str:
    text = (templates / f"{name}.sh").read_text(encoding="utf-8")
    shared = (templates / "shared.sh").read_text(encoding="utf-8").rstrip("\n")
    return text.replace("@SHARED@", shared).replace("@VERSION@", version).replace("@PYTHONS@", " ".join(PYTHONS))


def _pack_firmware(wheel: Path, to: Path) -> None:
    """Only the firmware, and smaller: without what nobody needs to judge a configuration."""
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as packed:
        for item in source.infolist():
            if item.filename.startswith("felt/") and not item.filename.startswith("felt/trace/"):
                packed.writestr(zipfile.ZipInfo(item.filename), source.read(item), zipfile.ZIP_DEFLATED)
    to.chmod(0o644)
