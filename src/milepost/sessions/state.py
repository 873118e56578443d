"""What is known of a session under way: what it was told, and what it talks about."""

import json
from typing import Any, NamedTuple

from milepost.memory.context import Context, beside_the_answer

_TOPIC = "session"
_PROJECT = "project"
_KNOWN = "sessions"
# More than a session can be told; the oldest are forgotten.
SHOWN_MAX = 400
# A session that so many others came after is not resumed.
SESSIONS_MAX = 500


class State(NamedTuple):
    """A session between two of its events."""

    project: str | None = None
    # Hashes of the memories that are in the model's context.
    shown: tuple[str, ...] = ()
    prompts: int = 0
    # The prompt at which something was last told.
    told_at: int = -1_000
    # What the latest prompts are about, as a vector; empty at first.
    subject: tuple[float, ...] = ()
    # What a compaction is about to throw away.
    saved: str = ""


# Of what kind each part is; what was damaged is taken for not known.
_KINDS = {"project": str, "prompts": int, "told_at": int, "saved": str}


def load_state(context: Context, session: str | None) -> State:
    """Return what is known of a session; nothing at first."""
    text = context.store.values.get(context.space, _TOPIC, session) if session else None
    known = as_mapping(text)
    sound = {name: known[name] for name, kind in _KINDS.items() if type(known.get(name)) is kind}
    shown, subject = _listed(known.get("shown"), str), _listed(known.get("subject"), float)
    return State(**sound, shown=shown, subject=subject)


def as_mapping(text: str | None) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one when it is none."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _listed(value: object, kind: type) -> tuple[Any, ...]:
    whole = isinstance(value, list) and all(type(item) is kind for item in value)
    return tuple(value) if whole and isinstance(value, list) else ()


def save_state(context: Context, session: str | None, state: State) -> None:
    """Keep what is known of a session."""
    if session:
        if context.store.values.get(context.space, _TOPIC, session) is None:
            _register(context, session)
        kept = state._replace(shown=state.shown[-SHOWN_MAX:])
        context.store.values.put(context.space, _TOPIC, session, json.dumps(kept._asdict()))


def _register(context: Context, session: str) -> None:
    """Note a new session, and forget the oldest of too many."""
    known = as_mapping(context.store.values.get(context.space, _KNOWN, "")).get("names")
    names = [*_listed(known, str), session]
    for old in names[:-SESSIONS_MAX]:
        context.store.values.put(context.space, _TOPIC, old, None)
    text = json.dumps({"names": names[-SESSIONS_MAX:]})
    context.store.values.put(context.space, _KNOWN, "", text)


def project_name(context: Context, name: str | None, identity: str | None) -> str | None:
    """Return the name of a project's memories: its own, unless another project has that already."""
    if name is None or identity is None:
        return name
    owner = context.store.values.get(context.space, _PROJECT, name)
    if owner is None:
        with beside_the_answer():
            context.store.values.put(context.space, _PROJECT, name, identity)
    return name if owner in (None, identity) else f"{name} ({identity})"[:200]


def sound(text: str) -> str:
    """Return a text as a store takes it: without NUL and without halves of surrogate pairs."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()
