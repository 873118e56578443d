"""A newer text changes an older one if it gives another value to the same thing."""

import pytest

from milepost.text.updating import update_of

ALIKE = 0.8


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("The mail timeout is 30 seconds", "The mail timeout is 5 seconds", "30 seconds became 5"),
        ("The cellar light is green.", "The cellar light is amber.", "green became amber"),
        ("Our parser is built on ANTLR.", "Moved the parser off ANTLR.", "→"),
        (
            "The club meets on Mondays",
            "The club meets on Thursdays now",
            "became Thursdays",
        ),
        ("Keith leads the garden group", "Yasmin leads the garden group", "Keith became Yasmin"),
        ("Uploads are limited to 5 MB", "Uploads: limit raised to 20 MB", "5 MB became 20 MB"),
        ("We use npm.", "We use bun now.", "npm became bun"),
        ("I use bash.", "I have switched to nushell.", "bash became nushell"),
        ("Merges need two reviews.", "Merges need one review.", "two became one"),
        (
            "Invoices go out every three weeks.",
            "Invoices go out every week.",
            "three weeks became 1",
        ),
        ("We eat at Gasthaus Adler.", "We eat at Gasthaus Krone.", "Adler became Gasthaus Krone"),
    ],
)
def test_another_value_of_the_same_thing_is_told(old: str, new: str, why: str) -> None:
    told = update_of(old, new, ALIKE)

    assert told is not None
    assert why in told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The orders API runs on port 8081", "The returns API runs on port 8090"),
        ("Staging listens on port 8081", "Production listens on port 443"),
        ("The mail timeout is 30 seconds", "Should the mail timeout be 5 seconds?"),
        ("The mail timeout is 30 seconds", "Maybe the mail timeout is 5 seconds soon"),
        ("Users can log in with Google", "Users can also log in with GitHub"),
        ("The club meets on Mondays", "This week the club meets on Thursday"),
        ("Upgrade the linter to 1.60", "Upgrade the linter to 1.62"),
        ("Ran the mail tests, 14 passed", "Ran the mail tests, 19 passed"),
        ("Rent is 900 euros a month", "In the old flat rent was 700 euros a month"),
        ("Ines likes tabs of 4 spaces", "Tom likes tabs of 2 spaces"),
        ("We use npm.", "We use pytest now."),
        ("We have a review on Monday", "We have a review on Friday"),
        ("The crash is in reader.py", "The crash is in writer.py"),
        ("The module is imported in app.py", "The module is imported in cli.py"),
        ("The shop is in Leeds", "The shop is in the old mill"),
        ("Gate 4 opens at 5 pm", "Gate 7 opens at 6 pm"),
        ("The bill for March is 300 euros", "The bill for April is 340 euros"),
        ("The course lasts 3 weeks", "The course lasts 20 hours a week"),
        ("Our branches are in Kiel and Bonn", "Our branches are in Kiel and Ulm"),
    ],
)
def test_what_holds_besides_or_elsewhere_changes_nothing(old: str, new: str) -> None:
    assert update_of(old, new, ALIKE) is None
