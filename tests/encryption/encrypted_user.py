"""Somebody with an encrypted store, whose folders are looked into byte by byte."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

from support import PATIENCE_S

# Words that stand nowhere else, and would be found one by one.
RARE = ("quokkavelodrome", "zirconfluteworm", "xylotropegazette")
PHRASE = f"The {RARE[0]} of Odessa keeps a {RARE[1]} beside the {RARE[2]}"


class User:
    """Somebody whose home, cache, runtime and temporary folders are all below one folder."""

    def __init__(self, home: Path, outside: Path) -> None:
        self.home, self.outside = home, outside
        self.path = home / "m.db"
        self.key = outside / "store.key"
        self.key.write_text("5e" * 32 + "\n")
        self.key.chmod(0o600)
        folders = {
            "MILEPOST_RUNTIME_FOLDER": "run", "TMPDIR": "tmp", "XDG_CACHE_HOME": "cache",
            "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state",
            "XDG_RUNTIME_DIR": "session",
        }  # fmt: skip
        for name in folders.values():
            (home / name).mkdir(mode=0o700)
        self.environment = {name: str(home / place) for name, place in folders.items()} | {
            "HOME": str(home),
            "MILEPOST_URL": str(self.path),
            "MILEPOST_DAEMON": "off",
            "MILEPOST_ENCRYPTION_KEY_FILE": str(self.key),
            "MILEPOST_CACHE_FOLDER": os.environ["MILEPOST_CACHE_FOLDER"],
            "MILEPOST_LOG_LEVEL": "debug",
        }

    def run(self, *words: object, given: str = "", **environment: str) -> CompletedProcess[str]:
        """Run a command in a process of its own."""
        return subprocess.run(
            [sys.executable, "-m", "milepost", *map(str, words)],
            input=given,
            capture_output=True,
            text=True,
            env=os.environ | self.environment | environment,
            timeout=PATIENCE_S,
            check=False,
        )

    def done(self, *words: object, given: str = "", **environment: str) -> str:
        """Run a command that must succeed; return what it printed."""
        ended = self.run(*words, given=given, **environment)
        assert ended.returncode == 0, f"{words}: {ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def files(self) -> Iterator[Path]:
        """Yield every file of the user's folders."""
        return (file for file in sorted(self.home.rglob("*")) if file.is_file())

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Return the bytes and the times of all files."""
        return {str(f): (f.stat().st_mtime_ns, f.read_bytes()) for f in self.files()}

    def readable(self) -> list[str]:
        """Return the files in which a rare word can be read, however it is written."""
        marks = [word.encode(form) for word in RARE for form in ("utf-8", "utf-16-le", "utf-16-be")]
        marks += [word.upper().encode() for word in RARE] + [word[::-1].encode() for word in RARE]
        found = []
        for file in self.files():
            content = file.read_bytes()
            found += [f"{file}: {mark!r}" for mark in marks if mark in content]
        return found
