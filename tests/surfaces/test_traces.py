"""What a collector of OpenTelemetry hears: by OTLP over HTTP, on loopback, read as protobuf."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra telemetry")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from test_http import Site

from milepost import ConfigError, Milepost, NotFound, connect, telemetry
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.phases import tracers
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import running
from support import wait_until

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Collector:
    """Takes what is told at /v1/traces."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        heard = self.spans

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                assert self.path == "/v1/traces"
                for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                    for scope in resource.scope_spans:
                        heard.extend(scope.spans)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def heard(self, name: str, count: int = 1) -> list[Any]:
        """Wait for spans of a name."""
        wait_until(lambda: len([s for s in self.spans if s.name == name]) >= count)
        return [span for span in self.spans if span.name == name]


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.server.shutdown()
    collector.server.server_close()


@pytest.fixture
def memory(path: Path, collector: Collector) -> Iterator[Milepost]:
    with open_memory(settings_for(path)._replace(traces=collector.url)) as memory:
        yield memory
    telemetry.stop()


def about(span: Any) -> dict[str, Any]:
    return {pair.key: pair.value.string_value for pair in span.attributes}


@pytest.mark.slow
def test_a_call_is_a_span_with_its_phases(memory: Milepost, collector: Collector) -> None:
    memory.store("The lamp is lit at dusk")
    memory.within("harbour").search("when is the lamp lit?")
    with pytest.raises(NotFound):
        memory.get("00000000")

    (searched,) = collector.heard("search")
    told = about(searched)
    assert told["milepost.operation"] == "search"
    assert told["milepost.space"] == "harbour"
    assert told["milepost.surface"] == "python"
    assert told["milepost.request"]
    (phase,) = collector.heard("finding candidates")
    assert phase.trace_id == searched.trace_id
    assert phase.parent_span_id == searched.span_id
    began, ended = phase.start_time_unix_nano, phase.end_time_unix_nano
    assert searched.start_time_unix_nano <= began <= ended <= searched.end_time_unix_nano
    (refused,) = collector.heard("get")
    assert about(refused)["error.type"] == "not_found"
    assert refused.status.code == 2
    assert not any("lamp" in str(span) for span in collector.spans), "no word of a memory"


@pytest.mark.slow
def test_a_trace_goes_on_in_the_server_and_from_a_client_to_it(
    path: Path, collector: Collector
) -> None:
    settings = settings_for(path)._replace(port=0, traces=collector.url)
    with open_memory(settings) as memory, running(memory, settings) as url:
        site = Site(url, memory)
        site.call("tags", {}, traceparent=f"00-{TRACE}-{PARENT}-01", X_Request_Id="traced")
        site.call("stats", {}, traceparent="00-nonsense-01")
        with MilepostClient(url) as client:
            client.list_spaces()
    telemetry.stop()

    (tagged,) = collector.heard("tags")
    assert (tagged.trace_id.hex(), tagged.parent_span_id.hex()) == (TRACE, PARENT)
    assert about(tagged)["milepost.request"] == "traced"
    assert about(tagged)["milepost.surface"] == "http"
    (alone,) = collector.heard("stats")
    assert alone.parent_span_id == b""
    here, there = sorted(collector.heard("list_spaces", 2), key=lambda s: s.start_time_unix_nano)
    assert there.trace_id == here.trace_id
    assert there.parent_span_id == here.span_id


def test_nobody_is_told_unless_an_address_is_set(path: Path) -> None:
    with connect(path) as memory:
        memory.search("x")
    assert tracers == []
    with (
        pytest.raises(ConfigError, match="traces"),
        open_memory(settings_for(path)._replace(traces="collector:4318")),
    ):
        pass


@pytest.mark.slow
def test_a_collector_that_is_away_holds_nobody_up(path: Path) -> None:
    script = (
        "import sys, milepost\n"
        "milepost.store('the tide turns'); print(milepost.search('tide').total)\n"
        "assert 'opentelemetry.sdk' in sys.modules\n"
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as taken:
        away = f"http://127.0.0.1:{taken.server_port}"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"MILEPOST_URL": str(path), "MILEPOST_TRACES": away, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1\n"


def test_nothing_of_it_is_loaded_without_the_setting(path: Path) -> None:
    script = (
        "import sys, milepost; milepost.store('x'); milepost.search('x')\n"
        "assert not [m for m in sys.modules if m.startswith('opentelemetry')]\n"
    )
    env = {"MILEPOST_URL": str(path), "PATH": ""}
    subprocess.run([sys.executable, "-c", script], env=env, check=True)
