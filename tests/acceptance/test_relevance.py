"""The right note comes first, and a question that no note answers finds nothing."""

from collections.abc import Iterator

import pytest

import milepost

NOTES = {
    "We chose PostgreSQL over MySQL because of JSONB": [
        "which database did we choose?",
        "why did we not use mysql",
    ],
    "Deploys go out every Tuesday and Thursday at 14:00 UTC, never on Fridays": [
        "when do we deploy?"
    ],
    "User prefers tabs over spaces and single quotes in Python": [
        "what indentation style does the user like?"
    ],
    "ECONNREFUSED on port 6379 means the Redis container is not running": [
        "redis connection refused error"
    ],
    "The staging API key lives in Vault under secret/staging/api": [
        "where is the staging api key stored?"
    ],
    "Run the test suite with pytest -n auto -m 'not slow'": ["how do I run the tests?"],
    "Flaky test test_checkout_total fails because of timezone; set TZ=UTC": [
        "why is the checkout test flaky?",
        "test_checkout_total",
    ],
    "Alice owns the billing service, Bob owns authentication": ["who is responsible for billing?"],
    "Decision: drop support for Python 3.8, minimum version is now 3.11": [
        "what is the minimum python version?"
    ],
    "npm run build runs out of memory on CI; set NODE_OPTIONS=--max-old-space-size=4096": [
        "CI build out of memory"
    ],
    "Frontend uses React 18 with Vite, not Next.js": ["what frontend framework do we use?"],
    "Rate limit of the public API is 100 requests per minute per token": [
        "how many requests per minute are allowed"
    ],
    "Nightly backups are stored in the S3 bucket acme-backups-eu and kept for 30 days": [
        "where are the backups?",
        "how long do we keep backups",
    ],
    "Memory leak in the worker was caused by an unbounded LRU cache in image_resizer.py": [
        "what caused the memory leak?",
        "image_resizer.py",
    ],
    "The websocket gateway times out after 60 seconds because of the nginx proxy_read_timeout": [
        "why do websockets disconnect?"
    ],
    "認証トークンは15分で失効する": ["認証トークン"],
    "The office coffee machine is broken again, ask facilities": [],
    "Marie is on vacation from July 3 to July 17": [],
    "The docs site is built with MkDocs Material": [],
    "Quarterly planning moved to the second week of October": [],
    "Unit tests for the mailer use a fake SMTP server on port 1025": [],
    "Accessibility review found low contrast on the settings page": [],
}
NONSENSE = [
    "asdf qwer zxcv",
    "purple elephant dancing moon",
    "recipe for chocolate cake",
    "how tall is mount everest",
    "symptoms of a cold",
    "quantum entanglement explained",
    "dog food brands",
    "photosynthesis of deep sea algae",
]


@pytest.fixture(scope="module")
def notes() -> Iterator[milepost.Milepost]:
    with milepost.connect("memory://") as memory:
        memory.store_batch(list(NOTES))
        yield memory


@pytest.mark.parametrize(
    ("note", "question"), [(note, asked) for note, many in NOTES.items() for asked in many]
)
def test_the_note_that_answers_comes_first(
    notes: milepost.Milepost, note: str, question: str
) -> None:
    first = notes.search(question).memories[0]

    assert notes.get(first.hash).content == note
    assert first.score > 0.1


@pytest.mark.parametrize("question", NONSENSE)
def test_a_question_without_an_answer_finds_nothing(
    notes: milepost.Milepost, question: str
) -> None:
    result = notes.search(question)

    assert result.memories == ()
    assert result.total == 0


FEW_NOTES = (
    "We chose PostgreSQL for billing",
    "The staging server is at 10.0.0.5",
    "Ines prefers tabs",
    "Retry uploads three times with backoff",
)


@pytest.mark.parametrize("count", range(1, len(FEW_NOTES) + 1))
@pytest.mark.parametrize("noise", ["zzzzqqq", "qqqq", "xkqzv wwq", "vkkkq", "zwwjzqzkz", "dupego"])
def test_letters_that_are_no_word_find_nothing_among_few_notes_as_among_many(
    noise: str, count: int
) -> None:
    with milepost.connect("memory://") as memory:
        memory.store_batch(list(FEW_NOTES[:count]))

        assert memory.search(noise).memories == ()


@pytest.mark.parametrize(
    ("asked", "note"),
    [
        ("PostgreSQLL", FEW_NOTES[0]),
        ("database", FEW_NOTES[0]),
        ("stage", FEW_NOTES[1]),
        ("indentation", FEW_NOTES[2]),
    ],
)
def test_a_misspelt_word_and_one_of_its_meaning_are_still_found(asked: str, note: str) -> None:
    with milepost.connect("memory://") as memory:
        memory.store_batch(list(FEW_NOTES))

        assert memory.get(memory.search(asked)[0].hash).content == note


def test_letters_that_a_note_holds_are_words() -> None:
    with milepost.connect("memory://") as memory:
        name = memory.store("The bucket is called zzzzqqq")
        memory.store_batch(list(FEW_NOTES))

        assert [found.hash for found in memory.search("zzzzqqq")] == [name]
        assert "words: meets zzzzqqq" in str(memory.explain("zzzzqqq", name))


def test_a_lone_note_is_found_and_surely(tmp_path: object) -> None:
    with milepost.connect("memory://") as memory:
        memory.store("We chose PostgreSQL over MySQL because of JSONB")

        assert memory.search("which database did we choose?").memories[0].score > 0.5
        assert memory.search("recipe for chocolate cake").memories == ()


def test_a_tag_counts_as_a_word_of_the_memory_and_follows_its_changes() -> None:
    with milepost.connect("memory://") as memory:
        name = memory.store("The cookie lacked SameSite", tags=["zebra", "error"])
        memory.store("Coffee is out", tags="office")

        assert [found.hash for found in memory.search("zebra").memories] == [name]
        memory.update(name, tags=["walrus"])
        assert memory.search("zebra").memories == ()
        assert [found.hash for found in memory.search("walrus").memories] == [name]


def test_a_common_word_is_found_wherever_it_stands() -> None:
    with milepost.connect("memory://") as memory:
        memory.store_batch([f"deploy step {i} of the harbour" for i in range(300)])
        memory.store_batch([f"note {i} about the garden" for i in range(1_000)])
        result = memory.search("deploy", limit=5)

        assert len(result.memories) == 5
        assert all("deploy" in found.preview for found in result.memories)
        assert result.total == 300
        assert len({found.hash for found in memory.search_iter("deploy")}) == 300


def test_scores_fall_from_the_first_to_the_last(notes: milepost.Milepost) -> None:
    scores = [found.score for found in notes.search("test", limit=20, min_score=0).memories]

    assert len(scores) == 20
    assert scores == sorted(scores, reverse=True)


def test_talk_around_a_question_does_not_hide_the_answer(notes: milepost.Milepost) -> None:
    for question in (
        "Which database did we choose?",
        "What indentation style does the user like?",
        "Where is the staging api key stored?",
    ):
        plain = notes.search(question, limit=3).memories
        wrapped = notes.search(
            "I just came back from lunch, the queue was endless and the soup was cold, so forgive "
            f"me if I am slow today. {question} I would like to finish this before the weekend.",
            limit=3,
        ).memories
        assert [memory.hash for memory in wrapped] == [memory.hash for memory in plain]
