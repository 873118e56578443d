"""Events in every store: each once, in the order of time, found by what they are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from milepost.knowledge.values import Event, EventFilter
from milepost.ports import Store

DAY = 86_400.0
NOON = 1_700_000_000.0


def event(name: str, at: float = NOON, kind: str = "action", **fields: str) -> Event:
    return Event(name, at, kind, fields.pop("content", f"what {name} was"), **fields)


def names(store: Store, **conditions: object) -> list[str]:
    where = EventFilter("s", **conditions)  # type: ignore[arg-type]
    return [found.id for found in store.events.find(where, 100)]


def test_the_latest_come_first_as_they_were_written_down(store: Store) -> None:
    later = Event("b", NOON + 1.5, "test", "pytest", "failed", "s1", 12.5, "shop")

    assert store.events.add("s", [event("a"), later]) == 2
    assert store.events.find(EventFilter("s"), 10) == [later, event("a")]
    assert store.events.find(EventFilter("s"), 1) == [later]


def test_an_event_is_there_once_and_as_it_was_first(store: Store) -> None:
    store.events.add("s", [event("a", content="first")])

    assert store.events.add("s", [event("a", content="second"), event("b")]) == 1
    assert [found.content for found in store.events.find(EventFilter("s"), 10)] == [
        "what b was",
        "first",
    ]


def test_every_condition_narrows(store: Store) -> None:
    store.events.add(
        "s",
        [
            event("a", NOON, "test", session_id="s1", project="shop", content="Ran PYTEST twice"),
            event("b", NOON + 1, "test", session_id="s2", content="ran tox"),
            event("c", NOON + 2, "tool", session_id="s1", content="ran ruff"),
        ],
    )
    store.events.add("other", [event("d", session_id="s1")])

    assert names(store) == ["c", "b", "a"]
    assert names(store, session_id="s1") == ["c", "a"]
    assert names(store, event_type="test") == ["b", "a"]
    assert names(store, project="shop") == ["a"]
    assert names(store, after_us=round((NOON + 1) * 1e6)) == ["c", "b"]
    assert names(store, before_us=round((NOON + 1) * 1e6)) == ["a"]
    assert names(store, words=("pytest", "RAN")) == ["a"]
    assert names(store, ids=("b", "d")) == ["b"]
    assert names(store, ids=()) == []
    assert store.events.count(EventFilter("s", event_type="test")) == 2


def test_days_are_counted_by_type_with_what_failed(store: Store) -> None:
    store.events.add(
        "s",
        [
            event("a", NOON, "test", outcome="failed", session_id="s1"),
            event("b", NOON, "test", outcome="ok", session_id="s2"),
            event("c", NOON, "tool"),
            event("d", NOON + DAY, "tool", project="shop"),
            event("e", NOON - 9 * DAY),
        ],
    )

    newest, oldest = store.events.days("s", None, round((NOON - DAY) * 1e6))

    assert (newest.total, newest.by_type) == (1, {"tool": 1})
    assert (oldest.total, oldest.by_type) == (3, {"test": 2, "tool": 1})
    assert (oldest.failed, oldest.sessions) == (1, 2)
    assert [day.total for day in store.events.days("s", "shop", 0)] == [1]


def test_what_is_forgotten_is_gone_and_the_rest_stays(store: Store) -> None:
    store.events.add("s", [event("a", NOON), event("b", NOON + DAY)])

    assert store.events.remove(EventFilter("s", before_us=round((NOON + 1) * 1e6))) == 1
    assert names(store) == ["b"]
    assert store.events.oldest_us("s") == round((NOON + DAY) * 1e6)
    assert store.events.oldest_us("empty") is None


def test_writers_at_once_lose_nothing(store: Store) -> None:
    def write(writer: int) -> int:
        return sum(store.events.add("s", [event(f"{writer}.{i}")]) for i in range(25))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(write, range(4))) == 100
    assert store.events.count(EventFilter("s")) == 100


def test_events_are_followed_in_the_order_in_which_they_were_written_down(store: Store) -> None:
    assert store.events.last("s") == 0
    store.events.add("s", [event("late", NOON + DAY), event("early")])
    store.events.add("t", [event("elsewhere")])
    store.events.add("s", [event("next", NOON - DAY)])

    followed = store.events.since("s", 0, 10)
    assert [found.id for _, found in followed] == ["late", "early", "next"]
    first, second, third = (number for number, _ in followed)
    assert store.events.last("s") == third
    assert store.events.since("s", second, 10) == followed[2:]
    assert store.events.since("s", first, 1) == followed[1:2]
    assert store.events.since("s", third, 10) == []
