"""Work for later in every store: once, by one, again when it failed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from milepost.ports import Store
from milepost.upkeep.jobs import ATTEMPTS_MAX, run_due
from milepost.upkeep.values import Job

NOW = 1_700_000_000_000_000
LEASE = 60_000_000


def enqueue(
    store: Store, key: str = "a", at: int = NOW, payload: str = "", space: str = "s"
) -> None:
    store.jobs.enqueue(space, "work", key, payload, at)


def claim(store: Store, now: int = NOW) -> Job | None:
    return store.jobs.claim(["work"], now, LEASE)


def claimed(store: Store, now: int = NOW) -> Job:
    job = claim(store, now)
    assert job is not None
    return job


def states(store: Store, state: str | None = None) -> list[tuple[str, str]]:
    return [(job.key, job.state) for job in store.jobs.list("s", state, 100)]


def test_the_work_that_has_been_due_longest_comes_first(store: Store) -> None:
    enqueue(store, "later", NOW - 1)
    enqueue(store, "first", NOW - 2)
    enqueue(store, "not yet", NOW + 1)

    assert [claimed(store).key, claimed(store).key] == ["first", "later"]
    assert claim(store) is None
    assert claimed(store, NOW + 1).key == "not yet"


def test_only_the_topics_asked_for_are_claimed(store: Store) -> None:
    enqueue(store)

    assert store.jobs.claim(["another"], NOW, LEASE) is None
    assert store.jobs.claim(["another", "work"], NOW, LEASE) is not None


def test_work_that_waits_is_there_once_with_what_was_said_last(store: Store) -> None:
    enqueue(store, at=NOW, payload="old")
    enqueue(store, at=NOW + 9, payload="new")

    job = claimed(store)
    assert job.payload == "new"
    assert states(store) == [("a", "running")]


def test_the_same_key_is_other_work_in_another_space(store: Store) -> None:
    enqueue(store, space="s")
    enqueue(store, space="t")

    assert {claimed(store).space, claimed(store).space} == {"s", "t"}
    assert [job.space for job in store.jobs.list("t", None, 9)] == ["t"]


def test_finished_work_is_forgotten(store: Store) -> None:
    enqueue(store)
    job = claimed(store)

    assert store.jobs.finish(job.id, job.claim)
    assert states(store) == []
    assert not store.jobs.finish(job.id, job.claim)


def test_work_asked_for_while_it_runs_is_done_once_more_when_it_is_due(store: Store) -> None:
    enqueue(store, payload="old")
    job = claimed(store)
    enqueue(store, payload="new", at=NOW + 5)
    enqueue(store, payload="newer", at=NOW + 7)

    assert claim(store, NOW + 9) is None
    assert store.jobs.finish(job.id, job.claim)
    assert claim(store, NOW + 4) is None
    assert claimed(store, NOW + 5).payload == "newer"


def test_work_whose_claim_ended_is_due_again_and_the_old_claim_is_worth_nothing(
    store: Store,
) -> None:
    enqueue(store)
    lost = claimed(store)

    assert claim(store, NOW + LEASE - 1) is None
    taken = claimed(store, NOW + LEASE)
    assert (taken.id, taken.attempts) == (lost.id, 2)
    assert not store.jobs.finish(lost.id, lost.claim)
    assert not store.jobs.fail(lost.id, lost.claim, "late", None)
    assert store.jobs.finish(taken.id, taken.claim)


def test_failed_work_waits_and_tells_why(store: Store) -> None:
    enqueue(store)
    job = claimed(store)

    assert store.jobs.fail(job.id, job.claim, "no disk", NOW + 10)
    assert claim(store, NOW + 9) is None
    assert claimed(store, NOW + 10).problem == "no disk"


def test_dead_work_is_kept_until_it_is_retried(store: Store) -> None:
    enqueue(store)
    job = claimed(store)
    store.jobs.fail(job.id, job.claim, "hopeless", None)

    assert claim(store, NOW * 2) is None
    assert states(store, "dead") == [("a", "dead")]
    assert states(store, "waiting") == []
    assert store.jobs.retry("other", NOW) == 0
    assert store.jobs.retry("s", NOW) == 1
    assert claimed(store).attempts == 1


def dead(store: Store, key: str) -> int:
    enqueue(store, key)
    job = claimed(store)
    store.jobs.fail(job.id, job.claim, "hopeless", None)
    return job.id


def test_one_piece_of_dead_work_is_retried_and_another_forgotten(store: Store) -> None:
    first, second = dead(store, "a"), dead(store, "b")

    assert not store.jobs.drop("other", first)
    assert store.jobs.drop("s", first)
    assert not store.jobs.drop("s", first)
    assert store.jobs.retry("s", NOW, first) == 0
    assert store.jobs.retry("s", NOW, second) == 1
    assert states(store) == [("b", "waiting")]


def test_only_dead_work_is_forgotten(store: Store) -> None:
    enqueue(store, "a", NOW)
    running = claimed(store)
    enqueue(store, "b", NOW + 1)
    waiting = store.jobs.list("s", "waiting", 9)[0]

    assert not store.jobs.drop("s", running.id)
    assert not store.jobs.drop("s", waiting.id)
    assert len(states(store)) == 2


def test_dead_work_that_is_asked_for_again_lives_again(store: Store) -> None:
    enqueue(store)
    job = claimed(store)
    store.jobs.fail(job.id, job.claim, "hopeless", None)
    enqueue(store, payload="better")

    assert claimed(store).payload == "better"


def test_work_that_was_asked_for_again_does_not_die_with_its_last_attempt(store: Store) -> None:
    enqueue(store)
    job = claimed(store)
    enqueue(store, at=NOW + 3)
    store.jobs.fail(job.id, job.claim, "hopeless", None)

    assert claimed(store, NOW + 3).attempts == 1


def test_many_threads_never_claim_the_same_work(store: Store) -> None:
    for i in range(60):
        enqueue(store, str(i))

    def take_all(_: int) -> list[str]:
        found = []
        while (job := claim(store)) is not None:
            found.append(job.key)
            store.jobs.finish(job.id, job.claim)
        return found

    with ThreadPoolExecutor(6) as pool:
        taken = [key for keys in pool.map(take_all, range(6)) for key in keys]
    assert sorted(taken, key=int) == [str(i) for i in range(60)]


def test_failing_work_is_tried_with_growing_waits_and_then_dies(store: Store) -> None:
    enqueue(store)
    now = NOW
    waits = []

    def fail(job: Job) -> None:
        raise ValueError("no luck")

    while store.jobs.list("s", "waiting", 9):
        due = store.jobs.list("s", None, 9)[0].due
        waits.append((due - now) / 1e6)
        now = due
        assert run_due({"work": fail}, store, lambda at=due: at) == 1

    assert len(waits) == ATTEMPTS_MAX
    for attempt, wait in enumerate(waits[1:]):
        assert 2**attempt <= wait <= 3 * 2**attempt
    (dead,) = store.jobs.list("s", "dead", 9)
    assert dead.problem == "ValueError: no luck"


def test_work_that_kills_whoever_tries_it_dies_in_the_end(store: Store) -> None:
    enqueue(store)
    now = NOW
    for _ in range(ATTEMPTS_MAX):
        claimed(store, now)
        now += LEASE
    ran: list[Job] = []

    run_due({"work": ran.append}, store, lambda: now)

    assert ran == []
    assert states(store) == [("a", "dead")]


def test_one_failure_does_not_hold_up_the_other_work(store: Store) -> None:
    enqueue(store, "bad", NOW - 1)
    enqueue(store, "good")
    ran = []

    def handle(job: Job) -> None:
        if job.key == "bad":
            raise ValueError("no luck")
        ran.append(job.key)

    assert run_due({"work": handle}, store, lambda: NOW) == 2
    assert ran == ["good"]


def test_no_more_work_is_done_than_was_asked_for(store: Store) -> None:
    for key in "abc":
        enqueue(store, key)

    assert run_due({"work": lambda job: None}, store, lambda: NOW, limit=2) == 2
    assert len(states(store)) == 1
