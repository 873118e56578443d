"""What is logged: one line of JSON each, by the request it was for, and never what memories say."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import done, milepost
from test_http import Site
from test_mcp import peer_of

from milepost import Milepost, NotFound, StoreError, connect
from milepost.access.values import CALLER, Caller
from milepost.config import Settings
from milepost.log_file import log_file
from milepost.opening import settings_for
from milepost.request import REQUEST, begin, is_id
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import running
from milepost.surfaces.logging import configure_logging, release_logging
from milepost.upkeep.values import LogLine
from support import kept_warm, patched

RARE = ("zephyrine", "quokkas", "marmalade")
PHRASE = f"The {RARE[0]} {RARE[1]} eat {RARE[2]}"
UNKNOWN = "00000000"


@pytest.fixture
def settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("MILEPOST_URL", str(path))
    settings = settings_for(path)._replace(port=0)
    level = logging.getLogger().level
    configure_logging(settings, to_file=True)
    yield settings
    release_logging()
    logging.getLogger().setLevel(level)


@pytest.fixture
def memory(settings: Settings) -> Iterator[Milepost]:
    with connect(settings.url) as memory:
        assert isinstance(memory, Milepost)
        yield memory


@pytest.fixture
def site(memory: Milepost, settings: Settings) -> Iterator[Site]:
    with running(memory, settings) as url:
        yield Site(url, memory)


def written(settings: Settings) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log_file(settings).read_text().splitlines()]


def ended(settings: Settings) -> dict[str, Any]:
    """Return what was logged last of a call of an operation."""
    return [line for line in written(settings) if line["logger"] == "milepost.calls"][-1]


def test_a_line_tells_when_who_and_for_whom(site: Site, settings: Settings) -> None:
    reply = site.call("get", {"hash": UNKNOWN}, X_Request_Id="mine-1")

    assert reply.status == 404
    assert reply.headers["x-request-id"] == "mine-1"
    assert json.loads(reply.body)["request"] == "mine-1"
    line = ended(settings)
    assert line["time"].endswith("+00:00")
    assert line | {"time": "", "process": 0} == {
        "time": "",
        "level": "info",
        "process": 0,
        "logger": "milepost.calls",
        "message": "not_found",
        "request": "mine-1",
        "operation": "get",
        "space": "default",
        "surface": "http",
    }
    answered = written(settings)[-1]
    assert (answered["request"], answered["operation"]) == ("mine-1", "get")


@pytest.mark.parametrize("given", ["", "two\tparts", "x" * 65, "a b", "<script>"])
def test_an_id_that_could_break_a_line_is_not_taken(site: Site, given: str) -> None:
    told = site.get("/healthz", X_Request_Id=given).headers["x-request-id"]
    assert is_id(told)
    assert told != given


def test_every_request_has_another_id(site: Site) -> None:
    told = {site.get("/healthz").headers["x-request-id"] for _ in range(5)}
    assert len(told) == 5


def test_a_client_passes_its_request_on_and_tells_it_in_errors(
    site: Site, settings: Settings
) -> None:
    with MilepostClient(site.url) as client:
        with pytest.raises(NotFound) as refusal:
            client.get(UNKNOWN)
        assert refusal.value.request == ended(settings)["request"]
        token = begin("known-here")
        with pytest.raises(NotFound) as refusal:
            client.get(UNKNOWN)
        REQUEST.reset(token)
        assert refusal.value.request == ended(settings)["request"] == "known-here"


def test_a_warm_process_logs_the_request_of_whoever_asked_it(settings: Settings) -> None:
    with (
        kept_warm(Path(settings.url)),
        connect(settings.url) as asked,
        pytest.raises(NotFound) as refusal,
    ):
        asked.get(UNKNOWN)
    line = ended(settings)
    assert line["surface"] == "warm process"
    assert line["request"] == refusal.value.request != ""


def test_a_call_of_a_program_is_a_request_of_its_own(memory: Milepost, settings: Settings) -> None:
    found = set[str]()
    for _ in range(2):
        with pytest.raises(NotFound) as refusal:
            memory.get(UNKNOWN)
        found.add(refusal.value.request)
    assert len(found) == 2
    assert ended(settings)["request"] in found
    assert REQUEST.get() is None


def test_the_audit_names_the_request_that_a_deed_was_done_for(site: Site) -> None:
    stored = site.call("store", {"content": PHRASE}, X_Request_Id="deed-7")
    assert stored.status == 200
    assert [entry.request for entry in site.memory.audit()] == ["deed-7"]
    assert site.memory.verify_audit().problems == ()


def test_mcp_over_http_works_for_the_request_of_its_header(site: Site, settings: Settings) -> None:
    called = {"name": "call_tool", "arguments": {"name": "get", "args": {"hash": UNKNOWN}}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}
    taken = {"Content_Type": "application/json", "X_Request_Id": "told-by-mcp"}
    accepted = "application/json, text/event-stream"
    site.ask("POST", "/mcp", json.dumps(message), Accept=accepted, **taken)
    line = ended(settings)
    assert (line["request"], line["surface"]) == ("told-by-mcp", "mcp")


@pytest.mark.slow
def test_each_call_of_an_mcp_client_is_a_request(path: Path) -> None:
    with peer_of(path) as peer:
        peer.greet()
        told = []
        for _ in range(2):
            wrong = {"name": "get", "args": {"hash": UNKNOWN}}
            result = peer.ask("tools/call", name="call_tool", arguments=wrong)["result"]
            told.append(result["_meta"]["milepost/request"])
    lines = [json.loads(line) for line in log_file(settings_for(path)).read_text().splitlines()]
    ids = [line["request"] for line in lines if line["logger"] == "milepost.calls"]
    assert len(set(ids)) == 2
    assert ids == told


def test_work_that_was_put_off_is_a_request_of_its_own(
    memory: Milepost, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(PHRASE)

    monkeypatch.setattr("milepost.experience.learning.learn", fail)
    episode = memory.create_episode("Take in the harvest")
    memory.complete_episode(episode, "success")
    memory.run_jobs()
    line = next(line for line in written(settings) if line["level"] == "warning")
    assert line["operation"].startswith("job ")
    assert line["space"] == "default"
    assert line["request"]
    assert "in fail" in line["stack"]


def test_nothing_of_what_memories_say_is_logged(site: Site, settings: Settings) -> None:
    memory = site.memory
    memory.store(PHRASE)

    def fail(*_: object, **__: object) -> None:
        try:
            raise KeyError(PHRASE)
        except KeyError as problem:
            raise ValueError(f"cannot read {PHRASE}") from problem

    site.call("search", {"query": RARE[0]})
    site.call("get", {"hash": PHRASE})
    site.call("store", {"content": PHRASE, "colour": RARE[2]})
    site.call("search", json.dumps([PHRASE]).encode())
    patched(memory, "search", fail)
    assert site.call("search", {"query": RARE[1]}).status == 500
    logging.getLogger("milepost.test").error("lost: %s", ValueError(PHRASE))

    files = log_file(settings).parent.glob("milepost.log*")
    text = "".join(file.read_text() for file in files)
    assert "ValueError" in text
    assert "in fail" in text, "the stack"
    assert not [word for word in RARE if word in text]


def test_no_secret_is_logged(settings: Settings) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    logging.getLogger("milepost.test").error("refused with %s", token)
    assert token not in log_file(settings).read_text()


def test_a_store_that_is_away_is_logged_as_an_error_and_told_once(
    memory: Milepost, settings: Settings, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def away(*_: object, **__: object) -> None:
        raise StoreError("The disk is gone.")

    monkeypatch.setattr("milepost.memory.search.find_record", away)
    with pytest.raises(StoreError):
        memory.get("abcd1234")
    line = ended(settings)
    assert (line["level"], line["message"]) == ("error", "store: The disk is gone.")
    assert capsys.readouterr().err == ""


# Reading it.


def logged(settings: Settings) -> None:
    log = logging.getLogger("milepost.test")
    log.info("the lamp was lit")
    log.warning("the oil is low")
    log.error("the Lamp went out")


def test_the_log_is_read_by_level_words_request_and_time(
    memory: Milepost, settings: Settings
) -> None:
    logged(settings)

    def told(**asked: Any) -> list[str]:
        return [line.message for line in memory.read_logs(**asked)]

    assert told(level="warning") == ["the oil is low", "the Lamp went out"]
    assert told(grep="lamp") == ["the lamp was lit", "the Lamp went out"]
    assert told(limit=1) == ["the Lamp went out"]
    assert told(since="1h", level="error") == ["the Lamp went out"]
    assert told(since="2199-01-01") == []
    with pytest.raises(NotFound) as refusal:
        memory.get(UNKNOWN)
    assert told(request=refusal.value.request) == ["not_found"]


@pytest.mark.parametrize(
    "wrong", [{"level": "loud"}, {"limit": 0}, {"grep": ""}, {"since": "soon"}, {"request": ""}]
)
def test_what_cannot_be_meant_is_refused(memory: Milepost, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        memory.read_logs(**wrong)


def test_a_line_that_a_full_disk_cut_off_hides_no_other(
    memory: Milepost, settings: Settings
) -> None:
    place = log_file(settings)
    place.write_text('{"time":"2026-01-01T00:00:00+00:00","level":"err')
    logged(settings)
    assert [line.message for line in memory.read_logs()][:2] == [
        "the lamp was lit",
        "the oil is low",
    ]


def test_lines_that_were_rotated_away_are_read_too(memory: Milepost, settings: Settings) -> None:
    logged(settings)
    log_file(settings).rename(f"{log_file(settings)}.1")
    logged(settings)
    assert len(memory.read_logs()) == 6


def test_who_may_enter_one_space_reads_its_lines_alone(
    memory: Milepost, settings: Settings
) -> None:
    with pytest.raises(NotFound):
        memory.within("theirs").get(UNKNOWN)
    with pytest.raises(NotFound):
        memory.within("ours").get(UNKNOWN)
    logged(settings)
    token = CALLER.set(Caller("ann", key="k1", spaces=("ours",)))
    try:
        lines = memory.within("ours").read_logs()
    finally:
        CALLER.reset(token)
    assert {line.space for line in lines} == {"ours"}


def test_the_command_shows_readable_lines_or_json(memory: Milepost, settings: Settings) -> None:
    with pytest.raises(NotFound) as refusal:
        memory.get(UNKNOWN)
    logged(settings)
    shown = done("logs", "--level", "error", "--since", "1h")
    assert shown.endswith("the Lamp went out")
    assert "error milepost.test" in shown
    (line,) = milepost("logs", "--json", "--request", refusal.value.request).data
    assert LogLine(**line).operation == "get"
    assert done("logs", "--grep", "nothing like it") == ""
    assert milepost("logs", "--level", "loud").code == 2


def test_the_log_of_a_server_is_read_through_it(site: Site, settings: Settings) -> None:
    logged(settings)
    assert "went out" in done("logs", "--level", "error", "--url", site.url)
    assert milepost("logs", "--follow", "--url", site.url).code == 2
