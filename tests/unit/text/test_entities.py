"""What a text names is read off its spelling, known names and the words around; doubt is silent."""

import time

import pytest

from milepost.text.entities import Link, Mention, entities_in


def named(text: str) -> dict[str, str]:
    return {mention.name: mention.type for mention in entities_in(text).entities}


def said(text: str, author: str | None = None) -> set[tuple[str, str, str]]:
    return {link[:3] for link in entities_in(text, author).relations}


NAMED = [
    ("See https://example.org/a?b=1.", {"https://example.org/a?b=1": "url"}),
    ("It answers on 10.0.4.17 and on api.shop.example.",
     {"10.0.4.17": "host", "api.shop.example": "host"}),
    ("The disk of db-3 is full.", {"db-3": "host"}),
    ("Moved to src/quests/QuestLog.cs, see also .env and Makefile.",
     {"src/quests/QuestLog.cs": "file", ".env": "file", "Makefile": "file"}),
    ("Logs are in /var/log/app and ~/logs/today.",
     {"/var/log/app": "file", "~/logs/today": "file"}),
    ("It is on the branch feature/bulk-import.", {"feature/bulk-import": "symbol"}),
    ("I replaced it by @scope/canvas.", {"@scope/canvas": "package"}),
    ("The image was node:22-alpine before.", {"node:22-alpine": "package"}),
    ("catch IntegrityError in create_all and set --dry-run",
     {"IntegrityError": "symbol", "create_all": "symbol", "--dry-run": "symbol"}),
    ("round() and StreamResponse.set_cookie and std::io::Read differ",
     {"round": "symbol", "StreamResponse.set_cookie": "symbol", "std::io::Read": "symbol"}),
    ("The `timeout` option and the `my-crate` crate, `None` is a literal",
     {"timeout": "symbol", "my-crate": "package"}),
    ("We moved to Python 3.12 and Node 22, before it was v1.4.2.",
     {"Python": "package", "3.12": "version", "Node": "package", "22": "version",
      "v1.4.2": "version"}),
    ("Fixed in #412 and CR-588, see CVE-2024-12345.",
     {"#412": "issue", "CR-588": "issue", "CVE-2024-12345": "issue"}),
    ("orders-service reads from Postgres and Kafka on the server.",
     {"orders-service": "service", "Postgres": "service", "Kafka": "service"}),
    ("Jolanta asked Dr. Sethi, and Anne Perry answered.",
     {"Jolanta": "person", "Sethi": "person", "Anne Perry": "person"}),
    ("The album is by R. C. Harvey.", {"R. C. Harvey": "person"}),
    ("She was born in Rochester, New York.", {"Rochester, New York": "place"}),
    ("He works at the University of Rochester for Kestrel Labs.",
     {"University of Rochester": "organisation", "Kestrel Labs": "organisation"}),
    ("Frau Dr. Petri wohnt in Fulda, in der Goethestraße.",
     {"Petri": "person", "Fulda": "place", "Goethestraße": "place"}),
    ("郑经理和小王在北京用 Redis 做缓存。",
     {"郑经理": "person", "小王": "person", "北京": "place", "Redis": "service"}),
    ("La oficina de Madrid usa GitLab, pregunta a Nuria.",
     {"Madrid": "place", "GitLab": "service", "Nuria": "person"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), NAMED)
def test_names_are_found_with_what_they_name(text: str, names: dict[str, str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Will you mark the spring date? May we go on Monday?",
        "It is a client/server design, either/or, 24/7, on 12.05.2025 at 10:30.",
        "0.125 becomes 0.12, and TLS v1.3 is required, section 3.2.1 says so.",
        "Add the curls, some celery and the pandas to the cargo.",
        "UTF-8, SHA-256, ISO-8601 and COVID-19 are no tickets, nor is the #1 priority.",
        "Write to ada@example.org about kWh and mAh.",
        "Der Helm liegt am Brett, das Werkzeug im Dom.",
        "St James and Trader Joe's are no people, Mr Speaker.",
        "home/*/.cache is a pattern; `None`, `true` and `int` are literals.",
        "_stressed_ and **bold** words, done.Then we go on.",
        "The Amazon rainforest is not a shop.",
        "任何方案都可以，周五再说。",
    ],
)
def test_what_only_looks_like_a_name_is_left_alone(text: str) -> None:
    assert named(text) == {}


def test_a_name_inside_another_is_not_taken_for_it() -> None:
    assert "Git" not in named("We store the models with Git LFS in the repository.")
    assert "Boston" not in named("I read it in the Boston Globe.")
    assert "Google" not in named("The tests are written with Google Test.")


def test_a_word_is_the_name_of_a_tool_only_where_programs_are_spoken_of() -> None:
    assert named("Run the Flask tests of the backend") == {"Flask": "package"}
    assert named("In flask use create_app")["flask"] == "package"
    assert named("Fill the flask with water") == {}


def test_local_names_of_a_listing_are_left_out_and_what_it_calls_is_not() -> None:
    names = named("Like this:\n\nshare_now = curl_share_init(one_arg)\nassert share_now.is_ok\n")
    assert names == {"curl_share_init": "symbol"}


def test_names_that_stand_for_any_are_left_out() -> None:
    assert named("Call `my_module.run` with foo_bar and MyClass in the code") == {}


def test_a_member_of_itself_goes_by_its_own_name() -> None:
    assert named("It sets self.exe_wrapper twice") == {"exe_wrapper": "symbol"}


def test_the_language_of_a_listing_is_no_name() -> None:
    assert named("Do:\n```python\nx = 1\n```\n") == {}


def test_a_name_is_given_once_where_it_first_stands() -> None:
    mentions = entities_in("redis is down. Redis was restarted, REDIS is up").entities
    assert mentions == (Mention("redis", "service", 0),)


def test_the_text_from_where_a_name_stands_begins_with_it() -> None:
    text = "Ask Jolanta about `price_for` in app/models.py: Python 3.12, \u4e0a\u6d77, https://a.example/"
    for mention in entities_in(text).entities:
        assert text[mention.start :].startswith(mention.name)


SAID = [
    ("We are on Python 3.12 now.", ("3.12", "version_of", "Python")),
    ("updating v2.2.1 -> v2.3.1", ("v2.3.1", "replaces", "v2.2.1")),
    ("We replaced Redis by Postgres.", ("Postgres", "replaces", "Redis")),
    ("The team migrated the build from npm to pnpm.", ("pnpm", "replaces", "npm")),
    (
        "webhook_delivery was first called webhook_log",
        ("webhook_delivery", "replaces", "webhook_log"),
    ),
    ("orders-service uses Postgres", ("orders-service", "uses", "Postgres")),
    ("Clang and MSVC rely on openssl", ("MSVC", "depends_on", "openssl")),
    ("`price_for` is defined in app/models.py", ("price_for", "defined_in", "app/models.py")),
    ("Python's `ssl` module", ("ssl", "part_of", "Python")),
    (
        "pinned as postgres:14-alpine in app/db.py",
        ("postgres:14-alpine", "defined_in", "app/db.py"),
    ),
    ("`wait_for` is still supported in asyncio", ("wait_for", "part_of", "asyncio")),
    ("app/customs.py opened a new httpx client", ("app/customs.py", "uses", "httpx")),
    ("Jolanta's friend Rashid cooks", ("Jolanta", "knows", "Rashid")),
    ("Jolanta maintains billing-service", ("Jolanta", "owns", "billing-service")),
    ("Jolanta is working on CR-588", ("Jolanta", "works_on", "CR-588")),
    ("Jolanta works at Kestrel Labs", ("Jolanta", "works_at", "Kestrel Labs")),
    ("Jolanta lives in Berlin", ("Jolanta", "located_in", "Berlin")),
    ("Jolanta decided to use Postgres", ("Jolanta", "decided", "Postgres")),
    ("orders-api was written by Jolanta", ("Jolanta", "created", "orders-api")),
    ("v1.4.2 fixes #412", ("v1.4.2", "fixes", "#412")),
    ("`price_for` calls `round_half_up`", ("price_for", "calls", "round_half_up")),
    ("Jolanta wohnt in Kassel", ("Jolanta", "located_in", "Kassel")),
    ("orders-api verwendet PostgreSQL", ("orders-api", "uses", "PostgreSQL")),
    ("orders-api depende de PostgreSQL", ("orders-api", "depends_on", "PostgreSQL")),
    ("orders-api utilise PostgreSQL", ("orders-api", "uses", "PostgreSQL")),
    ("orders-api 依赖 PostgreSQL", ("orders-api", "depends_on", "PostgreSQL")),
    ("billing depends on auth-service", ("billing", "depends_on", "auth-service")),
    ("The checkout service calls the payment API.", ("checkout service", "calls", "payment API")),
    ("auth-service is owned by the platform team.", ("platform team", "owns", "auth-service")),
    (
        "invoice-worker was replaced by billing-jobs.",
        ("billing-jobs", "replaces", "invoice-worker"),
    ),
    ("Ana chose Kafka over RabbitMQ.", ("Ana", "decided", "Kafka")),
    ("PR #214 fixes issue #198.", ("#214", "fixes", "#198")),
    ("pandas 2.2 requires numpy 1.26", ("pandas", "depends_on", "numpy")),
    ("It was Omar who decided that we drop Python 3.8.", ("Omar", "decided", "Python")),
    ("Lena owns the deploy pipeline.", ("Lena", "owns", "deploy pipeline")),
    ("search-indexer reads from orders-db.", ("search-indexer", "uses", "orders-db")),
]


@pytest.mark.parametrize(("text", "relation"), SAID)
def test_what_a_text_says_between_names_is_read(text: str, relation: tuple[str, str, str]) -> None:
    assert relation in said(text)


@pytest.mark.parametrize(
    "text",
    [
        "Do not replace Redis by Postgres.",
        "Should we have replaced Redis by Postgres?",
        "orders-api is down. Postgres is up.",
        "Redis and Postgres",
        "Jolanta moved from Berlin to Kassel.",
        "everything depends on the weather",
        "it depends on whom you ask",
    ],
)
def test_what_is_doubtful_or_not_said_is_no_relation(text: str) -> None:
    assert said(text) == set()


def test_a_list_says_the_same_of_each_of_its_members() -> None:
    text = "Clang, GCC and MSVC all rely on openssl"
    assert said(text) == {(name, "depends_on", "openssl") for name in ("Clang", "GCC", "MSVC")}


def test_who_says_a_text_is_named_where_it_says_something_of_them() -> None:
    told = entities_in("We decided to use Postgres.", author="Ines")
    assert told.relations == (Link("Ines", "decided", "Postgres", "pattern"),)
    assert Mention("Ines", "person", -1) in told.entities
    assert entities_in("Postgres is up.", author="Ines").entities == (
        Mention("Postgres", "service", 0),
    )


def test_relations_spell_names_as_they_are_first_written() -> None:
    assert said("redis is old. We replaced Redis by Postgres.") == {
        ("Postgres", "replaces", "redis")
    }


def test_a_text_that_names_its_speaker_says_it_of_them() -> None:
    assert said("Ines: we decided to use Postgres.") == {("Ines", "decided", "Postgres")}


def test_he_and_she_mean_the_one_person_named_before() -> None:
    assert said("Jolanta starts in May. She works from Berlin.") == {
        ("Jolanta", "located_in", "Berlin")
    }
    assert said("Jolanta met Rashid. She lives in Berlin.") == set()


@pytest.mark.parametrize(
    "unit",
    ["a", "Ab ", "a_", "a.", "a/", "`a", "``` ", "a@b.", "1.", "--a", "王和", "aB", "Python uses ",
     "move from ", "((", "a = 1\n", "Jonas Weber ", "Bank of ", "Dr. ", "#1 ", "=", "\\", "~~~"],
)  # fmt: skip
def test_a_long_text_of_any_kind_is_read_in_bounded_time(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    begun = time.process_time()
    entities_in(text, author="Ines")
    assert time.process_time() - begun < 1.0
