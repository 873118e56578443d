"""What the form of a question tells."""

import pytest

from milepost.text.questions import asks, asks_of_the_past, in_english, names


@pytest.mark.parametrize(
    "text",
    [
        "Where is the spare key?",
        "which formatter do we use for python",
        "prod database port",
        "wo liegt der schluessel denn eigentlich gerade",
        "¿Dónde está la llave?",
        "钥匙在哪里？",
    ],
)
def test_a_question_asks(text):
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fix a crash when the configuration file is empty",
        "Added support for proxies in the client of the pool",
    ],
)
def test_a_line_of_a_changelog_tells(text):
    assert not asks(text)


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("When did Caroline go to the group?", True),
        ("Which port was it before the move?", True),
        ("Wer hatte den Schlüssel?", True),
        ("¿Qué puerto era?", True),
        ("上次谁付的钱？", True),
        ("Which port do we use?", False),
        ("Wo ist der Schlüssel?", False),
        ("Tobias's price per word?", False),
    ],
)
def test_a_question_asks_what_was_or_what_holds(text, past):
    assert asks_of_the_past(text) == past


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How do I configure Gunicorn workers?", {"gunicorn"}),
        ("Does Cargo support environments, like production?", {"cargo"}),
        ("Why does EXPECT_CALL fail with utf8 names?", {"expect_call", "utf8"}),
        ("What did I say about it?", set()),
        ("Where is it? Maybe in the hall?", set()),
        ("Wo liegt der Schlüssel für das Büro und wer hat ihn?", set()),
        ("Welchen Port hat die API2 bei uns und wer weiß das?", {"api2"}),
    ],
)
def test_names_are_told_by_their_letters(text, found):
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Which port do we use?", True),
        ("API key rotation", True),
        ("Wer hat den Schlüssel für das Büro?", False),
        ("¿Quién tiene la llave de la oficina?", False),
        ("钥匙在哪里？", False),
        ("Где ключ от офиса?", False),
    ],
)
def test_a_question_is_in_english_or_not(text, english):
    assert in_english(text) == english
