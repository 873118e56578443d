"""What a person can ask for by name: commands that a client offers, filled in by the server."""

from collections.abc import Mapping
from typing import NamedTuple

from milepost.errors import InvalidInput, NotFound

REVIEW = """\
Review this session and keep what a later one will need: decisions and their reasons, preferences, \
facts that were hard to find, errors and what fixed them.{focus}
For each: search first. Leave what is known and still right. If it changed, store the new text \
with supersedes=<hash>. Otherwise store it, one fact to a call, as a sentence that can be \
understood alone, with tags and a kind (decision, preference, error, note).
Leave out secrets, small talk, and what the code or its history says already. Then say in one line \
what you kept."""
BRIEF = """\
What the memory holds about {topic}:

{found}

Use it where it helps; get(hash) shows a whole memory, similar(hash) and timeline(hash) what lies \
around it."""
BRIEF_TOKENS = 1_500


class Prompt(NamedTuple):
    """A command, and the one thing that it may be told."""

    name: str
    description: str
    argument: str
    about: str
    required: bool


PROMPTS = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "review_session",
            "Review this session and store what is worth keeping.",
            "focus",
            "what to look for above all",
            required=False,
        ),
        Prompt(
            "brief",
            "Tell what the memory holds about a topic.",
            "topic",
            "the topic, in words",
            required=True,
        ),
    )
}


def find_prompt(name: str, arguments: Mapping[str, str]) -> tuple[Prompt, str]:
    """Return a prompt and what it was told."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise NotFound(f"There is no prompt {name!r}; there are {', '.join(PROMPTS)}.")
    argument = arguments.get(prompt.argument, "").strip()
    if prompt.required and not argument:
        raise InvalidInput(f"{name} needs {prompt.argument}: {prompt.about}.")
    return prompt, argument


def review(focus: str) -> str:
    """Return the request to review a session."""
    return REVIEW.format(focus=f" Above all: {focus}." if focus else "")


def brief(topic: str, memories: str) -> str:
    """Return what was found, for a model to go on from."""
    return BRIEF.format(topic=topic, found=memories)
