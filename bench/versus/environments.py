"""Install each memory into an environment of its own, and say what that took."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from peers.mcp_memory_service import PeerError
from versus.peer import Environment, Peer

UV = str(Path(sys.executable).with_name("uv"))
INSTALL_S_MAX = 1_800
# The one Python that most have; its sqlite3 can load an extension.
SYSTEM_PYTHON = Path("/usr/bin/python3")


def installed(peer: Peer, cache: Path) -> Environment:
    """Make or reuse the environment of a memory."""
    folder = cache / peer.name.replace(" ", "-").lower()
    ready = folder / "ready.json"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        empty = _python(peer, folder) if peer.packages else 0.0
        began = time.perf_counter()
        _install(peer, folder)
        seconds = time.perf_counter() - began
        version, packages = _version(peer, folder)
        figures = {
            "version": version,
            "packages": packages,
            "megabytes": round(_megabytes(folder) - empty, 1),
            "seconds": round(seconds, 1),
        }
        ready.write_text(json.dumps(figures))
    return Environment(folder, **json.loads(ready.read_text()))


def _python(peer: Peer, folder: Path) -> float:
    """Make an empty environment on a Python that the memory asks for; return its size."""
    python = SYSTEM_PYTHON if peer.python == "3" else python_of(peer.python)
    run([UV, "venv", "--allow-existing", "--python", str(python), str(folder)])
    return _megabytes(folder)


def python_of(version: str) -> Path:
    """Return a Python of a version, from the path or from pyenv."""
    beside = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [*beside.glob(f"{version}.*/bin/python{version}")]
    if on_path := shutil.which(f"python{version}"):
        candidates.append(Path(on_path))
    if not candidates:
        raise PeerError(f"needs Python {version}, which is not on this machine")
    return candidates[0]


def _install(peer: Peer, folder: Path) -> None:
    if peer.packages:
        overrides = folder / "overrides.txt"
        overrides.write_text("\n".join(peer.overrides))
        # The index is named to pip alone on some machines, and to uv by the same settings.
        command = [UV, "pip", "install", "--python", str(folder), "--override", str(overrides)]
        run([*command, "--compile-bytecode", *peer.packages])
    if peer.npm:
        npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund"]
        run([*npm, *peer.npm])
    peer.complete(folder)


def _version(peer: Peer, folder: Path) -> tuple[str, int]:
    """Return the version of the first package, and how many packages there are."""
    if peer.packages:
        told = run([UV, "pip", "list", "--python", str(folder), "--format", "json"])
        versions = {one["name"]: one["version"] for one in json.loads(told)}
        first = peer.packages[0].partition("[")[0].partition("=")[0]
        name = "milepost" if "/" in first else first
        return versions[name], len(versions)
    name = peer.npm[0].rpartition("@")[0] or peer.npm[0]
    modules = folder / "node_modules"
    package = json.loads((modules / name / "package.json").read_text())
    locked = json.loads((modules / ".package-lock.json").read_text())["packages"]
    return package["version"], len(locked)


def _megabytes(folder: Path) -> float:
    sizes = (file.lstat().st_size for file in folder.rglob("*") if not file.is_symlink())
    return sum(sizes) / 1e6


def run(command: list[str]) -> str:
    """Run a command of an installer, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=INSTALL_S_MAX, check=False, env=environment
    )
    if done.returncode:
        raise PeerError(f"{' '.join(command)} failed:\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout
