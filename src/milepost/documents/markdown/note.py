"""A memory as a page of Markdown that people edit: front matter between dashes, then its text."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import yaml

from milepost.errors import InvalidInput
from milepost.memory.values import FOREVER, Record

# So many digits of a hash stand in a file.
DIGITS = 16
# What a file may change, and what only the memory sets.
EDITABLE = ("kind", "tags")
FIXED = ("projects", "author", "session", "created", "valid_from", "valid_to")
_NAMES = {"projects": "project"}
_DERIVED = ("supersedes", "links")
_BOM = "\N{BYTE ORDER MARK}"
_FRONT_CHARS_MAX = 100_000
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Note(NamedTuple):
    """What of a memory stands in its file."""

    hash: str
    content: str
    kind: str = "note"
    tags: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    author: str | None = None
    session: str | None = None
    created: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None


class Page(NamedTuple):
    """What a file says.

    fields: what it says of the memory, as a note has it; what it does not name is not here.
    links, supersedes: what it names in double brackets.
    own: what else its owner wrote in front.
    """

    content: str
    fields: Mapping[str, Any] = {}
    hash: str = ""
    links: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    own: Mapping[str, Any] = {}
    has_front: bool = False
    bom: bool = False
    newline: str = "\n"


def note_of(record: Record) -> Note:
    """Return what stands in the file of a memory."""
    return Note(
        record.hash,
        record.content,
        record.kind,
        record.tags,
        record.projects,
        record.author,
        record.session,
        _time(record.created_us),
        _time(record.valid_from_us),
        None if record.valid_to_us >= FOREVER else _time(record.valid_to_us),
    )


def _time(at_us: int) -> str:
    seconds, rest = divmod(at_us, 1_000_000)
    said = datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)
    return said.isoformat().replace("+00:00", "Z")


def plain(text: str) -> str:
    """Return a text without what editors change by themselves: line ends, blank ends."""
    return text.replace("\r\n", "\n").strip("\n").rstrip()


def written(note: Note, page: Page, content: str) -> bytes:
    """Return a file: fields of a note, the text, and what its owner and the links add."""
    front: dict[str, Any] = {"hash": note.hash[:DIGITS], "kind": note.kind, "tags": list(note.tags)}
    for name in FIXED:
        value = getattr(note, name)
        if value and name == "projects":
            front["project"] = value[0] if len(value) == 1 else list(value)
        elif value:
            front[name] = value
    for name, names in (("supersedes", page.supersedes), ("links", page.links)):
        if names:
            front[name] = [f"[[{one}]]" for one in names]
    front |= {name: value for name, value in page.own.items() if name not in front}
    said = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=1 << 30)
    text = f"---\n{said}---\n\n{plain(content)}\n".replace("\r\n", "\n")
    text = text.replace("\n", page.newline)
    return ((_BOM if page.bom else "") + text).encode()


def read(data: bytes) -> Page:
    """Return what a file says; refuse one that cannot be understood, so that nothing is lost."""
    try:
        text = data.decode()
    except UnicodeDecodeError as problem:
        raise InvalidInput("it is not UTF-8") from problem
    bom, text = text.startswith(_BOM), text.removeprefix(_BOM)
    newline = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    first, _, rest = text.partition("\n")
    if first.rstrip() != "---":
        return Page(plain(text), bom=bom, newline=newline)
    end = _END.search(rest)
    if end is None:
        raise InvalidInput("its front matter has no end, a line of three dashes")
    page = _page(_front(rest[: end.start()]), plain(rest[end.end() :]))
    return page._replace(bom=bom, newline=newline)


def _front(text: str) -> Mapping[str, Any]:
    if len(text) > _FRONT_CHARS_MAX:
        raise InvalidInput("its front matter is too long")
    try:
        # Without aliases, by which a few lines can stand for more than there is memory.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, _LOADER)):
            raise InvalidInput("its front matter has YAML aliases; write them out")
        said = yaml.load(text, _LOADER)  # noqa: S506 -- it is a safe one
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise InvalidInput("its front matter is no YAML") from problem
    if said is None:
        return {}
    if not isinstance(said, dict):
        raise InvalidInput("its front matter has no names and values")
    return {str(name): value for name, value in said.items()}


def _page(front: Mapping[str, Any], content: str) -> Page:
    ours = {"hash", *EDITABLE, *FIXED[1:], "project", *_DERIVED}
    fields: dict[str, Any] = {}
    for name in (*EDITABLE, *FIXED):
        stands = _NAMES.get(name, name)
        if stands in front:
            fields[name] = _value(name, front[stands])
    own = {name: value for name, value in front.items() if name not in ours}
    return Page(
        content,
        fields,
        _text(front.get("hash")) or "",
        _linked(front.get("links")),
        _linked(front.get("supersedes")),
        own,
        has_front=True,
    )


def _value(name: str, value: object) -> object:
    if name in ("tags", "projects"):
        return tuple(dict.fromkeys(_texts(value, commas=name == "tags")))
    if name in ("created", "valid_from", "valid_to"):
        return _moment(name, value)
    return _text(value) or ("note" if name == "kind" else None)


def _text(value: object) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    return str(value).strip() or None


def _texts(value: object, *, commas: bool = False) -> Iterable[str]:
    if isinstance(value, list):
        values = value
    else:
        values = str(value or "").split(",") if commas else [value]
    return [text for one in values if (text := _text(one))]


def _moment(name: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        said = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
        said = said if said.tzinfo else said.replace(tzinfo=UTC)
        return said.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError) as problem:
        raise InvalidInput(f"its {name} is no time") from problem


def _linked(value: object) -> tuple[str, ...]:
    return tuple(text.removeprefix("[[").removesuffix("]]") for text in _texts(value))
