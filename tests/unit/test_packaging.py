"""What is shipped is named with its licence, and what is installed is pinned and bounded."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from milepost.sandbox import guest_cache

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NOTICES = (ROOT / "THIRD_PARTY_NOTICES.md").read_text()
GUEST = ROOT / "guest"
GUEST_NOTICES = (GUEST / "THIRD_PARTY_NOTICES.md").read_text()
# Numbered by date: a later one is no other interface.
DATED = {"tzdata"}


def asked_for() -> list[Requirement]:
    project, build = PROJECT["project"], PROJECT["build-system"]["requires"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *build, *(line for extra in extras for line in extra)]
    ours = ("milepost", "milepost-guest")
    return [found for line in lines if (found := Requirement(line)).name not in ours]


def pinned() -> dict[str, tuple[str, int]]:
    """By name the version and the number of hashes."""
    entries = re.split(r"\n(?=\S)", (ROOT / "constraints.txt").read_text())
    found = [re.match(r"([\w.-]+)==([\w.]+)", entry) for entry in entries]
    return {
        canonicalize_name(at[1]): (at[2], entry.count("--hash=sha256:"))
        for at, entry in zip(found, entries, strict=True)
        if at is not None
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return ZipFile(next(folder.glob("*.whl")))


def test_the_wheel_carries_every_licence_it_needs(wheel: ZipFile) -> None:
    metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    named = HeaderParser().parsestr(wheel.read(metadata).decode()).get_all("License-File") or []
    texts = {path.relative_to(ROOT).as_posix() for path in (ROOT / "licenses").iterdir()}

    assert {"LICENSE", "THIRD_PARTY_NOTICES.md", *texts} == set(named)
    assert all(f"`{text}`" in NOTICES for text in texts)
    assert all(metadata.replace("METADATA", f"licenses/{n}") in wheel.namelist() for n in named)


def test_all_data_in_the_wheel_is_named_in_the_notices(wheel: ZipFile) -> None:
    ours = (".py", ".sql", ".wit", "/py.typed")
    kept = [n for n in wheel.namelist() if n.startswith("milepost/") and not n.endswith(ours)]
    others = [n for n in kept if not n.startswith("milepost/integrations/")]

    assert others
    assert [n for n in others if n not in NOTICES and n.rpartition("/")[0] not in NOTICES] == []


def test_the_notices_name_what_the_guest_is_made_of() -> None:
    component = guest_cache.COMPONENT.read_bytes()
    python = re.findall(rb"libpython(3\.\d+)\.so", component)[0].decode()
    characters = re.findall(rb"UnicodeData File Format (\d+\.\d+\.\d+)", component)[0].decode()
    holder = re.findall(rb"Copyright \(c\) [\d-]+ Python Software", component)[0].decode()
    crates = set(re.findall(rb"/([a-z0-9_-]+)-\d+\.\d+\.\d+/src/", component))

    assert f"CPython {python} " in GUEST_NOTICES
    assert f"Unicode data, in CPython ({characters})" in GUEST_NOTICES
    assert holder in (GUEST / "licenses" / "CPython.txt").read_text()
    assert [crate.decode() for crate in crates if crate.decode() not in GUEST_NOTICES] == []


def test_the_notices_of_the_guest_name_every_text_beside_them() -> None:
    texts = [path.relative_to(GUEST).as_posix() for path in (GUEST / "licenses").iterdir()]
    assert [text for text in texts if f"`{text}`" not in GUEST_NOTICES] == []


def test_every_dependency_has_an_upper_bound() -> None:
    unbounded = [
        str(found)
        for found in asked_for()
        if not {spec.operator for spec in found.specifier} & {"<", "==", "~="}
        and found.name not in DATED
    ]
    assert unbounded == []


def test_every_dependency_is_pinned_with_hashes_and_no_index_is_named() -> None:
    known = pinned()

    for found in asked_for():
        version, hashes = known[canonicalize_name(found.name)]
        assert found.specifier.contains(version), found
        assert hashes, found
    assert all(hashes for _, hashes in known.values())
    assert not re.search(r"https?:|index-url", (ROOT / "constraints.txt").read_text())
