"""Costs in a real browser: what was told to models, by what, and a team's own figures."""

from __future__ import annotations

import time

from pages import Screen

from conftest import Site
from milepost.upkeep.model_text import ModelText


def test_tokens_are_shown_by_day_client_and_operation(screen: Screen, site: Site) -> None:
    now = time.time()
    site.memory.note_model_text(
        ModelText(now, "search", "word " * 40, (), 900, "s1", 3.0, "cursor")
    )
    site.memory.note_model_text(ModelText(now - 90_000, "brief", "word " * 9, (), 90, "s2"))
    screen.open("costs")
    screen.see(".plot rect")
    tables = screen.text("main")
    for part in ("cursor", "not told", "search", "brief", "s1", "s2", "990"):
        assert part in tables
    assert screen.count(".plot rect") == 6  # two of the legend, and two a day


def test_the_calculator_reckons_with_the_figures_that_are_typed(screen: Screen, site: Site) -> None:
    screen.open("costs")
    screen.see("td", "$")
    usual = site.memory.calculate_savings()
    twice = site.memory.calculate_savings(users=20, currency="€")
    assert twice.costs[0].with_milepost == 2 * usual.costs[0].with_milepost
    screen.page.get_by_label("People").fill("20")
    screen.page.get_by_label("Currency").fill("€")
    screen.see("td", f"€{twice.costs[0].with_milepost:,.2f}".rstrip("0"))
