"""What is told of a working tree as JSON and in a header, and what of it is believed."""

from __future__ import annotations

from urllib.parse import quote, unquote

from milepost.errors import InvalidInput
from milepost.workspace.mentions import Mentions
from milepost.workspace.told import (
    ANCHORS_MAX,
    ANSWERS_MAX,
    QUESTIONS_MAX,
    Answers,
    Questions,
    ToldTree,
    is_sound,
)
from milepost.workspace.values import Anchor, Branch, Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Where the answers stand beside the arguments of a call: no parameter is called so.
TREE_ARGUMENT = "@tree"
_NAME_CHARS_MAX = 255
_IDENTITY_CHARS_MAX = 400
_STATES = ("", "changed", "gone")
# Stands where a tree of this machine has the folder of its repository.
_ELSEWHERE = "elsewhere"


def questions_from(data: Any) -> Questions:
    """Return the questions that a server sent; raise ValueError for what is none."""
    try:
        asked = Questions(
            {key: Mentions(*map(tuple, each)) for key, each in data.get("anchors", {}).items()},
            {key: Anchor(*each) for key, each in data.get("states", {}).items()},
            {key: Branch(*each) for key, each in data.get("merged", {}).items()},
        )
    except (AttributeError, TypeError) as problem:
        raise ValueError("no questions") from problem
    named = (names for each in asked.anchors.values() for names in each)
    texts = [*named, *asked.states.values(), *asked.merged.values()]
    if not all(isinstance(text, str) for each in texts for text in each):
        raise ValueError("no questions")
    return asked


def answers_from(data: Any) -> Answers:
    """Return the answers that a client sent, each of which must be one that a tree can give."""
    anchors, states, merged = _by_kind(data)
    if len(anchors) + len(states) + len(merged) > ANSWERS_MAX + QUESTIONS_MAX:
        raise InvalidInput(f"More than {ANSWERS_MAX:,} answers about a working tree are too many.")
    if any(state not in _STATES for state in states.values()):
        raise InvalidInput(f"What became of code is one of {', '.join(map(repr, _STATES))}.")
    if not all(each is None or isinstance(each, bool) for each in merged.values()):
        raise InvalidInput("Whether a branch is merged is true, false or null.")
    return Answers({key: _anchors(each) for key, each in anchors.items()}, states, merged)


def _by_kind(data: Any) -> list[dict[str, Any]]:
    given = {} if data is None else data
    kinds = [given.get(kind, {}) for kind in Answers._fields] if isinstance(given, dict) else []
    objects = [kind for kind in kinds if isinstance(kind, dict)]
    if len(objects) != len(Answers._fields):
        raise InvalidInput("The answers about a working tree must be objects by their keys.")
    return objects


def _anchors(data: Any) -> tuple[Anchor, ...]:
    if not isinstance(data, list) or not all(isinstance(each, list) for each in data):
        raise InvalidInput("What a text names must be a list of paths, symbols and digests.")
    if len(data) > ANCHORS_MAX or any(len(each) != len(Anchor._fields) for each in data):
        raise InvalidInput(f"A text names at most {ANCHORS_MAX} files and symbols, each with both.")
    anchors = tuple(Anchor(*each) for each in data)
    for anchor in anchors:
        if not is_sound(anchor):
            raise InvalidInput("A path must lead from the root of the repository on, and be short.")
    return anchors


def header_of(project: Project) -> str:
    """Return how a client tells of its working tree in a header."""
    whose = (project.name or "", project.identity, project.branch)
    where = ("main" if project.is_main else "branch", project.head, project.main_head)
    return " ".join(quote(part, safe="", errors="replace") for part in (*where, *whose))


def tree_in(header: str) -> ToldTree | None:
    """Return the working tree that a header tells of, if there is one."""
    from milepost.text.secrets import without_secrets

    if not header.strip():
        return None
    is_main, head, main_head, name, identity, branch = map(
        unquote, [*header.split(" "), *[""] * 6][:6]
    )
    names = (name, identity, branch)
    if len(name) > _NAME_CHARS_MAX or len(branch) > _NAME_CHARS_MAX:
        raise InvalidInput(f"Project and branch may have {_NAME_CHARS_MAX} characters each.")
    if not all(map(str.isprintable, names)) or not all(map(_is_commit, (head, main_head))):
        raise InvalidInput("Milepost-Tree must tell of commits, and of names that can be printed.")
    return ToldTree(
        Project(
            name or None,
            identity[:_IDENTITY_CHARS_MAX],
            "",
            _ELSEWHERE,
            without_secrets(branch),
            is_main != "branch",
            head,
            main_head,
        )
    )


def _is_commit(text: str) -> bool:
    return len(text) in (0, 40, 64) and not text.strip("0123456789abcdef")
