"""An argument that names a moment is read exactly or refused with the forms that work."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.errors import InvalidInput
from milepost.text.dates.moments import parse_moment

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 15, 14, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("now", "2026-11-15T14:30+01:00"),
        ("2024-05-01", "2024-05-01T00:00+02:00"),
        ("20240501", "2024-05-01T00:00+02:00"),
        ("2024/05/01", "2024-05-01T00:00+02:00"),
        ("2024-05-01T10:30", "2024-05-01T10:30+02:00"),
        ("2024-05-01T10:30Z", "2024-05-01T10:30+00:00"),
        ("2024-05-01 10:30:15.5-05:00", "2024-05-01T10:30:15.500-05:00"),
        ("2024-05", "2024-05-01T00:00+02:00"),
        ("2024", "2024-01-01T00:00+01:00"),
        ("March 2024", "2024-03-01T00:00+01:00"),
        ("yesterday", "2026-11-14T00:00+01:00"),
        ("  last   week ", "2026-11-02T00:00+01:00"),
        ("3 days ago", "2026-11-12T00:00+01:00"),
        ("2 hours ago", "2026-11-15T12:30+01:00"),
        ("tomorrow", "2026-11-16T00:00+01:00"),
        ("7d", "2026-11-08T14:30+01:00"),
        ("-7d", "2026-11-08T14:30+01:00"),
        ("12h", "2026-11-15T02:30+01:00"),
        ("30m", "2026-11-15T14:00+01:00"),
        ("2w", "2026-11-01T14:30+01:00"),
        ("6mo", "2026-05-15T14:30+02:00"),
        ("1y", "2025-11-15T14:30+01:00"),
        ("1700000000", "2023-11-14T23:13:20+01:00"),
        (1700000000, "2023-11-14T23:13:20+01:00"),
        (1700000000.0, "2023-11-14T23:13:20+01:00"),
        (0, "1970-01-01T01:00+01:00"),
        (date(2024, 5, 1), "2024-05-01T00:00+02:00"),
        (datetime(2024, 5, 1, 10), "2024-05-01T10:00+02:00"),
        (datetime(2024, 5, 1, 10, tzinfo=UTC), "2024-05-01T10:00+00:00"),
    ],
)
def test_a_value_names_a_moment(value: Any, expected: str) -> None:
    assert parse_moment(value, NOW) == datetime.fromisoformat(expected)


@pytest.mark.parametrize(
    "value",
    [
        *("", "soon", "5", "2024-02-30", "10000-01-01", "999999y", "99999999999", "`2024-05-01`"),
        *(True, None, [], float("nan"), float("inf"), 1e300, 1.7e12, -5, 10**400, 10**5000),
        "9" * 5000,
    ],
    ids=lambda value: str(type(value).__name__),
)
def test_anything_else_is_refused_with_the_accepted_forms(value: Any) -> None:
    with pytest.raises(InvalidInput, match="ISO 8601") as caught:
        parse_moment(value, NOW)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "value",
    [
        *("0001-01-01", "9999-12-31", "0001-01-01T00:00+14:00", "9999-12-31T23:59-12:00"),
        *(date.min, date.max, datetime.min, datetime.max),
    ],
)
@pytest.mark.parametrize("hours", [-12, 0, 14])
def test_the_first_and_the_last_year_can_be_written_in_utc(value: Any, hours: int) -> None:
    moment = parse_moment(value, NOW.astimezone(timezone(timedelta(hours=hours))))
    assert moment.astimezone(UTC).year in (1, 9998, 9999)


@given(st.text() | st.integers() | st.floats() | st.dates() | st.datetimes())
def test_any_value_gives_an_aware_moment_or_invalid_input(value: Any) -> None:
    try:
        moment = parse_moment(value, NOW)
    except InvalidInput:
        return
    assert moment.tzinfo is not None
    moment.astimezone(UTC)
