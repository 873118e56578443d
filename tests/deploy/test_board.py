"""The board for Grafana asks for nothing that a server does not tell, in PromQL that parses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml
from container import DEPLOY

from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running

promql = pytest.importorskip("promql_parser", reason="a development extra")

BOARD = json.loads((DEPLOY / "grafana" / "milepost.json").read_text())
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = [(panel["title"], each["expr"]) for panel in PANELS for each in panel["targets"]]
# Labels that Prometheus gives, or the scrape that `deploy/prometheus.yml` describes.
GIVEN = {"store", "instance", "le"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Return every metric that a server tells, with its labels, after a little of everything."""
    settings = settings_for(tmp_path_factory.mktemp("board") / "m.db")._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as url:
        memory.store("The lamp is lit at dusk")
        for _ in range(2):
            memory.search("lamp")
        episode = memory.create_episode("light the lamp")
        memory.complete_episode(episode, "success")
        memory.run_jobs()
        with urlopen(f"{url}/tools/stats/execute", b"") as reply:
            reply.read()
        with urlopen(f"{url}/metrics") as reply:
            return metrics_in(reply.read().decode())


def metrics_in(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE):
        ends = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        found |= {name + end: set() for end in ends}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        found[name] |= set(re.findall(r"(\w+)=\"", labels))
    return found


def plain(expression: str) -> str:
    """Return an expression as Grafana sends it."""
    sent = expression.replace("$__rate_interval", "1m").replace("$store", "main")
    sent = sent.replace("$space", ".*")
    assert "$" not in sent
    return sent


def parts(node: Any) -> Iterator[Any]:
    """Yield an expression and all that it is made of."""
    yield node
    for name in ("expr", "lhs", "rhs", "vector_selector", "vs", "args"):
        inner = getattr(node, name, None)
        for part in inner if isinstance(inner, list) else [inner]:
            if part is not None:
                yield from parts(part)


def selectors(expression: str) -> Iterator[Any]:
    for part in parts(promql.parse(plain(expression))):
        if isinstance(part, promql.VectorSelector):
            yield part


@pytest.mark.slow
@pytest.mark.parametrize(("title", "expression"), EXPRESSIONS)
def test_what_a_panel_asks_for_is_told(
    told: dict[str, set[str]], title: str, expression: str
) -> None:
    found = list(selectors(expression))
    assert found, title
    assert {s.name for s in found} == set(re.findall(r"\b(?:milepost|process)_\w+", expression))
    for selector in found:
        assert selector.name in told, f"{title}: no server tells {selector.name}"
        asked = {matcher.name for matcher in selector.matchers.matchers} - GIVEN
        if told[selector.name]:
            assert asked <= told[selector.name], title


def test_an_expression_that_does_not_parse_is_noticed() -> None:
    with pytest.raises(ValueError, match="parenthesis"):
        list(selectors("sum by (x (rate(milepost_calls_total[5m]))"))


def test_every_panel_has_a_place_of_its_own_and_a_title() -> None:
    places = [(p["gridPos"]["x"], p["gridPos"]["y"]) for p in BOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({p["id"] for p in BOARD["panels"]}) == len(BOARD["panels"])
    assert all(p["title"] for p in BOARD["panels"])


def test_the_scrape_names_the_store_that_the_board_asks_for() -> None:
    scrape = yaml.safe_load(Path(DEPLOY / "prometheus.yml").read_text())
    (job,) = scrape["scrape_configs"]
    assert job["metrics_path"] == "/metrics"
    assert all("store" in each["labels"] for each in job["static_configs"])
