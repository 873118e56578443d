"""Read the steps of an episode: what each did, which went wrong, which brought it forward.

What a step did is said in a way that fits other runs: the verb stays, its objects become kinds.
"go to cabinet 3" is "go to cabinet", "pytest tests/x.py -k foo" is "run pytest", an edit of
src/a.py is "edit *.py".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from posixpath import basename, splitext

from milepost.experience.values import Episode, Step
from milepost.text.commands import ACTION_CHARS, WITH_VERB, Command, is_shell
from milepost.text.lines import clip_at_word
from milepost.text.mending import Act, act, ran, run_in

# Past this many steps a run is read at its beginning and its end.
STEPS_MAX = 400
# What a sentence shows of a step.
_SHOWN_CHARS = 80
ACTION_WORDS = 6
# Only the beginning of an action names it; the rest is its text.
_READ_CHARS = 400

# Tools that say nothing about what was done: the action says it all.
_BLAND = frozenset(
    "agent env environment alfworld world game tool tools action act none assistant human user "
    "default generic unknown".split()
)
_PROGRAMS = WITH_VERB | frozenset(
    "pytest python python3 node ruby perl java javac gcc g++ clang cmake ninja ls cat cp mv rm "
    "mkdir touch grep rg find sed awk curl wget tar unzip ssh scp rsync psql sqlite3 mysql "
    "redis-cli ruff mypy black flake8 pylint eslint prettier tsc jest vitest mocha rspec phpunit "
    "php rustc head tail wc sort echo chmod chown ln df du ps kill which diff patch jq tree less "
    "playwright cypress ctest bazel sbt swift xcodebuild flutter dart webpack vite".split()
)
# Programs that are also English words: only a shell makes a command of them.
_ENGLISH = frozenset(
    "go find make kill touch sort less head tail which just tree diff cat patch node swift dart "
    "flutter black awk mix helm echo hatch rake flask turbo prisma".split()
)
_COMMANDS = _PROGRAMS - _ENGLISH
_FILE_VERBS = frozenset("edit write read view open create delete append patch format".split())
_PATH_KEYS = ("path", "file_path", "file", "filename", "target_file", "notebook_path", "filepath")
_COMMAND_KEYS = ("command", "cmd", "script", "code")

_CALL = re.compile(r"^([A-Za-z_][\w.-]*)\s*[\[(](.*)[\])]\s*$", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_URL = re.compile(r"\b[a-z][a-z+.-]*://\S+")
_PATH = re.compile(
    r"(?<![\w/])(?:[\w.@~-]*/)+[\w.@-]*|\b[\w-]+(?:\.[\w-]+)*\.(?:py|[jt]sx?|rs|go|java|rb|php|c|h|cc|cpp|cs|kt|sh"
    r"|sql|json|ya?ml|toml|lock|txt|md|csv|ini|cfg|xml|html|css|vue|ipynb|swift|scala)\b"
)
_COUNTED = re.compile(r"\s*\(?#?\b\d[\d.,:-]*\b\)?%?")
_ARTICLES = re.compile(r"\b(?:the|a|an|some|my|your|its|this|that|these|those)\b ", re.IGNORECASE)
_IN_ON = re.compile(r"\b(in|on|in/on|into|onto|inside)\b(?= )")
# Actions that change nothing, by how they begin.
_LOOKING = tuple(
    "read,view,open *,list,look,show,print,examine,inventory,think,grep,search,glob,websearch,"
    "webfetch".split(",")
)
# Worlds that answer every action answer a useless one in words.
_REFUSED = re.compile(
    r"^\s*(?:nothing happens|could not find \[|invalid action|i don't understand"
    r"|that's not a verb)",
    re.IGNORECASE,
)
# Where a command was run tells less than the command.
_IN_FOLDER = re.compile(r"^\s*cd \S+ *(?:&&|;) *")


def failed(step: Step) -> bool:
    """Tell whether a step went wrong, by its flag or by what was seen."""
    return not step.success or _REFUSED.match(step.observation) is not None


def acts_in(episode: Episode) -> list[Act]:
    """Return the steps of an episode in their order, abstract, with the errors they met."""
    steps: Sequence[Step] = sorted(episode.steps, key=lambda step: step.number)
    if len(steps) > STEPS_MAX:
        steps = [*steps[: STEPS_MAX // 2], *steps[-STEPS_MAX // 2 :]]
    return [each for step in steps for each in acts_by(step)]


def each_step(done: Iterable[Act]) -> list[Act]:
    """Return of each step its last command, which tells how the step ended."""
    return list({each.number: each for each in done}.values())


def path(done: Iterable[Act]) -> tuple[str, ...]:
    """Return the actions that went well, each run of the same one once."""
    actions: list[str] = []
    for each in done:
        if each.ok and (not actions or actions[-1] != each.action):
            actions.append(each.action)
    return tuple(actions)


def contains(actions: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether the wanted actions occur in this order, with others between them or not."""
    rest = iter(actions)
    return all(action in rest for action in wanted)


def shared(a: Sequence[str], b: Sequence[str]) -> tuple[str, ...]:
    """Return the longest sequence of actions that both have in order."""
    best: list[tuple[str, ...]] = [()] * (len(b) + 1)
    for x in a:
        before: tuple[str, ...] = ()
        for place, y in enumerate(b, 1):
            above = best[place]
            best[place] = (*before, x) if x == y else max(above, best[place - 1], key=len)
            before = above
    return best[-1]


def common(a: Sequence[str], b: Sequence[str]) -> int:
    """Return the length of the longest sequence of actions that both have in order."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for place, y in enumerate(b, 1):
            above = row[place]
            row[place] = before + 1 if x == y else max(above, row[place - 1])
            before = above
    return row[-1]


def acts_by(step: Step) -> list[Act]:
    """Return what a step did, each with the step it is a part of."""
    done = acts_of(step, ok=not failed(step))
    if len(done) == 1:
        (one,) = done
        return [Act(one.did, one.ok, one.output, one.tool, one.error, step.number, step)]
    # What a line cost and what was seen is that of its last command.
    before = step._replace(observation="", success=True, latency_ms=None, tokens=None)
    parts = [before._replace(action=act.did.text) for act in done[:-1]]
    parts.append(step._replace(action=done[-1].did.text))
    pairs = zip(done, parts, strict=True)
    return [act._replace(number=step.number, step=part) for act, part in pairs]


def in_words(done: Act) -> str:
    """Return a step as its sentence names it: a command, or a tool and what it was used on."""
    step = done.step
    text = _IN_FOLDER.sub("", step.action) or step.action or step.tool
    if is_shell(step.tool):
        return f"`{clip_at_word(text, _SHOWN_CHARS)}`"
    named = next((str(v) for k, v in step.parameters.items() if k.endswith("path")), "")
    tool = step.tool.lower().replace("_", " ")
    if named and named not in text and not named.endswith(text):
        text = f"{text} {named}"
    elif not (step.tool.strip().lower() in _BLAND or " " in text or text.lower().startswith(tool)):
        text = f"{tool} {text}"
    if change := step.parameters.get("change"):
        text = f"{text} ({change})"
    return f"`{clip_at_word(text, _SHOWN_CHARS)}`"


def acts_of(step: Step, *, ok: bool) -> list[Act]:
    """Return what a step did: the commands of a line that it ran, or the one thing it was."""
    line, done = _read(
        step.tool, step.action, _first(step, _COMMAND_KEYS), _first(step, _PATH_KEYS)
    )
    if line is not None and not ok:
        return ran(line, step.observation, step.tool, ok=False)
    return [act(did, step.observation, step.tool, ok=ok) for did in done]


@lru_cache(4_096)
def _read(
    tool: str, action: str, command: str, path: str
) -> tuple[str | None, tuple[Command, ...]]:
    """Return the line of a shell that a step ran, if it ran one, and what it did."""
    tool, action = tool.strip().lower(), action.strip()
    line = _line(tool, action, command)
    return line, (_deed(tool, action, path),) if line is None else run_in(line)[1]


def _deed(tool: str, action: str, path: str) -> Command:
    """Return the one thing that a step was which ran no line."""
    named = _abstract(tool, action[:_READ_CHARS], path)
    effect = "looks" if named.startswith(_LOOKING) else "changes"
    return Command(named, named, frozenset(action.split()), action, effect)


def _first(step: Step, keys: Sequence[str]) -> str:
    """Return the first of some parameters that a step has."""
    parameters = step.parameters
    if not parameters:
        return ""
    return next((str(parameters[key]) for key in keys if parameters.get(key)), "")


def _line(tool: str, action: str, command: str) -> str | None:
    """Return the line of a shell that a step ran, if it ran one."""
    if is_shell(tool):
        return command or action
    if tool in _PROGRAMS and tool not in _BLAND:
        return action if _first_word(action) == tool else f"{tool} {action}"
    return action if tool in (*_BLAND, "") and _first_word(action) in _COMMANDS else None


@lru_cache(4_096)
def _abstract(tool: str, action: str, path: str) -> str:
    phrase = _phrase(action)
    if path and "*" not in phrase:
        return f"{_verb(tool, phrase)} {_kind_of(path)}"[:ACTION_CHARS]
    return _with_tool(tool, phrase)[:ACTION_CHARS]


def _verb(tool: str, phrase: str) -> str:
    """Return what is done to a file, in one word if the tool or the action has one."""
    if tool in _FILE_VERBS or not phrase:
        return tool
    bland = not tool or tool in _BLAND
    return _first_word(phrase) if bland or " " not in phrase else tool.replace("_", " ")


def _with_tool(tool: str, phrase: str) -> str:
    """Put the tool before the phrase unless it says nothing, or says the same."""
    name = tool.replace("_", " ")
    if not phrase:
        return name
    first = _first_word(phrase)
    if not name or tool in _BLAND or name.startswith(first) or first.startswith(name):
        return phrase
    return f"{name} {phrase}" if tool in _FILE_VERBS else f"{name}: {phrase}"


def _phrase(action: str) -> str:
    call = _CALL.match(action)
    if call:
        return call[1].lower().replace("_", " ")
    text = action.splitlines()[0].replace("in/on", "in") if action else ""
    text = _URL.sub("page", text)
    text = _PATH.sub(lambda match: _kind_of(match[0]), text)
    text = _QUOTED.sub("", text)
    text = _COUNTED.sub("", text)
    text = _ARTICLES.sub("", _IN_ON.sub("in", text)).lower()
    return " ".join(text.rstrip(".:!").split()[:ACTION_WORDS])


def _kind_of(path: str) -> str:
    ending = splitext(basename(path.rstrip("/")))[1]
    return f"*{ending}" if ending else basename(path.rstrip("/")) if "/" not in path else "folder"


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].lower() if text else ""
