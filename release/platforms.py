"""Say which extras install from wheels alone on which systems: `python release/platforms.py`.

Asks the package index, by uv, for the versions in constraints.txt; what has no wheel for a system
would have to be compiled there. Prints a table for docs/platforms.md.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SYSTEMS = {
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux arm64": "aarch64-manylinux_2_28",
    "Linux x86-64, musl": "x86_64-unknown-linux-musl",
    "Linux arm64, musl": "aarch64-unknown-linux-musl",
    "macOS arm64": "aarch64-apple-darwin",
    "macOS x86-64": "x86_64-apple-darwin",
    "Windows x86-64": "x86_64-pc-windows-msvc",
    "Windows arm64": "aarch64-pc-windows-msvc",
}
MACOS = "14.0"
# What is made of others, or for whoever works on Milepost.
LEFT_OUT = {"all", "bench", "dev"}


def lacking(extra: str, system: str) -> str:
    """Return what has no wheel for a system; nothing if all have."""
    command = [
        str(Path(sys.executable).with_name("uv")), "pip", "compile", "pyproject.toml", "--quiet",
        "--no-header", "--only-binary", ":all:", "--no-sources", "--python-platform", system,
        "--python-version", "3.11", "--constraint", "constraints.txt",
        # The guest is built here, and is the same for all systems.
        "--find-links", "dist",
    ]  # fmt: skip
    command += ["--extra", extra] if extra else []
    variables = os.environ | {"MACOSX_DEPLOYMENT_TARGET": MACOS}
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=variables
    )
    if not done.returncode:
        return ""
    return done.stderr.strip()


def main() -> None:
    """Print the table."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = ["", *(name for name in project["optional-dependencies"] if name not in LEFT_OUT)]
    print("| | " + " | ".join(SYSTEMS) + " |")
    print("|---" * (len(SYSTEMS) + 1) + "|")
    for extra in extras:
        cells = []
        for title, system in SYSTEMS.items():
            why = lacking(extra, system)
            cells.append("no" if why else "yes")
            if why:
                print(f"{extra or 'milepost'} on {title}: {why}", file=sys.stderr)
        print(f"| {f'`{extra}`' if extra else 'Milepost itself'} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
