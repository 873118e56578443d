"""Time in a real browser: what happened, live and back in time, episodes and patterns."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from pages import Screen

from conftest import PHONE, OpenScreen, Site

DAY = timedelta(days=1)


def _event(site: Site, content: str, **more: object) -> None:
    site.memory.record_event("tool", content, **{"outcome": "ok", "wait": True, **more})  # type: ignore[arg-type]


def _attempt(site: Site, task: str, outcome: str = "success", session: str = "s1") -> str:
    place = {"project": "shop", "session": session, "language": "python"}
    name = site.memory.create_episode(task, place, task_type="coding")
    site.memory.add_step(name, "Bash", "pytest", None, "TimeoutError: no event", False, 3_000)
    site.memory.add_step(name, "Edit", "conftest.py: freeze the clock", {"line": 7}, "")
    site.memory.add_step(name, "Bash", "pytest", None, "12 passed", outcome == "success")
    site.memory.complete_episode(name, outcome, "the clock was not frozen")
    return name


def test_what_happens_is_shown_as_it_happens(screen: Screen, site: Site) -> None:
    _event(site, "before anybody looked", session_id="s1")
    screen.open("time")
    screen.see(".entry", "before anybody looked")
    screen.see(".live.on", "Live")
    _event(site, "while somebody looks", session_id="s1", outcome="failed")
    screen.see(".session .entry", "while somebody looks")
    screen.see("[role=status]", "1 new")
    name = site.memory.create_episode("Mend the build", {"session": "s1"})
    screen.see(".entry.episode", "Mend the build").click()
    screen.see(".detail .chip", "open")
    site.memory.add_step(name, "Bash", "make")
    screen.see(".detail .step", "make")
    site.memory.complete_episode(name, "success", "it builds")
    screen.see(".detail .reward-terms")
    screen.page.get_by_role("button", name="Live").click()
    screen.see(".live", "Paused")
    _event(site, "while it is paused")
    _event(site, "and once more")
    assert screen.count(".entry") == 3
    screen.page.get_by_role("button", name="Paused").click()
    screen.see(".entry", "while it is paused")


def test_sessions_events_and_episodes_stand_by_day(screen: Screen, site: Site) -> None:
    yesterday = datetime.now().astimezone().replace(hour=12) - DAY
    _event(site, "read a file", session_id="s0", project="atlas", at=yesterday)
    _event(site, "pytest", session_id="s0", outcome="failed", at=yesterday + DAY / 1440)
    name = _attempt(site, "Make the test stable")
    screen.open("time")
    screen.see(".day:nth-of-type(2) .session-head", "Session s0")
    assert "1 failed" in screen.text(".day:nth-of-type(2) h2")
    assert screen.count(".day") == 2
    # An episode is told of once, though its beginning and its end are events too.
    assert screen.page.locator(".entry", has_text="Make the test stable").count() == 1
    screen.page.get_by_label("Project").fill("shop")
    screen.press("Tab")
    screen.gone(".entry", "read a file")
    assert screen.page.locator(".entry.episode").get_attribute("data-id") == name
    screen.page.get_by_label("Project").fill("")
    screen.page.get_by_label("Kind").select_option("tool")
    screen.see(".entry", "read a file")
    assert screen.count(".entry.episode") == 0
    screen.page.get_by_label("Kind").select_option("")
    screen.see(".entry.episode")
    screen.page.get_by_role("button", name="Session s0").click()
    screen.gone(".entry.episode")
    screen.page.get_by_label("Session", exact=True).fill("")
    screen.page.get_by_label("Up to").fill(f"{yesterday:%Y-%m-%d}")
    screen.press("Tab")
    screen.see(".live", "Paused")
    screen.see(".entry", "read a file")
    assert screen.count(".entry.episode") == 0


def test_one_pages_back_to_the_beginning_and_nothing_is_left_out(
    screen: Screen, site: Site
) -> None:
    # Two in three stand at the same moment as their neighbours, also where a page ends.
    began = time.time() - 86_400
    site.memory.record_events(
        [
            {"event_type": "note", "content": f"event {n}", "at": round(began + n // 3)}
            for n in range(700)
        ]
    )
    screen.open("time", kind="note")
    screen.see(".entry", "event 699")
    screen.wait(
        "() => { scrollTo(0, document.body.scrollHeight);"
        "return document.querySelectorAll('.entry').length == 700; }"
    )
    screen.wait("document.querySelector('.split .view > button').hidden")


def test_uses_of_tools_that_went_well_fold_into_one_line(screen: Screen, site: Site) -> None:
    for number in range(9):
        _event(site, f"use {number}", session_id="s1")
    _event(site, "a use that failed", session_id="s1", outcome="failed")
    screen.open("time")
    screen.see(".entry", "a use that failed")
    screen.see(".fold", "9 uses of tools").click()
    screen.see(".entry", "use 4")


def test_an_episode_is_read_step_by_step_with_its_reward(screen: Screen, site: Site) -> None:
    name = _attempt(site, "Make the test stable")
    screen.open("time")
    screen.see(".entry.episode")
    screen.press("j")
    screen.press("j")
    screen.press("k")
    screen.see(".detail h2", "Make the test stable")
    assert f"open={name}" in screen.page.evaluate("location.hash")
    screen.press("n")
    screen.see(".step[open] .as-told", "TimeoutError")
    screen.press("n")
    screen.see(".step[open] .as-told", "line")
    assert screen.count(".step[open]") == 1
    shown = screen.text(".reward-terms")
    for term in site.memory.explain_reward(name).terms:
        assert term.name in shown
        assert term.why in shown
    assert screen.faults() == []
    screen.page.get_by_role("button", name="Go to step 3").first.click()
    screen.see(".step[open] .as-told", "12 passed")
    screen.press("Escape")
    screen.see(".detail", "Choose an entry")


def test_a_pattern_shows_what_speaks_for_it_and_what_it_brought(screen: Screen, site: Site) -> None:
    first, _ = _attempt(site, "Make the test stable"), _attempt(site, "Make the login test stable")
    site.memory.extract_patterns()
    pattern = site.memory.list_patterns(kind="recovery").patterns[0]
    told = site.memory.create_episode("Make the signup test stable")
    site.memory.note_shown(told, [pattern.id])
    site.memory.complete_episode(told, "success", "as told")
    screen.open("time")
    screen.press("t")
    screen.see(".view-time h1", "Patterns")
    screen.page.get_by_label("Kind").select_option("recovery")
    screen.gone(".pattern", "sequence")
    screen.press("Tab", "j")
    screen.see(".detail .content", pattern.advice[:30])
    arithmetic = screen.text(".arithmetic")
    for line in site.memory.explain_pattern(pattern.id).arithmetic:
        assert line in arithmetic
    (effect,) = site.memory.pattern_effectiveness(pattern.id)
    assert effect.shown == 1
    screen.see(".detail .facts", f"{effect.effectiveness:.0%}")
    assert screen.faults() == []
    screen.see(".detail .feed a", "Make the test stable").click()
    screen.see(".detail h2", "Make the test stable")
    assert first in screen.page.evaluate("location.hash")


def test_a_phone_shows_the_episode_above_the_timeline(screens: OpenScreen, site: Site) -> None:
    _attempt(site, "Make the test of a very long name stable " * 6)
    for number in range(30):
        _event(site, f"read file {number}", outcome=f"read {number}")
    screen = screens(site.url, PHONE).open("time")
    screen.see(".entry.episode").click()
    screen.see(".detail.open h2", "Make the test")
    screen.wait("document.querySelector('.detail').getBoundingClientRect().top < 200")
    screen.wait("document.querySelector('.detail').getBoundingClientRect().top >= 0")
    assert screen.widest() <= 0
    assert screen.faults() == []
