"""How this project is tested, built and run: the commands that went well."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from milepost.memory.context import Context
from milepost.sessions.state import as_mapping
from milepost.sessions.troubles import all_acts
from milepost.sessions.values import Note, Turn
from milepost.text.commands import Command
from milepost.text.lines import clip
from milepost.text.mending import Act
from milepost.text.purposes import purpose_of
from milepost.text.secrets.mark import SECRET

_TOPIC = "commands"
# What one looks up; to install and to format is done alike everywhere.
_TOLD = (
    "tests",
    "end-to-end tests",
    "type check",
    "lint",
    "build",
    "migration",
    "deployment",
    "start",
)
_HOW = {
    "tests": "How to run the tests",
    "end-to-end tests": "How to run the end-to-end tests",
    "type check": "How to check the types",
    "lint": "How to lint",
    "build": "How to build",
    "migration": "How to migrate",
    "deployment": "How to deploy",
    "start": "How to start it",
}
_KNOWN_MAX, _EACH_MAX, _TEXT_MAX = 40, 3, 120
# What belongs to one run: files, dates, messages, numbers.
_PARTICULAR = re.compile(
    r"^(?:\S*/\S*\.\w+(?:::\S+)?|\S+::\S+|\S+\.(?:py|ts|tsx|js|go|rs|rb|java|sql)|\d{4}-\d\d-\d\d\S*"
    r"|['\"].*['\"]|2>&1|[<>].*)$"
)
# What is run once, or belongs to the machine and not to the project.
_ONE_OFF = re.compile(
    r"(?:^|[\s=>])(?:/private)?(?:/var)?/tmp/|(?:^|\s)(?:~|\$HOME|\$TMPDIR)/|\bscratch\b"
    r"|\s(?:-h|--help|--version|-n|--dry-run|--just-print)(?:\s|$)"
)
_MACHINE = re.compile(
    r"^(?:(?:docker|podman|kubectl) (?:run|start)|systemctl\b.*|service\b.*|brew\b.*|ssh\b.*"
    r"|(?:npm|pnpm|yarn|bun) run)$"
)
# What may be a part of the whole; then it takes a second run to tell that it is the way.
_PART = re.compile(
    r"\b(?:compose|docker-compose|tilt|vagrant|supabase) (?:up|build|start)\b.*?\s\w|\bcelery\b"
)
_PROGRAMS = frozenset(("uvicorn", "gunicorn", "hypercorn", "celery"))
# Programs whose verb is no part of their name, and scripts that one starts.
_SITE = "vite|next|nuxt|astro|hugo|mkdocs|jekyll|ng|expo|tilt|vagrant|skaffold|foreman|overmind"
_MORE = {
    "build": re.compile(
        rf"\b(?:{_SITE}) build\b|\b(?:webpack|rollup|esbuild|ninja)\b|^cmake --build"
        r"|^make(?: all| -j ?\d*)?$"
    ),
    "start": re.compile(
        rf"\b(?:{_SITE}|supabase|wrangler|fastapi|streamlit) (?:dev|serve|server|start|up|run)\b"
        r"|^(?:npx )?vite$|^air$|\bnodemon\b|\bbootRun\b|\brails s\b|\brails server\b|phx\.server"
        r"|^\S*(?:python3?|node|ruby|php|tsx|bun) (?:main|app|server|index)\.\w+$"
    ),
}
# What one puts around a command to watch or to end it.
_AROUND = re.compile(r"^(?:(?:time|nohup|nice(?: -n ?-?\d+)?|timeout(?: -\S+)* \d+\w?)\s+)+|\s+&$")
_INTERPRETER = re.compile(r"(?:^|/)(?:python[\d.]*|node|ruby|php|bash|sh|tsx|ts-node)$")


def habits(
    context: Context, project: str | None, session: str, turns: Sequence[Turn]
) -> list[Note]:
    """Return how the project is run, as far as it is known by now, for what this session ran."""
    acts = [(purpose, act) for act in all_acts(turns) if (purpose := _purpose(act.did))]
    known = _known(context, project)
    for purpose, act in acts:
        if act.ok and (text := _general(act.did.text)):
            _count(known, purpose, text, session)
    used = dict.fromkeys(purpose for purpose, act in acts if act.ok)
    at = next((turn.at for turn in reversed(turns) if turn.at is not None), None)
    notes: list[Note] = []
    for purpose in used:
        tried = [act for other, act in acts if other == purpose]
        notes += _told(purpose, known, tried, at)
    _keep(context, project, known)
    return notes


def _purpose(did: Command) -> str:
    """Return what a command is for that may be a habit, or nothing."""
    text = _AROUND.sub("", did.text)
    if _ONE_OFF.search(did.text) or _MACHINE.match(did.name):
        return ""
    more = next((purpose for purpose, words in _MORE.items() if words.search(text)), "")
    purpose = more or purpose_of(did)
    # A single word that is no program that one knows may be anybody's shorthand.
    shorthand = not more and text.partition(" ")[0] == did.name and did.name not in _PROGRAMS
    return "" if purpose not in _TOLD or (shorthand and purpose in ("start", "build")) else purpose


def _told(
    purpose: str, known: Mapping[str, Any], acts: Sequence[Act], at: float | None
) -> Iterator[Note]:
    """Yield the note of a purpose: the commands that are the way, those run most often first."""
    failed = (_general(act.did.text) for act in acts if not act.ok)
    # A command for the same that was tried in vain and never went well.
    wrong = next((text for text in failed if text and text not in known), "")
    ways = [
        (text, entry)
        for text, entry in known.items()
        if entry["for"] == purpose and (_is_sure(text, entry) or wrong)
    ]
    if not ways:
        return
    ways.sort(key=lambda way: (-len(way[1]["in"]), -way[1]["times"]))
    texts = [f"`{text}`" for text, _ in ways[:_EACH_MAX]]
    wrong = wrong or next((e["not"] for _, e in ways if e.get("not")), "")
    ways[0][1]["not"] = wrong
    instead = f" (`{wrong}` fails)" if wrong else ""
    about = (("purpose", purpose),)
    yield Note("command", f"{_HOW[purpose]}: {', '.join(texts)}{instead}", (purpose,), at, about)


def _is_sure(text: str, entry: Mapping[str, Any]) -> bool:
    """Whether a command is known to be the way; one run may have started no more than a part."""
    return not _PART.search(text) or len(entry["in"]) > 1 or entry["times"] > 1


def _general(text: str) -> str:
    """Return a command without what belongs to one run of it."""
    words = _AROUND.sub("", text).split()
    kept: list[str] = []
    for place, word in enumerate(words):
        if (
            word == "-m"
            and kept
            and kept[0] not in ("python", "python3")
            and "python" not in kept[-1]
        ):
            kept.append("-m …")
            break
        script = place and _INTERPRETER.search(words[place - 1])
        if script or not (place and _PARTICULAR.match(word)):
            kept.append(word)
    general = " ".join(kept)
    return "" if SECRET in general or len(general) > _TEXT_MAX else clip(general, _TEXT_MAX)


def _count(known: dict[str, Any], purpose: str, text: str, session: str) -> None:
    entry = known.pop(text, {"for": purpose, "in": [], "times": 0, "last": ""})
    # The same session may be read again; its runs count once more only beside its first.
    times = entry["times"] + 1 if entry["last"] != session or session not in entry["in"] else 2
    sessions = [*(name for name in entry["in"] if name != session), session][-5:]
    known[text] = {**entry, "in": sessions, "times": times, "last": session}


def _known(context: Context, project: str | None) -> dict[str, Any]:
    text = context.store.values.get(context.space, _TOPIC, project or "")
    return {
        command: entry
        for command, entry in as_mapping(text).items()
        if isinstance(entry, dict) and {"for", "in", "times", "last"} <= entry.keys()
    }


def _keep(context: Context, project: str | None, known: Mapping[str, Any]) -> None:
    latest = dict(list(known.items())[-_KNOWN_MAX:])
    context.store.values.put(context.space, _TOPIC, project or "", json.dumps(latest))
