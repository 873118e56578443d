"""Tell of alerts: a command, which gets JSON on its standard input, and a webhook."""

import hmac
import json
import shlex
import subprocess
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from milepost.errors import MilepostError, Unreachable
from milepost.memory.context import Context
from milepost.transport.connections import Request, Transport, TransportError, parse_address
from milepost.transport.tls import Tls
from milepost.upkeep.values import Job

# The work that tells somebody; what fails is tried again, longer after each time.
TOPIC = "alert"
COMMAND, WEBHOOK = "command", "webhook"
_WAIT_S = 15.0
_SAID_CHARS = 200


class Teller(NamedTuple):
    """Who is told of alerts, as the settings say.

    secret: returns that by which what is posted is signed; nothing for none.
    store: what the store is called, as it may be shown.
    """

    command: str
    webhook: str
    secret: Callable[[], str]
    tls: Tls
    store: str

    @property
    def targets(self) -> tuple[str, ...]:
        """Who is told."""
        named = ((COMMAND, self.command), (WEBHOOK, self.webhook))
        return tuple(target for target, value in named if value)

    def tell(self, target: str, message: Mapping[str, Any]) -> None:
        """Tell somebody; raise Unreachable when that fails."""
        body = json.dumps({**message, "store": self.store}).encode()
        if target == COMMAND and self.command:
            self._run(body)
        elif target == WEBHOOK and self.webhook:
            self._post(body, str(int(message["at"])))

    def _run(self, body: bytes) -> None:
        try:
            words = shlex.split(self.command)
            # What the settings name, without a shell.
            done = subprocess.run(  # noqa: S603
                words, input=body, capture_output=True, timeout=_WAIT_S, check=False
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
            raise Unreachable(f"alert_command cannot be run ({problem}).") from problem
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()[:_SAID_CHARS]
            raise Unreachable(f"alert_command ended with {done.returncode}: {said or 'no word'}.")

    def _post(self, body: bytes, moment: str) -> None:
        parts = urlsplit(self.webhook)
        address = parse_address(f"{parts.scheme}://{parts.netloc}", "the webhook (alert_webhook)")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        headers: dict[str, str | bytes] = {"Content-Type": "application/json"}
        if secret := self.secret():
            headers["Milepost-Signature"] = f"t={moment},v1={signature(secret, moment, body)}"
        try:
            request = Request("POST", path, headers, body, repeatable=False)
            reply = Transport(address, _WAIT_S, tls=self.tls).ask(request)
        except TransportError as problem:
            said = f"{problem}. {problem.advice}".strip()
            raise Unreachable(f"{address.shown} was not told of an alert: {said}") from problem
        if reply.status >= 300:
            raise Unreachable(f"{address.shown} answered an alert with {reply.status}.")

    def close(self) -> None:
        """End with the store; nothing is open."""


def signature(secret: str, moment: str, body: bytes) -> str:
    """Return what shows whoever has the secret that a message is ours, and of when."""
    return hmac.new(secret.encode(), f"{moment}.".encode() + body, sha256).hexdigest()


def tell(context: Context, job: Job) -> None:
    """Tell somebody of an alert; a job."""
    told = json.loads(job.payload)
    context.part(Teller).tell(told["target"], told["message"])


def problem_of(teller: Teller, target: str, message: Mapping[str, Any]) -> str:
    """Tell somebody at once; return why that failed, if it did."""
    try:
        teller.tell(target, message)
    except MilepostError as problem:
        return str(problem)
    return ""
