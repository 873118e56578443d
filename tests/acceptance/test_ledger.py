"""The ledger: every text that a model is given is taken down, and nobody waits for it."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import apsw
import pytest
from mcp import Client

from milepost.app import Milepost, open_memory
from milepost.codec import to_data
from milepost.errors import InvalidInput
from milepost.memory.context import Context
from milepost.opening import settings_for
from milepost.programs.values import CodeResult, Receipt
from milepost.sessions.values import Briefing
from milepost.surfaces.http import running
from milepost.text.tokens import estimate
from milepost.upkeep import ledger
from milepost.upkeep.ledger import Ledger, expense_of
from milepost.upkeep.model_text import model_text
from milepost.upkeep.values import Expense, Savings, Spending
from support import RunPython, on_this_machine


class Book(NamedTuple):
    """The ledger of one space."""

    ledger: Ledger
    space: str

    def record(self, expense: Expense) -> None:
        self.ledger.record(self.space, expense)

    def expenses(self) -> list[Expense]:
        return self.ledger.expenses(self.space)

    def flush(self) -> None:
        self.ledger.flush()


def book_of(memory: Milepost) -> Book:
    context = memory._opening()
    return Book(context.part(Ledger), context.space)


DEADLINE_S = 60
NOTES = (
    {"content": "We chose PostgreSQL over MySQL because of JSONB", "tags": ["db", "decision"]},
    {"content": "The deploy key rotates on Mondays. " + "It is kept in the vault. " * 40},
    {"content": "Deploys to production wait for the smoke test", "metadata": {"by": "Ann"}},
)


@pytest.fixture
def memory(path: Path) -> Iterator[Milepost]:
    with open_memory(settings_for(path)) as opened:
        opened.store_batch([dict(note) for note in NOTES])
        yield opened


@pytest.fixture
def context(memory: Milepost) -> Context:
    return memory._opening()


def spent(
    tokens: int, instead_of: int, *, session: str | None = None, days_ago: int = 0
) -> Expense:
    at = (datetime.now() - timedelta(days=days_ago)).timestamp()
    return Expense(at, "search", tokens, instead_of, session)


def whole(memory: Milepost, name: str) -> int:
    return estimate(json.dumps(to_data(memory.get(name)), ensure_ascii=False))


# What models are given over MCP


def asked(memory: Milepost, path: Path, ask: Callable[[Client], Any]) -> tuple[str, list[Expense]]:
    """Return what a client was told, and what is in the ledger then."""

    async def run(url: str) -> Any:
        async with Client(f"{url}/mcp") as client:
            return await ask(client)

    with running(memory, settings_for(path)._replace(port=0)) as url:
        answer = anyio.run(run, url)
    parts = getattr(answer, "content", None) or answer.contents
    return "".join(part.text for part in parts), book_of(memory).expenses()


def test_a_search_is_taken_down_with_what_whole_objects_would_cost(
    memory: Milepost, path: Path
) -> None:
    text, (expense,) = asked(
        memory, path, lambda client: client.call_tool("search", {"query": "deploys"})
    )

    assert len(expense.hashes) == 2
    assert all(name in text for name in expense.hashes)
    assert expense.operation == "search"
    assert expense.tokens == estimate(text)
    assert expense.instead_of == sum(whole(memory, name) for name in expense.hashes)
    assert expense.instead_of > 2 * expense.tokens
    assert expense.ms is not None
    assert time.time() - DEADLINE_S < expense.at <= time.time()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "operation", "shows"),
    [
        ("call_tool", {"name": "get", "args": {"hash": "HASH"}}, "get", 1),
        ("call_tool", {"name": "search_iter", "args": {"query": "deploys"}}, "search_iter", 2),
        ("call_tool", {"name": "health"}, "health", 0),
        ("find_tools", {"need": "delete a memory"}, "find_tools", 0),
        ("search", {"query": ""}, "search", 0),
    ],
)
def test_every_tool_is_taken_down_under_the_name_of_its_operation(
    memory: Milepost, path: Path, tool: str, arguments: dict[str, Any], operation: str, shows: int
) -> None:
    name = memory.search("PostgreSQL", limit=1).memories[0].hash
    given = json.loads(json.dumps(arguments).replace("HASH", name))

    text, (expense,) = asked(memory, path, lambda client: client.call_tool(tool, given))

    assert (expense.operation, len(expense.hashes)) == (operation, shows)
    assert expense.tokens == estimate(text)
    if not shows:
        assert expense.instead_of == expense.tokens


def test_a_resource_is_taken_down_as_well(memory: Milepost, path: Path) -> None:
    name = memory.search("PostgreSQL", limit=1).memories[0].hash

    text, (expense,) = asked(memory, path, lambda client: client.read_resource(f"memory://{name}"))

    assert (expense.operation, expense.hashes) == ("get", (name,))
    assert expense.tokens == estimate(text)


def test_what_a_budget_leaves_out_is_not_taken_down(memory: Milepost, path: Path) -> None:
    given = {"name": "search_iter", "args": {"query": "deploys", "budget": 40}}

    text, (expense,) = asked(memory, path, lambda client: client.call_tool("call_tool", given))

    assert "more not shown" in text
    assert len(expense.hashes) == 1


def test_a_program_is_compared_with_the_results_that_stayed_behind(context: Context) -> None:
    ran = CodeResult("3", None, Receipt(2, 40, 9_000, 1, 2_400, 12.0))
    idle = CodeResult("3", None, Receipt(0, 0, 0, 1, 0, 12.0))

    counted = [
        expense_of(context, given)
        for given in (model_text(1.0, "execute_code", str(r), r) for r in (ran, idle))
        if given is not None
    ]

    assert [expense.tokens for expense in counted] == [estimate(str(ran)), estimate(str(idle))]
    assert [expense.instead_of for expense in counted] == [2_400, estimate(str(idle))]


def test_a_briefing_is_not_taken_down_twice() -> None:
    assert model_text(1.0, "brief", "text", Briefing("text", (), 1, 2)) is None


# The ledger itself


def test_spaces_have_ledgers_of_their_own(memory: Milepost) -> None:
    memory.within("team").note_model_text(_handed("given to the team"))
    memory.note_model_text(_handed("given to me"))

    assert len(book_of(memory.within("team")).expenses()) == 1
    assert memory.within("nobody").savings().total.texts == 0
    assert memory.savings().total.texts == 1


def _handed(text: str) -> Any:
    return model_text(time.time(), "search", text)


def test_what_was_taken_down_is_there_when_the_memory_is_opened_again(path: Path) -> None:
    expense = Expense(round(time.time(), 6), "get", 10, 40, "s1", ("0a1b2c3d",), 1.5)
    with open_memory(settings_for(path)) as memory:
        book_of(memory).record(expense)

    with open_memory(settings_for(path)) as memory:
        assert book_of(memory).expenses() == [expense]


def _soon(memory: Milepost) -> Spending:
    """Return what is written, as soon as anything is."""
    deadline = time.monotonic() + DEADLINE_S
    while not (found := memory.savings().total).texts:
        assert time.monotonic() < deadline
    return found


def test_it_is_written_when_nothing_more_comes(
    memory: Milepost, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "QUIET_S", 0.01)
    book_of(memory).record(spent(1, 2))

    with open_memory(settings_for(path)) as other:
        assert _soon(other).tokens == 1


def test_it_is_written_when_much_waits_although_more_keeps_coming(
    memory: Milepost, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "QUIET_S", 2 * DEADLINE_S)
    monkeypatch.setattr(ledger, "BATCH", 3)
    for _ in range(3):
        book_of(memory).record(spent(1, 2))

    with open_memory(settings_for(path)) as other:
        assert _soon(other).texts == 3


def test_nobody_waits_for_it_while_another_process_holds_the_store(
    memory: Milepost, path: Path
) -> None:
    book = book_of(memory)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        for _ in range(2 * ledger.BATCH):
            book.record(spent(1, 2))
        assert memory.search("PostgreSQL").memories
        assert time.monotonic() - began < on_this_machine(DEADLINE_S / 2)
        other.execute("ROLLBACK")

    assert len(book.expenses()) == 2 * ledger.BATCH


def test_a_store_that_cannot_take_it_costs_one_line_in_the_log(
    memory: Milepost, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    book = book_of(memory)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("DROP TABLE journal")

    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            book.record(spent(1, 2))
        book.flush()

    assert memory.search("PostgreSQL").memories
    assert [r.getMessage()[:10] for r in caplog.records] == ["3 expenses"]


def test_more_than_may_wait_is_dropped_and_told_of(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ledger, "WAITING_MAX", 3)
    monkeypatch.setattr(ledger, "QUIET_S", DEADLINE_S)
    book = book_of(memory)

    with caplog.at_level(logging.WARNING):
        for tokens in range(5):
            book.record(spent(tokens, 10))
        found = book.expenses()
        book.flush()

    assert [expense.tokens for expense in found] == [0, 1, 2]
    assert [r.getMessage()[:10] for r in caplog.records] == ["2 expenses"]


def test_it_forgets_all_but_its_latest_entries(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = book_of(memory)
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "ENTRIES_MAX", 5)
        for tokens in range(8):
            book.record(spent(tokens, 10))
        book.flush()

    assert [expense.tokens for expense in book.expenses()] == [3, 4, 5, 6, 7]


def test_a_memory_that_was_deleted_meanwhile_does_no_harm(memory: Milepost) -> None:
    found = memory.search("PostgreSQL", limit=1)
    given = model_text(time.time(), "search", str(found), found)
    assert given is not None
    memory.delete(found.memories[0].hash)

    memory.note_model_text(given)

    (expense,) = book_of(memory).expenses()
    assert expense.instead_of == expense.tokens


ENDING = """
import sys, time
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.upkeep.model_text import model_text
from milepost.upkeep.ledger import Ledger

memory = open_memory(settings_for(sys.argv[1]))
memory.note_model_text(model_text(time.time(), "search", "something"))
"""
FORKING = """
import os, sys, time
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.upkeep.model_text import model_text
from milepost.upkeep.ledger import Ledger

memory = open_memory(settings_for(sys.argv[1]))
memory.note_model_text(model_text(time.time(), "search", "from the parent"))
child = os.fork()
if child == 0:
    memory.note_model_text(model_text(time.time(), "search", "from the child"))
    memory._opening().part(Ledger).flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
memory.close()
"""


def test_a_process_that_ends_without_closing_loses_nothing(
    path: Path, run_python: RunPython
) -> None:
    run_python(ENDING, path)

    with open_memory(settings_for(path)) as memory:
        assert memory.savings().total.texts == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="fork is used on Linux")
def test_a_forked_child_takes_down_its_own_and_not_its_parents(
    path: Path, run_python: RunPython
) -> None:
    run_python(FORKING, path)

    with open_memory(settings_for(path)) as memory:
        assert memory.savings().total.texts == 2


# What it comes to


def test_savings_are_added_up_by_day_and_by_session(memory: Milepost) -> None:
    for expense in (
        spent(10, 100, session="b", days_ago=1),
        spent(20, 50, session="a"),
        spent(30, 30),
        spent(5, 10, session="a"),
        spent(1_000, 9_000, session="a", days_ago=3),
    ):
        book_of(memory).record(expense)
    today = datetime.now().strftime("%Y-%m-%d")
    yesterday = (datetime.now() - timedelta(days=1)).strftime("%Y-%m-%d")

    found = memory.savings(days=2)

    assert found == Savings(
        Spending("2 days", 4, 65, 190),
        (Spending(yesterday, 1, 10, 100), Spending(today, 3, 55, 90)),
        (
            Spending("b", 1, 10, 100),
            Spending("no session", 1, 30, 30),
            Spending("a", 2, 25, 60),
        ),
        (Spending("search", 4, 65, 190),),
        (Spending("not told", 4, 65, 190),),
    )
    assert found.total.saved == pytest.approx(1 - 65 / 190)
    assert memory.savings(days=4).total.tokens == 1_065


def test_savings_can_be_those_of_one_session(memory: Milepost) -> None:
    for name in ("5f1c-1", "5f1c-2", "77aa-1", None):
        book_of(memory).record(spent(1, 2, session=name))

    assert [row.name for row in memory.savings(session="5f1c-2").sessions] == ["5f1c-2"]
    assert memory.savings(session="5f1c").total.texts == 2


def test_a_model_is_shown_few_sessions_and_told_of_the_others(memory: Milepost) -> None:
    for number in range(14):
        book_of(memory).record(spent(1, 4, session=f"s{number}"))

    shown = str(memory.savings())

    assert shown.startswith("30 days: 14 tokens for 56, 75% saved\nname texts tokens instead_of")
    assert shown.endswith("\ns13 1 1 4 75%\n(4 more not shown)")
    assert "s3 " not in shown


@pytest.mark.parametrize("days", [0, 4_000, "many", True])
def test_a_number_of_days_that_makes_no_sense_is_refused(memory: Milepost, days: Any) -> None:
    with pytest.raises(InvalidInput, match="days must be a whole number from 1 to 3,660"):
        memory.savings(days=days)
