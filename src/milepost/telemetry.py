"""Tell an OpenTelemetry collector of calls: a span each, with its phases, over OTLP and HTTP.

Nothing of this is loaded, and nothing is sent, unless the setting traces names where.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from threading import Lock
from time import perf_counter_ns, time_ns
from typing import TYPE_CHECKING, Any

from milepost.errors import ConfigError
from milepost.phases import Phase, tracers

if TYPE_CHECKING:
    from opentelemetry import trace

    from milepost.phases import Span

_PATH = "/v1/traces"
# A collector that is away must hold up neither calls nor the end of a process.
_TIMEOUT_S = 2.0
_DELAY_MS = 1_000
_STARTING = Lock()
_started: list[str] = []


def start(endpoint: str) -> None:
    """Tell a collector of all calls of this process from now on, if an address is given."""
    with _STARTING:
        if not endpoint or endpoint in _started:
            return
        if not endpoint.startswith(("http://", "https://")):
            raise ConfigError("traces must be the http:// or https:// address of a collector.")
        tracers[:] = [Collected(_provider(endpoint))]
        _started[:] = [endpoint]


def stop() -> None:
    """Tell what is left to be told, and nobody from now on."""
    with _STARTING:
        for tracer in tracers:
            if isinstance(tracer, Collected):
                tracer.close()
        tracers.clear()
        _started.clear()


def _provider(endpoint: str) -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as problem:
        raise ConfigError(
            'The setting traces needs pip install "milepost[telemetry]".'
        ) from problem
    about = {"service.name": "milepost", "service.version": version("milepost")}
    provider = TracerProvider(resource=Resource.create({**about, "process.pid": os.getpid()}))
    url = endpoint if _PATH in endpoint else endpoint.rstrip("/") + _PATH
    exporter = OTLPSpanExporter(url, timeout=_TIMEOUT_S)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=_DELAY_MS))
    return provider


class Collected:
    """Begins spans for a collector."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._tracer: trace.Tracer = provider.get_tracer("milepost")

    def begin(self, operation: str, trace: str) -> Span:
        """Begin the span of a call."""
        return CallSpan(self._tracer, operation, trace)

    def close(self) -> None:
        """Send what waits, and end."""
        self._provider.shutdown()


class CallSpan:
    """The span of a call; its phases are told when it ends."""

    def __init__(self, tracer: trace.Tracer, operation: str, within: str) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._tracer = tracer
        told: dict[str, str] = {}
        self._base_ns = time_ns() - perf_counter_ns()
        propagator = TraceContextTextMapPropagator()
        context = propagator.extract({"traceparent": within}) if within else _nowhere()
        self._span = tracer.start_span(operation, context)
        propagator.inject(told, _around(self._span))
        self.trace = told.get("traceparent", within)

    def end(self, whole: Phase, about: dict[str, str]) -> None:
        """Tell of the call, of its phases, and what is known about it."""
        from opentelemetry.trace import Status, StatusCode

        named = {f"milepost.{name}": value for name, value in about.items() if value}
        self._span.set_attributes({"milepost.operation": whole.name, **named})
        if "error" in about:
            self._span.set_attribute("error.type", about["error"])
            self._span.set_status(Status(StatusCode.ERROR, about["error"]))
        if self._span.is_recording():
            self._tell_within(whole, self._span)
        self._span.end()

    def _tell_within(self, whole: Phase, span: trace.Span) -> None:
        for statement, (count, ns) in whole.statements.items():
            span.set_attribute(f"milepost.sql.{statement}.count", count)
            span.set_attribute(f"milepost.sql.{statement}.ms", round(ns / 1e6, 3))
        for phase in whole.inner:
            began_ns = self._base_ns + phase.began_ns
            inner = self._tracer.start_span(phase.name, _around(span), start_time=began_ns)
            self._tell_within(phase, inner)
            inner.end(began_ns + phase.ns)


def _around(span: trace.Span) -> Any:
    from opentelemetry.trace import set_span_in_context

    return set_span_in_context(span, _nowhere())


def _nowhere() -> Any:
    from opentelemetry.context import Context

    return Context()
