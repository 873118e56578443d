"""Admin in a real browser: what looks after the memory, and that what is dangerous asks first."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import Screen

from conftest import PHONE, OpenScreen, Site
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.logging import configure_logging, release_logging
from support import wait_until

PANELS = ["spaces", "keys", "audit", "jobs", "retention", "backups", "alerts", "storage", "logs"]
HOSTILE = "<img src=x onerror=alert(1)>"


def _act(screen: Screen, name: str) -> Any:
    return screen.page.locator("main").get_by_role("button", name=name, exact=True).first


def _in_dialog(screen: Screen, name: str) -> None:
    screen.see("dialog footer button", name)
    screen.page.locator("dialog footer").get_by_role("button", name=name, exact=True).click()


def _given_up(site: Site, *keys: str) -> None:
    context = site.memory._context
    for key in keys:
        context.store.jobs.enqueue(context.space, "none's work", key, "", 0)
        job = context.store.jobs.claim(["none's work"], context.clock(), 1)
        assert job is not None
        context.store.jobs.fail(job.id, job.claim, f"ValueError: {HOSTILE}", None)


@pytest.fixture
def filled(site: Site) -> Site:
    """A memory with something for every panel, some of it hostile."""
    site.memory.store("The harbour opens at nine", tags=[HOSTILE], project=HOSTILE)
    site.memory.within("team-a").store("Another space")
    site.memory.create_key(HOSTILE)
    site.memory.set_hold("17", HOSTILE, project="shop")
    site.memory.set_retention("event", days=90)
    site.memory.create_backup()
    _given_up(site, HOSTILE)
    return site


@pytest.mark.parametrize("panel", PANELS)
def test_every_panel_can_be_read_by_everybody_on_a_phone_too(
    screens: OpenScreen, filled: Site, panel: str
) -> None:
    screen = screens(filled.url, PHONE, color_scheme="dark").open(f"admin/{panel}")
    screen.see(".view-admin td, .view-admin .empty")
    assert screen.widest() <= 0
    assert screen.faults() == []
    assert screen.count("main img") == 0


def test_subjects_are_turned_by_keys(screen: Screen, filled: Site) -> None:
    screen.open("admin")
    screen.see("th", "team-a")
    screen.press("]")
    screen.see("th", HOSTILE)
    screen.press("[", "[", "[")
    screen.see(".facts", "store")


def test_one_goes_to_another_space(screen: Screen, filled: Site) -> None:
    screen.open("admin/spaces")
    screen.see("tr", "team-a").get_by_role("button", name="Go there").click()
    screen.see("tr", "you are here")
    screen.press("g", "b")
    screen.see(".row", "Another space")
    assert screen.count(".row") == 1


def test_a_key_is_made_shown_once_given_a_new_secret_and_ended(screen: Screen, site: Site) -> None:
    screen.open("admin/keys")
    _act(screen, "New key").click()
    assert screen.faults() == []
    screen.page.get_by_label("For whom or what").fill("ci")
    screen.page.get_by_label("write: store").check()
    screen.page.get_by_label("Ends").fill("yesterday, perhaps")
    _in_dialog(screen, "Create")
    screen.see("dialog .problem", "expires")
    screen.problems.clear()
    screen.page.get_by_label("Ends").fill("90d")
    screen.page.get_by_label("Calls a minute").fill("60")
    _in_dialog(screen, "Create")
    secret = screen.see("dialog .secret").input_value()
    assert secret.startswith("mp_")
    assert screen.faults() == []
    _in_dialog(screen, "I have it")
    screen.see("tr", "read, write")
    (key,) = site.memory.list_keys()
    assert (key.name, key.scopes, key.limits) == ("ci", ("read", "write"), {"requests": 60})
    assert secret not in screen.page.content()

    screen.see("tr", "ci").get_by_role("button", name="Rotate").click()
    screen.page.get_by_label("Hours that the old secret").fill("0")
    _in_dialog(screen, "Rotate")
    assert screen.see("dialog .secret").input_value() != secret
    _in_dialog(screen, "I have it")
    screen.wait("document.querySelectorAll('tbody tr').length == 2")

    screen.page.get_by_role("button", name="Revoke").click()
    screen.see("dialog", "ends at once")
    _in_dialog(screen, "Cancel")
    assert not any(key.revoked for key in site.memory.list_keys())
    screen.page.get_by_role("button", name="Revoke").click()
    _in_dialog(screen, "Revoke")
    screen.see(".chip.bad", "revoked")
    # Who works by keyboard goes on where they were.
    screen.wait("document.querySelector('.view-admin section').contains(document.activeElement)")
    assert any(key.revoked for key in site.memory.list_keys())


def test_the_audit_is_filtered_and_verified(screen: Screen, site: Site) -> None:
    site.memory.delete(site.memory.store("Not for long"))
    site.memory.create_key("ci")
    screen.open("admin/audit")
    screen.see("tr", "create_key")
    screen.page.get_by_label("Containing").fill("DELETE")
    screen.gone("tr", "create_key")
    screen.see("tr", "delete")
    screen.page.get_by_label("Containing").fill("")
    screen.page.get_by_label("Operation", exact=True).fill("store")
    screen.press("Tab")
    screen.gone("tr", "create_key")
    screen.see("tr", "store")
    _act(screen, "Verify").click()
    screen.see(".fine", site.memory.verify_audit().digest)


def test_work_that_was_given_up_is_tried_again_or_forgotten(screen: Screen, site: Site) -> None:
    _given_up(site, "one", "two")
    screen.open("admin/jobs")
    screen.see("tr", "one").get_by_role("button", name="Try again").click()
    screen.see(".toast", "1 will be tried again")
    assert [job.key for job in site.memory.list_jobs(state="dead")] == ["two"]
    screen.see("tr", "two").get_by_role("button", name="Forget").click()
    screen.see("dialog", "Nothing does this work any more")
    _in_dialog(screen, "Forget")
    screen.gone("tr", "two")
    assert site.memory.list_jobs(state="dead") == []
    screen.page.get_by_label("State").select_option("dead")
    screen.see(".empty", "No work is put off")


def test_rules_are_planned_and_applied_and_a_hold_is_set_and_released(
    screen: Screen, site: Site
) -> None:
    site.memory.store("Old and held", created="2020-01-01", project="shop", kind="note")
    site.memory.store("Old and free", created="2020-01-01", kind="note")
    screen.open("admin/retention")
    screen.page.get_by_label("Kind").fill("note")
    screen.page.get_by_label("Days", exact=True).fill("30")
    screen.press("Enter")
    screen.see("tr", "30 days")

    _act(screen, "New hold").click()
    screen.page.get_by_label("What it is called").fill("17")
    screen.page.get_by_label("Why").fill("a dispute")
    screen.page.get_by_label("Which").fill("shop")
    assert screen.faults() == []
    _in_dialog(screen, "New hold")
    screen.see("tr", "project shop")

    _act(screen, "Plan").click()
    _act(screen, "Delete for good").click()
    screen.see("dialog", "Delete 1 for good?")
    _in_dialog(screen, "Cancel")
    assert site.memory.stats().memories == 2
    _act(screen, "Delete for good").click()
    _in_dialog(screen, "Delete for good")
    screen.see("tr", "note 30 days")
    assert [each.preview for each in site.memory.list_memories().memories] == ["Old and held"]

    _act(screen, "Release").click()
    _in_dialog(screen, "Release")
    screen.see(".empty", "Nothing is held.")
    assert site.memory.list_holds() == []


def test_a_copy_is_made_and_listed(screen: Screen, site: Site) -> None:
    site.memory.store("The harbour opens at nine")
    screen.open("admin/backups")
    screen.see(".empty", "no copy yet")
    _act(screen, "Copy now").click()
    screen.see("tr", "backup")
    (copy,) = site.memory.list_backups()
    screen.see("tr", copy.file)


def test_copies_are_made_by_themselves_elsewhere_too_and_one_is_tried(
    screen: Screen, site: Site, tmp_path: Path
) -> None:
    site.memory.store("The harbour opens at nine")
    elsewhere = tmp_path / "elsewhere"
    site.memory.schedule_backup("off", to=str(elsewhere), drill="daily")
    screen.open("admin/backups")
    screen.see(".panel", "No copies are made by themselves")
    assert screen.page.get_by_role("button", name="Run a drill").is_disabled()
    screen.page.get_by_label("Copy", exact=True).select_option("weekly")
    screen.page.get_by_label("Copies that stay").fill("3")
    _act(screen, "Save").click()
    screen.see(".toast", "Set")
    status = site.memory.backup_status()
    assert (status.every, status.keep, status.to) == ("weekly", 3, str(elsewhere))
    assert status.drill_every == "daily", "what was not changed stays"
    # Whoever is first makes it: the server, or we here.
    wait_until(lambda: (site.memory.run_jobs(), site.memory.backup_status().drill)[1])

    screen.press("r")
    screen.see(".panel", "Last copy")
    screen.see("tr .chip", "elsewhere")
    _act(screen, "Run a drill").click()
    screen.see(".toast", "restores whole")
    screen.see(".facts", "1 of 1")
    assert screen.faults() == []
    screen.page.goto(f"{site.url}/#/home")
    screen.see(".health a", "last copy").click()
    (copy,) = elsewhere.glob("*.db")
    copy.write_bytes(b"no longer a store")
    _act(screen, "Run a drill").click()
    screen.see(".panel .problem", "cannot be relied on")
    screen.see(".panel .note", "One could be relied on")
    screen.page.get_by_label("Copy", exact=True).select_option("off")
    _act(screen, "Save").click()
    screen.gone(".panel", "Next")
    assert site.memory.backup_status().every == "off"


def test_what_fires_is_told_of_and_rules_are_changed(
    screens: OpenScreen, screen: Screen, site: Site
) -> None:
    screen.open("admin/alerts")
    _given_up(site, "one")
    _act(screen, "Check now").click()
    screen.see(".problem", "1 job failed for good")
    assert screen.faults() == []
    _act(screen, "Send a test").click()
    screen.see(".problem", "set alert_command")

    reader = screens(site.url)
    reader.page.goto(site.url)
    secret = site.memory.create_key("reader", scope="read", spaces="*").secret
    reader.page.evaluate("async key => (await import('/ui/api.js')).enter({key})", secret)
    reader.open("home")
    reader.page.reload()
    reader.see(".health", "1 alert fires")
    assert reader.count(".health a") == 0
    screen.page.goto(f"{site.url}/#/home")
    screen.see("ul.problem", "jobs: 1 job failed")
    assert screen.faults() == []
    screen.see(".health a", "1 alert fires").click()

    jobs = screen.see("tr", "more work failed")
    jobs.get_by_role("button", name="Change").click()
    screen.page.get_by_label("Threshold").fill("many")
    _in_dialog(screen, "Change")
    screen.see("dialog .problem", "such as 0")
    screen.problems.clear()
    screen.page.get_by_label("Threshold").fill("3")
    _in_dialog(screen, "Change")
    screen.see(".fine", "Nothing fires")
    screen.see("tr", "less is free").get_by_role("button", name="Switch off").click()
    screen.see("tr .chip", "off")
    states = {alert.rule: (alert.threshold, alert.state) for alert in site.memory.alerts().alerts}
    assert (states["jobs"], states["disk"]) == (("3", "quiet"), ("off", "off"))
    screen.see("tr", "less is free").get_by_role("button", name="Switch on").click()
    screen.see("tr", "500MB")


def test_the_store_is_looked_at_and_checked(screen: Screen, site: Site) -> None:
    site.memory.store("The harbour opens at nine")
    screen.open("admin/storage")
    screen.see("tr", "schema")
    screen.see(".facts", "1")
    _act(screen, "Check all").click()
    screen.see(".fine", "its index agrees with it")


@pytest.fixture
def logged(site: Site) -> Iterator[None]:
    """What the server does is logged, and errors as well."""
    level = logging.getLogger().level
    configure_logging(site.settings, to_file=True)
    logging.getLogger("milepost.tests").error("The disk is <b>full</b>")
    yield
    release_logging()
    logging.getLogger().setLevel(level)


def test_the_log_is_filtered_by_level_words_and_request(
    screen: Screen, site: Site, logged: None
) -> None:
    with MilepostClient(site.url) as client:
        client.create_key("ci")
        client.delete(client.store("Not for long"))
    screen.open("admin/logs")
    screen.see("tr", "delete")
    screen.page.get_by_label("Containing").fill("BACKUP")
    screen.see(".empty", "Nothing was logged")
    screen.page.get_by_label("Containing").fill("")
    screen.page.get_by_label("Level").select_option("error")
    screen.see("tr .chip.bad", "error")
    screen.gone("tr", "delete")
    screen.see("td", "The disk is <b>full</b>")
    # What the audit tells of, the log tells more of.
    screen.open("admin/audit")
    request = screen.see("tr", "create_key").locator("td a").inner_text()
    screen.see("tr", "create_key").locator("td a").click()
    screen.see("tr", "create_key")
    screen.gone("tr", "delete")
    assert {line.operation for line in site.memory.read_logs(request=request)} == {"create_key"}


def test_who_may_look_after_one_space_is_told_what_is_for_others(
    screens: OpenScreen, filled: Site
) -> None:
    secret = filled.memory.create_key("ann", scope=["read", "admin"], spaces="team-a").secret
    screen = screens(filled.url)
    screen.page.goto(filled.url)
    screen.page.evaluate("async key => (await import('/ui/api.js')).enter({key})", secret)
    screen.open("admin/spaces")
    screen.page.reload()
    screen.see("th", "team-a")
    assert screen.count("tbody tr") == 1
    screen.press("]")
    screen.see("tr", "ann")
    assert HOSTILE not in screen.text()
    screen.open("admin/storage")
    screen.see(".problem", "the whole store")
    screen.problems.clear()


def test_who_may_not_look_after_it_does_not_see_the_view(screens: OpenScreen, site: Site) -> None:
    secret = site.memory.create_key("reader", scope="read").secret
    screen = screens(site.url)
    screen.page.goto(site.url)
    screen.page.evaluate("async key => (await import('/ui/api.js')).enter({key})", secret)
    screen.open("home")
    screen.page.reload()
    screen.see("nav a", "Browse")
    assert "Admin" not in screen.text("nav")
    screen.page.goto(f"{site.url}/#/admin")
    screen.see(".empty", "lacks the scope admin")
