"""Run a program where the memory lies, so that only its answer leaves."""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from milepost.access.values import ADMIN, BY_PROGRAM, CALLER
from milepost.deadline import beside_the_answer, check_time, seconds_left, working_until
from milepost.errors import InvalidInput, MilepostError, OutOfTime, Overloaded, StoreError
from milepost.memory import validation
from milepost.memory.context import Context, Service
from milepost.memory.remember import content_hash, store_items
from milepost.memory.search import filter_for, rank_for
from milepost.memory.validation import Intake
from milepost.memory.values import ASSISTANT, Changes, CompactSearchResult
from milepost.once import WITNESS
from milepost.operation import operation
from milepost.programs.quotas import Programs
from milepost.programs.skills import (
    SKILL,
    Skill,
    Skills,
    all_skills,
    is_name,
    keep_skill,
    skill_of,
    skill_records,
)
from milepost.programs.values import (
    CodeResult,
    Execution,
    Function,
    FunctionParameter,
    Limits,
    Program,
    Receipt,
)
from milepost.text.fit import largest_fitting
from milepost.text.tokens import estimate
from milepost.upkeep.metrics import DONE, PROGRAM, Metrics
from milepost.values import secrets_hidden, uncounted

if TYPE_CHECKING:
    from milepost.registry import Operation

# What a program may say unless it is given another budget.
OUTPUT_TOKENS = 2_000
# More rows than this of an operation that goes through everything belong to several calls.
ROWS_MAX = 10_000
# In one list of arguments, so that one call is short and what it makes fits into memory.
ITEMS_MAX = 5_000
# Kept by one program; each is tested in the time of the program.
SAVED_MAX = 20
# Less is too little to run a test in.
_TEST_S_MIN = 0.05
# The value of a test that was run to its end: a program that exits has none.
_REACHED = "tested"
# So long a program that has ended waits for others who write.
_STATE_S = 2.0
_STATE, _EXECUTIONS = "state", "executions"
_EXECUTIONS_MAX = 10_000


class Wanted(NamedTuple):
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
        begins=True,
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
        timeout_s: seconds for the whole of it, with what it calls and the tests of what it saves.
        memory_mb: memory that it may take.
        session: whose dictionary `state` it continues.
        """
        context = self._context
        intake = context.intake()
        asked = ProgramRequest(
            _source(code),
            validation.budget(budget) or OUTPUT_TOKENS,
            validation.flag("read_only", read_only),
            Limits(timeout_s=timeout_s, memory_mb=memory_mb),
            intake.optional_name("session", session),
        )
        context.part(Programs).admit()
        run = Run(self, context, asked, intake)
        result = run.result()
        _audit(context, asked, run, result)
        return intake.told(result)

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
        context = self._context
        intake = context.intake()
        wanted = _wanted(intake, name, code, description, test)
        _try_skill(self, context, wanted, Limits())
        return intake.told(_keep_skill(context, wanted, session=None))


class ProgramRequest(NamedTuple):
    """A program and the terms it runs on."""

    code: str
    budget: int
    read_only: bool
    limits: Limits
    session: str | None


class _Opened(NamedTuple):
    """Opens what is open: the context that a program's calls work in."""

    latest: Context

    def __call__(self) -> Context:
        return self.latest

    @property
    def space(self) -> str:
        return self.latest.space


class Run:
    """One run of a program: answers its calls, and counts what stays here."""

    def __init__(
        self, service: Service, context: Context, asked: ProgramRequest, intake: Intake
    ) -> None:
        owner: Any = type(service)
        # What a program stores are the words of whoever wrote the program: a model.
        context = context.by(ASSISTANT)
        self._service = owner(_Opened(context))
        self._context = context
        self._asked = asked
        self._intake = intake
        self._functions = {
            **functions_of(owner, read_only=asked.read_only),
            **_published(owner, asked),
        }
        # Loaded with the first program: reading signatures takes longer than opening a memory.
        from milepost.registry import operations_of

        self._operations = operations_of(owner)
        self._rows = 0
        self._tokens = 0
        self._wanted: list[Wanted] = []
        self.execution: Execution | None = None

    def result(self) -> CodeResult:
        """Run it and return what a model should read."""
        began = time.perf_counter()
        asked = self._asked
        skills = all_skills(self._context) if "skills" in asked.code else Skills({}, [])
        program = Program(
            asked.code,
            tuple(self._functions.values()),
            self._state(),
            {name: skill.code for name, skill in skills.by_name.items()},
            asked.limits,
        )
        done = self.execution = self._context.part(Programs).run(program, self.call)
        code = DONE if done.error is None else done.stats.ended
        about = (self._context.space, PROGRAM, PROGRAM, code)
        self._context.part(Metrics).done(*about, began)
        end = time.monotonic() + asked.limits.timeout_s - done.stats.wall_ms / 1e3
        notes = self._keep_state(program.state, done.state)
        with working_until(end):
            notes += self._kept_skills()
        output = _cut(_joined(done.printed, done.value, *notes), asked.budget)
        error = None if done.error is None else _joined(done.error.text, *_about(skills, done))
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
        _check_lengths(name, arguments)
        method = self._save_later if name == "save_skill" else getattr(self._service, name)
        try:
            with _as_program():
                result = method(**arguments)
        except TypeError as problem:
            raise InvalidInput(f"{name} cannot be called so: {problem}.") from problem
        if not self._asked.read_only:
            self._operation(name).note(self._service, arguments, result)
        if isinstance(result, Iterator):
            result = list(self._bounded(result))
        self._rows += _row_count(result)
        self._tokens += sum(estimate(str(row)) for row in _rows(result))
        self._intake.hidden += secrets_hidden(result)
        return uncounted(result)

    def _operation(self, name: str) -> "Operation":
        from milepost.registry import find

        return find(self._operations, name)

    def _bounded(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Go through rows as long as there is time, and room for them."""
        room = self._asked.limits.callback_bytes
        for _, row in zip(range(ROWS_MAX), rows, strict=False):
            check_time()
            room -= len(str(row))
            if room < 0:
                raise Overloaded("There is more than a run may be given; ask for less.")
            yield row

    def _save_later(self, name: str, code: str, description: str, test: str | None = None) -> str:
        """Note a skill: its test needs a sandbox, which this program occupies."""
        if len(self._wanted) >= SAVED_MAX:
            raise InvalidInput(f"A program may save {SAVED_MAX} skills; save others in another.")
        self._wanted.append(_wanted(self._intake, name, code, description, test))
        return f"{name} is kept when this program has ended, if it works."

    def _state(self) -> Mapping[str, Any] | None:
        if self._asked.session is None:
            return None
        kept = self._context.store.values.get(self._context.space, _STATE, self._asked.session)
        return json.loads(kept) if kept else {}

    def _keep_state(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[str]:
        """Keep what a session's programs share, and return what there is to say about it."""
        if self._asked.session is None or before == after:
            return []
        try:
            kept = self._intake.values(_STATE, after)
            text = json.dumps(kept) if kept else None
            with working_until(time.monotonic() + _STATE_S):
                self._context.store.values.put(
                    self._context.space, _STATE, self._asked.session, text
                )
        except (InvalidInput, StoreError, OutOfTime) as problem:
            return [f"state not kept: {problem}"]
        return []

    def _kept_skills(self) -> list[str]:
        notes = []
        for wanted in self._wanted:
            try:
                _try_skill(self._service, self._context, wanted, self._asked.limits)
                kept = _keep_skill(self._context, wanted, self._asked.session)
                notes.append(f"skill {wanted.name} kept as {kept}")
            except MilepostError as problem:
                notes.append(f"skill {wanted.name} not kept: {problem}")
        return notes


@contextmanager
def _as_program() -> Iterator[None]:
    """Let what a program calls be calls of its own: each is allowed, and noted down, by itself."""
    caller = CALLER.set(CALLER.get()._replace(surface=BY_PROGRAM))
    witness = WITNESS.set(None)
    try:
        yield
    finally:
        WITNESS.reset(witness)
        CALLER.reset(caller)


@cache
def functions_of(owner: Any, *, read_only: bool) -> Mapping[str, Function]:
    """Return the operations that a program may call; running programs is not among them."""
    from milepost.registry import operations_of

    return {
        o.name: Function(
            o.name,
            tuple(FunctionParameter(p.name, p.required, p.default) for p in o.parameters),
            o.summary,
        )
        for o in operations_of(owner).values()
        if o.name != "execute_code"
        and o.spec.scope != ADMIN
        and (o.spec.read_only or not read_only)
    }


def _published(owner: Any, asked: ProgramRequest) -> dict[str, Function]:
    """Return the functions that a program calls by names which other memories publish."""
    from milepost.registry import operations_of

    offered = functions_of(owner, read_only=asked.read_only)
    return {
        alias: Function(alias, _lenient(operation), operation.summary)
        for name, operation in operations_of(owner).items()
        if name in offered
        for alias in operation.spec.aliases
        if alias in asked.code
    }


def _lenient(operation: "Operation") -> tuple[FunctionParameter, ...]:
    """Return parameters under all names; what lacks one that is needed the operation refuses."""
    other = [theirs for theirs, _ in operation.spec.renamed if not operation.takes(theirs)]
    own = [
        FunctionParameter(p.name, required=False, default=p.default) for p in operation.parameters
    ]
    return (*own, *(FunctionParameter(name, required=False) for name in other))


def skills_for(context: Context, need: str, limit: int = 3) -> list[Skill]:
    """Return the skills that serve a need best, which is told in words."""
    ranked = rank_for(context, validation.query(need), filter_for(context, kind=SKILL), limit)
    records = context.store.memories.records(ranked.ids[:limit])
    skills = (skill_of(context, record) for record in records)
    return [skill for skill in skills if skill is not None]


def _about(skills: Skills, done: Execution) -> list[str]:
    """Return what is known of the skills that an error speaks of."""
    text = done.error.text if done.error else ""
    known = [s for s in skills.by_name.values() if f"skill {s.name}, line" in text]
    lines = [f"skills.{skill.name} was {skill.origin}." for skill in known]
    unknown = [name for name in skills.others if f"skill '{name}'" in text]
    return lines + [f"{name} was not kept by save_skill, so it is not run." for name in unknown]


def _check_lengths(name: str, arguments: Mapping[str, Any]) -> None:
    for parameter, value in arguments.items():
        if isinstance(value, list) and len(value) > ITEMS_MAX:
            raise InvalidInput(
                f"{name}: a program may give {ITEMS_MAX:,} {parameter} in one call, "
                f"not {len(value):,}; make several calls."
            )


def _wanted(
    intake: Intake, name: str, code: str, description: str, test: str | None = None
) -> Wanted:
    chosen, source = intake.name("name", name), intake.values("code", _source(code))
    about = intake.content(description)
    if not is_name(chosen):
        raise InvalidInput(f"name must be a Python name, not {chosen!r}.")
    return Wanted(chosen, source, about, None if test is None else _source(test))


def _try_skill(service: Service, context: Context, wanted: Wanted, limits: Limits) -> None:
    """Run what shall be kept, in the time that is left and as one of the caller's programs."""
    left = seconds_left()
    time_s = limits.timeout_s if left is None else min(limits.timeout_s, left)
    if time_s < _TEST_S_MIN:
        raise OutOfTime("no time was left to test it; save it in another run.")
    context.part(Programs).admit()
    # Whether it is Python at all is for the sandbox to find out: parsing can be attacked.
    lacking = f"    raise NameError('code must define the function {wanted.name}')"
    check = f"if not callable(globals().get({wanted.name!r})):\n{lacking}"
    code = "\n".join((wanted.code, check, wanted.test or "", repr(_REACHED)))
    within = limits._replace(timeout_s=time_s)
    asked = ProgramRequest(code, OUTPUT_TOKENS, read_only=True, limits=within, session=None)
    run = Run(service, context, asked, context.intake())
    result = run.result()
    if result.error is not None:
        raise InvalidInput(f"{wanted.name} does not work: {result.error}")
    if run.execution is None or run.execution.value != _REACHED:
        raise InvalidInput(f"{wanted.name} does not work: it exits before its test has ended.")


def _keep_skill(context: Context, wanted: Wanted, session: str | None) -> str:
    """Keep a skill in place of an older one of its name, and remember what it is for."""
    signature = re.search(rf"\bdef ({wanted.name}\(.*?\))\s*(?:->[^:\n]*)?:", wanted.code)
    heading = signature[1] if signature else f"{wanted.name}(…)"
    text = f"skills.{heading}: {wanted.description}"
    caller = CALLER.get()
    who = caller.name if caller.key else caller.address
    author = f"{who}, session {session}" if session else who
    about = {SKILL: wanted.name}
    older = [r.hash for r in skill_records(context) if r.metadata.get(SKILL) == wanted.name]
    item = {
        "content": text,
        "tags": [SKILL],
        "kind": SKILL,
        "metadata": about,
        "author": author[: validation.NAME_CHARS_MAX],
        "supersedes": next((known for known in older if known != content_hash(text)), None),
    }
    code, saved = wanted.code, context.clock() / 1e6
    tested = wanted.test is not None
    origin = (heading, wanted.description, content_hash(text), author, saved, tested)
    with context.store.writing() as work:
        (name,) = store_items(context, [item], reserved=True)
        record = work.memories.record(context.space, content_hash(text))
        if record is not None and (record.kind, record.metadata) != (SKILL, about):
            # The text was known, as something else.
            work.memories.change(record.id, Changes(kind=SKILL, metadata=about))
        keep_skill(context, Skill(wanted.name, code, *origin))
    return name


def _source(code: object) -> str:
    if not isinstance(code, str) or not code.strip():
        raise InvalidInput("code must be the text of a Python program.")
    return code


def _row_count(result: object) -> int:
    if isinstance(result, CompactSearchResult):
        return len(result.memories)
    return len(result) if isinstance(result, list) else 1


def _rows(result: object) -> list[Any]:
    return result if isinstance(result, list) else [result]


def _joined(*parts: str | None) -> str:
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _cut(text: str, budget: int) -> str:
    """Return as many whole lines as the budget allows, and say what was left out."""
    count = text.count("\n") + 1

    def beginning(size: int) -> str:
        if size == len(text):
            return text
        shown = text[:size]
        whole = shown.rpartition("\n")[0] if "\n" in shown else shown
        left = count - whole.count("\n") - 1
        return f"{whole}\n({left} more lines not shown; print less, or raise budget)"

    return largest_fitting(len(text), beginning, budget)


def _audit(context: Context, asked: ProgramRequest, run: Run, result: CodeResult) -> None:
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
    with beside_the_answer():
        now = context.clock()
        context.store.values.note(
            context.space, _EXECUTIONS, now, [json.dumps(entry)], _EXECUTIONS_MAX
        )
