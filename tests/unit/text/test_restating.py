"""Two texts say the same in other words only where no fact would be lost."""

import pytest

from milepost.text.restating import restates

ALIKE = 0.9


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The import job starts at 6 pm.", "Import job starts at 18:00"),
        ("The mail queue is purged every Sunday.", "Each Sunday the mail queue is purged"),
        ("Sessions expire in 90 minutes on the kiosk.", "On the kiosk sessions expire in 5400 s"),
        ("Never commit the lockfile.", "never commit the lockfile!!"),
    ],
)
def test_other_words_order_and_units_say_the_same(one: str, other: str) -> None:
    assert restates(one, other, ALIKE)
    assert restates(other, one, ALIKE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 30 requests.", "The limit is 300 requests."),
        ("We use Python 3.10 here.", "We use Python 3.1 here."),
        ("Ann reviews the docs.", "Ana reviews the docs."),
        ("The hook is retried.", "The hook is not retried."),
        ("Deploys run if tests pass.", "Deploys run unless tests pass."),
        ("Copy the files from alpha to beta.", "Copy the files from beta to alpha."),
        ("Lock the account before the invoice.", "Lock the invoice before the account."),
        ("We send the report on Friday.", "We sent the report on Friday."),
        ("The cache holds 20 MB.", "The cache holds 20 GB."),
        ("Backups must be kept.", "Backups should be kept."),
        ("Latency < 200 ms is fine.", "Latency > 200 ms is fine."),
        ("Door 4a is open.", "Door 4 is open."),
        ("The mail goes to team A.", "The mail goes to the team."),
        ("Rooms cost 40 pounds.", "Rooms cost 40 francs."),
        ("Staging uses Redis 7.", "Production uses Redis 7."),
        ("The API uses Redis.", "The API uses Redis in front of the database."),
        ("My badge opens the lab.", "Your badge opens the lab."),
    ],
)
def test_one_word_that_differs_is_another_claim(one: str, other: str) -> None:
    assert not restates(one, other, 0.99)


def test_what_is_not_alike_is_not_compared() -> None:
    assert not restates("The import job starts at 6 pm.", "Import job starts at 18:00", 0.2)
