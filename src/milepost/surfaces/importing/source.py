"""The files that a client's memory is read from, and what was found in one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from milepost.config import folder_of
from milepost.errors import InvalidInput
from milepost.text.secrets.mark import SECRET
from milepost.workspace.project import detect

NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md")
TRANSCRIPT = ".jsonl"
# The longest name that a session may have.
_NAME_CHARS_MAX = 200


class FileContent(NamedTuple):
    """What a file holds for the memory, and how many secrets were hidden in it."""

    path: Path
    items: tuple[Mapping[str, Any], ...]
    secrets: int

    @property
    def kinds(self) -> dict[str, int]:
        """How many memories there are of each kind."""
        return dict(Counter(item["kind"] for item in self.items).most_common())


def hidden(text: str) -> int:
    """Return how many secrets a text had."""
    return text.count(SECRET)


def place(path: Path) -> str:
    """Return where a file is, as short as it can be said."""
    text = str(path)
    home = str(Path.home())
    text = f"~{text.removeprefix(home)}" if text.startswith(f"{home}/") else text
    return text[-_NAME_CHARS_MAX:]


def sources(names: Iterable[str] | None) -> list[Path]:
    """Return the files to read: those that were named, else the client's own."""
    paths = _named(names) if names else _own()
    # A file may be linked to by another name.
    return list({path.resolve(): path for path in paths if path.is_file()}.values())


def _named(names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        path = Path(name).expanduser().absolute()
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*.md") if p.name in NAMES)
            yield from sorted(path.rglob(f"*{TRANSCRIPT}"))
        elif path.exists():
            yield path
        else:
            raise InvalidInput(f"There is no {path}; name a file or a folder that is there.")


def _own() -> Iterator[Path]:
    home = Path(folder_of("CLAUDE_CONFIG_DIR", ".claude"))
    yield home / "CLAUDE.md"
    here = Path.cwd()
    for folder in dict.fromkeys((Path(detect(str(here)).root), here)):
        for name in (*NAMES, ".claude/CLAUDE.md"):
            yield folder / name
    yield from sorted(home.glob("projects/*/memory/*.md"))
    # By age, so that what was learned later is stored later.
    yield from sorted(home.glob(f"projects/*/*{TRANSCRIPT}"), key=lambda path: path.stat().st_mtime)
