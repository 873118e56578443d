"""Histories to store and questions about them, with the memories that answer each.

A source is a kind of text from one origin: whoever judges a source uses weights that never saw it.
The histories in `data/histories` were written for this benchmark, before any ranking was seen.
"""

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HISTORIES = Path(__file__).parent / "data" / "histories"
# Written last, when everything was trained, and never trained on.
UNSEEN = Path(__file__).parent / "data" / "unseen"

# The licence of each source; what is "measuring only" never trains weights that ship.
LICENCES = {
    "faq": "permissive, by repository (LICENSES.txt of the set)",
    "changes": "permissive, by repository (LICENSES.txt of the set)",
    "meetings": "MIT (QMSum)",
    "turns": "MIT (LongMemEval)",
    "sessions": "MIT (LongMemEval)",
    "talk": "Apache-2.0 (this repository)",
    "languages": "Apache-2.0 (this repository)",
    "coding": "Apache-2.0 (this repository)",
    "notes": "Apache-2.0 (this repository)",
    "updates": "Apache-2.0 (this repository)",
    "locomo": "CC BY-NC 4.0, measuring only",
    "unseen": "Apache-2.0 (this repository), measuring only",
}
MEASURED_ONLY = frozenset({"locomo", "unseen"})

# Which source a history of ours belongs to.
_KINDS = {
    "werkstatt-de": "languages",
    "equipo-es": "languages",
    "xiangmu-zh": "languages",
    "coding-sessions": "coding",
    "team-notes": "notes",
    "engineer-notes": "notes",
    "long-notes": "notes",
    "updates": "updates",
}
# Notes have no session.
_NOTES = frozenset({"agent-notes", "runbooks", "workshop-notes"})


class Question(NamedTuple):
    """A question, the places of the memories that answer it (none: nothing does), its category.

    Older memories held what the answer replaced; the answer is a phrase of one of the memories.
    """

    text: str
    evidence: frozenset[int]
    category: str
    older: frozenset[int] = frozenset()
    answer: str | None = None


class Case(NamedTuple):
    """A history and the questions about it."""

    source: str
    name: str
    memories: list[dict[str, Any]]
    questions: list[Question]


def cases(source: str, data: Path) -> list[Case]:
    """Read the histories of a source."""
    if source in ("faq", "changes"):
        return list(_gold_files(source, sorted((data / "developer").glob(f"{source}.*.json.gz"))))
    if source == "meetings":
        return list(_gold_files(source, sorted((data / "meetings").glob("*.json.gz"))))
    if source in ("turns", "sessions"):
        return [(_as_turns if source == "turns" else _as_sessions)(c) for c in longmemeval(data)]
    if source == "unseen":
        return [_history(path)._replace(source=source) for path in sorted(UNSEEN.glob("*.txt"))]
    return locomo(data) if source == "locomo" else histories(source)


def locomo(data: Path) -> list[Case]:
    """Read the conversations; every turn is a memory of its session."""
    conversations = json.loads((data / "locomo" / "locomo_dev5.json").read_text())
    return [_locomo_case(number, talk) for number, talk in enumerate(conversations)]


def histories(source: str) -> list[Case]:
    """Read the histories of a source that were written for this benchmark."""
    paths = sorted(HISTORIES.glob("*.txt"))
    return [_history(path) for path in paths if _KINDS.get(path.stem, "talk") == source]


def wrappers() -> list[dict[str, Any]]:
    """Read talk to put around a question."""
    lines = (HISTORIES / "wrappers.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line]


def _gold_files(source: str, paths: list[Path]) -> Iterator[Case]:
    """Read files of memories with ids, and questions with the ids of their answers."""
    for path in paths:
        content = json.loads(gzip.decompress(path.read_bytes()))
        place = {memory["id"]: i for i, memory in enumerate(content["memories"])}
        memories = [
            _memory(m["text"], m["session"], m["author"], _iso(m["created"]))
            for m in content["memories"]
        ]
        questions = [
            Question(
                asked["question"],
                frozenset(place[i] for i in asked["gold"]),
                "unanswerable" if asked.get("unanswerable") else "",
            )
            for asked in content["questions"]
        ]
        yield Case(source, path.name.removesuffix(".json.gz"), memories, questions)


def _iso(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _locomo_case(number: int, content: Any) -> Case:
    talk = content["conversation"]
    sessions = sorted((k for k in talk if re.fullmatch(r"session_\d+", k)), key=_session_number)
    memories, place = [], {}
    for session in sessions:
        when = datetime.strptime(talk[f"{session}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in talk[session]:
            caption = turn.get("blip_caption")
            text = turn["text"] + (f" [shares {caption}]" if caption else "")
            place[turn["dia_id"]] = len(memories)
            memories.append(_memory(text, session, turn["speaker"], when))
    questions = []
    for asked in content["qa"]:
        ids = {e.strip() for e in asked.get("evidence", [])} & set(place)
        if ids:
            evidence = frozenset(place[i] for i in ids)
            questions.append(Question(asked["question"], evidence, str(asked["category"])))
    return Case("locomo", f"locomo {number}", memories, questions)


class Chat(NamedTuple):
    """A question of LongMemEval and the sessions before it: name, time, turns."""

    asked: Any
    sessions: list[tuple[str, datetime, list[Any]]]


def longmemeval(data: Path) -> Iterator[Chat]:
    folder = data / "longmemeval_dev"
    whole = json.loads(gzip.decompress((folder / "longmemeval_s_dev60.json.gz").read_bytes()))
    shared = json.loads(gzip.decompress((folder / "longmemeval_s_dev190.json.gz").read_bytes()))
    for asked in [*whole, *shared["questions"]]:
        names = asked["haystack_session_ids"]
        turns = asked.get("haystack_sessions") or [shared["sessions"][name] for name in names]
        times = [_lme_time(date) for date in asked["haystack_dates"]]
        yield Chat(asked, list(zip(names, times, turns, strict=True)))


def _as_turns(chat: Chat) -> Case:
    memories, evidence = [], set()
    for session, when, turns in chat.sessions:
        for turn in turns:
            if not turn["content"].strip():
                continue
            if turn.get("has_answer"):
                evidence.add(len(memories))
            memories.append(_memory(turn["content"], session, turn["role"], when))
    return _chat_case("turns", chat, memories, evidence)


def _as_sessions(chat: Chat) -> Case:
    memories, evidence = [], set()
    for session, when, turns in chat.sessions:
        text = "\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)
        if session in chat.asked["answer_session_ids"]:
            evidence.add(len(memories))
        memories.append(_memory(text, None, None, when))
    return _chat_case("sessions", chat, memories, evidence)


def _chat_case(source: str, chat: Chat, memories: list[dict[str, Any]], evidence: set[int]) -> Case:
    asked = chat.asked
    unanswerable = asked["question_id"].endswith("_abs")
    category = "unanswerable" if unanswerable else asked["question_type"]
    known = frozenset() if unanswerable else frozenset(evidence)
    older: frozenset[int] = frozenset()
    if category == "knowledge-update" and known:
        newest = max(memories[place]["created"] for place in known)
        older = frozenset(p for p in known if memories[p]["created"] < newest)
    question = Question(asked["question"], known, category, older)
    usable = unanswerable or bool(known)
    return Case(source, f"{source} {asked['question_id']}", memories, [question] if usable else [])


def _lme_time(date: str) -> datetime:
    return datetime.strptime(re.sub(r" \(\w+\)", "", date), "%Y/%m/%d %H:%M")


_SESSION = re.compile(r"@@ (\S+) (\d{4}-\d\d-\d\d \d\d:\d\d)")
_TURN = re.compile(r"(\S+?\.\d+) (?:([^:\n]{1,30}): )?(.+)")


def _history(path: Path) -> Case:
    memories, place = [], {}
    session, when = "", datetime.min
    alone = _KINDS.get(path.stem) in {"notes", "updates"} or path.stem in _NOTES
    for line in filter(None, path.read_text("utf-8").splitlines()):
        if opened := _SESSION.match(line):
            session, when = opened[1], datetime.strptime(opened[2], "%Y-%m-%d %H:%M")
            continue
        turn = _TURN.fullmatch(line)
        if turn is None:
            raise ValueError(f"{path.name}: not a turn: {line[:60]}")
        author = None if path.stem == "long-notes" else turn[2]
        text = turn[3] if author or not turn[2] else f"{turn[2]}: {turn[3]}"
        place[turn[1]] = len(memories)
        memories.append(_memory(text, None if alone else session, author, when))
    questions = [
        Question(
            asked["question"],
            frozenset(place[i] for i in asked["gold"]),
            asked["kind"],
            frozenset(place[i] for i in asked.get("older", [])),
            asked.get("answer"),
        )
        for asked in map(
            json.loads, path.with_suffix(".questions.jsonl").read_text("utf-8").splitlines()
        )
    ]
    return Case(_KINDS.get(path.stem, "talk"), path.stem, memories, questions)


def _memory(
    text: str, session: str | None, author: str | None, when: datetime | None
) -> dict[str, Any]:
    memory: dict[str, Any] = {"content": text, "session": session, "author": author}
    if when is not None:
        memory["created"] = (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    return memory


def _session_number(name: str) -> int:
    return int(name.rpartition("_")[2])
