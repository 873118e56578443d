"""Build all that is published into a folder: `make dist`, or `python release/build.py [FOLDER]`.

Both distributions, each as source and as wheel, their bill of materials, and the checksums of all.
"""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import bill

SUMS = "SHA256SUMS"


def build(folder: Path) -> list[Path]:
    """Build everything in place of what was built there before; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in _built(folder):
        left.unlink()
    for project in (bill.ROOT, bill.ROOT / "guest"):
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
        subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("milepost-*.whl")
    bill.main([str(folder / f"{'-'.join(wheel.name.split('-')[:2])}.cdx.json")])
    files = _built(folder)
    sums = [f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / SUMS).write_text("".join(sums))
    return [*files, folder / SUMS]


def _built(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("milepost[-_]*") if file.is_file())


if __name__ == "__main__":
    for file in build(Path(sys.argv[1] if sys.argv[1:] else "dist").absolute()):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file}")
