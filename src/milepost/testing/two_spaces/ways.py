"""The ways in, each as somebody with a key of one space uses it: what is sent, what comes back."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import quote, urlsplit

from milepost.access.values import CALLER, Caller
from milepost.app import Milepost, Operations
from milepost.codec import to_data
from milepost.config import Settings
from milepost.errors import MilepostError
from milepost.registry import Operation
from milepost.render import to_text
from milepost.surfaces.client import MilepostClient
from milepost.surfaces.http import running
from milepost.testing.two_spaces.arguments import Draw, program
from milepost.testing.two_spaces.worlds import OPERATIONS, SHARED, World

# Parts of a store that have no operation of their own, or answer without one.
_PAGES = (
    "/metrics", "/tools/list", "/tools/discover", "/tools/search?q={}", "/tools/{}", "/health",
    "/readyz", "/healthz", "/openapi.json", "/docs", "/{}", "/tools/search?q={}&view=compact",
    "/ui-session", "/ui-token", "/ui/{}", "/ui/app.js",
)  # fmt: skip
_FAULT = '"code":"internal"'
_FAULT_IN_PROGRAM = "It failed inside Milepost"
_OF_PROGRAMS = [o for o in OPERATIONS.values() if o.spec.category not in ("code", "key")]


class Said(NamedTuple):
    """One call: by which way, what was sent, and every byte that came back."""

    way: str
    operation: str
    sent: str
    answer: str
    failed: bool = False
    fault: bool = False


Way = Callable[[Operation], Said]


class Person:
    """Somebody with a key of one space, who knows some names of the other."""

    def __init__(self, own: World, other: World | None, secret: str, random: Random) -> None:
        self.own, self.other, self.secret = own, other, secret
        self.random = random
        self.draw = Draw(random, own, other)
        self.caller = Caller("fuzz", "test", "fuzz", (own.space,))

    def space(self) -> str | None:
        """Return the space that a call names: mostly its own, or none."""
        other = [self.other.space] if self.other else []
        if self.random.random() < 0.85:
            return self.random.choice((self.own.space, self.own.space, None))
        return self.random.choice([*other, *other, *other, "team-*", "", "*", "default", "~"])

    def headers(self, operation: Operation | None = None) -> dict[str, str]:
        """Return the headers of a request."""
        random, headers = self.random, {"authorization": f"Bearer {self.secret}"}
        space = self.space()
        if space is not None:
            headers["milepost-space"] = quote(space)
        if random.random() < 0.3:
            headers["milepost-project"] = quote(self.draw.text("project"))
        if operation is not None and not operation.spec.read_only and random.random() < 0.3:
            key = random.choice((SHARED["idempotency"], f"call-{random.random()}"))
            headers["idempotency-key"] = key
        return headers


@contextmanager
def ways_in(
    memory: Milepost, settings: Settings, person: Person, *, programs: bool
) -> Iterator[dict[str, Way]]:
    """Open every way in; with none to programs where there is no sandbox."""
    with ExitStack() as stack:
        server = settings._replace(port=0, tools="full", key="the server's own")
        url = stack.enter_context(running(memory, server))
        netloc = urlsplit(url).netloc
        client = stack.enter_context(MilepostClient(url, person.secret, project="everywhere"))
        post = stack.enter_context(_poster(netloc))
        ways: dict[str, Way] = {
            "python": lambda o: by_python(memory, person, o),
            "http": lambda o: over_http(post, person, o),
            "mcp": lambda o: over_mcp(post, person, o),
            "client": lambda o: by_client(client, person, o),
            "pages": lambda o: pages(post, person, o),
            "resources": lambda o: resources(post, person, o),
            "warm process": stack.enter_context(_warm(memory, settings, person)),
        }
        if programs:
            ways["program"] = lambda o: in_program(post, person, o)
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        ways["files"] = lambda o: files(settings.url, folder, person, o)
        ways["hooks"] = lambda o: hooks(settings, person, o)
        if "://" not in settings.url:
            ways["command line"] = lambda o: on_the_command_line(settings.url, person, o)
        yield ways


def _told(way: str, operation: Operation, given: object, call: Callable[[], object]) -> Said:
    sent = f"{operation.name} {given!r}"
    try:
        result = call()
        result = list(result) if isinstance(result, Iterator) else result
        told = f"{to_text(result)}\n{json.dumps(to_data(result))}\n{result!r}"
        return Said(way, operation.name, sent, told)
    except MilepostError as problem:
        return Said(way, operation.name, sent, f"{problem.code} {problem!r}", failed=True)
    except TypeError as problem:
        # As of any function of Python, where there is no such parameter.
        fault = "unexpected keyword" not in str(problem)
        return Said(way, operation.name, sent, repr(problem), failed=True, fault=fault)


def by_python(memory: Milepost, person: Person, operation: Operation) -> Said:
    """Call the operation in this process, as the key would."""
    given, space = person.draw.arguments(operation), person.space()
    token = CALLER.set(person.caller)
    try:
        return _told(
            "python",
            operation,
            (space, given),
            lambda: operation.answer(memory.within(space or person.own.space), given),
        )
    finally:
        CALLER.reset(token)


Post = Callable[[str, str, "Mapping[str, Any] | None", Mapping[str, str]], tuple[int, str]]


@contextmanager
def _poster(netloc: str) -> Iterator[Post]:
    """Send requests over one connection."""
    connections: list[HTTPConnection] = []

    def post(
        method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> tuple[int, str]:
        if not connections:
            connections.append(HTTPConnection(netloc, timeout=120))
        connection = connections[0]
        sent = None if body is None else json.dumps(body)
        more = {} if body is None else {"content-type": "application/json"}
        connection.request(method, path, sent, {**headers, **more})
        reply = connection.getresponse()
        text = reply.read().decode("utf-8", "surrogateescape")
        if reply.will_close:
            connections.pop().close()
        return reply.status, f"{reply.status} {reply.getheaders()}\n{text}"

    yield post
    for connection in connections:
        connection.close()


def over_http(post: Post, person: Person, operation: Operation) -> Said:
    """Call the operation over HTTP, in one of the forms of its answer."""
    given, headers = person.draw.arguments(operation), person.headers(operation)
    view = person.random.choice(("", "", "?view=compact"))
    if person.random.random() < 0.2:
        headers["accept"] = "application/x-ndjson"
    status, told = post("POST", f"/tools/{operation.name}/execute{view}", given, headers)
    return Said("http", operation.name, f"{headers} {given!r}", told, status >= 400, _FAULT in told)


def _rpc(post: Post, method: str, params: Mapping[str, Any], headers: dict[str, str]) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    more = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    return post("POST", "/mcp", body, headers | more)


def over_mcp(post: Post, person: Person, operation: Operation) -> Said:
    """Call the operation as a tool, or by the tool that calls others."""
    given, headers = person.draw.arguments(operation), person.headers(operation)
    name, arguments = operation.name, given
    if person.random.random() < 0.2:
        name, arguments = "call_tool", {"name": operation.name, "args": given}
    status, told = _rpc(post, "tools/call", {"name": name, "arguments": arguments}, headers)
    failed = status >= 400 or '"isError":true' in told
    return Said("mcp", operation.name, f"{headers} {given!r}", told, failed, _FAULT in told)


def resources(post: Post, person: Person, operation: Operation) -> Said:
    """Read a resource, a prompt or what would complete one; or look for tools."""
    random, text, headers = person.random, person.draw.text, person.headers()
    gap = random.choice(("hash", "tag"))
    address = random.choice(("recent", "health", f"tag/{text('tags')}", text("hash")))
    choices: tuple[tuple[str, dict[str, Any]], ...] = (
        ("resources/read", {"uri": f"memory://{quote(address)}"}),
        ("prompts/get", {"name": "brief", "arguments": {"topic": text("query")}}),
        ("completion/complete", {
            "ref": {"type": "ref/resource", "uri": f"memory://{{{gap}}}"},
            "argument": {"name": gap, "value": random.choice(("", text(gap)[:3]))}}),
        ("tools/call", {"name": "find_tools", "arguments": {"need": text("description")}}),
        ("tools/call", {"name": "read_graph", "arguments": {}}),
        ("tools/call", {"name": "search_nodes", "arguments": {"query": text("query")}}),
        ("tools/call", {"name": "open_nodes", "arguments": {"names": [text("entity")]}}),
        ("tools/list", {}), ("resources/list", {}), ("prompts/list", {}),
    )  # fmt: skip
    method, params = random.choice(choices)
    status, told = _rpc(post, method, params, headers)
    sent = f"{method} {headers} {params!r}"
    return Said("resources", operation.name, sent, told, status >= 400, _FAULT in told)


def pages(post: Post, person: Person, operation: Operation) -> Said:
    """Ask for what is no operation, or for one in a way that it does not take."""
    random, headers = person.random, person.headers(operation)
    named = quote(random.choice((operation.name, person.draw.text("query"))), safe="")
    method, path = random.choice(("GET", "GET", "POST")), random.choice(_PAGES).format(named)
    status, told = post(method, path, None, headers)
    return Said("pages", "", f"{method} {path} {headers}", told, status >= 400, _FAULT in told)


def by_client(client: MilepostClient, person: Person, operation: Operation) -> Said:
    """Call the operation of the client library."""
    given, space = person.draw.arguments(operation), person.space()
    there: Operations = client
    if space:
        there = client.within(space)
    return _told(
        "client", operation, (space, given), lambda: getattr(there, operation.name)(**given)
    )


@contextmanager
def _warm(memory: Milepost, settings: Settings, person: Person) -> Iterator[Way]:
    """Ask a process that keeps the store warm: for whoever runs it, in the one space."""
    from milepost.surfaces.remote_memory import WarmMemory
    from milepost.surfaces.warm_server import WarmServer

    server = WarmServer(memory, settings, "test")
    started = server.start()
    asked = WarmMemory(settings._replace(space=person.own.space))

    def call(operation: Operation) -> Said:
        given = person.draw.arguments(operation)
        return _told(
            "warm process", operation, given, lambda: getattr(asked, operation.name)(**given)
        )

    try:
        yield call
    finally:
        asked.close()
        if started:
            server.stop()


def in_program(post: Post, person: Person, operation: Operation) -> Said:
    """Run a program that calls the operation and others."""
    chosen = [operation] if operation in _OF_PROGRAMS else []
    others = person.random.sample(_OF_PROGRAMS, 12)
    code = program(person.random, person.draw, [*chosen, *others])
    headers = person.headers()
    given = {"code": code, "session": person.random.choice((SHARED["session"], "mine"))}
    status, told = post("POST", "/tools/execute_code/execute", given, headers)
    fault = _FAULT in told or _FAULT_IN_PROGRAM in told
    return Said("program", operation.name, f"{headers} {code}", told, status >= 400, fault)


def on_the_command_line(url: str, person: Person, operation: Operation) -> Said:
    """Run a command for the space."""
    from milepost.surfaces.reference import command_words

    given = person.draw.arguments(operation)
    given = {name: given[name] for name in given if operation.takes(name)}
    code, told = _run(url, person, command_words(operation, given))
    return Said("command line", operation.name, f"{operation.name} {given!r}", told, code != 0)


def files(url: str, folder: str, person: Person, operation: Operation) -> Said:
    """Write all of the space to files, have files merged into it, or read what was written."""
    lines, notes, shared = (f"{folder}/{name}" for name in ("lines", "notes", "shared"))
    Path(shared).mkdir(exist_ok=True)
    words = person.random.choice((
        ["export", "--to", "-"], ["export", "--to", "-", "--project", person.draw.text("project")],
        ["export", "--to", lines], ["import", lines], ["import", lines, "--dry-run"],
        ["export", "--format", "markdown", "--to", notes], ["sync", notes], ["sync", shared],
    ))  # fmt: skip
    code, told = _run(url, person, words)
    for path in sorted(Path(folder).rglob("*")):
        told += f"\n{path}\n{path.read_text()}" if path.is_file() else ""
    return Said("files", operation.name, repr(words), told, code != 0)


def hooks(settings: Settings, person: Person, operation: Operation) -> Said:
    """Be told of the space by a hook: by the store, or by the bare file where all else fails."""
    from milepost.surfaces.hooks.chain import read_plainly

    given = {"project": person.draw.text("project"), "session": SHARED["session"]}
    there = settings._replace(space=person.own.space)
    if "://" not in settings.url and person.random.random() < 0.5:
        return _told("hooks", operation, given, lambda: read_plainly(there, given))
    event = person.random.choice(("session-start", "prompt-submit"))
    prompt = f"what do we know of {person.draw.text('query')}?"
    fields = {"session_id": given["session"], "prompt": prompt, "cwd": "/", "source": "startup"}
    # A hook ends its process, whatever else that has to do.
    told = subprocess.run(  # noqa: S603 -- this very program
        [sys.executable, "-m", "milepost", "hook", event, "--url", settings.url,
         "--space", person.own.space],
        env=os.environ | {"MILEPOST_DAEMON": "off"}, input=json.dumps(fields),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    failed = told.returncode != 0
    return Said("hooks", operation.name, f"{event} {fields!r}", told.stdout, failed)


def _run(url: str, person: Person, words: list[str], given: str = "") -> tuple[int, str]:
    """Run a command as who runs the store does for the one space."""
    from milepost.surfaces.cli import main

    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with (
        patch.dict(os.environ, {"MILEPOST_DAEMON": "off"}),
        redirect_stdout(out),
        redirect_stderr(out),
        patch("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode()))),
    ):
        try:
            code = main([*words, "--url", url, "--space", person.own.space])
        except SystemExit as ended:
            code = int(ended.code or 0)
    out.seek(0)
    return code, out.read()
