"""A prompt says what it wants of a memory: an answer, something kept, or to be left alone."""

import pytest
from prompts_labelled import ASKS, PLAIN, UNSEEN_ASKS, UNSEEN_PLAIN

from milepost.sessions.requests import QUERY_MAX, request_in
from support import processor_time_below

TRACEBACK = """I get this when I start the worker, any idea?
Traceback (most recent call last):
  File "/srv/app/worker.py", line 31, in main
    run(settings["queue"])
KeyError: 'queue'
"""


def shares(asks: list[str], plain: list[str]) -> tuple[float, float]:
    """Return precision and recall."""
    found = sum(request_in(prompt).asks for prompt in asks)
    wrong = sum(request_in(prompt).asks for prompt in plain)
    return found / (found + wrong), found / len(asks)


def test_prompts_that_a_memory_could_answer_are_told_from_plain_work() -> None:
    assert len(ASKS) + len(PLAIN) >= 150
    precision, recall = shares(ASKS, PLAIN)

    assert precision >= 0.97
    assert recall >= 0.97


def test_so_are_prompts_that_no_rule_was_made_for() -> None:
    assert len(UNSEEN_ASKS) + len(UNSEEN_PLAIN) >= 60
    precision, recall = shares(UNSEEN_ASKS, UNSEEN_PLAIN)

    assert precision >= 0.85
    assert recall >= 0.85


@pytest.mark.parametrize("prompt", ["", " ", "?", "…", "\n\n", "#", "`", "```", "\ud800", "🙂" * 9])
def test_a_prompt_without_words_wants_nothing(prompt: str) -> None:
    request = request_in(prompt)

    assert (request.asks, request.remember, request.skip) == (False, None, False)


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("#remember we deploy from the release branch", "we deploy from the release branch"),
        ("#remember: tabs, not spaces", "tabs, not spaces"),
        ("fix it\n#remember the port is 8443\nthanks", "the port is 8443"),
        ("The port of the mock is 8443. #remember", "The port of the mock is 8443."),
        ("#remember\nThe port is 8443.", "The port is 8443."),
        ("#REMEMBER use `pnpm i`", "use `pnpm i`"),
        ("#remember a\n#remember b", "a\nb"),
        ("(#remember) the port is 8443", ") the port is 8443"),
        ("#remember", None),
    ],
)
def test_remember_keeps_the_rest_of_its_line_or_the_whole_prompt(
    prompt: str, kept: str | None
) -> None:
    assert request_in(prompt).remember == kept


@pytest.mark.parametrize(
    "prompt",
    [
        "# Remember the milk",
        "## remember",
        "#rememberme is a css id",
        "#remember-me { color: red }",
        "see page.html#remember for it",
        "https://x.org/#remember",
        "use `#remember` to keep a thing",
        "```\n#remember this\n```",
        "```\n#skip",
        "~~~\n#remember this\n#skip\n~~~",
        "it is `#skip` that I mean",
        "#skipping and #skip_it and ##skip",
        "remember this, please",
    ],
)
def test_what_only_looks_like_a_mark_is_none(prompt: str) -> None:
    assert request_in(prompt).remember is None
    assert request_in(prompt).skip is False


@pytest.mark.parametrize(
    "prompt", ["#skip", "why do we use redis? #skip", "#SKIP what did we decide", "a\n#skip\nb"]
)
def test_skip_leaves_the_prompt_alone(prompt: str) -> None:
    assert request_in(prompt).skip is True
    assert request_in(prompt).asks is False


def test_the_query_is_what_was_asked_without_courtesy_and_code() -> None:
    asked = "Hey, could you please tell me why we use `msgspec` here?\n```py\nx = decode(b)\n```"

    query = request_in(asked).query

    assert query == "why we use msgspec here?"


def test_the_query_of_a_pasted_error_is_its_telling_line_and_what_was_said() -> None:
    request = request_in(TRACEBACK)

    assert request.asks
    assert "KeyError: 'queue'" in request.query
    assert "when I start the worker" in request.query
    assert "/srv/app" not in request.query


def test_the_query_of_a_long_prompt_is_the_sentence_that_asks() -> None:
    filling = "This part tells at length what the page looks like and how it behaves. " * 8

    query = request_in(f"{filling}What did we decide about the retry policy? {filling}").query

    assert query == "What did we decide about the retry policy?"


@pytest.mark.parametrize("piece", ["a ", "why ", "```", "`", "#remember ", "#skip", "Error: ", "x"])
def test_a_query_is_short_and_soon_made_whatever_the_prompt(piece: str) -> None:
    prompt = piece * (1_000_000 // len(piece))

    with processor_time_below(1.0):
        request = request_in(prompt)

    assert len(request.query) <= QUERY_MAX


@pytest.mark.parametrize(
    "prompt", ["No, amounts must always be integers", "Wrong. We use JWT.", "nein, nie auf main"]
)
def test_a_correction_wants_nothing_told(prompt: str) -> None:
    request = request_in(prompt)

    assert (request.corrects, request.asks) == (True, False)


@pytest.mark.parametrize("prompt", ["no, why did we choose redis?", "no tests yet", "now commit"])
def test_what_asks_or_only_begins_alike_is_no_correction(prompt: str) -> None:
    assert not request_in(prompt).corrects
