"""The agent's API, call by call, as an agent uses it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path

import pytest

import milepost
from milepost import CompactHealthInfo, CompactMemory, CompactSearchResult, Memory


@pytest.fixture(params=["embedded", "warm"])
def mode(request: pytest.FixtureRequest) -> str:
    """Ask every memory of these tests in its file, and again through a warm process."""
    return str(request.param)


HISTORY = (
    "We chose PostgreSQL over MySQL because of JSONB",
    "The login page times out when the session cookie is older than a day",
    "Ann prefers tabs to spaces in Makefiles",
    "The deployment to production happens every Thursday at noon",
    "Bob is on holiday in the second half of August",
    "The cache is invalidated through a message on the queue",
    "Unit tests run in parallel on two workers",
    "The customer asked for an export to spreadsheet files",
    "Colours of the dashboard follow the company's brand guide",
    "Images are resized on upload to at most two thousand pixels",
    "The invoice numbers must have no gaps",
    "Feature flags live in a YAML file beside the service",
)


def hashes(found: CompactSearchResult | Iterator[CompactMemory]) -> list[str]:
    memories = found.memories if isinstance(found, CompactSearchResult) else found
    return [memory.hash for memory in memories]


def noon(days_ago: int) -> datetime:
    today = datetime.now().astimezone().replace(hour=12, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days_ago)


# The whole of it.


def test_an_agent_stores_searches_and_asks_for_health(default_memory: Path) -> None:
    from milepost import health, search, store

    h = store("We chose PostgreSQL over MySQL because of JSONB", tags=["db", "decision"])
    r = search("which database did we choose?", limit=5)

    assert h == sha256(b"We chose PostgreSQL over MySQL because of JSONB").hexdigest()[:8]
    assert [m.hash for m in r.memories] == [h]
    assert r.memories[0].tags == ("db", "decision")
    assert "PostgreSQL" in r.memories[0].preview
    assert 0 < r.memories[0].score <= 1
    assert health() == CompactHealthInfo(status="healthy", count=1, backend="sqlite")
    assert health().ready
    assert default_memory.exists()


def test_everything_promised_can_be_imported_by_name() -> None:
    for name in milepost.__all__:
        assert getattr(milepost, name) is not None
    promised = "store search recall search_by_tag search_iter get get_by_hash similar timeline "
    promised += "update delete delete_by_tag store_batch delete_batch health connect"
    assert set(promised.split()) <= set(milepost.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="remembrance"):
        _ = milepost.remembrance


def test_signatures_begin_as_published() -> None:
    def begins(operation: str, *names: str) -> None:
        given = list(inspect.signature(getattr(milepost, operation)).parameters)
        assert set(names) <= set(given)
        assert given[: len(names[:2])] == list(names[:2])

    begins(
        "store", "content", "tags", "kind", "metadata", "session", "author", "project", "created",
        "valid_from", "supersedes",
    )  # fmt: skip
    begins(
        "search", "query", "limit", "tags", "match", "kind", "after", "before", "project",
        "min_score", "budget", "include_superseded",
    )  # fmt: skip
    begins("recall", "text", "limit")
    begins("search_iter", "query", "batch_size")
    begins("timeline", "hash", "before", "after")
    begins("update", "hash", "content", "tags", "kind", "metadata")


def test_results_are_named_tuples_with_the_published_fields(memory: milepost.Milepost) -> None:
    assert CompactMemory._fields == ("hash", "preview", "tags", "created", "score")
    assert CompactSearchResult._fields == ("memories", "total", "query")
    assert CompactHealthInfo._fields == ("status", "count", "backend")
    memory.store("a harbour")

    result = memory.search("harbour")
    memories, total, query = result.memories, result.total, result.query
    ((name, preview, tags, created, score),) = memories

    assert (total, query) == (1, "harbour")
    assert (result["memories"], result["total"], result["query"]) == (memories, total, query)
    assert isinstance(result, tuple)
    assert isinstance(memories[0], tuple)
    assert (type(name), type(preview), type(tags)) == (str, str, tuple)
    assert isinstance(created, float)
    assert isinstance(score, float)
    assert abs(created - datetime.now().timestamp()) < 3600
    status, count, backend = memory.health()
    assert (status, count) == ("healthy", 1)
    assert backend in ("sqlite", "postgres")


def test_the_text_of_a_result_is_short_and_says_what_is_left_out(
    memory: milepost.Milepost,
) -> None:
    names = memory.store_batch([{"content": f"harbour {i}", "tags": ["sea"]} for i in range(7)])

    result = memory.search("harbour", limit=2, min_score=0)

    lines = str(result).splitlines()
    assert repr(result) == str(result)
    assert len(lines) == 3
    assert all(line[:8] in names and "sea" in line and "harbour" in line for line in lines[:2])
    assert "5" in lines[2]
    assert "CompactMemory" not in str(result)


def test_an_empty_result_says_so(memory: milepost.Milepost) -> None:
    result = memory.search("harbour")

    assert result == CompactSearchResult((), 0, "harbour")
    assert str(result) == "no matching memory"
    assert not result.memories


# store


def test_storing_twice_is_storing_once_with_the_tags_of_both(memory: milepost.Milepost) -> None:
    first = memory.store("a fact", tags=["b"])
    second = memory.store("a fact", tags=["a", "b"])

    assert first == second
    assert memory.get(first).tags == ("a", "b")
    assert memory.health().count == 1
    assert memory.search("fact").total == 1


def test_tags_are_a_string_or_a_list(memory: milepost.Milepost) -> None:
    assert memory.get(memory.store("one", tags="solo")).tags == ("solo",)
    assert memory.get(memory.store("two", tags="b, a")).tags == ("a", "b")
    assert memory.get(memory.store("three", tags=("y", "x", "y"))).tags == ("x", "y")
    assert memory.get(memory.store("four", tags=[])).tags == ()


def test_memory_type_is_another_name_for_kind(memory: milepost.Milepost) -> None:
    assert memory.get(memory.store("one", memory_type="decision")).kind == "decision"
    assert memory.get(memory.store("two", kind="error")).kind == "error"
    assert memory.get(memory.store("three")).kind == "note"


def test_all_that_was_given_comes_back(memory: milepost.Milepost) -> None:
    name = memory.store(
        "a fact",
        tags=["t"],
        kind="fact",
        metadata={"source": "wiki", "lines": [1, 2]},
        session="talk",
        author="Ann",
        project="port",
        created="2024-05-01T10:30:00Z",
        valid_from=date(2024, 6, 1),
    )

    kept = memory.get(name)

    assert isinstance(kept, Memory)
    assert (kept.content, kept.tags, kept.kind) == ("a fact", ("t",), "fact")
    assert kept.metadata == {"source": "wiki", "lines": [1, 2]}
    assert (kept.session, kept.author, kept.project) == ("talk", "Ann", "port")
    assert kept.created == datetime(2024, 5, 1, 10, 30, tzinfo=UTC).timestamp()
    assert kept.valid_from == datetime(2024, 6, 1).astimezone().timestamp()
    assert (kept.valid_to, kept.superseded_by) == (None, None)
    assert kept.full_hash == sha256(b"a fact").hexdigest()
    assert "a fact" in str(kept)
    assert name in str(kept)


def test_what_a_caller_does_to_a_memory_does_not_change_it() -> None:
    with milepost.connect("memory://") as memory:
        name = memory.store("a fact", metadata={"a": [1]})
        memory.get(name).metadata["a"].append(2)

        assert memory.get(name).metadata == {"a": [1]}


@pytest.mark.parametrize(
    "created",
    [
        datetime.max.replace(tzinfo=UTC),
        datetime.min.replace(tzinfo=UTC),
        "0001-01-01",
        "9999-12-31T23:59:59.999999",
    ],
)
def test_a_day_at_the_ends_of_the_calendar_is_refused(
    memory: milepost.Milepost, created: object
) -> None:
    with pytest.raises(milepost.InvalidInput, match="years"):
        memory.store("the harbour", created=created)

    assert memory.health().count == 0


def test_superseding_hides_the_older_memory_but_keeps_it(memory: milepost.Milepost) -> None:
    old = memory.store("We deploy on Thursday")
    new = memory.store("We deploy on Monday", supersedes=old)

    assert hashes(memory.search("when do we deploy?")) == [new]
    assert set(hashes(memory.search("when do we deploy?", include_superseded=True))) == {old, new}
    assert memory.get(old).superseded_by == new
    assert memory.get(old).valid_to == memory.get(new).valid_from
    assert memory.health().count == 1


def test_a_batch_takes_texts_and_mappings_and_names_them_in_order(
    memory: milepost.Milepost,
) -> None:
    names = memory.store_batch(
        ["plain text", {"content": "with tags", "tags": "t", "memory_type": "error"}, "plain text"]
    )

    assert names[0] == names[2] != names[1]
    assert (memory.get(names[1]).tags, memory.get(names[1]).kind) == (("t",), "error")
    assert memory.health().count == 2
    assert memory.store_batch([]) == []


# search


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("parse_config reads the file twice", "parse_config"),
        ("parse_config reads the file twice", "config parse"),
        ("HTTPServerError is raised by loadUserProfile", "loadUserProfile"),
        ("HTTPServerError is raised by loadUserProfile", "load user profile"),
        ("the entry point is src/app/main.py", "src/app/main.py"),
        ("the entry point is src/app/main.py", "main.py"),
        ("connect() failed with ECONNREFUSED on port 5432", "ECONNREFUSED"),
        ("connect() failed with ECONNREFUSED on port 5432", "econnrefused"),
        ("the build broke with error TS2345 in CI", "TS2345"),
        ("数据库迁移在星期五完成", "数据库"),
        ("数据库迁移在星期五完成", "迁移"),
        ("東京タワーの近くで会議がありました", "会議"),
        ("東京タワーの近くで会議がありました", "東京タワー"),
        ("サーバーが再起動した", "サーバー"),
        ("배포는 금요일에 끝났습니다", "배포"),
        ("Сервер перезагрузился ночью", "сервер"),
        ("Ο διακομιστής έπεσε χθες", "διακομιστής"),
        ("השרת נפל אתמול", "השרת"),
        ("الخادم توقف أمس", "الخادم"),
        ("सर्वर कल बंद था", "सर्वर"),
        ("เซิร์ฟเวอร์ล่มเมื่อวาน", "เซิร์ฟเวอร์"),
        ("Der Anschluß wurde über Nacht geändert", "uber nacht"),
        ("café naïveté", "cafe naivete"),
    ],
)
def test_words_of_any_script_identifiers_paths_and_errors_are_found(
    memory: milepost.Milepost, content: str, query: str
) -> None:
    memory.store_batch(HISTORY)
    name = memory.store(content)

    assert hashes(memory.search(query))[:1] == [name]


def test_nothing_relevant_gives_nothing(memory: milepost.Milepost) -> None:
    memory.store_batch(HISTORY)

    assert memory.search("photosynthesis of deep sea algae").memories == ()


def test_a_question_in_other_words_finds_the_memory(memory: milepost.Milepost) -> None:
    names = memory.store_batch(HISTORY)

    assert hashes(memory.search("which database did we choose?"))[0] == names[0]
    assert hashes(memory.search("when do we deploy to production?"))[0] == names[3]
    assert hashes(memory.search("who is on vacation in August?"))[0] == names[4]


def test_scores_fall_and_lie_between_0_and_1(memory: milepost.Milepost) -> None:
    memory.store_batch(HISTORY)

    scores = [m.score for m in memory.search("deployment to production", 12, min_score=0).memories]

    assert len(scores) == 12
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_min_score_leaves_out_the_less_likely(memory: milepost.Milepost) -> None:
    memory.store_batch(HISTORY)
    everything = memory.search("deployment to production", 12, min_score=0).memories
    least = everything[3].score

    kept = memory.search("deployment to production", 12, min_score=least).memories

    assert all(m.score >= least - 0.001 for m in kept)
    assert set(hashes(iter(kept))) <= set(hashes(iter(everything[:6])))
    assert memory.search("deployment to production", min_score=1).memories == ()


def test_filters_narrow_a_search(memory: milepost.Milepost) -> None:
    a = memory.store("harbour a", tags=["x"], kind="fact", project="p", created="2024-01-01")
    b = memory.store("harbour b", tags=["x", "y"], kind="note", project="q", created="2024-02-01")
    c = memory.store("harbour c", tags=["y"], kind="fact", project="p", created="2024-03-01")

    def found(**filters: object) -> set[str]:
        return set(hashes(memory.search("harbour", min_score=0, **filters)))

    assert found() == {a, b, c}
    assert found(tags="x") == {a, b}
    assert found(tags=["x", "y"]) == {a, b, c}
    assert found(tags=["x", "y"], match="all") == {b}
    assert found(kind="fact") == found(project="p") == {a, c}
    assert found(after="2024-02-01") == {b, c}
    assert found(before="2024-02-01") == {a}
    assert found(after=date(2024, 1, 15), before=datetime(2024, 2, 15)) == {b}
    assert found(tags="x", kind="fact", project="p", before="2025") == {a}
    assert found(tags="unknown") == set()


def test_total_is_how_many_matched_not_how_many_are_shown(memory: milepost.Milepost) -> None:
    memory.store_batch([f"harbour {i}" for i in range(30)])

    result = memory.search("harbour", limit=4, min_score=0)

    assert (len(result.memories), result.total) == (4, 30)


@pytest.mark.parametrize("limit", [300, 450, 900])
def test_a_search_that_promises_many_and_has_them_returns_them(
    memory: milepost.Milepost, limit: int
) -> None:
    memory.store_batch([f"harbour {i}" for i in range(900)])
    memory.store_batch([f"mountain {i}" for i in range(300)])

    result = memory.search("harbour", limit=limit, min_score=0)

    assert len(set(hashes(result))) == limit
    assert result.total >= 900


@pytest.mark.slow
def test_total_counts_all_matches_of_a_large_store(memory: milepost.Milepost) -> None:
    memory.store_batch([f"harbour berth {i}" for i in range(900)])
    memory.store_batch([f"mountain path {i}" for i in range(2_000)])

    total = memory.search("harbour berth", limit=3).total

    assert total == len(list(memory.search_iter("harbour berth")))
    assert total >= 900


def test_the_preview_is_the_passage_that_answers(memory: milepost.Milepost) -> None:
    filler = "Nothing of note was said about the weather or the food. " * 40
    memory.store(f"{filler}The harbour opens at six in the morning. {filler}", created="2024-05-01")
    memory.store("Short and whole.", created="2024-05-02")

    (long,) = memory.search("when does the harbour open?", 1).memories
    (short,) = memory.search("short whole", 1).memories

    assert "The harbour opens at six" in long.preview
    assert len(long.preview) <= 200
    assert long.preview.startswith("…")
    assert long.preview.endswith("…")
    assert short.preview == "Short and whole."


@pytest.mark.parametrize("character", ["x", "語", "é", "🙂", "\n", " x"])
def test_a_preview_never_exceeds_its_200_characters(
    memory: milepost.Milepost, character: str
) -> None:
    memory.store(f"harbour {character * 5_000} harbour")

    (found,) = memory.search("harbour", min_score=0).memories

    assert len(found.preview) <= 200
    assert "\n" not in found.preview


def test_a_budget_shows_the_best_that_fits_and_says_what_is_left_out(
    memory: milepost.Milepost,
) -> None:
    memory.store_batch([f"harbour {i} " + "and a long tale about ships " * 8 for i in range(20)])

    small = memory.search("harbour", limit=20, min_score=0, budget=150)
    large = memory.search("harbour", limit=20, min_score=0, budget=100_000)

    assert 1 <= len(small.memories) < 20
    assert small.total == 20
    assert str(20 - len(small.memories)) in str(small).splitlines()[-1]
    assert len(large.memories) == 20
    assert hashes(small)[0] == hashes(large)[0]


def test_as_of_sees_the_past_as_it_was(memory: milepost.Milepost) -> None:
    old = memory.store("We deploy on Thursday", created="2024-01-01")
    new = memory.store("We deploy on Monday", created="2024-06-01", supersedes=old)

    def at(moment: str) -> list[str]:
        return hashes(memory.search("when do we deploy?", as_of=moment))

    assert at("2023-12-31") == []
    assert at("2024-03-01") == [old]
    assert at("2024-06-02") == [new]


# recall


def test_recall_understands_when(memory: milepost.Milepost) -> None:
    def stored(days_ago: int) -> str:
        return memory.store(f"We decided about auth, {days_ago}", created=noon(days_ago))

    today, yesterday, older = stored(0), stored(1), stored(40)

    assert hashes(memory.recall("what did we decide about auth yesterday")) == [yesterday]
    assert hashes(memory.recall("what did we decide about auth today")) == [today]
    assert older not in hashes(memory.recall("what did we decide about auth in the last 7 days"))
    assert set(hashes(memory.recall("what did we decide about auth"))) == {today, yesterday, older}


def test_recall_understands_last_week(memory: milepost.Milepost) -> None:
    wednesday = noon(datetime.now().weekday() + 5)
    last_week = memory.store("We decided about auth", created=wednesday)
    memory.store("We decided about auth again", created=wednesday - timedelta(days=7))
    memory.store("We decided about auth at last", created=wednesday + timedelta(days=7))

    assert hashes(memory.recall("what did we decide about auth last week")) == [last_week]


def test_recall_understands_since_and_between(memory: milepost.Milepost) -> None:
    days = ("2024-02-20", "2024-03-05", "2024-10-03", "2024-10-09", "2024-10-12")
    feb, mar, oct3, oct9, oct12 = (
        memory.store(f"Deploy of {day}", created=f"{day}T12:00") for day in days
    )

    assert feb not in hashes(memory.recall("deploy since March 2024"))
    assert mar in hashes(memory.recall("deploy since March 2024"))
    between = hashes(memory.recall("deploy between 3 and 9 October 2024"))
    assert set(between) == {oct3, oct9}
    assert oct12 not in between


def test_recall_searches_a_time_it_does_not_understand_as_words(
    memory: milepost.Milepost,
) -> None:
    memory.store_batch(HISTORY)
    name = memory.store("Two sprints ago the login broke", created="2020-01-01")

    assert hashes(memory.recall("what broke two sprints ago"))[0] == name


def test_recall_of_a_time_alone_lists_what_is_of_that_time(memory: milepost.Milepost) -> None:
    early = memory.store("breakfast", created=noon(1))
    late = memory.store("dinner", created=noon(1) + timedelta(hours=3))
    memory.store("today", created=noon(0))

    assert hashes(memory.recall("yesterday")) == [late, early]


# search_by_tag and search_iter


def test_search_by_tag_lists_the_newest_first(memory: milepost.Milepost) -> None:
    old = memory.store("old", tags=["x", "y"], created="2023-01-01")
    new = memory.store("new", tags="x", created="2024-01-01")
    memory.store("other", tags="z")

    assert hashes(memory.search_by_tag("x")) == [new, old]
    assert hashes(memory.search_by_tag(["x", "y"], match="all")) == [old]
    assert hashes(memory.search_by_tag("x,z", limit=1))[0] not in (old, new)
    assert memory.search_by_tag(["x", "z"], limit=1).total == 3
    assert memory.search_by_tag("unknown").memories == ()


def test_search_iter_gives_what_search_gives_and_goes_on(memory: milepost.Milepost) -> None:
    memory.store_batch(HISTORY)

    every = list(memory.search_iter("deployment to production", min_score=0, batch_size=2))

    assert all(isinstance(found, CompactMemory) for found in every)
    assert len({found.hash for found in every}) == len(HISTORY)
    shown = memory.search("deployment to production", min_score=0, limit=3)
    assert every[:3] == list(shown.memories)


@pytest.mark.slow
@pytest.mark.parametrize("batch_size", [1, 50, 3_000])
def test_search_iter_yields_every_match_once_also_past_two_thousand(
    memory: milepost.Milepost, batch_size: int
) -> None:
    wanted = memory.store_batch([f"harbour {i}" for i in range(2_300)])
    memory.store_batch([f"mountain {i}" for i in range(200)])

    found = hashes(memory.search_iter("harbour", min_score=0, batch_size=batch_size))

    assert len(found) == len(set(found))
    assert set(wanted) <= set(found)


@pytest.mark.slow
def test_search_iter_keeps_to_the_filters(memory: milepost.Milepost) -> None:
    memory.store_batch([{"content": f"harbour {i}", "tags": ["x"]} for i in range(1_200)])
    memory.store_batch([{"content": f"harbour again {i}", "tags": ["y"]} for i in range(1_200)])

    found = list(memory.search_iter("harbour", min_score=0, tags="y"))

    assert len({m.hash for m in found}) == len(found) == 1_200
    assert all(m.tags == ("y",) for m in found)


def test_search_iter_is_a_generator_that_can_be_left_early(memory: milepost.Milepost) -> None:
    memory.store_batch([f"harbour {i}" for i in range(1_500)])

    found = memory.search_iter("harbour", min_score=0, batch_size=10)

    assert inspect.isgenerator(found)
    assert len(list(islice(found, 3))) == 3
    found.close()
    assert memory.search("harbour", min_score=0).memories


# get


def test_get_takes_any_unambiguous_beginning(memory: milepost.Milepost) -> None:
    name = memory.store("a fact")
    full = sha256(b"a fact").hexdigest()

    for length in (4, 7, 8, 40, 64):
        assert memory.get(full[:length]).hash == name
    assert memory.get(full.upper()).hash == memory.get(f" {full[:9]} ").hash == name


def test_get_by_hash_is_get(default_memory: Path) -> None:
    name = milepost.store("a fact")

    assert milepost.get_by_hash(name) == milepost.get(name)


def test_an_unknown_hash_is_not_found(memory: milepost.Milepost) -> None:
    memory.store("a fact")

    with pytest.raises(milepost.NotFound, match="deadbeef"):
        memory.get("deadbeef")


def test_an_ambiguous_beginning_names_the_memories_it_may_mean(memory: milepost.Milepost) -> None:
    # The first two numbered memories whose hashes share four digits.
    seen: dict[str, str] = {}
    for i in range(100_000):
        content = f"memory {i}"
        digits = sha256(content.encode()).hexdigest()[:4]
        if digits in seen:
            break
        seen[digits] = content
    one, two = memory.store(seen[digits]), memory.store(content)

    with pytest.raises(milepost.Ambiguous, match=digits) as caught:
        memory.get(digits)

    assert one in str(caught.value)
    assert two in str(caught.value)
    assert memory.get(one).content == seen[digits]


def test_spaces_have_hashes_of_their_own(path: Path) -> None:
    with milepost.connect(path, space="one") as one, milepost.connect(path, space="two") as two:
        name = one.store("a fact", tags="x")

        with pytest.raises(milepost.NotFound):
            two.get(name)
        assert two.store("a fact", tags="y") == name
        assert (one.get(name).tags, two.get(name).tags) == (("x",), ("y",))


# similar and timeline


def test_similar_finds_the_nearest_in_meaning(memory: milepost.Milepost) -> None:
    memory.store_batch(HISTORY)
    cat = memory.store("The cat sleeps on the sofa")
    kitten = memory.store("A kitten naps on the couch")

    result = memory.similar(cat, limit=3)

    assert hashes(result)[0] == kitten
    assert cat not in hashes(result)
    assert len(result.memories) == 3
    assert result.query == cat


def test_the_only_memory_has_none_similar(memory: milepost.Milepost) -> None:
    assert memory.similar(memory.store("alone")).memories == ()


def test_similar_to_a_superseded_memory_does_not_show_hidden_ones(
    memory: milepost.Milepost,
) -> None:
    old = memory.store("We deploy on Thursday")
    new = memory.update(old, content="We deploy on Monday")

    assert hashes(memory.similar(old)) == [new]
    assert hashes(memory.similar(new)) == []


def test_timeline_shows_what_lies_around_in_time(memory: milepost.Milepost) -> None:
    names = [memory.store(f"day {i}", created=f"2024-01-{i:02}") for i in range(1, 11)]

    assert hashes(memory.timeline(names[4])) == names[1:8]
    assert hashes(memory.timeline(names[4], before=0, after=2)) == names[4:7]
    assert hashes(memory.timeline(names[0], before=3, after=1)) == names[:2]
    assert hashes(memory.timeline(names[9], before=1, after=3)) == names[8:]


def test_a_timeline_stays_within_the_project(memory: milepost.Milepost) -> None:
    ours = [memory.store(f"p {i}", project="p", created=f"2024-01-0{i}") for i in (1, 3, 5)]
    memory.store("q", project="q", created="2024-01-02")

    assert hashes(memory.timeline(ours[1])) == ours


# update


def test_new_content_makes_a_version_that_replaces_the_old(memory: milepost.Milepost) -> None:
    old = memory.store(
        "We deploy on Thursday", ["ops"], "fact", {"a": 1}, "talk", "Ann", project="p"
    )

    new = memory.update(old, content="We deploy on Monday")

    assert new != old
    before, after = memory.get(old), memory.get(new)
    assert (before.content, before.superseded_by) == ("We deploy on Thursday", new)
    assert after.content == "We deploy on Monday"
    assert after[2:8] == before[2:8] == (("ops",), "fact", {"a": 1}, "talk", "Ann", "p")
    assert hashes(memory.search("when do we deploy?")) == [new]


def test_metadata_tags_and_kind_change_in_place(memory: milepost.Milepost) -> None:
    name = memory.store("a fact", tags=["old"], metadata={"a": 1})

    assert memory.update(name, metadata={"b": 2}) == name
    assert memory.update(name, tags="new", kind="error") == name

    changed = memory.get(name)
    assert (changed.tags, changed.kind, changed.metadata) == (("new",), "error", {"b": 2})
    assert changed.superseded_by is None
    assert memory.search("fact", tags="old").memories == ()
    assert hashes(memory.search("fact", tags="new")) == [name]


def test_an_update_with_nothing_new_changes_nothing(memory: milepost.Milepost) -> None:
    name = memory.store("a fact", tags="t")
    before = memory.get(name)

    assert memory.update(name) == memory.update(name, content="a fact") == name
    assert memory.get(name) == before


def test_a_new_version_may_have_new_tags_and_metadata(memory: milepost.Milepost) -> None:
    old = memory.store("version one", tags="t", metadata={"a": 1})

    new = memory.get(
        memory.update(old, content="version two", tags=[], kind="error", metadata={"b": 2})
    )

    assert (new.tags, new.kind, new.metadata) == ((), "error", {"b": 2})
    assert memory.get(old).tags == ("t",)


# delete


def test_a_deleted_memory_is_gone_for_good(memory: milepost.Milepost) -> None:
    name, other = memory.store("a harbour", tags="x"), memory.store("a harbour wall", tags="x")

    assert memory.delete(name)[:2] == (1, (name,))

    with pytest.raises(milepost.NotFound):
        memory.get(name)
    assert hashes(memory.search("harbour", include_superseded=True)) == [other]
    assert hashes(memory.search_by_tag("x")) == [other]
    assert hashes(memory.similar(other)) == []
    assert memory.health().count == 1
    assert memory.store("a harbour") == name
    assert memory.get(name).tags == ()


def test_delete_by_tag_can_be_tried_first(memory: milepost.Milepost) -> None:
    a, b = memory.store("a", tags=["x", "y"]), memory.store("b", tags="x")
    c = memory.store("c", tags="z")

    tried = memory.delete_by_tag("x", dry_run=True)
    assert (tried[0], set(tried.hashes), tried.dry_run) == (2, {a, b}, True)
    assert memory.health().count == 3

    assert memory.delete_by_tag(["x", "y"], match="all").hashes == (a,)
    assert memory.delete_by_tag(["x", "z"])[0] == 2
    assert memory.delete_by_tag("x")[0] == 0
    assert memory.health().count == 0
    with pytest.raises(milepost.NotFound):
        memory.get(c)


def test_a_deletion_counts_each_memory_once(memory: milepost.Milepost) -> None:
    a, b = memory.store("a"), memory.store("b")

    deleted = memory.delete_batch([a, b, a])

    assert (deleted[0], sorted(deleted.hashes)) == (2, sorted([a, b]))
    assert memory.health().count == 0


# connect, spaces and settings


def test_spaces_do_not_see_each_other(path: Path) -> None:
    with milepost.connect(path, space="one") as one, milepost.connect(path, space="two") as two:
        one.store("a harbour", tags="x", session="s")
        name = two.store("the harbour wall", tags="x", session="s")

        assert hashes(two.search("harbour")) == hashes(two.search_by_tag("x")) == [name]
        assert hashes(two.timeline(name)) == [name]
        assert two.similar(name).memories == ()
        assert one.health().count == two.health().count == 1
        two.delete_by_tag("x")
        assert one.health().count == 1


@pytest.mark.parametrize("form", ["{path}", "sqlite:{path}", "sqlite:///{path}"])
def test_a_store_is_named_by_path_or_url(path: Path, form: str) -> None:
    with milepost.connect(form.format(path=path)) as memory:
        memory.store("a fact")

    assert path.is_file()
    with milepost.connect(path) as again:
        assert again.health().count == 1


def test_a_relative_url_lies_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with milepost.connect("sqlite:///deep/down.db") as memory:
        memory.store("a fact")

    assert (tmp_path / "deep" / "down.db").is_file()


def test_the_default_memory_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "one.db"))
    milepost.store("first")
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "two.db"))
    assert milepost.health().count == 0
    monkeypatch.setenv("MILEPOST_URL", str(tmp_path / "one.db"))
    assert milepost.health().count == 1
    monkeypatch.setenv("MILEPOST_SPACE", "another")
    assert milepost.health().count == 0


def test_a_memory_outlives_its_process(path: Path) -> None:
    with milepost.connect(path) as memory:
        name = memory.store("the harbour opens at six", tags="x")
    with milepost.connect(path) as memory:
        assert hashes(memory.search("when does the harbour open?")) == [name]
        assert memory.get(name).tags == ("x",)


def test_health_never_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.db").write_text("this is not a database, only some words\n" * 50)
    for url in (
        str(tmp_path),
        str(tmp_path / "text.db"),
        str(tmp_path / "text.db" / "below.db"),
        "mysql://somewhere/else",
        "sqlite://",
        "sqlite:///",
        "~nobody-of-that-name/m.db",
        "/proc/nowhere/m.db",
        "x" * 5_000,
    ):
        monkeypatch.setenv("MILEPOST_URL", url)
        state = milepost.health()
        assert (state.status, state.count, state.ready) == ("error", 0, False), url
        assert state.notes
        assert str(state)
        assert repr(state)


def test_health_of_a_closed_memory_is_an_error_not_an_exception(path: Path) -> None:
    memory = milepost.connect(path)
    memory.close()
    memory.close()

    assert not memory.health().ready
