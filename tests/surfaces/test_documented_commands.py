"""Every command of the documentation runs, and prints what stands below it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documented import NOT_RUN, ROOT, Ran, commands, run_page

# The examples of the reference are run, on every surface, by test_every_surface.py.
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page.parent.name != "reference" and commands(page)
]
# What differs from run to run: hashes, ids, dates, durations, scores, counts of tokens, and who did
# the jobs.
_CHANGING = re.compile(
    r"\b(?:(?=\w*\d)[0-9a-f]{6,8}|(?:ep|pt)_\w+|\d{4}-\d\d-\d\d|\d\.\d\d"
    r"|[\d.]+ (?:ms|s|MB|kB|GB)|\d+(?= jobs run)|\d{1,3}(?:,\d{3})+|\d{3,}|\d+(?= tokens))\b|\d+%"
)


def settled(text: str) -> str:
    """Return a text without what differs from run to run."""
    return _CHANGING.sub("?", " ".join(text.split()))


def differs(ran: Ran) -> bool:
    """Say whether a command printed something else than its page shows; `…` stands for anything."""
    if ran.shown.output is None:
        return False
    parts = map(re.escape, re.split(r"\s*…\s*", settled(ran.shown.output)))
    return re.fullmatch(".*".join(parts), settled(ran.output)) is None


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_of_a_page_run_and_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    ran = run_page(page, tmp_path / "~")

    wrong = [r for r in ran if r.code or differs(r)]
    expected = [shown for shown in commands(page) if shown.reason_not_to_run is None]
    assert [f"{r.shown.line}: {r.shown.command}\n[{r.code}] {r.output}" for r in wrong] == []
    assert [r.shown for r in ran] == expected


def test_what_is_not_run_is_still_documented() -> None:
    shown = [command.command for page in PAGES for command in commands(page)]

    assert [start for start in NOT_RUN if not any(c.startswith(start) for c in shown)] == []


def test_a_page_shows_commands_in_blocks_that_are_run() -> None:
    fence = re.compile(r"^```(?:bash|shell|zsh)$", re.MULTILINE)

    assert [page for page in ROOT.glob("docs/**/*.md") if fence.search(page.read_text())] == []
