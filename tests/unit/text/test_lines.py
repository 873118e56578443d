"""What is said in a line."""

import pytest

from milepost.text.lines import age

DAY_US = 86_400_000_000


@pytest.mark.parametrize(
    ("micros", "shown"),
    [
        (-DAY_US, "0h"),
        (0, "0h"),
        (DAY_US / 8, "3h"),
        (DAY_US - 1, "24h"),
        (DAY_US, "1d"),
        (12 * DAY_US, "12d"),
        (59 * DAY_US, "59d"),
        (60 * DAY_US, "2mo"),
        (152 * DAY_US, "5mo"),
        (719 * DAY_US, "24mo"),
        (720 * DAY_US, "2y"),
        (912 * DAY_US, "2y"),
        (913 * DAY_US, "3y"),
    ],
)
def test_an_age_is_told_in_few_characters(micros, shown):
    assert age(micros) == shown
