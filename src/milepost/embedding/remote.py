"""An embedding model behind HTTP, asked patiently and believed only when it makes sense."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from milepost.deadline import check_time
from milepost.embedding.answer import AnswerError, read_vectors
from milepost.embedding.api_keys import KeyRing, NoKeyError
from milepost.embedding.clip import clip
from milepost.embedding.dialects import Dialect
from milepost.embedding.prefixes import Purpose
from milepost.errors import EmbedderError
from milepost.ports import EmbedderStatus
from milepost.transport.breaker import Breaker
from milepost.transport.connections import Reply, Request, Transport, TransportError, parse_address
from milepost.transport.retry import Retry, TransientError, retry_after_s
from milepost.transport.timing import Timing

# Storing can wait for a busy server; a question has the static vectors to fall back on.
STORING = Retry(attempts=4, wait_s_base=0.5, wait_s_max=20.0)
ASKING = Retry(attempts=2, wait_s_base=0.2, wait_s_max=1.0)

# Some servers refuse a longer text instead of cutting it: 8,192 tokens is a common limit.
TEXT_CHARACTERS_MAX = 8_000

OK = 200
REFUSED = (401, 403)
REQUEST_TIMEOUT = 408
RATE_LIMITED = 429
SERVER_ERROR = 500

# Of what a server says when it refuses, so much is read and so much is shown.
DETAIL_BYTES_MAX = 4_096
DETAIL_CHARACTERS_MAX = 200


class RemoteEmbedder:
    """Embed on a server that speaks one of the known dialects."""

    def __init__(
        self,
        dialect: Dialect,
        *,
        url: str = "",
        model: str = "",
        keys: Sequence[str] = (),
        timeout_s: float = 10.0,
        timing: Timing | None = None,
    ) -> None:
        self._dialect = dialect
        self._timing = timing or Timing()
        server = "the embedding server"
        address = parse_address(url or dialect.base_url, server, dialect.root)
        self._name = model or dialect.default_model
        self._prefixes = dialect.prefixes(self._name)
        self._keys = KeyRing(keys, self._timing.monotonic)
        self._breaker = Breaker(self._timing)
        self._transport = Transport(address, timeout_s, monotonic=self._timing.monotonic)
        self._lock = Lock()
        self._dim: int | None = None
        self._trouble = ""
        self.model = f"{dialect.name}:{self._name}@{address.shown}"

    @property
    def dim(self) -> int:
        """Return the length of the vectors, asking the server once if need be."""
        if self._dim is None:
            self._ask(["dimension"], "document", ASKING)
        return self._dim or 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text; a blank text gets zeros and is not sent."""
        return self._rows(texts, "document", STORING)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of one question."""
        vector: NDArray[np.float32] = self._rows([text], "query", ASKING)[0]
        return vector

    def status(self) -> EmbedderStatus:
        """Say what the last calls met."""
        note = self._breaker.note() or self._trouble
        return EmbedderStatus(self.model, healthy=not note, note=note)

    def _rows(self, texts: Sequence[str], purpose: Purpose, retry: Retry) -> NDArray[np.float32]:
        prefix = getattr(self._prefixes, purpose)
        positions = [position for position, text in enumerate(texts) if text.strip()]
        sent = [clip(prefix + texts[position], TEXT_CHARACTERS_MAX) for position in positions]
        answers = [self._ask(batch, purpose, retry) for batch in self._batches(sent)]
        rows = np.zeros((len(texts), self.dim if texts else self._dim or 0), dtype=np.float32)
        if answers:
            rows[positions] = np.concatenate(answers)
        return rows

    def _batches(self, texts: list[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for text in texts:
            full = len(batch) == self._dialect.texts_max
            if batch and (full or size + len(text) > self._dialect.characters_max):
                yield batch
                batch, size = [], 0
            batch.append(text)
            size += len(text)
        if batch:
            yield batch

    def _ask(self, texts: list[str], purpose: Purpose, retry: Retry) -> NDArray[np.float32]:
        """Return the vectors of one batch, or remember and raise why there are none."""
        body = json.dumps({"model": self._name} | self._dialect.body(list(texts), purpose)).encode()
        try:
            vectors = retry.run(lambda: self._attempt(body, len(texts)), self._timing)
        except TransientError as failure:
            self._trouble = str(failure)
            raise EmbedderError(f"Check that {self.model} is reachable: {failure}.") from failure
        except EmbedderError as error:
            self._trouble = str(error)
            raise
        self._trouble = ""
        return vectors

    def _attempt(self, body: bytes, count: int) -> NDArray[np.float32]:
        check_time()
        self._check_circuit()
        try:
            vectors = self._believed(self._post(body), count)
        except NoKeyError as none:
            if none.refused:
                raise EmbedderError(f"Set a valid API key for {self.model}: {none}.") from none
            raise TransientError(str(none), none.wait_s) from none
        except (TransportError, AnswerError, TransientError) as failure:
            self._breaker.failed(str(failure))
            self._check_circuit()
            raise TransientError(str(failure), getattr(failure, "wait_s", None)) from failure
        self._breaker.succeeded()
        return vectors

    def _post(self, body: bytes) -> Reply:
        """Return the first answer that is not about the key."""
        while True:
            key = self._keys.take()
            request = Request("POST", self._dialect.path, _headers(key), body)
            reply = self._transport.ask(request)
            if reply.status in REFUSED:
                self._keys.refused(key, f"HTTP {reply.status}")
            elif reply.status == RATE_LIMITED:
                self._keys.rate_limited(key, self._wait_s(reply))
            else:
                return reply

    def _believed(self, reply: Reply, count: int) -> NDArray[np.float32]:
        if reply.status >= SERVER_ERROR or reply.status == REQUEST_TIMEOUT:
            raise TransientError(f"HTTP {reply.status}", self._wait_s(reply))
        if reply.status != OK:
            # The server works and refuses the question; asking again would change nothing.
            self._breaker.succeeded()
            raise EmbedderError(self._refusal(reply))
        vectors = read_vectors(reply.body, self._dialect.rows, count)
        self._settle_dim(vectors.shape[1])
        return vectors

    def _settle_dim(self, dim: int) -> None:
        with self._lock:
            if self._dim is None:
                self._dim = dim
            if self._dim != dim:
                raise AnswerError(f"vectors of {dim} numbers instead of {self._dim}")

    def _check_circuit(self) -> None:
        if not self._breaker.allows():
            raise EmbedderError(f"Wait for {self.model}: {self._breaker.note()}.")

    def _wait_s(self, reply: Reply) -> float | None:
        return retry_after_s(reply.headers["Retry-After"], self._timing.wall())

    def _refusal(self, reply: Reply) -> str:
        said = self._keys.redact(reply.body[:DETAIL_BYTES_MAX].decode("utf-8", "replace"))
        detail = " ".join(said.split())[:DETAIL_CHARACTERS_MAX]
        return f"Check the model and URL of {self.model}: HTTP {reply.status} {detail}".strip()


def _headers(key: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "User-Agent": "milepost"}
    return headers | ({"Authorization": f"Bearer {key}"} if key else {})
