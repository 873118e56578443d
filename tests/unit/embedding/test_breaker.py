"""Only one caller at a time probes a server that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from milepost.transport.breaker import Breaker

if TYPE_CHECKING:
    from tests.unit.embedding.conftest import Clock


def opened(clock: Clock) -> Breaker:
    breaker = Breaker(clock.timing, failures_max=2, cool_down_s=10)
    breaker.failed("HTTP 500")
    assert breaker.allows()
    breaker.failed("HTTP 500")
    return breaker


def test_an_open_circuit_lets_one_probe_through_after_the_cool_down(clock: Clock) -> None:
    breaker = opened(clock)
    assert not breaker.allows()
    clock.now_s += 10
    assert [breaker.allows() for _ in range(3)] == [True, False, False]


def test_a_probe_that_never_reports_does_not_keep_the_circuit_open(clock: Clock) -> None:
    breaker = opened(clock)
    clock.now_s += 10
    assert breaker.allows()
    clock.now_s += 10
    assert breaker.allows()


def test_a_success_in_between_starts_the_count_anew(clock: Clock) -> None:
    breaker = Breaker(clock.timing, failures_max=2)
    for _ in range(5):
        breaker.failed("HTTP 500")
        breaker.succeeded()
    assert breaker.allows()
    assert breaker.note() == ""
