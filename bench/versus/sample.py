"""The notes and questions of each source: a part of one history, and what it answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

from datasets import Case, Chat, Question, cases, longmemeval
from versus.peer import Note

# One history of each source, of middling size.
HISTORIES = {
    "faq": "faq.google+googletest",
    "changes": "changes.encode+httpx",
    "meetings": "train-04",
    "turns": "",
    "locomo": "locomo 0",
}
TITLES = {
    "faq": "developers' FAQ",
    "changes": "changelog line → commit",
    "meetings": "meetings (QMSum)",
    "turns": "LongMemEval, turns",
    "locomo": "LoCoMo",
}


class Asked(NamedTuple):
    """A question and the places of the notes that answer it."""

    text: str
    evidence: frozenset[int]


class Sample(NamedTuple):
    """Notes of a source, and questions that they answer."""

    source: str
    notes: list[Note]
    questions: list[Asked]


def samples(data: Path, sources: list[str], notes: int, questions: int) -> list[Sample]:
    """Take so many notes and at most so many questions of each source."""
    return [
        _turns(data, notes, questions)
        if source == "turns"
        else _part(_case(data, source), notes, questions)
        for source in sources
    ]


def _case(data: Path, source: str) -> Case:
    (case,) = (case for case in cases(source, data) if case.name == HISTORIES[source])
    return case


def _part(case: Case, notes: int, questions: int) -> Sample:
    """Keep the part of a history that answers most questions in full, and these."""
    usable = [question for question in case.questions if question.evidence]

    def answered(start: int) -> list[Question]:
        kept = range(start, start + notes)
        return [q for q in usable if min(q.evidence) in kept and max(q.evidence) in kept]

    starts = range(0, max(len(case.memories) - notes, 0) + 1, 10)
    start = max(starts, key=lambda start: len(answered(start)))
    kept = [_note(memory) for memory in case.memories[start : start + notes]]
    asked = [
        Asked(question.text, frozenset(place - start for place in question.evidence))
        for question in answered(start)
    ]
    if len(asked) > questions:
        asked = random.Random(1).sample(asked, questions)
    return Sample(case.source, kept, asked)


def _turns(data: Path, notes: int, questions: int) -> Sample:
    """Join the sessions that answer several questions into one history, in the order of time."""
    chats = [chat for chat in longmemeval(data) if not chat.asked["question_id"].endswith("_abs")]
    # The shorter what answers a question is, the more questions there are.
    chats.sort(key=lambda chat: sum(map(len, _answering(chat, {}).values())))
    sessions: dict[str, list[tuple[Note, str]]] = {}
    held, asked = 0, []
    for chat in chats:
        new = _answering(chat, sessions)
        size = sum(map(len, new.values()))
        if held + size > notes or len(asked) == questions:
            break
        sessions |= new
        held += size
        asked.append(chat.asked)
    ordered = sorted(
        (turn for turns in sessions.values() for turn in turns), key=lambda turn: turn[0].created
    )
    found = []
    for question in asked:
        evidence = frozenset(
            place
            for place, (_, answers) in enumerate(ordered)
            if answers == question["question_id"]
        )
        if evidence:
            found.append(Asked(question["question"], evidence))
    return Sample("turns", [note for note, _ in ordered], found)


def _answering(chat: Chat, known: dict[str, Any]) -> dict[str, list[tuple[Note, str]]]:
    """Return the sessions that answer a question, each turn with the question it answers."""
    wanted = set(chat.asked["answer_session_ids"]) - set(known)
    return {
        name: [
            (
                Note(turn["content"], turn["role"], name, when.timestamp()),
                chat.asked["question_id"] if turn.get("has_answer") else "",
            )
            for turn in turns
            if turn["content"].strip()
        ]
        for name, when, turns in chat.sessions
        if name in wanted
    }


def _note(memory: dict[str, Any]) -> Note:
    return Note(memory["content"], memory["author"], memory["session"], memory.get("created"))
