"""Print what a command returns: as text for people, as JSON or YAML for programs."""

import json
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from milepost.codec import to_data
from milepost.config import Agent
from milepost.render import to_text
from milepost.surfaces.cli.command import Inquiry
from milepost.text.disguise import escaped
from milepost.upkeep.ledger import keeping, model_text, note_model_text

FORMATS = ("human", "json", "yaml")


class View(NamedTuple):
    """A result with the text that people read in place of its own."""

    data: object
    text: str
    ready: bool = True


def show(result: object, form: str) -> None:
    """Print a result; what streams is printed item by item."""
    for text in _texts(result, form):
        print(text, flush=isinstance(result, Iterator))


def show_agent(result: object, form: str, inquiry: Inquiry, reader: Agent) -> None:
    """Print a result, and note in the ledger of the memory that was asked what was printed."""
    seen: object = result
    if isinstance(result, Iterator):
        streamed: list[object] = []
        result, seen = keeping(result, streamed), streamed
    printed = []
    for text in _texts(result, form):
        print(text, flush=True)
        printed.append(text)
    ms = round((time.perf_counter() - inquiry.began) * 1e3, 1)
    text = "\n".join(printed)
    expense = model_text(time.time(), inquiry.operation, text, seen, reader.session, ms)
    note_model_text(inquiry.memory, expense)


def _texts(result: object, form: str) -> Iterator[str]:
    """Return a result as texts to print; what streams comes item by item."""
    if isinstance(result, Iterator):
        return _items(result, form)
    if form == "human":
        text = result.text if isinstance(result, View) else to_text(result)
        return iter([text] if text else [])
    data = to_data(result.data if isinstance(result, View) else result)
    return iter([_written(data, form)])


def _items(items: Iterator[object], form: str) -> Iterator[str]:
    empty = True
    for item in items:
        if form == "human":
            yield to_text(item)
        else:
            # In YAML, lists of one below each other are one list.
            yield _written([to_data(item)] if form == "yaml" else to_data(item), form)
        empty = False
    if form == "yaml" and empty:
        yield "[]"


def _written(data: object, form: str) -> str:
    if form == "json":
        return _json(data)
    from milepost.surfaces.cli.yaml import to_yaml

    return to_yaml(data)


def _json(data: object) -> str:
    # Escapes of our own, where standard output cannot carry every character.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return escaped(json.dumps(data, ensure_ascii=not encoding.lower().startswith("utf")))
