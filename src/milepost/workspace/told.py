"""A working tree on another machine, as whoever works there tells of it: nothing is opened here.

Where an answer is missing the call ends with the question. The client looks into its tree and asks
again, with the answer; so a server needs no way to its clients, and keeps nothing of them.
"""

from __future__ import annotations

import json

from milepost.values import NamedTuple
from milepost.workspace.mentions import Mentions, mentions
from milepost.workspace.values import Anchor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from milepost.workspace.folders import Folder
    from milepost.workspace.values import Branch, Project

# What is asked at once, and all that a call may be told.
QUESTIONS_MAX = 4_000
ANSWERS_MAX = 20_000
ANCHORS_MAX = 8
_PATH_CHARS_MAX = 300
_SYMBOL_CHARS_MAX = 200
_DIGEST_CHARS_MAX = 256


class Questions(NamedTuple):
    """What is to be known of a working tree, by the keys that the answers come under."""

    anchors: Mapping[str, Mentions] = {}
    states: Mapping[str, Anchor] = {}
    merged: Mapping[str, Branch] = {}


class Answers(NamedTuple):
    """What is known of a working tree."""

    anchors: Mapping[str, tuple[Anchor, ...]] = {}
    states: Mapping[str, str] = {}
    merged: Mapping[str, bool | None] = {}

    def joined(self, more: Answers) -> Answers:
        """Return these and others."""
        return Answers(
            {**self.anchors, **more.anchors},
            {**self.states, **more.states},
            {**self.merged, **more.merged},
        )

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(map(len, self))


class TreeAsked(Exception):
    """An answer takes what only the client's working tree tells."""

    def __init__(self, questions: Questions) -> None:
        super().__init__("the working tree must be asked")
        self.questions = questions


class ToldTree(NamedTuple):
    """A working tree of which only what was told is known.

    may_ask: whether what is missing ends the call; else it counts as unknown.
    """

    project: Project
    answers: Answers = Answers()
    may_ask: bool = False

    def anchors(self, texts: Sequence[str]) -> list[tuple[Anchor, ...]]:
        """Return the files and symbols of the project that texts name, as they are now."""
        named = [mentions(text) for text in texts]
        asked = [each for each in named if each.paths or each.symbols]
        told = dict(zip(asked, self._told("anchors", asked, ()), strict=True))
        return [
            tuple(anchor for anchor in told.get(each, ()) if _is_named(anchor, each))
            for each in named
        ]

    def states(self, anchors: Sequence[Anchor]) -> list[str]:
        """Return of each whether it is the same, "changed" or "gone" by now."""
        return self._told("states", anchors, "")

    def merged(self, branches: Sequence[Branch]) -> list[bool | None]:
        """Return of each branch whether what is checked out holds it, None if that is not known."""
        return self._told("merged", branches, None)

    def _told(self, kind: str, questions: Sequence[Any], unknown: Any) -> list[Any]:
        told: Mapping[str, Any] = getattr(self.answers, kind)
        keys = [_key(question) for question in questions]
        missing = {k: q for k, q in zip(keys, questions, strict=True) if k not in told}
        if missing and self.may_ask and self.answers.total < ANSWERS_MAX:
            some = dict(list(missing.items())[:QUESTIONS_MAX])
            raise TreeAsked(Questions()._replace(**{kind: some}))
        return [told.get(key, unknown) for key in keys]


def answered(questions: Questions, folder: Folder) -> Answers:
    """Return what a working tree of this machine answers."""
    found = folder.named(list(questions.anchors.values()))
    anchors = [tuple(filter(is_sound, each)) for each in found]
    sound = {key: anchor for key, anchor in questions.states.items() if is_sound(anchor)}
    states = dict(zip(sound, folder.states(list(sound.values())), strict=True))
    merged = folder.merged(list(questions.merged.values()))
    return Answers(
        dict(zip(questions.anchors, anchors, strict=True)),
        {key: states.get(key, "") for key in questions.states},
        dict(zip(questions.merged, merged, strict=True)),
    )


def is_sound(anchor: Anchor) -> bool:
    """Whether an anchor can be one: a path inside of a repository, a name in it, a digest."""
    from milepost.text.secrets import without_secrets

    path, symbol, digest = anchor
    if not all(isinstance(part, str) and part.isprintable() for part in anchor):
        return False
    parts = path.split("/")
    inside = not {"", ".", ".."}.intersection(parts) and "\\" not in path and path[:1] != "~"
    short = len(path) <= _PATH_CHARS_MAX and len(symbol) <= _SYMBOL_CHARS_MAX
    named = not symbol or all(part.isidentifier() for part in symbol.split("."))
    hashed = 0 < len(digest) <= _DIGEST_CHARS_MAX and not digest.strip("0123456789abcdef")
    return inside and short and named and hashed and without_secrets(path) == path


def _is_named(anchor: Anchor, named: Mentions) -> bool:
    """Whether a text names what it is said to rest on."""
    if anchor.symbol:
        return _last(anchor.symbol, ".") in {_last(symbol, ".") for symbol in named.symbols}
    return _last(anchor.path, "/") in {_last(path, "/") for path in named.paths}


def _last(name: str, joint: str) -> str:
    return name.rpartition(joint)[2]


def _key(question: tuple[Any, ...]) -> str:
    from hashlib import blake2b

    return blake2b(json.dumps(question).encode(), digest_size=8).hexdigest()
