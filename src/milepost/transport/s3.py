"""Files in a bucket that speaks S3's protocol: put whole, listed, fetched and removed.

A file of more than one part is put in parts, which become a file all at once at the end: one that
was cut off is never there. Requests are signed (AWS Signature Version 4), and buckets are named in
the path, as every such server understands.
"""

from __future__ import annotations

import hmac
import re
import time
from contextlib import suppress
from hashlib import sha256
from typing import TypeVar
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as Xml

from milepost.errors import ConfigError, NotFound, Unreachable
from milepost.transport.connections import Reply, Request, Transport, TransportError, parse_address
from milepost.transport.retry import Retry, TransientError
from milepost.transport.timing import Timing
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import BinaryIO

    from milepost.transport.tls import Tls

    Told = Callable[[int], object]

T = TypeVar("T")

# Parts of so many bytes, of which there are 10,000 at most: larger files have larger ones.
PART_BYTES, _PARTS_MAX = 16 << 20, 10_000
TIMEOUT_S = 60.0
_RETRY = Retry(attempts=4, wait_s_base=0.5, wait_s_max=8.0)
_SERVICE, _ALGORITHM = "s3", "AWS4-HMAC-SHA256"
_USUAL_PORTS = {True: 443, False: 80}
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_NAMESPACE = re.compile(r"\{[^}]*\}")


class Credentials(NamedTuple):
    """By what a server lets its bucket be used, and where that is."""

    endpoint: str
    region: str
    key_id: str
    secret: str


class Stored(NamedTuple):
    """A file in a bucket."""

    name: str
    bytes: int


class Bucket:
    """A bucket, or what is under a prefix of one; files go by their names below that."""

    def __init__(self, url: str, credentials: Credentials, tls: Tls | None = None) -> None:
        self.bucket, self._prefix = split(url)
        self._by = credentials
        endpoint = credentials.endpoint or f"https://s3.{credentials.region}.amazonaws.com"
        self._transport = Transport(
            parse_address(endpoint, "the S3 server (s3_endpoint)"),
            TIMEOUT_S,
            at_a_time=True,
            tls=tls,
        )

    def put(self, name: str, content: bytes) -> None:
        """Put a small file."""
        self._ask("PUT", self._prefix + name, body=content)

    def put_file(self, name: str, file: BinaryIO, size: int, told: Told = lambda _: None) -> None:
        """Put a file of a size, in parts when it is large; it is there when all of it is."""
        if size <= PART_BYTES:
            self.put(name, file.read())
            told(size)
            return
        key = self._prefix + name
        upload = _text(self._ask("POST", key, {"uploads": ""}), "UploadId")
        part_bytes = max(PART_BYTES, -(-size // _PARTS_MAX))
        try:
            tags = list(self._put_parts(key, upload, file, part_bytes, told))
            self._complete(key, upload, tags)
        except BaseException:
            self._abort(key, upload)
            raise

    def _put_parts(
        self, key: str, upload: str, file: BinaryIO, part_bytes: int, told: Told
    ) -> Iterator[str]:
        done, number = 0, 1
        while part := file.read(part_bytes):
            query = {"partNumber": str(number), "uploadId": upload}
            yield self._ask("PUT", key, query, body=part).headers.get("ETag", "")
            done, number = done + len(part), number + 1
            told(done)

    def _complete(self, key: str, upload: str, tags: list[str]) -> None:
        parts = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>"
            for number, tag in enumerate(tags, 1)
        )
        body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        reply = self._ask("POST", key, {"uploadId": upload}, body=body)
        # What went wrong while the parts were joined is told with status 200.
        if b"<Error" in reply.body:
            raise Unreachable(f"{self._named} did not join {key}: {_text(reply, 'Message')}.")

    def _abort(self, key: str, upload: str) -> None:
        with suppress(Unreachable, ConfigError, NotFound):  # then `abandon` does so the next time
            self._ask("DELETE", key, {"uploadId": upload})

    def abandon(self) -> int:
        """Remove the parts of files that were never finished; return of how many files."""
        try:
            reply = self._ask("GET", "", {"uploads": "", "prefix": self._prefix})
        except NotFound:  # some servers say so where nothing was ever sent in parts
            return 0
        uploads = _each(reply, "Upload")
        for upload in uploads:
            self._abort(upload["Key"], upload["UploadId"])
        return len(uploads)

    def files(self) -> Iterator[Stored]:
        """Yield the files under the prefix, but for those in folders below it."""
        query = {"list-type": "2", "prefix": self._prefix, "delimiter": "/"}
        while True:
            reply = self._ask("GET", "", query)
            for found in _each(reply, "Contents"):
                yield Stored(found["Key"].removeprefix(self._prefix), int(found["Size"]))
            following = _text(reply, "NextContinuationToken")
            if not following:
                return
            query["continuation-token"] = following

    def read(self, name: str) -> bytes:
        """Return a small file."""
        return self._ask("GET", self._prefix + name).body

    def fetch(self, name: str, file: BinaryIO, told: Told = lambda _: None) -> None:
        """Write a file's content to another; what broke off is fetched anew."""

        def attempt() -> None:
            file.seek(0)
            file.truncate()
            reply = self._once("GET", self._prefix + name, {}, b"", stream=True)
            try:
                for block in reply.blocks:
                    file.write(block)
                    told(file.tell())
            except TransportError as problem:
                raise TransientError(str(problem)) from problem

        self._retried(attempt)

    def remove(self, name: str) -> None:
        """Remove a file; one that is not there is no matter."""
        self._ask("DELETE", self._prefix + name)

    @property
    def _named(self) -> str:
        return f"s3://{self.bucket} at {self._transport.address.shown}"

    def _ask(
        self, method: str, key: str, query: Mapping[str, str] = {}, body: bytes = b""
    ) -> Reply:
        return self._retried(lambda: self._once(method, key, query, body))

    def _retried(self, attempt: Callable[[], T]) -> T:
        try:
            return _RETRY.run(attempt, Timing())
        except TransientError as problem:
            raise Unreachable(f"{self._named} does not answer as it should ({problem}).") from None

    def _once(
        self, method: str, key: str, query: Mapping[str, str], body: bytes, *, stream: bool = False
    ) -> Reply:
        """Send one request; raise TransientError for what may go better the next time."""
        address = self._transport.address
        path = f"/{self.bucket}" + (f"/{quote(key)}" if key else "")
        port = address.port if address.port != _USUAL_PORTS[address.secure] else None
        host = f"{address.host}:{port}" if port else address.host
        asked = urlencode(sorted(query.items()), quote_via=quote)
        headers = signed(self._by, method, host, address.path + path, asked, body, time.time())
        sent = Request(method, f"{path}?{asked}" if asked else path, headers, body or None,
                       stream=stream)  # fmt: skip
        try:
            reply = self._transport.ask(sent)
        except TransportError as problem:
            if not problem.passing and problem.waited_s is None:
                raise Unreachable(f"{self._named}: {problem}. {problem.advice}".strip()) from None
            raise TransientError(str(problem)) from problem
        if reply.status < 300:
            return reply
        raise self._failure(reply)

    def _failure(self, reply: Reply) -> Exception:
        code = _text(reply, "Code") or reply.reason
        if reply.status >= 500 or reply.status == 429:
            return TransientError(f"{reply.status} {code}")
        if code == "NoSuchBucket":
            return ConfigError(f"{self._named}: there is no such bucket; make it, or name another.")
        if reply.status == 404:
            return NotFound(f"{self._named} has no such file.")
        if reply.status in (401, 403):
            return ConfigError(
                f"{self._named} refuses these credentials ({code}); look at s3_key_id, "
                "s3_secret_key, s3_region and what they may do there."
            )
        return Unreachable(f"{self._named} refuses the request ({reply.status} {code}).")


def split(url: str) -> tuple[str, str]:
    """Return the bucket and the prefix that an address names, as s3://bucket/prefix."""
    bucket, _, prefix = url.removeprefix("s3://").partition("/")
    if not url.startswith("s3://") or not _BUCKET.fullmatch(bucket):
        raise ConfigError("Name a bucket as s3://bucket or s3://bucket/prefix.")
    prefix = prefix.strip("/")
    return bucket, f"{prefix}/" if prefix else ""


def signed(
    by: Credentials, method: str, host: str, path: str, query: str, body: bytes, now_s: float
) -> dict[str, str | bytes]:
    """Return the headers of a request that says who sends it and is bound to what is sent."""
    moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now_s))
    day, digest = moment[:8], sha256(body).hexdigest()
    told = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": moment}
    names = ";".join(told)
    lines = "".join(f"{name}:{value}\n" for name, value in told.items())
    request = "\n".join((method, path, query, lines, names, digest))
    scope = f"{day}/{by.region}/{_SERVICE}/aws4_request"
    text = "\n".join((_ALGORITHM, moment, scope, sha256(request.encode()).hexdigest()))
    key = f"AWS4{by.secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), sha256).digest()
    signature = hmac.new(key, text.encode(), sha256).hexdigest()
    credential = f"Credential={by.key_id}/{scope}"
    about = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"
    return {**told, "Authorization": about}


def _text(reply: Reply, name: str) -> str:
    """Return what stands under a name in an answer; nothing where there is none."""
    return next((text for found, text in _elements(reply) if found == name), "")


def _each(reply: Reply, name: str) -> list[dict[str, str]]:
    """Return by their names what stands in each element of a name."""
    return [
        {_NAMESPACE.sub("", part.tag): part.text or "" for part in element}
        for element in _parsed(reply)
        if _NAMESPACE.sub("", element.tag) == name
    ]


def _elements(reply: Reply) -> list[tuple[str, str]]:
    return [(_NAMESPACE.sub("", each.tag), each.text or "") for each in _parsed(reply)]


def _parsed(reply: Reply) -> list[Xml.Element]:
    try:
        # Of the server that the settings name; expat refuses what grows as it is read.
        return list(Xml.fromstring(reply.body).iter())  # noqa: S314
    except Xml.ParseError:
        return []
