"""The pictures of README and guides: small enough, and taken by playing."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "firmware" / "guides" / "pictures"
BYTES_MAX = 200_000


def test_the_pictures_are_small_and_the_tool_takes_each_of_them(tmp_path: Path, full: bool) -> None:
    kept = {path.name: path.stat().st_size for path in PICTURES.glob("*.png")}
    assert len(kept) >= 10
    assert {name: size for name, size in kept.items() if size > BYTES_MAX} == {}
    if full:
        done = subprocess.run(
            [str(ROOT / "tools" / "screenshots"), "--folder", str(tmp_path)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert {path.name for path in tmp_path.glob("*.png")} == set(kept)
