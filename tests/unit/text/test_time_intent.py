"""What a question says about time is understood exactly, or left in its words."""

import re
from collections import Counter
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.text.dates.time_intent import TimeIntent, parse_time_intent
from milepost.text.words import STOP_WORDS

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 15, 14, 30, tzinfo=BERLIN)

# A Sunday, so that this week has almost ended and next week has not begun.
UNDERSTOOD = [
    ("today", "2026-11-15", "2026-11-16", ""),
    ("yesterday", "2026-11-14", "2026-11-15", ""),
    ("What did we decide yesterday?", "2026-11-14", "2026-11-15", "What did we decide?"),
    ("the day before yesterday", "2026-11-13", "2026-11-14", ""),
    ("What broke this morning?", "2026-11-15", "2026-11-15 12:00", "What broke?"),
    ("this afternoon", "2026-11-15 12:00", "2026-11-15 18:00", ""),
    ("this evening", "2026-11-15 18:00", "2026-11-16", ""),
    ("what failed last night in CI", "2026-11-14 18:00", "2026-11-15 06:00", "what failed in CI"),
    ("this week", "2026-11-09", "2026-11-16", ""),
    ("last week", "2026-11-02", "2026-11-09", ""),
    (
        "What did Anna say last week about the cache?",
        "2026-11-02",
        "2026-11-09",
        "What did Anna say about the cache?",
    ),
    ("bugs fixed this month", "2026-11-01", "2026-12-01", "bugs fixed"),
    ("last month", "2026-10-01", "2026-11-01", ""),
    ("this quarter", "2026-10-01", "2027-01-01", ""),
    ("last quarter", "2026-07-01", "2026-10-01", ""),
    ("last year", "2025-01-01", "2026-01-01", ""),
    ("last Tuesday", "2026-11-10", "2026-11-11", ""),
    ("decisions on Monday", "2026-11-09", "2026-11-10", "decisions"),
    ("on Sunday", "2026-11-08", "2026-11-09", ""),
    ("3 minutes ago", "2026-11-15 14:12", "2026-11-15 14:42", ""),
    ("2 hours ago", "2026-11-15 11:30", "2026-11-15 13:30", ""),
    ("half an hour ago", "2026-11-15 13:45", "2026-11-15 14:15", ""),
    ("three days ago", "2026-11-12", "2026-11-13", ""),
    ("a week ago", "2026-11-02", "2026-11-09", ""),
    ("2 weeks ago", "2026-10-26", "2026-11-02", ""),
    ("a couple of weeks ago", "2026-10-26", "2026-11-02", ""),
    ("a few days ago", "2026-11-10", "2026-11-14", ""),
    ("5 months ago", "2026-06-01", "2026-07-01", ""),
    ("a year ago", "2025-01-01", "2026-01-01", ""),
    ("a year or two ago", "2024-01-01", "2026-01-01", ""),
    ("2-3 weeks ago", "2026-10-19", "2026-11-02", ""),
    ("between 2 and 3 weeks ago", "2026-10-19", "2026-11-02", ""),
    ("more than 3 days ago", None, "2026-11-12", ""),
    ("less than 2 hours ago", "2026-11-15 12:30", None, ""),
    ("over a year ago", None, "2025-01-01", ""),
    ("about a month ago", "2026-09-15", "2026-11-17", ""),
    ("errors in the last 3 days", "2026-11-12", None, "errors"),
    ("in the past 24 hours", "2026-11-14 14:30", None, ""),
    ("past hour", "2026-11-15 13:30", None, ""),
    ("the last few days", "2026-11-10", None, ""),
    ("in the last week", "2026-11-02", None, ""),
    ("over the past month", "2026-10-15", None, ""),
    ("during the last quarter", "2026-07-01", "2026-10-01", ""),
    ("what changed since March", "2026-03-01", None, "what changed"),
    ("since yesterday", "2026-11-14", None, ""),
    ("since 3 October", "2026-10-03", None, ""),
    ("before June", None, "2026-06-01", ""),
    ("until last week", None, "2026-11-09", ""),
    ("after 2024-05-01", "2024-05-02", None, ""),
    ("in March", "2026-03-01", "2026-04-01", ""),
    ("in March 2024", "2024-03-01", "2024-04-01", ""),
    ("in November", "2026-11-01", "2026-12-01", ""),
    ("in December", "2025-12-01", "2026-01-01", ""),
    ("what did we do in 2023 about auth", "2023-01-01", "2024-01-01", "what did we do about auth"),
    ("in Q3", "2026-07-01", "2026-10-01", ""),
    ("in Q2 2024", "2024-04-01", "2024-07-01", ""),
    ("in Q4 of last year", "2025-10-01", "2026-01-01", ""),
    ("on 5 May", "2026-05-05", "2026-05-06", ""),
    ("on May 5th, 2023", "2023-05-05", "2023-05-06", ""),
    ("release notes of May 5", "2026-05-05", "2026-05-06", "release notes"),
    ("the 5th of May", "2026-05-05", "2026-05-06", ""),
    ("meeting on 2024-05-01", "2024-05-01", "2024-05-02", "meeting"),
    ("2024-05-01T10:30", "2024-05-01 10:30", "2024-05-01 10:31", ""),
    ("after 2024-05-01T10:30:00Z", "2024-05-01 12:30", None, ""),
    ("between 3 and 9 October", "2026-10-03", "2026-10-10", ""),
    ("between October 3 and 9", "2026-10-03", "2026-10-10", ""),
    ("between March and May", "2026-03-01", "2026-06-01", ""),
    ("between october and february", "2025-10-01", "2026-03-01", ""),
    ("between march and may", "2026-03-01", "2026-06-01", ""),
    ("from Monday to Wednesday", "2026-11-09", "2026-11-12", ""),
    ("from Friday to Tuesday", "2026-11-06", "2026-11-11", ""),
    ("from 2024-01-01 to 2024-02-01", "2024-01-01", "2024-02-02", ""),
    ("early March", "2026-03-01", "2026-03-11", ""),
    ("mid-March", "2026-03-11", "2026-03-21", ""),
    ("late March 2024", "2024-03-21", "2024-04-01", ""),
    ("early last week", "2026-11-02", "2026-11-04", ""),
    ("at the end of last year", "2025-09-01", "2026-01-01", ""),
    ("in the summer of 2023", "2023-06-01", "2023-09-01", ""),
    ("last summer", "2026-06-01", "2026-09-01", ""),
    ("since March until May", "2026-03-01", "2026-06-01", ""),
    ("since March, and before June, what failed", "2026-03-01", "2026-06-01", "and, what failed"),
    ("in March last year", "2025-03-01", "2025-04-01", ""),
    ("on Monday last week", "2026-11-02", "2026-11-03", ""),
    ("the week before last", "2026-10-26", "2026-11-02", ""),
    ("yesterday's decision about caching", "2026-11-14", "2026-11-15", "decision about caching"),
    ("in yesterday's standup", "2026-11-14", "2026-11-15", "in standup"),
    ("Yesterday, what did we change?", "2026-11-14", "2026-11-15", "what did we change?"),
    ("yesterday or today", "2026-11-14", "2026-11-16", ""),
    ("on Monday and Wednesday", "2026-11-09", "2026-11-12", ""),
    ("from March onwards", "2026-03-01", None, ""),
    ("what (yesterday) failed", "2026-11-14", "2026-11-15", "what failed"),
    ("yesterday morning", "2026-11-14", "2026-11-14 12:00", ""),
    ("in 2024-05", "2024-05-01", "2024-06-01", ""),
    ("since 2024", "2024-01-01", None, ""),
    ("the last 30 minutes", "2026-11-15 14:00", None, ""),
    ("before yesterday", None, "2026-11-14", ""),
    ("as of last week what did we know", None, "2026-11-09", "what did we know"),
    ("since oct 3", "2026-10-03", None, ""),
    ("on the 5th of May", "2026-05-05", "2026-05-06", ""),
    ("last March", "2026-03-01", "2026-04-01", ""),
    ("in early 2025", "2025-01-01", "2025-05-01", ""),
    ("between 2022 and 2023", "2022-01-01", "2024-01-01", ""),
    ("from yesterday to today", "2026-11-14", "2026-11-16", ""),
    ("last weekend", "2026-11-07", "2026-11-09", ""),
    ("earlier this week", "2026-11-09", "2026-11-16", ""),
    ("in May", "2026-05-01", "2026-06-01", ""),
    ("in may", "2026-05-01", "2026-06-01", ""),
    ("What happened in the last 2 hours?", "2026-11-15 12:30", None, ""),
    ("from last week", "2026-11-02", "2026-11-09", ""),
    ("What did we do last week?", "2026-11-02", "2026-11-09", ""),
    ("29 February", "2024-02-29", "2024-03-01", ""),
    ("on May 5-7", "2026-05-05", "2026-05-08", ""),
    ("twenty one days ago", "2026-10-25", "2026-10-26", ""),
    ("around 5 May", "2026-05-04", "2026-05-07", ""),
    ("since the day before yesterday", "2026-11-13", None, ""),
    ("two or three days ago", "2026-11-12", "2026-11-14", ""),
    ("about a month ago", "2026-09-15", "2026-11-17", ""),
    ("in early may", "2026-05-01", "2026-05-11", ""),
    ("two days ago and yesterday", "2026-11-13", "2026-11-15", ""),
    ("since last Monday", "2026-11-09", None, ""),
    ("What did Melanie do on 7 May 2023?", "2023-05-07", "2023-05-08", "What did Melanie do?"),
    ("this year and last year", "2025-01-01", "2027-01-01", ""),
    ("between 28 February and 3 March", "2026-02-28", "2026-03-04", ""),
    ("from late March to early May", "2026-03-21", "2026-05-11", ""),
    ("Oct. 3, 2024", "2024-10-03", "2024-10-04", ""),
    ("today's plan", "2026-11-15", "2026-11-16", "plan"),
    ("yesterday at 3pm what broke", "2026-11-14", "2026-11-15", "at 3pm what broke"),
    ("on 2024-05-01 10:30 the build", "2024-05-01 10:30", "2024-05-01 10:31", "the build"),
    ("IN MAY", "2026-05-01", "2026-06-01", ""),
    ("may 5th", "2026-05-05", "2026-05-06", ""),
    ("2024-Q3 numbers", "2024-07-01", "2024-10-01", "numbers"),
    ("since about 3 days ago", "2026-11-11", None, ""),
    ("in March, April and May", "2026-03-01", "2026-06-01", ""),
    ("in the week before last week", "2026-10-26", "2026-11-02", ""),
    ("until Monday", None, "2026-11-10", ""),
    ("last night's deploy", "2026-11-14 18:00", "2026-11-15 06:00", "deploy"),
    ("last fall", "2025-09-01", "2025-12-01", ""),
    ("a year ago today", "2025-01-01", "2026-01-01", "today"),
    ("last week on Monday", "2026-11-02", "2026-11-09", "on Monday"),
    ("what failed in the past day", "2026-11-14", None, "what failed"),
    ("one day ago", "2026-11-14", "2026-11-15", ""),
    ("What did Bob do from 3 to 9 October 2025?", "2025-10-03", "2025-10-10", "What did Bob do?"),
]

NOT_UNDERSTOOD = [
    "two sprints ago",
    "since the refactor",
    "after the deploy",
    "before we migrated",
    "May I use the cache?",
    "march to production",
    "from march to production",
    "give me a second",
    "in 30 files",
    "version 2024",
    "python 3.11",
    "error 404",
    "2023 lines",
    "in 2023 lines of code",
    "in 2000 rows",
    "recently",
    "lately changed",
    "a while ago",
    "years ago",
    "the other day",
    "next week",
    "tomorrow",
    "in March 2027",
    "on Monday.com",
    "every Monday",
    "on Mondays",
    "the last week of March",
    "the last 3 days of the sprint",
    "3 days before yesterday",
    "not yesterday",
    "except last week",
    "faster than last week",
    "compared to last month",
    "by yesterday",
    "by the end of March",
    "since yesterday's deploy",
    "since yesterday was a holiday",
    "the March release",
    "the 2023 report",
    "the 2024-05-01 backup",
    "backup-2024-05-01.sql",
    "2024-05-01.sql",
    "`yesterday`",
    'the label "last week"',
    "'yesterday'",
    "Q3 results",
    "message from June",
    "at the last minute",
    "last minute changes",
    "on the last day",
    "2 years and 3 months ago",
    "1.5 years ago",
    "half a week ago",
    "a hundred days ago",
    "two hundred days ago",
    "in 2 days",
    "for 3 days",
    "within a week of May 5",
    "30 February",
    "2024-02-30",
    "99999 days ago",
    "9999 years ago",
    "0 files",
    "May 3 users share one account?",
    "you may 5 times retry",
    "starting early may cause trouble",
    "in March of that year",
    "between the deploy and yesterday",
    "from the release to yesterday",
    "between March and the release",
    "my last week at Acme",
    "in 1.2024",
    "CVE-2024-1234",
    "port 2024",
    "https://x.y/2024-05-01",
    "second",
    "in the second half",
    "sun",
    "after 2048 iterations",
    "week 12",
    "last commit",
    "this time",
    "last one",
    "in the morning",
    "3 business days ago",
    "2024-13-01",
    "the second Monday",
    "HTTP 2023",
    "in Python 2024",
    "may",
    "March",
    "Monday",
    "What has changed since we talked last week?",
    "after the deploy last week",
    "no later than Monday",
    "not before March",
    "second last month",
    "the Q3 2024 report",
    "since 2024.1",
    "in 2023-24",
    "on 3/4/2024",
    "in the 2010s",
    "release 5 May have bugs",
    "page 5 may contain errors",
    "three hundred and twenty days ago",
    "1,000 days ago",
    "tag=yesterday",
    "yesterday_table",
    "foo yesterday.txt",
    "after last Tuesday's release",
    "the week of May 5",
    "past week 12",
    "Q3 FY2024",
    "a hundred and 3 days ago",
    "Spring 2023",
    "on March",
    "from 9 to 5",
    "between 1 and 5",
    "how many days ago",
    "since day one",
    "the next 3 days",
    "every last week of it",
    "“last week” in the title",
]


def local(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN) if text else None


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@pytest.mark.parametrize(("text", "after", "before", "rest"), UNDERSTOOD)
def test_a_time_becomes_a_window_and_leaves_the_other_words(
    text: str, after: str | None, before: str | None, rest: str
) -> None:
    found = parse_time_intent(text, NOW)
    assert (found.after, found.before, found.rest) == (local(after), local(before), rest)
    assert found.phrase


@pytest.mark.parametrize("text", NOT_UNDERSTOOD)
def test_what_is_not_surely_a_time_stays_in_the_words(text: str) -> None:
    assert parse_time_intent(text, NOW) == TimeIntent(None, None, text, None)


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("yesterday", "2024-02-28", "2024-02-29"),
        ("last month", "2024-01-01", "2024-02-01"),
        ("a year ago", "2023-01-01", "2024-01-01"),
        ("on Thursday", "2024-02-22", "2024-02-23"),
        ("in the last 12 months", "2023-02-28", None),
        ("on 29 February", "2024-02-29", "2024-03-01"),
        ("last March", "2023-03-01", "2023-04-01"),
        ("in Q4", "2023-10-01", "2024-01-01"),
        ("last winter", "2022-12-01", "2023-03-01"),
    ],
)
def test_a_leap_day_in_utc(text: str, after: str, before: str | None) -> None:
    found = parse_time_intent(text, datetime(2024, 2, 29, 9, tzinfo=UTC))
    assert found.after == datetime.fromisoformat(after).replace(tzinfo=UTC)
    assert found.before == (datetime.fromisoformat(before).replace(tzinfo=UTC) if before else None)


def test_days_keep_midnight_across_a_change_of_the_clocks() -> None:
    found = parse_time_intent("three weeks ago", NOW)
    assert found.after is not None
    assert found.before is not None
    assert (found.after.hour, found.before.hour) == (0, 0)
    assert found.before.timestamp() - found.after.timestamp() == (7 * 24 + 1) * 3600


def test_hours_are_elapsed_time_across_a_change_of_the_clocks() -> None:
    now = datetime(2026, 10, 25, 4, 0, tzinfo=BERLIN)
    found = parse_time_intent("in the last 3 hours", now)
    assert found.after is not None
    assert now.timestamp() - found.after.timestamp() == 3 * 3600


def test_results_carry_the_zone_of_now() -> None:
    found = parse_time_intent("after 2024-05-01T10:30:00-05:00", NOW)
    assert found.after is not None
    assert found.after.tzinfo is BERLIN
    assert found.after.hour == 17


def test_two_phrases_that_contradict_leave_the_second_in_the_words() -> None:
    found = parse_time_intent("what broke in March while we tested in July", NOW)
    assert found.after == local("2026-03-01")
    assert found.rest == "what broke while we tested in July"


def test_two_phrases_that_overlap_are_both_used() -> None:
    found = parse_time_intent("this year, what did we decide since June?", NOW)
    assert (found.after, found.before) == (local("2026-06-01"), local("2027-01-01"))
    assert found.rest == "what did we decide?"


@pytest.mark.parametrize("year", [1, 9999])
@pytest.mark.parametrize("text", [row[0] for row in UNDERSTOOD])
def test_the_ends_of_the_calendar_do_not_overflow(text: str, year: int) -> None:
    month, day = (1, 1) if year == 1 else (12, 31)
    parse_time_intent(text, datetime(year, month, day, 12, tzinfo=BERLIN))


EMPTY_WORDS = STOP_WORDS | set(
    "happen happened happening anything everything something going tell show give please".split()
)
FRAGMENTS = st.sampled_from(
    [row[0] for row in UNDERSTOOD]
    + NOT_UNDERSTOOD
    + 'in on the last since before until and or to of from between may 5 2024 , ( ) ? " `'.split()
)
TEXTS = st.text() | st.lists(FRAGMENTS | st.text(max_size=8), max_size=8).map(" ".join)
MOMENTS = st.datetimes(datetime(1971, 1, 2), datetime(2098, 1, 1), timezones=st.just(BERLIN))


@settings(max_examples=300, deadline=None)
@given(TEXTS, MOMENTS)
def test_any_text_gives_a_sound_window_and_loses_no_word(text: str, now: datetime) -> None:
    found = parse_time_intent(text, now)
    if found.after and found.before:
        assert found.after.timestamp() < found.before.timestamp()
    assert (found.phrase is None) == (found.after is None and found.before is None)
    lost = words(text) - words(found.rest) - words(found.phrase or "")
    if found.rest or found.phrase is None:
        assert not lost
    else:
        assert {word.lower() for word in lost} <= EMPTY_WORDS
