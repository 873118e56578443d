"""Search in a real browser: what a model would be told, its price, and why."""

from __future__ import annotations

from pages import Screen

from conftest import Site
from milepost.render import to_text
from milepost.text.tokens import estimate

QUESTION = "which database did we choose?"


def _known(site: Site) -> None:
    site.memory.store("We chose PostgreSQL as the database of the shop", project="shop")
    site.memory.store("The database of the shop is backed up every night", kind="procedure")
    site.memory.store("Anna likes short meetings", tags=["people"])


def test_a_result_tells_its_price_its_score_and_why(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("search", q=QUESTION)
    first = screen.see(".results > li", "We chose PostgreSQL")
    told = to_text(site.memory.search(QUESTION))
    screen.see(".summary", f"{estimate(told)} tokens")
    line = next(line for line in told.splitlines() if "We chose PostgreSQL" in line)
    assert f"{estimate(line)} tokens" in first.inner_text()
    screen.see(".results > li:first-child .gain", "meaning")
    shown = screen.text(".results > li:first-child .why")
    for part in ("words", "neighbours", "age", "trust", "freshness", "choose"):
        assert part in shown
    screen.page.evaluate("document.activeElement.blur()")
    screen.press("w", "m")
    screen.see(".reasons li", "place 1 of")
    assert screen.page.locator(".as-told").inner_text() == told


def test_filters_and_budget_narrow_the_answer(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("search", q=QUESTION)
    screen.see(".results > li:nth-child(2)")
    screen.page.get_by_label("Project").fill("shop")
    screen.press("Tab")
    screen.gone(".results > li:nth-child(2)")
    assert "project=shop" in screen.page.evaluate("location.hash")
    screen.page.get_by_label("Project").fill("")
    screen.press("Tab")
    screen.see(".results > li:nth-child(2)")
    screen.page.get_by_label("Budget").fill("50")
    screen.gone(".results > li:nth-child(2)")


def test_the_past_is_asked_with_a_slider(screen: Screen, site: Site) -> None:
    old = site.memory.store("The shop is deployed with Ansible", created="10 days ago")
    site.memory.store("The shop is deployed with Helm", supersedes=old, created="2 days ago")
    screen.open("search", q="how is the shop deployed?")
    screen.see(".results > li", "Helm")
    screen.page.get_by_label("As of").fill("-5")
    screen.see(".results > li", "Ansible")
    assert "Helm" not in screen.text(".results")
    assert screen.faults() == []


def test_slash_focuses_the_question_from_everywhere(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("home")
    screen.press("/")
    screen.see(".view-search .question")
    screen.wait("document.activeElement.classList.contains('question')")
    screen.page.keyboard.type("database")
    screen.see(".results > li", "PostgreSQL")
    screen.page.evaluate("document.activeElement.blur()")
    screen.press("ArrowDown", "Enter")
    screen.see(".view-browse .detail .content", "database")
    screen.press("g", "c")
    screen.see(".view-costs h1")
