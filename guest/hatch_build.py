"""Build the sandbox's guest: CPython and our guest code as one WASM component.

Runs when a wheel or an editable install is built, and by hand: `python guest/hatch_build.py`. Does
nothing when the component is up to date.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand
    BuildHookInterface = object

ROOT = Path(__file__).parent
# Beside this folder in a checkout, in it where it was unpacked from a source distribution.
PLACES = (ROOT / "src" / "milepost", ROOT.parent / "src" / "milepost")
PACKAGE = next(place for place in PLACES if place.is_dir())
COMPONENT = ROOT / "milepost_guest" / "guest.wasm"
RECORD = COMPONENT.with_suffix(".json")
# One definition of values, errors and results: the guest has the very files of the host.
SHARED = ("codec.py", "values.py", "errors.py", "*/values.py", "upkeep/*/values.py",
          "text/__init__.py", "text/disguise.py", "text/fence.py", "text/lines.py",
          "sandbox/guest/*.py")  # fmt: skip
WIT = PACKAGE / "sandbox" / "guest" / "sandbox.wit"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
TOOLS = ("componentize_py", "tzdata")
BUILD_S_MAX = 600


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc, valid-type]
    """Builds the component for a wheel, and brings along what it is made of for a source one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Build the component and have it packed although git ignores it."""
        if self.target_name == "sdist":
            sources = (WIT, *(path for _, path in _bundled()))
            told = {str(at): f"src/milepost/{at.relative_to(PACKAGE)}" for at in sources}
            build_data["force_include"].update(told)
            return
        build()
        build_data["artifacts"] += [f"/{at.relative_to(ROOT)}" for at in (COMPONENT, RECORD)]


def build() -> bool:
    """Build the component unless it is up to date; return whether it had to be built."""
    wanted = key()
    if COMPONENT.exists() and recorded().get("key") == wanted:
        return False
    _check_tools()
    print("building the sandbox's guest component, about 20 s", file=sys.stderr)
    with TemporaryDirectory() as folder:
        built = _componentized(Path(folder))
        told = {"key": wanted, "sha256": sha256(built.read_bytes()).hexdigest()}
        RECORD.unlink(missing_ok=True)
        # Beside its place, because a rename does not cross file systems.
        for path, content in ((COMPONENT, built.read_bytes()), (RECORD, _json(told))):
            waiting = path.with_name(f".{path.name}.{os.getpid()}")
            waiting.write_bytes(content)
            waiting.replace(path)
    return True


def key() -> str:
    """Return what the component depends on as one hash."""
    parts = sha256()
    for name, path in sorted(_bundled()):
        parts.update(f"{name}\0{sha256(path.read_bytes()).hexdigest()}\0".encode())
    parts.update(WIT.read_bytes())
    # Not what is installed: whoever checks the key need not have the tools.
    parts.update(" ".join(PROJECT["build-system"]["requires"]).encode())
    return parts.hexdigest()


def recorded() -> dict[str, str]:
    """Return what is known of the component that lies there."""
    try:
        return dict(json.loads(RECORD.read_bytes()))
    except (OSError, ValueError):
        return {}


def _bundled() -> Iterator[tuple[str, Path]]:
    for pattern in SHARED:
        for path in PACKAGE.glob(pattern):
            yield path.relative_to(PACKAGE).as_posix(), path


def _check_tools() -> None:
    for tool in TOOLS:
        if find_spec(tool) is None:
            name = tool.replace("_", "-")
            raise SystemExit(
                f"{name} is needed to build the sandbox's guest component: pip install {name}."
            )


def _componentized(folder: Path) -> Path:
    """Lay out the guest's files in a folder and turn them into a component."""
    package = folder / "guest" / "milepost"
    for name, path in _bundled():
        target = package / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    for empty in (package, package / "sandbox"):
        (empty / "__init__.py").touch()
    (folder / "guest" / "entry.py").write_text(
        "from milepost.sandbox.guest.world import WitWorld\n"
    )
    zones = find_spec("tzdata")
    assert zones is not None
    assert zones.origin is not None
    unused = ignore_patterns("__pycache__", "right", "posix")
    copytree(Path(zones.origin).parent, folder / "guest" / "tzdata", ignore=unused)
    output = folder / "guest.wasm"
    wit = ["-d", str(WIT), "-w", "sandbox"]
    made = ["componentize", "-p", str(folder / "guest"), "-o", str(output), "entry"]
    _run([*wit, *made], folder)
    return output


def _run(arguments: list[str], folder: Path) -> None:
    """Run componentize-py, away from any environment whose packages it would pick up."""
    program = "import sys, componentize_py; componentize_py.script()"
    # A virtual environment without packages: otherwise those of the current one are bundled.
    (folder / "none" / "lib" / "python3" / "site-packages").mkdir(parents=True)
    hidden = {**os.environ, "VIRTUAL_ENV": str(folder / "none")}
    done = subprocess.run(  # noqa: S603 -- our own interpreter and arguments
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env=hidden,
        capture_output=True,
        text=True,
        timeout=BUILD_S_MAX,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"The guest component could not be built:\n{done.stdout}{done.stderr}")


def _json(told: dict[str, str]) -> bytes:
    return (json.dumps(told, indent=1) + "\n").encode()


if __name__ == "__main__":
    print("built" if build() else "up to date", recorded()["key"][:12])
