"""Who is let in by the page, how, as whom and for how long; what does not get in."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookies import Morsel, SimpleCookie
from pathlib import Path
from typing import NamedTuple

import pytest

from milepost import Milepost
from milepost.opening import settings_for
from milepost.surfaces.dashboard import POLICY
from milepost.surfaces.dashboard.session import SESSION_S, TOKEN_S, Sessions
from milepost.surfaces.http import running
from milepost.testing import Clock
from support import wait_until

OWN = "the server's own"
FACT = "The harbour opens at nine"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: str

    @property
    def data(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.body)
        return found

    @property
    def cookie(self) -> Morsel[str]:
        (found,) = SimpleCookie(self.headers["set-cookie"]).values()
        return found


class Server:
    """A server that needs a key, as a browser speaks with it."""

    def __init__(self, address: str) -> None:
        self.address = address

    def ask(self, path: str, given: object = None, method: str = "", **headers: str) -> Reply:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        body = given if isinstance(given, bytes | None) else json.dumps(given).encode()
        named |= {} if body is None else {"content-type": "application/json"}
        sent = urllib.request.Request(
            self.address + path, body, named, method=method or ("GET" if body is None else "POST")
        )
        try:
            with urllib.request.urlopen(sent) as reply:
                return _reply(reply)
        except urllib.error.HTTPError as refused:
            with refused as reply:
                return _reply(reply)

    def token(self, secret: str = OWN) -> str:
        told = self.ask("/ui-token", {}, authorization=f"Bearer {secret}")
        return str(told.data["token"])

    def enter(self, **given: str) -> dict[str, str]:
        """Begin a session; return the headers that its page sends."""
        told = self.ask("/ui-session", given)
        assert told.status == 200, told
        cookie = f"{told.cookie.key}={told.cookie.value}"
        return {"cookie": cookie, "milepost_ui": str(told.data["proof"])}


def _reply(reply: urllib.response.addinfourl) -> Reply:
    told = {name.lower(): value for name, value in reply.headers.items()}
    return Reply(reply.status or 0, told, reply.read().decode())


@pytest.fixture
def server(memory: Milepost, path: Path) -> Iterator[Server]:
    memory.within("team-a").store(FACT)
    with running(memory, settings_for(path)._replace(key=OWN, port=0)) as address:
        yield Server(address)


def test_a_token_lets_one_browser_in_once(server: Server) -> None:
    token = server.token()
    page = server.enter(token=token)

    assert server.ask("/ui-session", **page).data["name"] == "server key"
    assert server.ask("/ui-session", {"token": token}).status == 401
    assert server.ask("/tools/search/execute", {"query": "harbour"}, **page).status == 200


def test_a_token_is_good_for_a_minute_and_a_session_for_half_a_day() -> None:
    clock = Clock()
    sessions = Sessions(lambda: clock() / 1e6)
    tokens = [sessions.new_token("secret", only_us=False) for _ in range(2)]
    name, session = sessions.begin("secret")
    page = {b"host": b"localhost", b"cookie": f"milepost-ui={name}".encode(),
            b"milepost-ui": session.proof.encode()}  # fmt: skip
    clock.advance(seconds=TOKEN_S - 1)
    assert sessions.redeem(tokens[0]) is not None
    clock.advance(seconds=1)
    assert sessions.redeem(tokens[1]) is None
    assert sessions.of(page) is session
    clock.advance(seconds=SESSION_S)
    assert sessions.of(page) is None


def test_neither_the_cookie_nor_the_proof_alone_lets_in(server: Server) -> None:
    first, second = (server.enter(token=server.token()) for _ in range(2))
    for page in (
        {"cookie": first["cookie"]},
        {"milepost_ui": first["milepost_ui"]},
        first | {"milepost_ui": ""},
        first | {"milepost_ui": second["milepost_ui"]},
        first | {"cookie": first["cookie"].replace("=", "=x")},
        first | {"cookie": f"a=;;={first['cookie']}\x7f"},
    ):
        assert server.ask("/tools/search/execute", {"query": "harbour"}, **page).status == 401
        assert server.ask("/ui-token", {}, **page).status == 401


def test_no_script_reads_the_cookie_and_no_other_site_sends_it(
    server: Server, memory: Milepost, path: Path
) -> None:
    told = server.ask("/ui-session", {"key": OWN}).cookie
    assert (told["httponly"], told["samesite"], told["path"]) == (True, "strict", "/")
    assert (told["domain"], told["secure"]) == ("", "")

    proxied = settings_for(path)._replace(key=OWN, port=0, tls_proxy="on")
    with running(memory, proxied) as address:
        behind = Server(address).ask("/ui-session", {"key": OWN}).cookie
    assert behind["secure"]
    assert behind.key.startswith("__Host-milepost-")


@pytest.mark.parametrize(
    "path", ["/ui-session", "/ui-token", "/tools/search/execute", "/ui/app.js"]
)
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        ({"host": "evil.example"}, 421),
    ],
)
def test_pages_of_others_get_nothing_by_a_session(
    server: Server, path: str, headers: dict[str, str], status: int
) -> None:
    page = server.enter(key=OWN)
    given = {"key": OWN} if path == "/ui-session" else {"query": "harbour"}
    assert server.ask(path, given, **page, **headers).status == status


def test_a_session_may_do_what_its_key_may_and_ends_with_it(
    server: Server, memory: Milepost
) -> None:
    key = memory.create_key("looker", scope="read", spaces="team-a")
    page = server.enter(token=server.token(key.secret))

    assert server.ask("/ui-session", **page).data["space"] == "team-a"
    assert FACT in server.ask("/tools/search/execute", {"query": "harbour"}, **page).body
    for path, given, more in (
        ("/tools/store/execute", {"content": "a lie"}, {}),
        ("/tools/list_keys/execute", {}, {}),
        ("/tools/search/execute", {"query": "harbour"}, {"milepost_space": "default"}),
        ("/metrics", None, {}),
    ):
        assert server.ask(path, given, **page, **more).status == 403, path
    assert memory.within("team-a").audit()[-1].surface == "dashboard"
    again = server.token(key.secret)
    memory.revoke_key("looker")
    wait_until(lambda: server.ask("/ui-session", **page).status == 401)
    assert server.ask("/ui-session", {"token": again}).status == 401


def test_whoever_logs_out_is_out(server: Server) -> None:
    page = server.enter(key=OWN)
    assert server.ask("/ui-session", method="DELETE", **page).status == 204
    assert server.ask("/ui-session", **page).status == 401


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"key": "another"}, 401),
        ({"key": ""}, 401),
        ({"key": 5}, 401),
        ({"key": None}, 401),
        ({"token": ""}, 401),
        ({"token": ["a"]}, 401),
        ({"token": None, "key": ["a"]}, 401),
        ({}, 400),
        ([], 400),
        (b"{", 400),
        (b'{"key": "\\ud800"}', 400),
        (b'{"key": "\xff"}', 400),
    ],
)
def test_what_is_no_key_and_no_token_lets_nobody_in(
    server: Server, given: object, status: int
) -> None:
    told = server.ask("/ui-session", given)
    assert told.status == status
    assert "set-cookie" not in told.headers


def test_whoever_is_not_let_in_sends_nothing_long(server: Server) -> None:
    assert server.ask("/ui-session", b" " * 100_000).status == 413
    assert server.ask("/healthz", b" " * 100_000).status == 413
    assert server.ask("/tools/search/execute", b" " * 100_000).status == 401


def test_the_page_says_nothing_of_a_memory_and_runs_nothing_but_its_own_files(
    server: Server,
) -> None:
    for path in ("/", "/ui/app.js", "/ui/style.css"):
        told = server.ask(path, accept="text/html")
        assert told.status == 200
        assert told.headers["content-security-policy"] == POLICY
        assert told.headers["x-content-type-options"] == "nosniff"
        assert told.headers["referrer-policy"] == "no-referrer"
        assert FACT not in told.body
        assert str(Path(__file__).anchor + "tmp") not in told.body
    assert "unsafe" not in POLICY
    for path in ("/ui/../access.py", "/ui/%2e%2e/session.py", "/ui/", "/ui//etc/passwd"):
        assert server.ask(path).status == 404
