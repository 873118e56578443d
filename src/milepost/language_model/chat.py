"""A language model behind an OpenAI-compatible server, asked one thing at a time."""

from __future__ import annotations

import json

from milepost.deadline import seconds_left
from milepost.errors import ConfigError
from milepost.ports import Unanswered
from milepost.transport.connections import Request, Transport, TransportError, parse_address

_TIMEOUT_S = 60.0
_OK = 200
# No answer that is asked for here is longer by far.
_BYTES_MAX = 4 << 20


class RemoteModel:
    """Asks the model that `http://host:port#MODEL` names."""

    def __init__(self, spec: str, key: str = "") -> None:
        url, _, self._name = spec.partition("#")
        if not self._name:
            raise ConfigError(
                f"Name the model of the reflector, as in http://host:port#MODEL; not {spec!r}."
            )
        self._address = parse_address(url, "the reflector", "/v1")
        self._transport = self._within(_TIMEOUT_S)
        self._headers: dict[str, str | bytes] = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    @property
    def name(self) -> str:
        """What the server calls the model."""
        return self._name

    def ask(self, task: str, told: str, tokens_max: int | None = None) -> str:
        """Return the answer to a task over data; raise Unanswered when none comes in time."""
        question: dict[str, object] = {
            "model": self._name,
            "temperature": 0,
            "messages": [
                {"role": "system", "content": task},
                {"role": "user", "content": told},
            ],
        }
        if tokens_max is not None:
            question["max_tokens"] = tokens_max
        try:
            return self._answer(json.dumps(question).encode())
        except (TransportError, ValueError, LookupError, TypeError, RecursionError) as problem:
            reason = str(problem) or type(problem).__name__
            raise Unanswered(f"{self._name} did not answer: {reason}") from problem

    def _answer(self, body: bytes) -> str:
        request = Request("POST", "/chat/completions", self._headers, body)
        left = seconds_left()
        if left is not None and left < _TIMEOUT_S:
            transport = self._within(max(left, 0.001))
            try:
                reply = transport.ask(request)
            finally:
                transport.close()
        else:
            reply = self._transport.ask(request)
        if reply.status != _OK:
            raise TransportError(f"status {reply.status}")
        answer = json.loads(reply.body)["choices"][0]["message"]["content"]
        if not isinstance(answer, str):
            raise TypeError("the answer is no text")
        return answer

    def _within(self, seconds: float) -> Transport:
        return Transport(self._address, seconds, bytes_max=_BYTES_MAX)
