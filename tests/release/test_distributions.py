"""What is published installs by the lines of the README, says what it holds, and works."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from milepost import __version__
from release.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

README = (ROOT / "README.md").read_text()


class Shell:
    """Runs lines of the README where the built files are found before those of an index."""

    def __init__(self, folder: Path, dist: Path) -> None:
        self.folder = folder
        beside = Path(sys.executable).parent  # pipx and uv
        self.env = {
            **{name: value for name, value in os.environ.items() if "MILEPOST" not in name},
            "PATH": os.pathsep.join(map(str, (folder / "bin", beside, os.environ["PATH"]))),
            "HOME": str(folder),
            "MILEPOST_URL": str(folder / "memory.db"),
            "PIP_FIND_LINKS": str(dist),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_FIND_LINKS": str(dist),
            "UV_CACHE_DIR": str(folder / "uv"),
            "UV_PYTHON": sys.executable,
            "PIPX_HOME": str(folder / "pipx"),
            "PIPX_BIN_DIR": str(folder / "bin"),
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }

    def run(self, line: str) -> str:
        done = subprocess.run(
            shlex.split(line),
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
def shell(tmp_path: Path, dist: Path) -> Shell:
    return Shell(tmp_path, dist)


@pytest.fixture(scope="module")
def bill(dist: Path) -> dict[str, object]:
    told: dict[str, object] = json.loads((dist / f"milepost-{__version__}.cdx.json").read_text())
    return told


def said(beginning: str) -> str:
    """Return the line of the README that begins so."""
    (line,) = re.findall(rf"^{re.escape(beginning)}.*?(?=\s+#|$)", README, re.MULTILINE)
    return str(line)


def test_pip_installs_all_that_the_readme_says(shell: Shell) -> None:
    venv.create(shell.folder / "env", with_pip=True)
    shell.env["PATH"] = f"{shell.folder / 'env' / 'bin'}{os.pathsep}{shell.env['PATH']}"

    shell.run(said('pip install "milepost[server,sandbox]"'))

    assert shell.run("milepost --version").strip().endswith(__version__)
    code = "import milepost.sandbox, sys; sys.exit(milepost.sandbox.why_not() or 0)"
    shell.run(f"python -c '{code}'")
    shell.run("python -c 'import milepost.surfaces.http as http; http._check_installed()'")


def test_pipx_installs_a_command_that_remembers_and_runs_no_programs(shell: Shell) -> None:
    shell.run(said("pipx install"))

    shell.run('milepost store "We chose PostgreSQL over MySQL because of JSONB"')
    assert "PostgreSQL" in shell.run('milepost search "which database did we choose?"')
    assert not list((shell.folder / "pipx").rglob("guest.wasm"))
    told = subprocess.run(
        ["milepost", "execute-code", "1"],
        env=shell.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode
    assert f"pip install 'milepost[sandbox]=={__version__}'" in told.stderr


def test_uvx_runs_it_without_installing(shell: Shell) -> None:
    shell.run("uvx milepost store 'We chose PostgreSQL over MySQL because of JSONB'")
    assert "PostgreSQL" in shell.run(said("uvx milepost"))


def test_a_source_distribution_makes_the_same_wheel(dist: Path, tmp_path: Path) -> None:
    with tarfile.open(dist / f"milepost-{__version__}.tar.gz") as sources:
        sources.extractall(tmp_path, filter="data")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(
        command, cwd=tmp_path / f"milepost-{__version__}", check=True, capture_output=True
    )

    name = f"milepost-{__version__}-py3-none-any.whl"
    assert contents(tmp_path / name) == contents(dist / name)


def test_the_source_of_the_guest_has_all_that_the_guest_is_made_of(dist: Path) -> None:
    with tarfile.open(dist / f"milepost_guest-{__version__}.tar.gz") as sources:
        names = {name.partition("/")[2] for name in sources.getnames()}

    assert {
        "hatch_build.py",
        "src/milepost/codec.py",
        "src/milepost/sandbox/guest/sandbox.wit",
    } <= names
    assert "milepost_guest/guest.wasm" not in names


def test_the_checksums_are_those_of_the_files(dist: Path) -> None:
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    told = {name: digest for digest, name in (line.split("  ") for line in lines)}

    assert told == {
        file.name: sha256(file.read_bytes()).hexdigest()
        for file in dist.iterdir()
        if file.name != "SHA256SUMS"
    }


def test_the_bill_of_materials_is_valid(dist: Path) -> None:
    text = (dist / f"milepost-{__version__}.cdx.json").read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_everything_in_the_bill_has_a_licence(bill: dict[str, object]) -> None:
    unknown = [part["name"] for part in parts(bill) if not part.get("licenses")]
    assert unknown == []


def test_the_bill_names_what_is_contained_and_what_is_installed(bill: dict[str, object]) -> None:
    scopes = {str(part["name"]).lower(): part.get("scope") for part in parts(bill)}

    assert scopes["numpy"] == "required"
    assert scopes["wasmtime"] == scopes["milepost-guest"] == "optional"
    assert any(name.startswith("potion-base-8m") for name in scopes)
    assert any(name.startswith("cpython 3.14") for name in scopes)
    assert "pytest" not in scopes


def contents(wheel: Path) -> dict[str, str]:
    with ZipFile(wheel) as packed:
        return {
            name: sha256(packed.read(name)).hexdigest()
            for name in packed.namelist()
            if not name.endswith("RECORD")
        }


def parts(bill: dict[str, object]) -> Iterator[dict[str, object]]:
    yield from bill["components"]  # type: ignore[misc]
