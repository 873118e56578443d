"""Print what a command returns: as text for people, as JSON or YAML for programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from milepost.render import to_text
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.config import Agent
    from milepost.surfaces.cli.command import Call

FORMATS = ("human", "json", "yaml")


class View(NamedTuple):
    """A result with the text that people read in place of its own."""

    data: object
    text: str
    ready: bool = True


def show(result: object, form: str) -> None:
    """Print a result; what streams is printed item by item."""
    for text in as_texts(result, form):
        print(text, flush=isinstance(result, Iterator))


def show_agent(result: object, form: str, call: Call, reader: Agent) -> None:
    """Print a result, and note in the ledger of the memory that was asked what was printed."""
    from milepost.upkeep.model_text import keeping, model_text

    seen: object = result
    if isinstance(result, Iterator):
        streamed: list[object] = []
        result, seen = keeping(result, streamed), streamed
    printed = []
    for text in as_texts(result, form):
        print(text, flush=True)
        printed.append(text)
    assert call.inquiry is not None
    operation, began = call.inquiry
    ms = round((time.perf_counter() - began) * 1e3, 1)
    text = "\n".join(printed)
    given = model_text(time.time(), operation, text, seen, reader.session, ms)
    if given is not None:
        call.note_model_text(given._replace(client="command line"))


def as_texts(result: object, form: str) -> Iterator[str]:
    """Return a result as texts to print; what streams comes item by item."""
    if isinstance(result, Iterator):
        return _items(result, form)
    if form == "human":
        text = result.text if isinstance(result, View) else to_text(result)
        return iter([text] if text else [])
    return iter([_written(result.data if isinstance(result, View) else result, form)])


def _items(items: Iterator[object], form: str) -> Iterator[str]:
    empty = True
    for item in items:
        if form == "human":
            yield to_text(item)
        else:
            # In YAML, lists of one below each other are one list.
            yield _written([item] if form == "yaml" else item, form)
        empty = False
    if form == "yaml" and empty:
        yield "[]"


def _written(result: object, form: str) -> str:
    from milepost.codec import to_data

    data = to_data(result)
    if form == "json":
        return _json(data)
    from milepost.surfaces.cli.yaml import to_yaml

    return to_yaml(data)


def _json(data: object) -> str:
    import json

    from milepost.text.disguise import escaped

    # Escapes of our own, where standard output cannot carry every character.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return escaped(json.dumps(data, ensure_ascii=not encoding.lower().startswith("utf")))
