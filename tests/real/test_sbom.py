"""The bill of materials of a package: valid CycloneDX, every library with its licence and digest, and none
forgotten."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import get_spdx_licensing

from felt import __version__
from tests.real.packages import ROOT, Made, shared_packages
from tools.packaging.sbom import PLACE, bill
from tools.packaging.wheels import BUILDS_ONLY, LOCK, PackagingError, fetch, targets

pytestmark = pytest.mark.timeout(900)
DATE = 1_700_000_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return shared_packages(tmp_path_factory)


def read(made: Made, arch: str) -> dict[str, Any]:
    bom: dict[str, Any] = json.loads(made.deb(arch=arch).with_suffix(".cdx.json").read_text(encoding="utf-8"))
    return bom


def every(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for component in components for part in (component, *every(component.get("components", [])))]


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_it_is_cyclonedx_by_the_published_schema(made: Made, arch: str) -> None:
    text = made.deb(arch=arch).with_suffix(".cdx.json").read_text(encoding="utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text.replace('"library"', '"librarian"')) is not None


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_it_lists_every_wheel_of_the_package_and_no_other(made: Made, arch: str) -> None:
    bom = read(made, arch)
    pinned = dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    pinned.pop(BUILDS_ONLY)
    assert {component["name"]: component["version"] for component in bom["components"]} == pinned
    wheels = [wheel for folder in fetch(targets([arch])).values() for wheel in folder.glob("*.whl")]
    digests = {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels}
    said = {
        reference["url"]: reference["hashes"][0]["content"]
        for component in bom["components"]
        for reference in component["externalReferences"]
    }
    assert said == {name: digest for name, digest in digests.items() if not name.startswith(f"{BUILDS_ONLY}-")}
    assert (bom["metadata"]["component"]["version"], bom["metadata"]["component"]["name"]) == (__version__, "felt")


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_every_library_has_a_licence_that_spdx_knows(made: Made, arch: str) -> None:
    spdx = get_spdx_licensing()
    for component in every(read(made, arch)["components"]):
        for licence in component["licenses"]:
            expression = licence.get("expression") or licence["license"]["id"]
            assert spdx.validate(expression).errors == [], f"{component['name']}: {expression}"
        assert component["licenses"], component["name"]


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_libraries_inside_wheels_are_listed_by_the_digest_that_is_installed(
    made: Made, arch: str, tmp_path: Path
) -> None:
    subprocess.run(["dpkg-deb", "-x", made.deb(arch=arch), tmp_path], check=True)
    listed = {
        digest["content"] for part in every(read(made, arch)["components"]) for digest in part.get("hashes", [])
    }  # fmt: skip
    installed = [path for path in tmp_path.glob("opt/felt/python*/lib/*/site-packages/*.libs/*") if path.is_file()]
    assert len(installed) > 10
    assert {hashlib.sha256(path.read_bytes()).hexdigest() for path in installed} == listed
    named = {part["name"] for part in every(read(made, arch)["components"])}
    assert {"openssl", "libpq", "libssl"} <= named
    packed = (tmp_path / PLACE).read_bytes()
    assert packed == made.deb(arch=arch).with_suffix(".cdx.json").read_bytes()


def test_it_is_signed_and_identical_each_time(made: Made) -> None:
    file = made.deb().with_suffix(".cdx.json")
    key = made.trust / "manufacturer.pem"
    verify = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(key), "-rawin", "-in", str(file)]
    done = subprocess.run([*verify, "-sigfile", f"{file}.sig"], capture_output=True, text=True, check=False)
    assert "Verified Successfully" in done.stdout
    wheels = [wheel for folder in fetch(targets([made.arch])).values() for wheel in folder.glob("*.whl")]
    first, other = (bill("1.0.0", made.arch, order, DATE) for order in (wheels, wheels[::-1]))
    assert first["serialNumber"] == other["serialNumber"]
    assert first["components"] == other["components"]


def test_dependencies_lead_to_components(made: Made) -> None:
    bom = read(made, made.arch)
    refs = {component["bom-ref"] for component in bom["components"]}
    found = {entry["ref"]: entry["dependsOn"] for entry in bom["dependencies"]}
    assert set(found) == refs | {"felt"}
    assert all(set(depends) <= refs for depends in found.values())
    by_name = {ref.partition("pypi/")[2].partition("@")[0]: depends for ref, depends in found.items()}
    assert [ref.partition("@")[0] for ref in by_name["gpiozero"]] == ["pkg:pypi/colorzero"]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"x-1.dist-info/METADATA": "Name: x\nVersion: 1\nLicense: mine\n"}, "names no licence that we know"),
        (
            {"x-1.dist-info/METADATA": "Name: x\nVersion: 1\nLicense: MIT\n", "x.libs/libodd-12345678.so.1": "code"},
            "x brings libodd, whose licence nobody has stated",
        ),
    ],
)
def test_a_library_without_a_known_licence_stops_the_package(
    files: dict[str, str], problem: str, tmp_path: Path
) -> None:
    wheel = tmp_path / "x-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    with pytest.raises(PackagingError, match=problem):
        bill("1.0.0", "arm64", [wheel], DATE)


def test_the_version_stands_in_one_place() -> None:
    stated = (ROOT / "firmware/felt/__init__.py").read_text(encoding="utf-8")
    assert f'__version__ = "{__version__}"' in stated
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "version =" not in (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.setuptools.d")[0]
