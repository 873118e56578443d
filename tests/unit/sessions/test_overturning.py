"""A newer statement overturns an older one only where it surely speaks of the same."""

import pytest

from milepost.sessions.overturning import overturns


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Let's move from Redux Toolkit to Zustand.", "I'm going with Redux Toolkit, it's boring."),
        ("replace the redis quote cache by a table", "lets cache quotes in redis, ttl 300 s"),
        ("make the tries 10 actually, six is too few", "polling every 2 s, give up after 6 tries"),
        ("let's change the budget from 180 to 220 kB", "The build has a budget of 180 kB."),
        ("Max 4 per booking should be 6, families!", "cap the seats at max 4 per booking"),
        ("Der Warenkorb soll doch 30 Tage leben statt 14", "Warenkorb hält künftig 14 Tage."),
        ("orders_daily passe à 06:30 au lieu de 04:00", "orders_daily corre a las 04:00"),
    ],
)
def test_what_is_changed_is_overturned(new: str, old: str) -> None:
    assert overturns(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("change the carrier timeout to 4 s, checkout gives up after 5", "give up after 6 tries"),
        ("le bucket est purgé au bout de 7 jours", "le week-end prend le dernier jour (3 jours)"),
        ("replace pip by uv", "never use pip on the host, the image has its own"),
        ("sube los reintentos de 1 a 3", "Loads replace the day instead of appending"),
        ("use tabs instead of spaces", "prices are rounded half up"),
        ("make the tries 10", "give up after 10 tries"),
    ],
)
def test_what_is_not_spoken_of_stays(new: str, old: str) -> None:
    assert not overturns(new, old)
