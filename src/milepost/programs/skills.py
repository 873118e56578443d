"""Skills: functions that were tested and kept; whatever else is stored is never run.

The code lies apart from the memories, where only `save_skill` writes. The memory of a skill is what
it is found by: without it there is no skill, and no write to it changes what runs.
"""

import json
import keyword
from datetime import datetime
from typing import NamedTuple, TypeGuard
from unicodedata import normalize

from milepost.memory.context import Context
from milepost.memory.reserved import topic_of
from milepost.memory.values import UNTRUSTED, Filter, Record
from milepost.stored_time import to_seconds, to_us
from milepost.text.instructing import instructs

# The kind of their memories, and there the key of the name.
SKILL = "skill"
SKILLS_MAX = 500
_TOPIC = topic_of(SKILL)


class Skill(NamedTuple):
    """A function, the memory it is found by, and where it comes from."""

    name: str
    code: str
    heading: str
    description: str
    memory: str
    author: str
    saved: float
    tested: bool

    @property
    def origin(self) -> str:
        """Who saved it, and when."""
        when = f"{datetime.fromtimestamp(self.saved):%Y-%m-%d %H:%M}"
        test = "with" if self.tested else "without"
        return f"saved {when} by {self.author}, {test} a test of its own"

    def __str__(self) -> str:
        mark = f"({UNTRUSTED}) " if instructs(self.description) else ""
        return f"{mark}skills.{self.heading}: {self.description} ({self.origin})"


class Skills(NamedTuple):
    """Those that can be run by name, and names under which something lies that was not saved so."""

    by_name: dict[str, Skill]
    others: list[str]


def is_name(text: object) -> TypeGuard[str]:
    """Whether a skill can have that name, and not one that Python reads as another."""
    if not isinstance(text, str) or not text.isidentifier() or keyword.iskeyword(text):
        return False
    return text.isascii() or normalize("NFKC", text) == text


def skill_records(context: Context) -> list[Record]:
    """Return the memories of skills that hold now, the newest first."""
    where = Filter(space=context.space, now_us=context.clock(), kind=SKILL)
    return context.store.memories.records(context.store.candidates.newest(where, SKILLS_MAX))


def all_skills(context: Context) -> Skills:
    """Return what programs may call."""
    skills, others = {}, []
    for record in skill_records(context):
        skill = skill_of(context, record)
        if skill is not None:
            skills[skill.name] = skill
        elif is_name(record.metadata.get(SKILL)):
            others.append(str(record.metadata[SKILL]))
    return Skills(skills, [name for name in others if name not in skills])


def skill_of(context: Context, record: Record) -> Skill | None:
    """Return the skill that a memory is of, if it was saved as one."""
    name = record.metadata.get(SKILL)
    text = context.store.values.get(context.space, _TOPIC, name) if is_name(name) else None
    skill = None if text is None else _read(text)
    return skill if skill is not None and skill.memory == record.hash else None


def _read(text: str) -> Skill:
    fields = json.loads(text)
    if "saved_us" in fields:  # older versions stored seconds
        fields["saved"] = to_seconds(fields.pop("saved_us"))
    return Skill(**fields)


def keep_skill(context: Context, skill: Skill) -> None:
    """Put a skill in the place of an older one of its name."""
    fields = skill._asdict()
    text = json.dumps(fields | {"saved_us": to_us(fields.pop("saved"))})
    context.store.values.put(context.space, _TOPIC, skill.name, text)
