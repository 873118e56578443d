"""Run a program where the memory lies, so that only its answer leaves."""

import inspect
import json
import keyword
import time
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from milepost.errors import InvalidInput
from milepost.model.execution import Execution, Function, Limits, Parameter, Program
from milepost.model.memory import Record
from milepost.model.query import Filter
from milepost.model.results import CodeResult, CompactSearchResult, Receipt
from milepost.operation import operation
from milepost.services import validation
from milepost.services.context import Context, Service
from milepost.services.remember import content_hash
from milepost.tokens import beginning, ceiling, estimate

# What a program may say unless it is given another budget.
OUTPUT_TOKENS = 2_000
# More rows than this of an operation that goes through everything belong to several calls.
ROWS_MAX = 10_000
SKILL = "skill"
SKILLS_MAX = 500
_STATE, _EXECUTIONS = "state", "executions"
_EXECUTIONS_MAX = 10_000


class Skill(NamedTuple):
    """A function that a program wants to keep."""

    name: str
    code: str
    description: str
    test: str | None


class Code(Service):
    """The operations that run programs."""

    @operation(
        "code",
        example="execute_code(\"len(search('deploy', limit=50).memories)\")",
        destructive=True,
        aliases=("eval", "run_code"),
    )
    def execute_code(
        self,
        code: str,
        budget: int = OUTPUT_TOKENS,
        read_only: bool = False,
        timeout_s: float = 5.0,
        memory_mb: int = 64,
        session: str | None = None,
    ) -> CodeResult:
        """Run a Python program in a sandbox and return what it prints and its last expression.

        code: Python in which all operations are functions, as search(query) and store(content).
        budget: ceiling in tokens for what comes back.
        read_only: offer no function that changes anything.
        timeout_s: seconds of its own that it may take.
        memory_mb: memory that it may take.
        session: whose dictionary `state` it continues.
        """
        context = self._context
        asked = Asked(
            _source(code),
            validation.budget(budget) or OUTPUT_TOKENS,
            validation.flag("read_only", read_only),
            Limits(timeout_s=timeout_s, memory_mb=memory_mb),
            validation.optional_name("session", session),
        )
        context.programs.admit(f"{context.space} {asked.session or ''}")
        run = Run(self, context, asked)
        result = run.result()
        _audit(context, asked, run, result)
        return result

    @operation(
        "code",
        example="save_skill('ops', 'def ops(): return search_by_tag(\"ops\")', 'list ops notes')",
        idempotent=True,
    )
    def save_skill(self, name: str, code: str, description: str, test: str | None = None) -> str:
        """Keep a tested function that later programs call as skills.name(…), and return its hash.

        name: the name of the function.
        code: Python that defines it.
        description: what it does, by which it is found.
        test: statements that fail when it does not work; they are run before it is kept.
        """
        skill = _skill(name, code, description, test)
        context = self._context
        _try_skill(self, context, skill)
        return _keep_skill(self, context, skill)


class Asked(NamedTuple):
    """A program and the terms it runs on."""

    code: str
    budget: int
    read_only: bool
    limits: Limits
    session: str | None


class Run:
    """One run of a program: answers its calls, and counts what stays here."""

    def __init__(self, service: Service, context: Context, asked: Asked) -> None:
        self._service = service
        self._context = context
        self._asked = asked
        owner: Any = type(service)
        self._functions = functions_of(owner, read_only=asked.read_only)
        self._rows = 0
        self._tokens = 0
        self._skills: list[Skill] = []
        self.execution: Execution | None = None

    def result(self) -> CodeResult:
        """Run it and return what a model should read."""
        began = time.perf_counter()
        program = Program(
            self._asked.code,
            tuple(self._functions.values()),
            self._state(),
            skills_of(self._context) if "skills" in self._asked.code else {},
            self._asked.limits,
        )
        done = self.execution = self._context.programs.run(program, self.call)
        self._keep_state(program.state, done.state)
        notes = self._kept_skills()
        output = _cut(_joined(done.printed, done.value, *notes), self._asked.budget)
        error = None if done.error is None else done.error.text
        receipt = Receipt(
            done.stats.callbacks,
            self._rows,
            done.stats.bytes_in,
            estimate(_joined(output, error)),
            self._tokens,
            round((time.perf_counter() - began) * 1e3, 1),
        )
        return CodeResult(output, error, receipt)

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Answer a call of the program as the surfaces answer theirs."""
        if name not in self._functions:
            raise InvalidInput(f"There is no function {name!r} here.")
        method = self._save_later if name == "save_skill" else getattr(self._service, name)
        try:
            result = method(**arguments)
        except TypeError as problem:
            raise InvalidInput(f"{name} cannot be called so: {problem}.") from problem
        if isinstance(result, Iterator):
            result = list(islice(result, ROWS_MAX))
        self._rows += _row_count(result)
        self._tokens += estimate(_text(result))
        return result

    def _save_later(self, name: str, code: str, description: str, test: str | None = None) -> str:
        """Note a skill: its test needs a sandbox, which this program occupies."""
        self._skills.append(_skill(name, code, description, test))
        return f"{name} is kept when this program has ended, if it works."

    def _state(self) -> Mapping[str, Any] | None:
        if self._asked.session is None:
            return None
        kept = self._context.store.kept(self._context.space, _STATE, self._asked.session)
        return json.loads(kept) if kept else {}

    def _keep_state(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        if self._asked.session is not None and before != after:
            text = json.dumps(after) if after else None
            self._context.store.keep(self._context.space, _STATE, self._asked.session, text)

    def _kept_skills(self) -> list[str]:
        notes = []
        for skill in self._skills:
            try:
                _try_skill(self._service, self._context, skill)
                kept = _keep_skill(self._service, self._context, skill)
                notes.append(f"skill {skill.name} kept as {kept}")
            except InvalidInput as problem:
                notes.append(f"skill {skill.name} not kept: {problem}")
        return notes


@cache
def functions_of(owner: Any, *, read_only: bool) -> Mapping[str, Function]:
    """Return the operations that a program may call; running programs is not among them."""
    found = {}
    for name, method in inspect.getmembers(owner, inspect.isfunction):
        spec = getattr(method, "operation", None)
        if spec is None or name == "execute_code" or (read_only and not spec.read_only):
            continue
        summary = (inspect.getdoc(method) or "").partition("\n")[0]
        parameters = list(inspect.signature(method).parameters.values())[1:]
        found[name] = Function(name, tuple(map(_parameter, parameters)), summary)
    return found


def _parameter(given: inspect.Parameter) -> Parameter:
    required = given.default is given.empty
    return Parameter(given.name, required, None if required else given.default)


def skills_of(context: Context) -> dict[str, str]:
    """Return the code of all skills that hold now, by name."""
    found = [record.metadata for record in _skill_records(context)]
    return {str(m[SKILL]): str(m["code"]) for m in found if SKILL in m and "code" in m}


def _skill_records(context: Context) -> list[Record]:
    where = Filter(space=context.space, now=context.clock(), kind=SKILL)
    return context.store.records(context.store.page(where, SKILLS_MAX).ids[::-1])


def _skill(name: str, code: str, description: str, test: str | None = None) -> Skill:
    chosen, source = validation.name("name", name), _source(code)
    about = validation.content(description)
    if not chosen.isidentifier() or keyword.iskeyword(chosen):
        raise InvalidInput(f"name must be a Python name, not {chosen!r}.")
    return Skill(chosen, source, about, None if test is None else _source(test))


def _try_skill(service: Service, context: Context, skill: Skill) -> None:
    # Whether it is Python at all is for the sandbox to find out: parsing can be attacked.
    lacking = f"    raise NameError('code must define the function {skill.name}')"
    check = f"if not callable(globals().get({skill.name!r})):\n{lacking}"
    code = "\n".join((skill.code, check, skill.test or ""))
    asked = Asked(code, OUTPUT_TOKENS, read_only=True, limits=Limits(), session=None)
    result = Run(service, context, asked).result()
    if result.error is not None:
        raise InvalidInput(f"{skill.name} does not work: {result.error}")


def _keep_skill(service: Any, context: Context, skill: Skill) -> str:
    """Store a skill in place of an older one of its name."""
    known = [r for r in _skill_records(context) if r.metadata.get(SKILL) == skill.name]
    older = known[0].hash if known else None
    lines = skill.code.split("\n")
    heading = next((line for line in lines if f"def {skill.name}(" in line), f"{skill.name}()")
    text = f"skills.{heading.strip().removeprefix('def ').rstrip(':')}: {skill.description}"
    metadata = {SKILL: skill.name, "code": skill.code}
    if older == content_hash(text):
        return str(service.update(older, metadata=metadata))
    return str(service.store(text, [SKILL], SKILL, metadata, supersedes=older))


def _source(code: object) -> str:
    if not isinstance(code, str) or not code.strip():
        raise InvalidInput("code must be the text of a Python program.")
    return code


def _row_count(result: object) -> int:
    if isinstance(result, CompactSearchResult):
        return len(result.memories)
    return len(result) if isinstance(result, list) else 1


def _text(result: object) -> str:
    return "\n".join(map(str, result)) if isinstance(result, list) else str(result)


def _joined(*parts: str | None) -> str:
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _cut(text: str, budget: int) -> str:
    """Return as many whole lines as the budget allows, and say what was left out."""
    if ceiling(text) <= budget:
        return text
    lines = text.split("\n")
    shown = beginning(text, max(budget - 12, 0))
    whole = shown.rpartition("\n")[0] if "\n" in shown else shown
    left = len(lines) - whole.count("\n") - 1
    return f"{whole}\n({left} more lines not shown; print less, or raise budget)"


def _audit(context: Context, asked: Asked, run: Run, result: CodeResult) -> None:
    """Note who ran what, and how it went; no text, which would outlive the memories it quotes."""
    stats = run.execution.stats._asdict() if run.execution else {}
    problem = run.execution.error if run.execution else None
    entry = {
        "session": asked.session,
        "sha256": content_hash(asked.code),
        "chars": len(asked.code),
        "read_only": asked.read_only,
        "error": problem and (problem.name[:100] or problem.kind),
        "tokens": result.receipt.tokens,
        "stats": stats,
    }
    now = context.clock()
    context.store.note(context.space, _EXECUTIONS, now, [json.dumps(entry)], _EXECUTIONS_MAX)
