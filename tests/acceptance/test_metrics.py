"""What is done is counted: by operation and space, by all processes of a store, and for who may."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

import milepost
from milepost import Forbidden, Milepost, NotFound
from milepost.access.values import CALLER, Caller
from milepost.programs.quotas import Programs
from milepost.programs.values import Execution, RunStats
from milepost.testing import Clock
from milepost.upkeep import metrics
from milepost.upkeep.metrics import BOUNDS_S, Metrics, Times
from milepost.upkeep.values import Latency, MetricsReport


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, path: Path) -> str:
    """Where a store lies, of either kind."""
    if request.param == "sqlite":
        return str(path)
    return str(request.getfixturevalue("postgres_store_url"))


def opened(place: str) -> Milepost:
    memory = milepost.connect(place)
    assert isinstance(memory, Milepost)
    return memory


def counted_by(memory: Milepost) -> Metrics:
    return memory._context.part(Metrics)


def latency(report: MetricsReport, name: str, space: str = "default") -> Latency:
    return next(o for o in report.operations if (o.name, o.space) == (name, space))


def test_calls_are_counted_by_how_they_ended(memory: Milepost) -> None:
    memory.store("The database is PostgreSQL")
    memory.search("database")
    for _ in range(2):
        with pytest.raises(NotFound):
            memory.get("ffff")

    told = memory.get_metrics()

    assert (latency(told, "search").times, latency(told, "search").failed) == (1, 0)
    assert (latency(told, "get").times, latency(told, "get").failed) == (2, 2)
    assert told.errors == {"not_found": 2}
    assert latency(told, "store").p50_ms <= latency(told, "store").p99_ms
    assert told.writes is not None
    assert told.writes.times >= 1
    assert "errors: not_found 2" in str(told)


def test_what_comes_one_by_one_is_counted_when_it_was_gone_through(memory: Milepost) -> None:
    memory.store_batch([f"The pier {number} of the harbour" for number in range(5)])
    rows = memory.search_iter("harbour")
    assert all(o.name != "search_iter" for o in memory.get_metrics().operations)

    assert len(list(rows)) == 5

    assert latency(memory.get_metrics(), "search_iter").times == 1
    begun = memory.search_iter("harbour")
    next(begun)
    del begun
    assert latency(memory.get_metrics(), "search_iter").failed == 0


def test_a_call_by_another_name_is_counted_as_the_operation(memory: Milepost) -> None:
    memory.search_memory("database")
    assert latency(memory.get_metrics(), "search").times == 1


def test_episodes_and_jobs_are_told_with_what_waits(memory: Milepost) -> None:
    memory.worker.close()
    name = memory.create_episode("Mend the cart")
    memory.add_step(name, "bash", "pytest", observation="1 passed")
    memory.complete_episode(name, "success")
    before = memory.get_metrics()

    memory.run_jobs()
    after = memory.get_metrics()

    assert (before.episodes_created, before.episodes_completed) == (1, 1)
    assert {each.topic: each.waiting for each in before.backlog}["episode"] == 1
    assert "episode" not in {each.topic for each in after.backlog}
    assert [(job.times, job.failed) for job in after.jobs if job.name == "episode"] == [(1, 0)]


def test_work_that_fails_is_counted_apart(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.worker.close()
    memory.complete_episode(memory.create_episode("Mend the cart"), "success")

    def fail(*_: object) -> None:
        raise RuntimeError("the learning fails")

    monkeypatch.setattr("milepost.experience.learning.learn", fail)
    memory.run_jobs()

    told = {job.name: job for job in memory.get_metrics().jobs}
    assert (told["episode"].times, told["episode"].failed) == (1, 1)


def test_programs_are_counted_by_how_they_ended(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: Programs, program: object, call: object) -> Execution:
        del self, program, call
        stats = RunStats()._replace(ended="timeout")
        from milepost.programs.values import Error

        return Execution(None, "", Error("timeout", "", "Its time was up."), {}, stats)

    monkeypatch.setattr(Programs, "run", run)
    memory.execute_code("while True: pass")

    told = memory.get_metrics()
    assert told.programs == {"timeout": 1}
    assert told.sandbox is not None
    assert told.sandbox.failed == 1


def test_what_models_were_given_is_counted(memory: Milepost) -> None:
    from milepost.upkeep.ledger import Ledger
    from milepost.upkeep.values import Expense

    ledger = memory._context.part(Ledger)
    ledger.record("default", Expense(memory._context.now_s, "search", 40, 200))
    ledger.flush()

    told = memory.get_metrics()
    assert (told.tokens, told.instead_of) == (40, 200)


def test_processes_of_a_store_are_added_up(place: str) -> None:
    """Two openings stand for two processes: they share a store, and count each for itself."""
    with opened(place) as one, opened(place) as other:
        one.store("The database is PostgreSQL")
        other.search("database")
        other.within("team").search("database")
        assert all(o.name != "search" for o in one.get_metrics().operations), "not written yet"

        counted_by(other).write()

        told = one.get_metrics()
        assert latency(told, "search").times == 1
        assert latency(told, "store").times == 1
        assert told.spaces == ("default",)
        everything = one.get_metrics(all_spaces=True)
        assert latency(everything, "search", "team").times == 1
        before = one.figures["default"]["call search done"]
        counted_by(one).write()
        counted_by(one).write()
        assert one.figures["default"]["call search done"] == before == 1, "nothing counts twice"


def test_figures_outlast_who_counted_them_and_fall_out_of_the_time_that_is_asked_for(
    place: str,
) -> None:
    with Clock().running() as clock:
        with opened(place) as memory:
            memory.search("database")
            counted_by(memory).write()
        clock.now += timedelta(minutes=30)
        with opened(place) as memory:
            memory.search("database")
            assert latency(memory.get_metrics(60), "search").times == 2
            assert latency(memory.get_metrics(10), "search").times == 1
            assert memory.figures["default"]["call search done"] == 2


def test_what_the_store_does_not_take_is_written_later(
    memory: Milepost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise milepost.StoreBusy("Another process has it.")

    memory.search("database")
    with monkeypatch.context() as patched:
        patched.setattr(Metrics, "_write", busy)
        counted_by(memory).write()
    assert latency(memory.get_metrics(), "search").times == 1

    counted_by(memory).write()

    assert latency(memory.get_metrics(), "search").times == 1
    assert memory.figures["default"]["call search done"] == 1


def test_a_program_that_only_reads_writes_nothing(path: Path) -> None:
    with opened(str(path)) as memory:
        memory.store("The database is PostgreSQL")
    with opened(str(path)) as memory:
        memory.search("database")
        assert counted_by(memory).due_s == float("inf")
        memory.store("The cache is Redis")
        assert counted_by(memory).due_s < float("inf")


def test_a_process_that_ends_soon_writes_no_figures(path: Path) -> None:
    with opened(str(path)) as memory:
        memory.store("The database is PostgreSQL")
    with opened(str(path)) as memory:
        assert all(o.name != "store" for o in memory.get_metrics().operations)


def test_a_process_that_lives_long_writes_them_by_itself_and_at_its_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "EVERY_S", 0.0)
    with opened(str(path)) as memory:
        memory.measure()
        memory.search("database")
        memory.search("cache")
    monkeypatch.undo()
    with opened(str(path)) as memory:
        assert latency(memory.get_metrics(), "search").times == 2


def test_who_may_enter_one_space_sees_its_figures_alone(memory: Milepost) -> None:
    memory.within("team-otter").store("The vault opens at ten")
    mine = memory.within("team-heron")
    mine.store("The harbour opens at nine")
    token = CALLER.set(Caller("mine", key="mine", spaces=("team-heron",)))
    try:
        told = mine.get_metrics()
        assert told.spaces == ("team-heron",)
        assert {o.space for o in told.operations} == {"team-heron"}
        assert told.writes is None, "which is of the whole store"
        assert told.cache_hits == {}
        for ask in (lambda: mine.get_metrics(all_spaces=True), lambda: mine.figures,
                    lambda: mine.backlogs):  # fmt: skip
            with pytest.raises(Forbidden):
                ask()
    finally:
        CALLER.reset(token)


def test_a_store_names_so_many_spaces_and_counts_the_others_together(memory: Milepost) -> None:
    figures = counted_by(memory)
    for number in range(metrics.SPACES_NAMED + 5):
        figures.done(f"team-{number}", metrics.CALL, "search", "done", 0.0)
    figures.write()

    ever = memory.figures
    assert len(ever) <= metrics.SPACES_NAMED + 1
    assert sum(each.get("call search done", 0) for each in ever.values()) == 35
    assert latency(memory.get_metrics(all_spaces=True), "search", "team-34").times == 1


@pytest.mark.parametrize("seconds", [0.000_04, 0.0031, 0.2, 7.0])
def test_a_percentile_is_less_than_a_quarter_off(seconds: float) -> None:
    times = Times()
    for number in range(1_000):
        times.add(seconds * (1 + number / 1_000))
    for share in (0.5, 0.95, 0.99):
        assert times.within_s(share) == pytest.approx(seconds * (1 + share), rel=0.25)


def test_times_beyond_the_last_bound_are_counted() -> None:
    times = Times()
    times.add(BOUNDS_S[-1] * 5)
    assert times.count == 1
    assert times.within_s(0.99) == BOUNDS_S[-1]


@pytest.mark.parametrize(("given", "needle"), [({"minutes": 0}, "minutes"),
                                               ({"all_spaces": "yes"}, "all_spaces")])  # fmt: skip
def test_what_cannot_be_meant_is_refused(
    memory: Milepost, given: dict[str, object], needle: str
) -> None:
    with pytest.raises(milepost.InvalidInput, match=needle):
        memory.get_metrics(**given)  # type: ignore[arg-type]
