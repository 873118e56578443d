"""Which terms a text is found by."""

import pytest

from milepost.text.words import content_words, distinct_words, stem, terms, word_terms


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("call parse_config first", "parse_config"),
        ("call parse_config first", "config"),
        ("see src/app/main.py", "src/app/main.py"),
        ("see src/app/main.py", "main"),
        ("HTTPServer crashed", "server"),
        ("HTTPServer crashed", "httpserver"),
        ("ECONNREFUSED again", "econnrefused"),
        ("all IDs are hex", "ids"),
        ("私は猫が好き", "猫"),
        ("私は猫が好き", "好き"),
        ("выбрали базу", "базу"),
        ("naïve café", "cafe"),
        ("version 2.3.1", "2.3.1"),
    ],
)
def test_a_text_is_found_by(text: str, word: str) -> None:
    assert stem(word) in terms(text)


def test_an_identifier_is_found_however_it_is_written() -> None:
    assert (
        set(terms("parseConfig")) == set(terms("parse_config")) == {"parseconfig", "pars", "config"}
    )


def test_words_without_meaning_are_left_out_unless_there_are_no_others() -> None:
    assert content_words("where is the database?") == ["database"]
    assert content_words("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deploys", "deploy"),
        ("deployed", "deploying"),
        ("stopped", "stopping"),
        ("libraries", "library"),
        ("caches", "cache"),
        ("tried", "tries"),
        ("fixes", "fix"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["bus", "this", "class", "sing", "базы", "x86", "go"])
def test_what_is_no_ending_stays(word: str) -> None:
    assert stem(word) == word


def terms_of_words(text: str) -> set[str]:
    found, language = distinct_words(text)
    return {term for word in found for term in word_terms(word, language)}


@pytest.mark.parametrize(
    "text",
    [
        "use parse_config here, not parseConfig or set-up v1.2",
        "Die Zahlungserinnerung wurde vom Büro an die Kunden geschickt",
        "Las reuniones de los lunes se han movido a la oficina de Bogotá",
        "Мы перенесли базы данных на новый сервер",
        "我们的数据库在周末迁移，缓存用的是Redis。",
    ],
)
def test_word_by_word_a_text_has_the_terms_that_it_is_found_by(text: str) -> None:
    assert terms_of_words(text) == set(terms(text))
