"""The dates that a text means are those of the day it was said on; what is not certain is left."""

from datetime import UTC, datetime

import pytest

from milepost.text.dates.stated import DATES_MAX, apart_from_days, date_words, stated_dates
from milepost.text.words import terms

# A Monday.
SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def dates(text: str) -> list[str]:
    return stated_dates(text, SAID, terms(text))


def test_a_day_is_one_word_beside_its_month_and_year() -> None:
    assert date_words(SAID) == "8may may 2023"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I went to the support group yesterday", ["7may may 2023"]),
        ("Call me tomorrow", ["9may may 2023"]),
        ("Last night the disk failed", ["7may may 2023"]),
        ("It broke the day before yesterday", ["6may may 2023"]),
        ("We shipped last Friday", ["5may may 2023"]),
        ("We ship next Friday", ["19may may 2023"]),
        ("We climbed last weekend", ["6may may 2023", "7may may 2023"]),
        ("three days ago it rained", ["5may may 2023"]),
        ("It failed two weeks ago", ["april 2023"]),
        ("Last week it failed", ["may 2023"]),
        ("We move next month", ["june 2023"]),
        ("We moved last year", ["2022"]),
        ("We meet on 3 May", ["3may may 2023"]),
        ("We met on May 3rd, 2021", ["3may may 2021"]),
        ("Moved to 12 June", ["12june june 2023"]),
        ("She starts on 1 December", ["1december december 2022"]),
        ("March 14th is the deadline", ["14march march 2023"]),
        ("Released on 2025-03-14", ["14march march 2025"]),
        ("## 2025-03-14 standup", ["14march march 2025"]),
        ("Released on 14.03.2025", ["14march march 2025"]),
        ("Gestern haben wir aufgeräumt", ["7may may 2023"]),
        ("Das war vor zwei Wochen, am 3. März 2022", ["april 2023", "3march march 2022"]),
        ("Letzten Freitag war zu", ["5may may 2023"]),
        ("Am 14.3.2025 ist wegen Umbau zu", ["14march march 2025"]),
        ("Ayer fuimos al médico", ["7may may 2023"]),
        ("Lo vimos el mes pasado", ["april 2023"]),
        ("La reunión es el 3 de junio de 2024", ["3june june 2024"]),
        ("Hier nous avons choisi la date du 3 mars", ["7may may 2023", "3march march 2023"]),
        ("Ieri abbiamo scelto", ["7may may 2023"]),
        ("Ontem escolhemos", ["7may may 2023"]),
        ("Gisteren is het gelukt", ["7may may 2023"]),
        ("Вчера мы всё решили", ["7may may 2023"]),
        ("昨天我们讨论了预算", ["7may may 2023"]),
        ("上周五发布", ["5may may 2023"]),
        ("发布日期是2025年5月3日", ["3may may 2025"]),
        ("昨日会議をした", ["7may may 2023"]),
    ],
)
def test_a_date_is_seen_from_the_day_it_was_said(text: str, meant: list[str]) -> None:
    assert sorted(dates(text)) == sorted(meant)


@pytest.mark.parametrize(
    "text",
    [
        "You may take 3 of them",
        "Up to 3 may be used",
        "May I have 3?",
        "The second one in the second drawer",
        "Version 2.3.2024 and 192.168.10.2024",
        "It is faster than last week",
        "The last time I looked, next to the past",
        "We meet on Friday",
        "It was in March",
        "The 2024 budget has 12 lines",
        "`2025-03-14`",
        "https://example.org/2025-03-14/x",
        "3 mars bars",
        "Hier ist das Rad",
        "Am Morgen ist es kalt, guten Morgen",
        "The harbour is empty",
        "",
    ],
)
def test_what_is_not_certainly_a_date_is_left(text: str) -> None:
    assert dates(text) == []


def test_of_many_dates_the_first_few_count() -> None:
    assert len(dates(" and ".join(f"on {day} June" for day in range(1, 20)))) == DATES_MAX


def test_a_date_far_into_a_text_is_read_among_the_words_around_it() -> None:
    assert dates("word " * 300 + "we met on 3 June. " + "word " * 300) == ["3june june 2023"]


@pytest.mark.parametrize(
    ("question", "rest", "days"),
    [
        ("What did Ana do on 7 May 2023?", "What did Ana do on may 2023 ?", ["7may"]),
        ("What did Ana do on June 7th?", "What did Ana do on june ?", ["7june"]),
        ("what broke on 2023-06-07", "what broke on june 2023", ["7june"]),
        ("Was war am 7. Juni 2023?", "Was war am june 2023 ?", ["7june"]),
        ("¿Qué pasó el 7 de junio?", "¿Qué pasó el june ?", ["7june"]),
        ("2023年6月7日做了什么", "june 2023 做了什么", ["7june"]),
        ("4 August or 5 August", "august or august", ["4august", "5august"]),
        ("what happened yesterday?", "what happened yesterday?", []),
        ("what may 3 people do", "what may 3 people do", []),
        ("who owns billing?", "who owns billing?", []),
    ],
)
def test_the_days_of_a_question_are_asked_for_as_they_are_kept(
    question: str, rest: str, days: list[str]
) -> None:
    left, named = apart_from_days(question)

    assert " ".join(left.split()) == rest
    assert [term for _, term in named] == days


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar_are_no_trouble(year: int) -> None:
    text = "yesterday, tomorrow, next month, 3 May, 10 years ago, vor zwei Jahren"

    for month, day in ((1, 1), (12, 31)):
        said = datetime(year, month, day, tzinfo=UTC)
        assert len(stated_dates(text, said, terms(text))) <= DATES_MAX
