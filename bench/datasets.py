"""LoCoMo and LongMemEval as memories to store and questions with the memories that answer them."""

import gzip
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple


class Question(NamedTuple):
    """A question, the places of the memories that answer it, and its category."""

    text: str
    evidence: frozenset[int]
    category: str


class Case(NamedTuple):
    """A history and the questions about it."""

    name: str
    memories: list[dict[str, Any]]
    questions: list[Question]


def locomo(data: Path) -> list[Case]:
    """Read the conversations; every turn is a memory of its session."""
    conversations = json.loads((data / "locomo" / "locomo_dev5.json").read_text())
    return [_locomo_case(number, found) for number, found in enumerate(conversations)]


def longmemeval(data: Path) -> list[Case]:
    """Read the questions; every turn of the sessions before one is a memory."""
    packed = (data / "longmemeval_dev" / "longmemeval_s_dev60.json.gz").read_bytes()
    cases = [_longmemeval_case(found) for found in json.loads(gzip.decompress(packed))]
    return [case for case in cases if case.questions]


def _locomo_case(number: int, found: Any) -> Case:
    talk = found["conversation"]
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
    for asked in found["qa"]:
        ids = {e.strip() for e in asked.get("evidence", [])} & set(place)
        if ids:
            evidence = frozenset(place[i] for i in ids)
            questions.append(Question(asked["question"], evidence, str(asked["category"])))
    return Case(f"locomo {number}", memories, questions)


def _longmemeval_case(found: Any) -> Case:
    memories, evidence = [], set()
    sessions = zip(
        found["haystack_session_ids"],
        found["haystack_dates"],
        found["haystack_sessions"],
        strict=True,
    )
    for session, date, turns in sessions:
        when = datetime.strptime(date.split(" (")[0], "%Y/%m/%d")
        for turn in turns:
            if not turn["content"].strip():
                continue
            if turn.get("has_answer"):
                evidence.add(len(memories))
            memories.append(_memory(turn["content"], session, turn["role"], when))
    asked = Question(found["question"], frozenset(evidence), found["question_type"])
    answerable = evidence and not found["question_id"].endswith("_abs")
    return Case(f"longmemeval {found['question_id']}", memories, [asked] if answerable else [])


def _memory(text: str, session: str, author: str, when: datetime) -> dict[str, Any]:
    created = when.replace(tzinfo=UTC).timestamp()
    return {"content": text, "session": session, "author": author, "created": created}


def _session_number(name: str) -> int:
    return int(name.rpartition("_")[2])
