"""The bill of materials of a package, as CycloneDX: the firmware, its wheels, and what those wheels contain, all with
licence and digest. A library without a known licence stops the package."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any

from tools.packaging.control import DEPENDS
from tools.packaging.wheels import BUILDS_ONLY, PackagingError

PLACE = "usr/share/doc/felt/sbom.cdx.json"
SUFFIX = ".cdx.json"
Component = dict[str, Any]

# SPDX names for licences that older wheels state in their own words.
_SPDX = {
    "MIT": "MIT",
    "BSD": "BSD-3-Clause",
    "BSD-3-Clause": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache-2.0": "Apache-2.0",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
}
# Libraries inside wheels without a licence beside them, by the first part of their name.
_BUNDLED = {
    "cyrus-sasl-lib": "BSD-3-Clause-Attribution",
    "keyutils-libs": "LGPL-2.1-or-later",
    "libcom_err": "MIT",
    "libcrypt": "LGPL-2.1-or-later",
    "libcrypto": "Apache-2.0",
    "libgssapi_krb5": "MIT",
    "libk5crypto": "MIT",
    "libkeyutils": "LGPL-2.1-or-later",
    "libkrb5": "MIT",
    "libkrb5support": "MIT",
    "liblber": "OLDAP-2.8",
    "libldap": "OLDAP-2.8",
    "libpq": "PostgreSQL",
    "libsasl2": "BSD-3-Clause-Attribution",
    "libssl": "Apache-2.0",
    "libxcrypt": "LGPL-2.1-or-later",
    "openssl": "Apache-2.0",
}


def write(to: Path, version: str, arch: str, wheels: Iterable[Path], date: int) -> None:
    to.write_text(json.dumps(bill(version, arch, wheels, date), indent=1) + "\n", encoding="utf-8")


def bill(version: str, arch: str, wheels: Iterable[Path], date: int) -> dict[str, Any]:
    """`wheels` of every Python of this architecture, without the firmware's own."""
    components: dict[str, Component] = {}
    needs: dict[str, list[str]] = {}
    for wheel in sorted(wheels, key=lambda wheel: wheel.name):
        with zipfile.ZipFile(wheel) as content:
            metadata = _metadata(content)
            name = _normal(metadata["Name"])
            if name == BUILDS_ONLY:
                continue
            component = components.setdefault(name, _wheel_component(name, metadata, wheel))
            component["externalReferences"].append(_distribution(wheel))
            inside = {part["bom-ref"]: part for part in (*component.pop("components", []), *_inside(content, name))}
            if inside:
                component["components"] = list(inside.values())
            needs[name] = [_normal(re.split(r"[^\w.-]", need)[0]) for need in metadata.get_all("Requires-Dist", [])]
    product = _product(version, arch)
    refs = {name: component["bom-ref"] for name, component in components.items()}
    dependencies = [{"ref": product["bom-ref"], "dependsOn": sorted(refs.values())}]
    for name, needed in sorted(needs.items()):
        depends = sorted({refs[need] for need in needed if need in refs} - {refs[name]})
        dependencies.append({"ref": refs[name], "dependsOn": depends})
    content_id = json.dumps([product, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content_id)}",
        "version": 1,
        "metadata": {"timestamp": datetime.fromtimestamp(date, UTC).isoformat(), "component": product},
        "components": list(components.values()),
        "dependencies": dependencies,
    }


def _product(version: str, arch: str) -> Component:
    return {
        "type": "firmware",
        "bom-ref": "felt",
        "name": "felt",
        "version": version,
        "purl": f"pkg:deb/felt@{version}?arch={arch}",
        "licenses": [{"license": {"id": "MIT"}}],
        "properties": [{"name": "debian:depends", "value": DEPENDS}],
    }


def _wheel_component(name: str, metadata: Message, wheel: Path) -> Component:
    version = str(metadata["Version"])
    return {
        "type": "library",
        "bom-ref": f"pkg:pypi/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
        "licenses": [_licence(_licence_of(metadata, wheel))],
        "externalReferences": [],
    }


def _distribution(wheel: Path) -> dict[str, Any]:
    return {
        "type": "distribution",
        "url": wheel.name,
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
    }


def _licence_of(metadata: Message, wheel: Path) -> str:
    if metadata["License-Expression"]:
        return str(metadata["License-Expression"])
    for said in (*metadata.get_all("Classifier", []), metadata["License"]):
        if said in _SPDX:
            return _SPDX[said]
    raise PackagingError(f"{wheel.name} names no licence that we know: read it and add it to _SPDX in {__name__}")


def _licence(expression: str) -> dict[str, Any]:
    is_plain = re.fullmatch(r"[\w.-]+", expression)
    return {"license": {"id": expression}} if is_plain else {"expression": expression}


# --- what a wheel brings inside itself -------------------------------------------------------------------


def _inside(content: zipfile.ZipFile, owner: str) -> list[Component]:
    found = []
    for name in content.namelist():
        if ".dist-info/sboms/" in name and name.endswith(".json"):
            for part in json.loads(content.read(name)).get("components", []):
                if _normal(part["name"]) != owner:
                    found.append(_part(part, owner))
        elif re.search(r"\.libs/[^/]+\.so", name):
            found.append(_shared_library(name.rpartition("/")[2], content.read(name), owner))
    return found


def _part(part: dict[str, Any], owner: str) -> Component:
    """A component of the wheel's own bill of materials, with our reference."""
    licences = part.get("licenses") or [_licence(_bundled_licence(part["name"], owner))]
    component = {
        "type": "library",
        "bom-ref": f"{owner}/{part['name']}@{part['version']}",
        "name": part["name"],
        "version": part["version"],
        "licenses": licences,
    }
    purl = part.get("purl", "").partition("?")[0]
    return {**component, "purl": purl} if purl else component


def _shared_library(file: str, content: bytes, owner: str) -> Component:
    """auditwheel puts a digest into the name: libpq-e9b5c9ac.so.5.18."""
    named = re.fullmatch(r"(.+?)(?:-[0-9a-f]{8})?\.so(?:\.(.+))?", file)
    assert named is not None, file
    digest = hashlib.sha256(content).hexdigest()
    return {
        "type": "library",
        "bom-ref": f"{owner}/{file}",
        "name": named[1],
        "version": named[2] or "unknown",
        "hashes": [{"alg": "SHA-256", "content": digest}],
        "licenses": [_licence(_bundled_licence(named[1], owner))],
    }


def _bundled_licence(name: str, owner: str) -> str:
    if name not in _BUNDLED:
        problem = f"{owner} brings {name}, whose licence nobody has stated"
        raise PackagingError(f"{problem}: add it to _BUNDLED in {__name__}")
    return _BUNDLED[name]


def _metadata(content: zipfile.ZipFile) -> Message:
    name = next(name for name in content.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_bytes(content.read(name))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
