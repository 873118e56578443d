"""Graph in a real browser: entities around a subject, by pointer and by keyboard, now and then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pages import Screen

from conftest import PHONE, OpenScreen, Site

NODES = 500
HERE = "document.querySelector('canvas.graph').place"


def _known(site: Site) -> None:
    now = datetime.now(UTC)
    say, kinds = site.memory.create_relation, {"checkout": "service", "PostgreSQL": "package"}
    for name, kind in kinds.items():
        site.memory.create_entity(name, entity_type=kind)
    changed = now - timedelta(days=30)
    say("checkout", "uses", "MySQL", valid_from=now - timedelta(days=90), valid_to=changed)
    say("checkout", "uses", "PostgreSQL", valid_from=changed)
    say("PostgreSQL", "has", "JSONB", valid_from=changed)
    say("JSONB", "stores", "documents", valid_from=changed)
    site.memory.add_observation("checkout", "retries three times", valid_from=changed)


def _press(screen: Screen, name: str) -> None:
    """Press on an entity, wherever it came to lie."""
    screen.wait("document.querySelector('canvas').dataset.still === 'true'")
    x, y = screen.page.evaluate(f"{HERE}('{name}')")
    screen.page.locator("canvas").click(position={"x": x, "y": y})


def _still(screen: Screen) -> None:
    screen.wait("document.querySelector('canvas').dataset.still === 'true'")


def test_one_finds_an_entity_and_sees_what_is_known_of_it(screen: Screen, site: Site) -> None:
    _known(site)
    told = site.memory.store("The billing service uses Redis.")
    screen.open("graph")
    screen.page.get_by_role("searchbox").fill("check")
    screen.see(".found button", "checkout")
    screen.press("ArrowDown", "Enter")
    screen.see(".detail h2", "checkout")
    shown = screen.text(".detail")
    for part in ("service", "uses", "PostgreSQL", "since", "stated", "retries three times"):
        assert part in shown
    assert "MySQL" not in shown
    assert "entity=checkout" in screen.page.evaluate("location.hash")
    assert screen.faults() == []
    screen.page.get_by_role("searchbox").fill("Redis")
    screen.see(".found button", "Redis").click()
    screen.see(".detail .feed a", told)
    screen.page.get_by_role("searchbox").fill("nothing of the kind")
    screen.see(".found", "No entity")


def test_who_is_unknown_is_said_to_be_and_all_is_shown(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("graph", entity="nobody")
    screen.see(".toast.error", "There is no entity 'nobody'")
    screen.see("[role=status]", "4 entities")
    assert screen.count(".toast") == 1
    screen.problems[:] = [problem for problem in screen.problems if "404" not in problem]


def test_a_press_chooses_and_another_expands(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("graph", entity="checkout")
    screen.see(".detail h2", "checkout")
    screen.see("[role=status]", "1 more relation")
    _press(screen, "PostgreSQL")
    screen.see(".detail h2", "PostgreSQL")
    _press(screen, "PostgreSQL")
    screen.see(".types", "term 1")
    screen.see("[role=status]", "1 more relation around PostgreSQL")
    screen.page.locator("summary", has_text="As a list").click()
    screen.see(".table td", "JSONB")
    screen.page.locator(".table").get_by_role("button", name="JSONB").click()
    screen.see(".detail h2", "JSONB")
    assert screen.faults() == []


def test_the_keyboard_goes_from_one_to_the_next(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("graph", entity="checkout")
    screen.see(".detail h2", "checkout")
    _still(screen)
    screen.page.locator("canvas").focus()
    (ax, ay), (bx, by) = (
        screen.page.evaluate(f"{HERE}('{n}')") for n in ("checkout", "PostgreSQL")
    )
    aside = abs(bx - ax) >= abs(by - ay)
    screen.press(
        ("ArrowRight" if bx > ax else "ArrowLeft")
        if aside
        else ("ArrowDown" if by > ay else "ArrowUp")
    )
    screen.see(".detail h2", "PostgreSQL")
    screen.press("Enter")
    screen.see("[role=status]", "around PostgreSQL")
    screen.press("+", "-", "0", "l")
    screen.see(".table td", "JSONB")
    screen.press("o")
    screen.see("[role=status]", "2 more relations around PostgreSQL")
    screen.press("Escape")
    screen.see(".detail", "Choose an entity")


def test_the_past_is_seen_as_it_was(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("graph", entity="checkout")
    screen.see(".detail .feed", "PostgreSQL")
    screen.page.get_by_label("As of").fill("-60")
    screen.see(".detail .feed", "MySQL")
    screen.see(".detail .feed", "to ")
    assert "PostgreSQL" not in screen.text(".detail")
    assert "retries" not in screen.text(".detail")


def test_a_type_is_hidden_and_shown(screen: Screen, site: Site) -> None:
    _known(site)
    screen.open("graph")
    screen.see("[role=status]", "4 entities, 3 relations")
    screen.page.locator(".types").get_by_role("button", name="package").click()
    screen.see("[role=status]", "3 entities, 1 relation")
    screen.page.locator(".types").get_by_role("button", name="package").click()
    screen.see("[role=status]", "4 entities, 3 relations")


def test_five_hundred_nodes_come_to_rest_apart_from_one_another(screen: Screen, site: Site) -> None:
    kinds = "service package person place file decision version".split()
    names = [f"{kinds[n % 7]}-{n}" for n in range(NODES)]
    entities = [{"type": "entity", "name": n, "entityType": n.partition("-")[0]} for n in names]
    relations = [
        {"type": "relation", "from": names[n], "to": names[n // 3], "relationType": "uses"}
        for n in range(1, NODES)
    ]
    site.memory.import_graph([*entities, *relations])
    screen.open("graph")
    for _ in range(2):
        screen.page.get_by_role("button", name="More").click()
    screen.see("[role=status]", f"{NODES} entities, {NODES - 1} relations")
    _still(screen)
    places = screen.page.evaluate(f"[{', '.join(repr(n) for n in names)}].map({HERE})")
    spots = {(round(x / 3), round(y / 3)) for x, y in places}
    assert len(spots) > 0.9 * NODES
    size = screen.page.locator("canvas").bounding_box()
    assert all(0 < x < size["width"] and 0 < y < size["height"] for x, y in places)
    # What is joined lies nearer than what is not.
    joined = [(n, n // 3) for n in range(1, NODES)]
    apart = [(n, (n * 7 + 250) % NODES) for n in range(1, NODES)]
    near, far = (
        sum(
            ((places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2) ** 0.5
            for a, b in pairs
        )
        for pairs in (joined, apart)
    )
    assert near < far / 2


def test_a_phone_shows_the_graph_and_what_is_known_below(screens: OpenScreen, site: Site) -> None:
    _known(site)
    screen = screens(site.url, PHONE).open("graph", entity="checkout")
    screen.see(".detail.open h2", "checkout")
    assert screen.widest() <= 0
    assert screen.faults() == []
