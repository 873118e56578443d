"""Every operation on every surface: the same result, the same refusal, a documented example.

All surfaces do the same things in the same order, each to its own copy of one store.
"""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import anyio
import pytest

import milepost
from milepost.app import Milepost, open_memory
from milepost.codec import to_data
from milepost.errors import MilepostError
from milepost.memory.remember import content_hash
from milepost.opening import settings_for
from milepost.registry import Operation, operations_of
from milepost.render import to_text
from milepost.surfaces import reference
from milepost.surfaces.cli import main
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import running
from support import forget_functions, kept_warm

OPERATIONS = operations_of(Milepost)
NOTES = (
    {"content": "We chose PostgreSQL over MySQL because of JSONB", "tags": ["db", "decision"]},
    {"content": "The deploy key rotates on Mondays", "tags": ["ops"], "author": "Ann"},
    {"content": "Deploys to production wait for the smoke test", "tags": ["ops", "scratch"]},
    {"content": "We decided to use passkeys for auth", "tags": ["auth", "decision"]},
)
KNOWN = content_hash(str(NOTES[0]["content"]))[:8]
OTHERS = [content_hash(str(note["content"]))[:8] for note in NOTES[1:3]]

# The examples of the documentation name memories that are not here.
REAL = {"hash": KNOWN, "hashes": OTHERS, "episode": "ended", "other": "ended-too"}
# Files that every surface may have read.
DOCUMENTS = Path(mkdtemp(prefix="mp-")) / "docs"
# Episodes that one operation alone changes, so that the others find theirs as they were.
# Consolidations likewise: the first of them is applied.
RUNS = ("undo_consolidation", "apply_consolidation", "get_consolidation")
JOBS = ("retry_jobs", "drop_job")
OPEN = ("add_step", "add_steps", "checkpoint_episode", "complete_episode", "resume_episode")
STEPS = (
    {"tool": "bash", "action": "pytest", "observation": "ImportError: no x", "success": False},
    {"tool": "bash", "action": "pip install x", "observation": "ok"},
    {"tool": "bash", "action": "pytest", "observation": "3 passed"},
)


EDGES = (
    ("billing-service", "uses", "PostgreSQL", "2026-02-01"),
    ("PostgreSQL", "has", "JSONB", "2026-02-01"),
    ("Ann", "works_at", "Acme", "2026-02-01"),
    ("Ann", "works_at", "Globex", "2026-03-10"),
)


def turn(name: str) -> tuple[bool, bool, bool, str]:
    """Reading comes first, for what is stored is stored at another time on every surface.

    What is learned from an episode in the background must not come between the others.
    """
    spec = OPERATIONS[name].spec
    destroys = spec.destructive and name != "execute_code"
    return not spec.read_only, destroys, name == "complete_episode", name


ORDER = sorted(OPERATIONS, key=turn)
WRONG: Mapping[str, object] = {
    "expires": "soon",
    "max_results": 0,
    "max_depth": 9,
    "entity_type": " ",
    "relation": " ",
    "text": " ",
    "entity": "nobody",
    "entities": ["nobody"],
    "keep": "nobody",
    "a": "whenever",
    "limit": 0,
    "days": 0,
    "batch_size": 0,
    "budget": "plenty",
    "hash": "no hash!",
    "hashes": ["no hash!"],
    "items": [{"colour": "red"}],
    "content": "  ",
    "tags": " ",
    "name": "not a name",
    "outcome": "good",
    "task": " ",
    "note": " ",
    "tool": " ",
    "steps": [{"colour": "red"}],
    "share": 2,
    "strategy": "best",
    "every": "often",
    "rule": "weather",
    "run_id": " ",
    "event_type": " ",
    "events": [{"colour": "red"}],
    "pattern": "nobody",
    "episode": "no episode",
    "id": 0,
    "number": 0,
    "document": "nothing.md",
    "store": "nobody",
}


class Outcome(NamedTuple):
    """What came of a call: data, text, or the message of an error."""

    data: Any = None
    text: str | None = None
    error: str | None = None


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in no repository, whose branch some surfaces would tell and others know."""
    monkeypatch.chdir(tmp_path)


Call = Callable[[Operation, Mapping[str, Any]], Outcome]
Surface = Callable[[Path], AbstractContextManager[Call]]


# Names that are given by chance, how long something took, when it was said, what it takes on disk.
_CHANCE = re.compile(
    r"\b(?:ev|co|er)_[0-9a-z]{12}\b|(?<=\"duration\": )[\d.]+|(?<=\"next\": )[\d.]+|next \S+ \S+"
    r"|(?<=\"recorded\": )[\d.]+|(?<=\"valid_from\": )[\d.]+|(?<=\"bytes\": )\d+|[\d.]+ MB"
    r"|(?<=\"copies\": )\d+|(?<=\"since\": )[\d.]+|(?<=\"due\": )[\d.]+|(?<=\"at\": )[\d.]+"
    r"|(?<=\"created\": )[\d.]+|(?<=\"ends\": )[\d.]+|(?<=\"entries\": )\d+|\b\d+(?= entries)"
    r"|(?<=\"read\": )[\d.]+|(?<=\"state\": \")[0-9a-f]{16}|(?<=\"made\": )[\d.]+"
    r"|(?<=\"store\": \")[0-9a-f]{16}"
    r"|(?<=\"index_bytes\": )\d+|(?<=\"segments\": )\d+|(?<=\"rows\": )\d+"
    r"|\d+(?= rows)|/[\w/-]+/m(?:-[\d-]+)?\.db|20\d\d-\d\d-\d\d \d\d:\d\d(?=: \d+ memor)"
)
# Keys, and what binds one entry of the audit to the next.
_KEYS = re.compile(
    r"\bmp_[\w-]+|\b[0-9a-f]{8} (?=ci|build|laptop)|(?<=\"id\": \")[0-9a-f]{8}(?=\")"
    r"|\b[0-9a-f]{64}\b"
)


def without_chance(outcome: Outcome) -> Outcome:
    """Leave out what a program cost and names by chance, which are never the same."""
    data = outcome.data
    if data is not None:
        text = _KEYS.sub("x", json.dumps(data))
        data = json.loads(
            _CHANCE.sub(lambda m: "0" if m[0].replace(".", "").isdigit() else "x", text)
        )
    if isinstance(data, dict) and "receipt" in data:
        data = {name: value for name, value in data.items() if name != "receipt"}
    said = _KEYS.sub("x", outcome.text or "")
    text = _CHANCE.sub("x", re.sub(r"\n\[\d+ calls.*\]", "", said))
    return Outcome(data, None if outcome.text is None else text, outcome.error)


def without_amounts(outcome: Outcome) -> Outcome:
    """Leave out what models were given, which differs: some surfaces are read by models."""
    data = sorted(outcome.data) if outcome.data else None
    text = outcome.text and outcome.text.partition(":")[0]
    return Outcome(data, text, outcome.error)


def of_the_same_shape(outcome: Outcome) -> Outcome:
    """Leave what a result is made of, and that it was told in words."""
    data = sorted(outcome.data) if outcome.data else None
    return Outcome(data, "told" if outcome.text else None, outcome.error)


def example(operation: Operation) -> dict[str, Any]:
    real = REAL | {
        "path_or_glob": str(DOCUMENTS),
        "pattern": learned_pattern(),
        "patterns": [learned_pattern()],
    }
    real |= {"episode": f"for-{operation.name}"} if operation.name in OPEN else {}
    real |= {"run_id": planned_run(operation.name)} if operation.name in RUNS else {}
    real |= {"conflict": known_conflict(), "number": dead_job(operation.name)}
    return {name: real.get(name, value) for name, value in operation.example.items()}


@cache
def learned_pattern() -> str:
    with open_memory(settings_for(_filled() / "m.db")) as memory:
        return memory.list_patterns(kind="recovery").patterns[0].id


@cache
def planned_run(operation: str) -> str:
    """Return a run that one operation alone works on."""
    with open_memory(settings_for(_filled() / "m.db")) as memory:
        runs = memory.consolidation_status().runs
    return runs[RUNS.index(operation)].split()[0]


@cache
def dead_job(operation: str) -> int:
    """Return a job that was given up, and that one operation alone works on."""
    if operation not in JOBS:
        return 0
    with open_memory(settings_for(_filled() / "m.db")) as memory:
        dead = {job.key: job.number for job in memory.list_jobs(state="dead")}
    return dead[operation]


@cache
def known_conflict() -> str:
    with open_memory(settings_for(_filled() / "m.db")) as memory:
        return memory.conflicts()[0].id


def refused(operation: Operation) -> dict[str, Any] | None:
    """Return arguments that no surface may take, if the operation has any."""
    wrong = next((name for name in WRONG if operation.takes(name)), None)
    return None if wrong is None else example(operation) | {wrong: WRONG[wrong]}


def told(call: Callable[[], object]) -> Outcome:
    try:
        result = call()
    except MilepostError as problem:
        return Outcome(error=str(problem))
    result = list(result) if isinstance(result, Iterator) else result
    return Outcome(to_data(result), to_text(result))


@contextmanager
def from_python(path: Path) -> Iterator[Call]:
    with open_memory(settings_for(path)) as memory:
        yield lambda operation, given: told(lambda: getattr(memory, operation.name)(**given))


@contextmanager
def as_functions(path: Path) -> Iterator[Call]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_URL", str(path))
        forget_functions()
        yield lambda operation, given: told(lambda: getattr(milepost, operation.name)(**given))
    forget_functions()


@contextmanager
def warm(path: Path) -> Iterator[Call]:
    with kept_warm(path), milepost.connect(path) as memory:
        yield lambda operation, given: told(lambda: getattr(memory, operation.name)(**given))


@contextmanager
def served(path: Path) -> Iterator[str]:
    settings = settings_for(path)._replace(port=0, tools="full")
    with open_memory(settings) as memory, running(memory, settings) as url:
        yield url


@contextmanager
def over_http(path: Path) -> Iterator[Call]:
    with served(path) as url:
        connection = HTTPConnection(urlsplit(url).netloc)

        def post(operation: Operation, given: Mapping[str, Any], view: str) -> tuple[int, bytes]:
            place = f"/tools/{operation.name}/execute{view}"
            headers = {"content-type": "application/json"}
            connection.request("POST", place, json.dumps(given), headers)
            response = connection.getresponse()
            return response.status, response.read()

        def call(operation: Operation, given: Mapping[str, Any]) -> Outcome:
            status, body = post(operation, given, "")
            if status >= 400:
                return Outcome(error=json.loads(body)["detail"])
            if not operation.spec.read_only:
                return Outcome(json.loads(body))
            return Outcome(json.loads(body), post(operation, given, "?view=compact")[1].decode())

        yield call
        connection.close()


@contextmanager
def by_client(path: Path) -> Iterator[Call]:
    with served(path) as url, MilepostClient(url, project="everywhere") as client:
        yield lambda operation, given: told(lambda: getattr(client, operation.name)(**given))


@contextmanager
def over_mcp(path: Path) -> Iterator[Call]:
    from mcp import Client

    with served(path) as url:

        async def ask(operation: Operation, given: Mapping[str, Any]) -> Outcome:
            async with Client(f"{url}/mcp") as client:
                answer = await client.call_tool(operation.name, dict(given))
            text = "".join(getattr(part, "text", "") for part in answer.content)
            if answer.is_error:
                _, _, message = text.partition(": ")
                return Outcome(error=message.partition("\nUsage")[0])
            return Outcome(text=text)

        yield lambda operation, given: anyio.run(ask, operation, given)


@contextmanager
def on_the_command_line(path: Path) -> Iterator[Call]:
    def run(words: list[str]) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*words, "--url", str(path)])
        return code, out.getvalue(), err.getvalue()

    def call(operation: Operation, given: Mapping[str, Any]) -> Outcome:
        words = reference.command_words(operation, given)
        code, out, err = run([*words, "--format", "json"])
        if code:
            return Outcome(error=err.removeprefix("milepost: ").rstrip("\n"))
        data = [json.loads(line) for line in out.splitlines()]
        found = data if operation.streams else data[0]
        return Outcome(found, run(words)[1].rstrip("\n") if operation.spec.read_only else None)

    yield call


SURFACES: dict[str, Surface] = {
    "python": from_python,
    "functions": as_functions,
    "warm process": warm,
    "http": over_http,
    "client": by_client,
    "mcp": over_mcp,
    "command line": on_the_command_line,
}


MEASURED = ("savings", "get_metrics")
# What tells what goes on beside the calls, and how fast.
WATCHED = (
    "backup_status", "schedule_backup", "drill_backup", "alerts", "check_alerts", "set_alert",
)  # fmt: skip


@cache
def outcomes(surface: str) -> dict[tuple[str, str], Outcome]:
    """Return what a surface answers to every example and to every wrong call."""
    path = Path(shutil.copytree(_filled(), Path(mkdtemp(prefix="mp-")) / "store")) / "m.db"
    found = {}
    with SURFACES[surface](path) as call:
        for name in ORDER:
            operation = OPERATIONS[name]
            wrong = refused(operation)
            if wrong is not None:
                found[name, "refused"] = call(operation, wrong)
            found[name, "example"] = without_chance(call(operation, example(operation)))
        for name in MEASURED:
            found[name, "example"] = without_amounts(found[name, "example"])
        for name in WATCHED:
            found[name, "example"] = of_the_same_shape(found[name, "example"])
    shutil.rmtree(path.parents[1])
    return found


@cache
def _filled() -> Path:
    folder = Path(mkdtemp(prefix="mp-"))
    with open_memory(settings_for(folder / "m.db")) as memory:
        memory.store_batch([dict(note) for note in NOTES])
        _try_things(memory)
        memory.search("build the index")
    logged = {"time": datetime.now(UTC).isoformat(), "level": "error", "process": 4711}
    logged |= {"logger": "milepost.calls", "message": "store_unavailable: The disk is gone."}
    (folder / "milepost.log").write_text(json.dumps(logged, separators=(",", ":")) + "\n")
    return folder


def _try_things(memory: Milepost) -> None:
    for name in ("ended", "ended-too", *(f"for-{operation}" for operation in OPEN)):
        memory.create_episode(f"fix the login test of {name}", {"language": "python"}, id=name)
        memory.add_steps(name, [dict(step) for step in STEPS])
    memory.complete_episode("ended", "success", "x was missing")
    memory.complete_episode("ended-too", "failure", "the clock was not frozen")
    memory.extract_patterns()
    memory.record_event("action", "ran the tests", outcome="ok", session_id="s1", wait=True)
    plans = [memory.consolidate(dry_run=True).run_id for _ in RUNS]
    memory.apply_consolidation(plans[1])
    memory.create_entity("billing-service", "service")
    memory.create_entity("postgres", "package")
    for source, relation, target, since in EDGES:
        memory.create_relation(source, relation, target, valid_from=since)
    memory.add_observation("billing-service", "retries three times")
    memory.create_entity("Acme Ltd")
    memory.merge_entities("Acme", "Acme Ltd")
    for name in ("build", "laptop"):
        memory.create_key(name)
    jobs = memory._context.store.jobs
    for name in JOBS:
        jobs.enqueue("default", "example", name, "", 0)
        job = jobs.claim(["example"], 1, 1)
        assert job is not None
        jobs.fail(job.id, job.claim, "ValueError: no luck", None)
    memory.erase(author="Nobody", reference="request 17")
    memory.set_hold("2026-17", "a dispute", project="warehouse")
    memory.delete(memory.store("This was a mistake"))
    DOCUMENTS.mkdir(parents=True, exist_ok=True)
    (DOCUMENTS / "guide.md").write_text("# Lighthouse\n\nThe lighthouse was painted red in 1990.\n")
    memory.ingest(str(DOCUMENTS))
    (DOCUMENTS / "fees.md").write_text("# Fees\n\nA berth costs twelve euros a night.\n")


@pytest.fixture(scope="module", autouse=True)
def _tidy() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MILEPOST_INGEST_FOLDERS", str(DOCUMENTS))
        yield
    shutil.rmtree(DOCUMENTS.parent)
    shutil.rmtree(_filled())
    _filled.cache_clear()
    learned_pattern.cache_clear()
    planned_run.cache_clear()
    known_conflict.cache_clear()
    dead_job.cache_clear()
    outcomes.cache_clear()
    hidden.cache_clear()


# Operations that compare memories with the files that are worked on, of which there are none here.
LOOK_AT_CODE = {"stale", "confirm"}
# What has a command made for people, which says the same in a table.
MADE_FOR_PEOPLE = {"list_spaces", "list_backups", "storage_info", "storage_health"}


@pytest.mark.parametrize("surface", [name for name in SURFACES if name != "python"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_the_example_gives_the_same_on_every_surface(name: str, surface: str) -> None:
    here, there = outcomes("python")[name, "example"], outcomes(surface)[name, "example"]

    if name in LOOK_AT_CODE:
        assert "git repository" in str(here.error)
        assert "git repository" in str(there.error)
        return
    assert here.error is None
    assert there.error is None
    assert there.data is not None or there.text is not None
    assert there.data is None or there.data == here.data
    if surface != "command line" or name not in MADE_FOR_PEOPLE:
        assert there.text is None or there.text == here.text


@pytest.mark.parametrize("surface", [name for name in SURFACES if name != "python"])
@pytest.mark.parametrize("name", [n for n in OPERATIONS if refused(OPERATIONS[n]) is not None])
def test_a_wrong_call_is_refused_the_same_on_every_surface(name: str, surface: str) -> None:
    here, there = outcomes("python")[name, "refused"], outcomes(surface)[name, "refused"]

    assert here.error
    assert there.error == here.error


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
WITH_SECRET: Mapping[str, dict[str, Any]] = {
    "store": {"content": f"the key is {TOKEN}"},
    "store_batch": {
        "items": ["The timeout is 9 seconds", "The timeout is 4 seconds", f"the key is {TOKEN}"]
    },
    "update": {"hash": KNOWN, "metadata": {"key": TOKEN}},
    "add_step": {"episode": "ended", "tool": "bash", "action": f"login {TOKEN}"},
    "add_steps": {"episode": "ended", "steps": [{"tool": "bash", "action": f"login {TOKEN}"}]},
    "complete_episode": {"episode": "for-add_step", "outcome": "success", "verdict": TOKEN},
    "execute_code": {"code": f"len(store('{TOKEN}')) > 3"},
}


@cache
def hidden(surface: str) -> dict[str, Outcome]:
    """Return what a surface answers to writes in which a secret was hidden."""
    path = Path(shutil.copytree(_filled(), Path(mkdtemp(prefix="mp-")) / "store")) / "m.db"
    with SURFACES[surface](path) as call:
        found = {name: call(OPERATIONS[name], given) for name, given in WITH_SECRET.items()}
    shutil.rmtree(path.parents[1])
    return {name: without_chance(outcome) for name, outcome in found.items()}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", WITH_SECRET)
def test_a_secret_that_was_hidden_is_told_of_on_every_surface(name: str, surface: str) -> None:
    here, there = hidden("python")[name], hidden(surface)[name]

    assert there.error is None
    assert there.data is None or '"secrets_hidden": 1' in json.dumps(there.data)
    assert there.data is None or there.data == here.data
    assert there.text is None or "1 secret hidden" in there.text
    assert TOKEN not in f"{there.data} {there.text}"
    if name == "store_batch":
        said = "timeout: 9 seconds became 4 seconds"
        assert said in f"{there.data} {there.text}", "what it may replace is told of as well"


@contextmanager
def on_the_command_line_kept_warm(path: Path) -> Iterator[Call]:
    with kept_warm(path), on_the_command_line(path) as call:
        yield call


def shown_after(name: str, surface: Surface) -> int:
    """Return how often a pattern counts as shown that a surface showed for an episode."""
    path = Path(shutil.copytree(_filled(), Path(mkdtemp(prefix="mp-")) / "store")) / "m.db"
    first = OPERATIONS[name].parameters[0].name
    with surface(path) as call:
        asked = {first: "pytest: ImportError, pip install x", "episode": "for-add_step"}
        assert call(OPERATIONS[name], asked).error is None
    with open_memory(settings_for(path)) as memory:
        memory.complete_episode("for-add_step", "success")
        memory.extract_patterns()
        shown = memory.get_pattern(learned_pattern()).shown
    shutil.rmtree(path.parents[1])
    return shown


@pytest.mark.parametrize(
    "surface", [over_http, by_client, over_mcp, on_the_command_line, on_the_command_line_kept_warm]
)
@pytest.mark.parametrize("name", ["query_memory", "recommend"])
def test_what_was_shown_for_an_episode_is_noted_by_the_surface(name: str, surface: Surface) -> None:
    assert shown_after(name, surface) == 1


@pytest.mark.parametrize("surface", [from_python, as_functions, warm])
@pytest.mark.parametrize("name", ["query_memory", "recommend"])
def test_in_python_what_only_reads_notes_nothing(name: str, surface: Surface) -> None:
    assert shown_after(name, surface) == 0


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_documented_with_its_example(name: str) -> None:
    page = reference.pages()["operations.md"]

    assert f"### {name}\n" in page
    assert OPERATIONS[name].spec.example in page
    assert reference.command_line(OPERATIONS[name], OPERATIONS[name].example) in page


def test_the_reference_in_the_repository_is_the_one_that_the_code_tells() -> None:
    folder = Path(__file__).parents[2] / "docs" / "reference"

    written = {page.name: page.read_text("utf-8") for page in folder.glob("*.md")}
    assert written == reference.pages(), "run `make docs`"
