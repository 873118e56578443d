"""Consolidation in a real browser: a plan as a diff, done and taken back; and its schedule."""

from __future__ import annotations

from typing import Any

from pages import Screen

from conftest import PHONE, OpenScreen, Site

SAME = "The cache of the shop is kept in Redis for ten minutes"
OLD, NEW = "The timeout of the gateway is 30 seconds", "The timeout of the gateway is 45 seconds"
HOSTILE = '"><img src=x onerror="document.body.dataset.hacked=1"><script>alert(1)</script>'


def _confirm(screen: Screen, name: str) -> None:
    screen.page.locator("dialog footer").get_by_role("button", name=name).click()
    screen.gone("dialog")


def _act(screen: Screen, name: str) -> Any:
    return screen.page.locator("main").get_by_role("button", name=name, exact=True)


def _known(site: Site) -> tuple[list[str], str, str]:
    same = site.memory.store_batch([SAME, f"{SAME}.", f"{SAME}!"])
    return same, site.memory.store(OLD), site.memory.store(NEW)


def _planned(screen: Screen) -> None:
    screen.open("consolidation")
    _act(screen, "Plan").click()
    screen.see(".run .chip", "planned")


def test_a_plan_is_a_diff_that_changes_nothing_until_it_is_applied(
    screen: Screen, site: Site
) -> None:
    same, old, new = _known(site)
    _planned(screen)
    screen.see(".change.merged .side", "goes into")
    screen.see(".change.superseded del", "30")
    screen.see(".change.superseded ins", "45")
    assert site.memory.get(old).superseded_by is None
    assert screen.faults() == []

    _act(screen, "Apply").click()
    screen.see("dialog", "can be taken back as a whole")
    assert screen.faults() == []
    _confirm(screen, "Cancel")
    assert site.memory.get(old).superseded_by is None
    _act(screen, "Apply").click()
    _confirm(screen, "Apply")
    screen.see(".run .chip", "applied")
    assert site.memory.get(old).superseded_by == new
    assert sum(site.memory.get(name).superseded_by is not None for name in same) >= 1
    screen.see(".feed .chip", "applied")


def test_what_is_taken_back_leaves_what_was_changed_since_and_names_it(
    screen: Screen, site: Site
) -> None:
    _, old, _ = _known(site)
    run = site.memory.consolidate()
    kept = run.merged[0].keep
    site.memory.update(kept, tags=["changed-since"])
    screen.open(f"consolidation/{run.run_id}")
    _act(screen, "Take back").click()
    _confirm(screen, "Take back")
    screen.see(".run .chip", "taken back")
    screen.see(".left-alone", f"{kept} was changed since and stays")
    assert site.memory.get(old).superseded_by is None
    assert site.memory.get(kept).tags == ("changed-since",)
    assert site.memory.get_consolidation(run.run_id).left != ()
    assert screen.count(".run button:has-text('Apply')") == 0


def test_a_refusal_is_told_in_words(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("consolidation")
    screen.page.get_by_label("Days back").fill("0")
    _act(screen, "Plan").click()
    screen.see(".problem", "days_back")
    screen.page.get_by_label("Days back").fill("7")
    screen.press("Enter")
    screen.see(".run .chip", "planned")
    # Another applied it meanwhile.
    run = site.memory.consolidation_status().runs[0].split()[0]
    site.memory.apply_consolidation(run)
    _act(screen, "Apply").click()
    _confirm(screen, "Apply")
    screen.see(".toast.error", "plan another")
    screen.problems.clear()  # what the browser says of the two answers that refused


def test_it_is_scheduled_paused_and_goes_on(screen: Screen, site: Site) -> None:
    screen.open("consolidation")
    screen.page.get_by_label("How often").select_option("weekly")
    screen.see(".panel", "It runs every week.")
    assert site.memory.consolidation_status().schedule == "weekly"
    _act(screen, "Pause").click()
    screen.see(".panel", "It is paused.")
    assert site.memory.consolidation_status().paused
    _act(screen, "Go on").click()
    screen.gone(".panel", "It is paused.")
    assert not site.memory.consolidation_status().paused


def test_hostile_memories_do_nothing_in_a_diff(screens: OpenScreen, site: Site) -> None:
    site.memory.store_batch([f"{SAME} {HOSTILE}", f"{SAME} {HOSTILE}."])
    screen = screens(site.url, PHONE)
    _planned(screen)
    screen.see(".change .content", "<img src=x")
    assert screen.widest() <= 0
    assert screen.page.evaluate("document.body.dataset.hacked ?? null") is None
    assert screen.count("main img, main script") == 0


def test_a_conflict_is_settled_and_that_is_taken_back(screen: Screen, site: Site) -> None:
    site.memory.create_relation("Ines", "works_at", "Acme")
    site.memory.create_relation("Ines", "works_at", "Beta")
    _known(site)
    assert {each.kind for each in site.memory.conflicts()} == {"memory", "relation"}
    screen.open("consolidation/conflicts")
    screen.see(".change", "Beta")
    assert screen.faults() == []
    for claim, kind in (("Beta", "relation"), ("45 seconds", "memory")):
        screen.see(".change .side", claim).get_by_role("button", name="Keep this").click()
        screen.gone(".change", claim)
        assert kind not in {each.kind for each in site.memory.conflicts()}
        screen.page.locator(".toast").last.get_by_role("button", name="Undo").click()
        screen.see(".change", claim)
        assert kind in {each.kind for each in site.memory.conflicts()}
    _act(screen, "Both hold").click()
    screen.gone(".change", "45 seconds")
