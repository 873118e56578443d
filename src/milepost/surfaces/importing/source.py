"""The files that others' memories are read from, and what was found in one."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from milepost.config import folder_of
from milepost.errors import InvalidInput
from milepost.reading.moments import moment as seconds_of
from milepost.text.secrets.mark import SECRET
from milepost.workspace.project import detect

NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md")
TRANSCRIPT = ".jsonl"
# The longest name that a session may have.
_NAME_CHARS_MAX = 200
# The year 2200, up to which `store` takes seconds.
_SECONDS_MAX = 7_258_118_400


class Wanted(NamedTuple):
    """What whoever imports says of what is read."""

    project: str | None = None
    # Of which user, where a file holds what several users said.
    user: str | None = None
    # Which column is which parameter of `store`.
    columns: Mapping[str, str] = {}


class FileContent(NamedTuple):
    """What a file, or a part of one, holds for the memory.

    items: parameters of `store`; `replaces` is the text of the version before.
    relations: parameters of `create_relation`.
    secrets: how many were hidden already.
    left_out: how much was not brought along, by why.
    """

    path: Path
    items: tuple[Mapping[str, Any], ...] = ()
    secrets: int = 0
    relations: tuple[Mapping[str, Any], ...] = ()
    left_out: Mapping[str, int] = {}


def hidden(text: str) -> int:
    """Return how many secrets a text had."""
    return text.count(SECRET)


def place(path: Path) -> str:
    """Return where a file is, as short as it can be said."""
    text = str(path)
    home = str(Path.home())
    text = f"~{text.removeprefix(home)}" if text.startswith(f"{home}/") else text
    return text[-_NAME_CHARS_MAX:]


def origin(program: str, path: Path, **more: object) -> dict[str, Any]:
    """Return the metadata that says where a memory was before."""
    about = {name: value for name, value in more.items() if value not in (None, "", [], {})}
    return {"by": "import", "program": program, "from": place(path), **about}


def moment(value: object) -> float | None:
    """Return a time as seconds, however another program wrote it; None where it says none."""
    seconds = seconds_of(value)
    return seconds if seconds is not None and 0 < seconds < _SECONDS_MAX else None


def named(paths: Iterable[str], *patterns: str) -> list[Path]:
    """Return the files that are named, and those in named folders that fit a pattern."""
    files: list[Path] = []
    for name in paths:
        path = Path(name).expanduser().absolute()
        if path.is_dir():
            files += (p for pattern in patterns for p in sorted(path.rglob(pattern)))
        elif path.exists():
            files.append(path)
        else:
            raise InvalidInput(f"There is no {path}; name a file or a folder that is there.")
    # A file may be linked to by another name.
    return list({path.resolve(): path for path in files if path.is_file()}.values())


def claude_code_files(paths: Iterable[str]) -> list[Path]:
    """Return the instructions and transcripts that are named, else the client's own."""
    given = list(paths)
    if given:
        return named(given, *NAMES, f"*{TRANSCRIPT}")
    return list({path.resolve(): path for path in _own() if path.is_file()}.values())


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
