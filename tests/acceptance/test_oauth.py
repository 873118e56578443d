"""Tokens of an OAuth issuer, from a real one to a real client: who is let in, and who is not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPMessage
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import RSAAlgorithm
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

import milepost
from milepost import ConfigError, Milepost
from milepost.access import issuer as issuers
from milepost.config import Settings
from milepost.opening import settings_for
from milepost.surfaces.http import running

# Each has an issuer in a process of its own.
pytestmark = pytest.mark.slow

RESOURCE_SERVER = ("milepost", "what-only-the-two-know")
AUDIENCE = "http://127.0.0.1:8765/mcp"
BASE = {"milepost:read", "milepost:write"}


class Issuer:
    """A real issuer in a process of its own, and its key, with which tokens are made here too."""

    def __init__(self, folder: Path, kind: str = "signed") -> None:
        self.folder = folder
        self.rotate("first")
        command = [sys.executable, Path(__file__).parent.parent / "oauth_issuer.py", folder, kind]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()

    def rotate(self, name: str) -> None:
        """Sign by another key from now on, and publish that one alone."""
        self.key = rsa.generate_private_key(65_537, 2_048)
        self.name = name
        private = json.loads(RSAAlgorithm.to_jwk(self.key)) | {"kid": name}
        (self.folder / "key.json").write_text(json.dumps(private))

    def token(self, *, headers: dict[str, Any] | None = None, **claims: Any) -> str:
        """Return a token as the issuer makes them, but for what is named."""
        now = int(time.time())
        usual = {"iss": self.url, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + 60}
        usual |= {"scope": "milepost:read milepost:write"}
        said = {name: value for name, value in (usual | claims).items() if value is not None}
        head = {"kid": self.name, "typ": "at+jwt"} | (headers or {})
        return jwt.encode(said, self.key, "RS256", headers=head)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[Issuer]:
    with begun(tmp_path) as made:
        yield made


@contextmanager
def begun(folder: Path, kind: str = "signed") -> Iterator[Issuer]:
    place = folder / f"issuer-{kind}"
    place.mkdir()
    made = Issuer(place, kind)
    try:
        yield made
    finally:
        made.stop()


@contextmanager
def served(memory: Milepost, url: str, issuer: Issuer, **more: Any) -> Iterator[str]:
    settings = guarded(url, issuer, **more)
    with running(memory, settings) as address:
        yield address


def guarded(url: str, issuer: Issuer, **more: Any) -> Settings:
    named = {"oauth_issuer": issuer.url, "oauth_audience": AUDIENCE, "port": 0}
    return settings_for(url)._replace(**(named | more))


@pytest.fixture
def server(memory: Milepost, url: str, issuer: Issuer) -> Iterator[str]:
    with served(memory, url, issuer) as address:
        yield address


class Answer(NamedTuple):
    status: int
    body: Any
    headers: HTTPMessage

    @property
    def challenge(self) -> dict[str, str]:
        return dict(re.findall(r'(\w+)="([^"]*)"', self.headers["WWW-Authenticate"] or ""))


def ask(server: str, path: str, token: str | None = None, body: Any = None) -> Answer:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server + path, sent, headers)
    try:
        with urllib.request.urlopen(request) as reply:
            return Answer(reply.status, json.load(reply), reply.headers)
    except urllib.error.HTTPError as problem:
        with problem:
            return Answer(problem.code, json.load(problem), problem.headers)


def search(server: str, token: str | None) -> Answer:
    return ask(server, "/tools/search/execute", token, {"query": "harbour"})


def call(server: str, token: str, tool: str, **arguments: Any) -> Answer:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    return ask(server, "/mcp", token, message | {"params": {"name": tool, "arguments": arguments}})


# What a client learns


def test_who_shows_no_token_is_told_where_to_get_one(server: str, issuer: Issuer) -> None:
    answer = search(server, None)

    assert answer.status == 401
    assert answer.challenge["scope"] == "milepost:read"
    assert "error" not in answer.challenge, "nothing was wrong yet"
    where = urlsplit(answer.challenge["resource_metadata"])
    assert f"{where.scheme}://{where.netloc}" == "http://127.0.0.1:8765", "as clients know it"
    for path in (where.path, "/.well-known/oauth-protected-resource"):
        told = ask(server, path).body
        assert told["resource"] == AUDIENCE
        assert told["authorization_servers"] == [issuer.url]
        assert set(told["scopes_supported"]) == BASE
        assert told["bearer_methods_supported"] == ["header"]


def test_a_server_without_an_issuer_publishes_none(memory: Milepost, url: str) -> None:
    with running(memory, settings_for(url)._replace(port=0)) as address:
        assert ask(address, "/.well-known/oauth-protected-resource").status == 404


class Kept:
    """What a client keeps between its runs."""

    def __init__(self) -> None:
        self.token: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None
        self.asked: list[dict[str, list[str]]] = []

    async def get_tokens(self) -> OAuthToken | None:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


async def by_client(address: str, kept: Kept, use: Callable[[Client], Any]) -> Any:
    """Use the server by the real client, whose user's browser follows a link and comes back."""
    came_back: list[dict[str, list[str]]] = []

    async def browse(url: str) -> None:
        kept.asked.append(parse_qs(urlsplit(url).query))
        async with httpx2.AsyncClient() as browser:
            reply = await browser.get(url)
        came_back.append(parse_qs(urlsplit(reply.headers["location"]).query))

    async def come_back() -> AuthorizationCodeResult:
        (last,) = came_back
        came_back.clear()
        return AuthorizationCodeResult(
            code=last["code"][0], state=last["state"][0], iss=last["iss"][0]
        )

    redirect = AnyUrl("http://127.0.0.1:33418/callback")
    about = OAuthClientMetadata(redirect_uris=[redirect], client_name="a client")
    auth = OAuthClientProvider(f"{address}/mcp", about, kept, browse, come_back)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=60) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        return await use(client)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.mark.parametrize("kind", ["signed", "opaque"])
def test_the_real_client_finds_the_issuer_gets_a_token_by_pkce_and_calls_tools(
    memory: Milepost, url: str, tmp_path: Path, kind: str
) -> None:
    port, kept = free_port(), Kept()
    memory.within("team-a").store("The harbour opens at nine")
    memory.store("The vault opens at ten")

    async def use(client: Client) -> list[str]:
        said = [
            await client.call_tool("search", {"query": "when does the harbour open?"}),
            await client.call_tool("store", {"content": "The lighthouse is lit at eight"}),
            await client.call_tool("list_memories", {}),
        ]
        return [str(answer.content) for answer in said]

    more = {"port": port, "oauth_audience": f"http://127.0.0.1:{port}/mcp"}
    more |= {"oauth_spaces": ("claim:milepost_spaces",)}
    if kind == "opaque":
        more |= dict(zip(("oauth_client_id", "oauth_client_secret"), RESOURCE_SERVER, strict=True))
    with begun(tmp_path, kind) as issuer, served(memory, url, issuer, **more) as address:
        found, stored, listed = anyio.run(by_client, address, kept, use)

    assert "opens at nine" in found
    assert "lighthouse" in listed
    assert "vault" not in listed
    first, second = kept.asked
    assert first["code_challenge_method"] == ["S256"]
    assert first["resource"] == [f"http://127.0.0.1:{port}/mcp"]
    assert first["scope"] == ["milepost:read"], "no more than is needed"
    assert set(second["scope"][0].split()) == BASE, "more when a tool asks for more"
    (entry,) = memory.within("team-a").audit(operation="store")[-1:]
    assert (entry.who, entry.surface, entry.key[:6]) == ("ann", "mcp", "oauth-")
    assert stored


# Whom a token lets in, and where


def test_a_token_is_for_the_space_of_the_server_alone_unless_a_setting_says_more(
    memory: Milepost, url: str, issuer: Issuer
) -> None:
    memory.within("team-a").store("The harbour opens at nine")
    memory.store("The harbour closes at ten")
    own = {"space": "default"}
    named = {"oauth_spaces": ("team-a",)}
    claimed = {"oauth_spaces": ("claim:groups",)}
    token = issuer.token(groups=["team-a", "team-*", "*", "\x1d"])
    found = []
    for more in (own, named, claimed):
        with served(memory, url, issuer, **more) as address:
            spaces = [in_space(address, token, space) for space in ("default", "team-a", "team-b")]
            found.append(spaces)
    assert found == [[200, 403, 403], [403, 200, 403], [403, 200, 403]]


def in_space(server: str, token: str, space: str) -> int:
    headers = {"Authorization": f"Bearer {token}", "Milepost-Space": space}
    headers["Content-Type"] = "application/json"
    request = urllib.request.Request(f"{server}/tools/tags/execute", b"{}", headers)
    try:
        with urllib.request.urlopen(request) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as problem:
        problem.close()
        return problem.code


def test_a_token_without_the_claim_is_for_no_space(
    memory: Milepost, url: str, issuer: Issuer
) -> None:
    with served(memory, url, issuer, oauth_spaces=("claim:groups",)) as address:
        for space in ("default", "team-a"):
            assert in_space(address, issuer.token(), space) == 403


@pytest.mark.parametrize(
    ("scope", "tool", "arguments", "lacks"),
    [
        ("milepost:read", "store", {"content": "a fact"}, "milepost:write"),
        ("milepost:read", "call_tool", {"name": "delete"}, "milepost:write"),
        ("milepost:read", "create_entities", {"entities": []}, "milepost:write"),
        ("milepost:write", "search", {"query": "harbour"}, "milepost:read"),
        ("milepost:read milepost:write", "execute_code", {"code": "1"}, "milepost:execute"),
        ("milepost:read milepost:write", "list_keys", {}, "milepost:admin"),
        ("openid profile", "search", {"query": "harbour"}, "milepost:read"),
        ("read write", "search", {"query": "harbour"}, "milepost:read"),
    ],
)
def test_a_token_for_another_scope_is_told_which_it_lacks(
    server: str, issuer: Issuer, scope: str, tool: str, arguments: dict[str, Any], lacks: str
) -> None:
    ways = [call(server, issuer.token(scope=scope), tool, **arguments)]
    if tool not in ("call_tool", "create_entities"):
        ways.append(ask(server, f"/tools/{tool}/execute", issuer.token(scope=scope), arguments))
    for answer in ways:
        assert answer.status == 403
        assert answer.challenge["error"] == "insufficient_scope"
        assert answer.challenge["scope"] == lacks
        assert answer.challenge["resource_metadata"].startswith("http://127.0.0.1:8765/.well-known")


def test_a_token_with_no_scope_of_ours_learns_nothing(server: str, issuer: Issuer) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert ask(server, "/mcp", issuer.token(scope=None), message).status == 403
    assert ask(server, "/tools/discover", issuer.token(scope="openid")).status == 403


def test_scopes_may_stand_in_a_list_too(server: str, issuer: Issuer) -> None:
    assert search(server, issuer.token(scope=None, scp=["milepost:read"])).status == 200


def test_a_key_lets_in_as_before(memory: Milepost, server: str) -> None:
    made = memory.create_key("ci", scope="read")
    assert search(server, made.secret).status == 200
    assert search(server, made.secret + "x").status == 401


# Whom it does not


def _other_way(issuer: Issuer, algorithm: str) -> str:
    """Sign a token with the public key, as if it were a shared secret."""
    public = issuer.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    _, claims, _ = issuer.token().split(".")
    head = _b64(json.dumps({"alg": algorithm, "kid": issuer.name, "typ": "at+jwt"}).encode())
    signed = hmac.new(public, f"{head}.{claims}".encode(), hashlib.sha256).digest()
    return f"{head}.{claims}.{_b64(signed)}"


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _unsigned(issuer: Issuer, name: str = "none") -> str:
    _, claims, _ = issuer.token().split(".")
    return f"{_b64(json.dumps({'alg': name, 'typ': 'at+jwt'}).encode())}.{claims}."


def _changed(issuer: Issuer) -> str:
    head, claims, signature = issuer.token().split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=="))
    return f"{head}.{_b64(json.dumps(said | {'sub': 'root'}).encode())}.{signature}"


def _foreign(issuer: Issuer) -> str:
    """Sign by a key of one's own, which the token itself brings along."""
    key = rsa.generate_private_key(65_537, 2_048)
    brought = json.loads(RSAAlgorithm.to_jwk(key.public_key()))
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})
    return jwt.encode(
        claims,
        key,
        "RS256",
        headers={"kid": issuer.name, "jwk": brought, "jku": "http://127.0.0.1"},
    )


def _other_kind(issuer: Issuer) -> str:
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})
    key = ec.generate_private_key(ec.SECP256R1())
    return jwt.encode(claims, key, "ES256", headers={"kid": issuer.name})


ATTACKS: dict[str, tuple[Callable[[Issuer], str], str]] = {
    "wrong audience": (lambda i: i.token(aud="https://other.example.org/mcp"), "another server"),
    "audience like ours": (lambda i: i.token(aud=AUDIENCE + "x"), "another server"),
    "no audience": (lambda i: i.token(aud=None), "lacks"),
    "wrong issuer": (lambda i: i.token(iss="https://evil.example.org"), "another issuer"),
    "issuer like ours": (lambda i: i.token(iss=i.url + "/"), "another issuer"),
    "expired": (lambda i: i.token(exp=int(time.time()) - 120), "expired"),
    "without an end": (lambda i: i.token(exp=None), "lacks"),
    "an end that is no time": (lambda i: i.token(exp="tomorrow"), "no token"),
    "not yet valid": (lambda i: i.token(nbf=int(time.time()) + 120), "not good yet"),
    "made in the future": (lambda i: i.token(iat=int(time.time()) + 120), "not good yet"),
    "no subject": (lambda i: i.token(sub=None), "lacks"),
    "a subject that hides": (lambda i: i.token(sub="ann\u202e\n"), "names no subject"),
    "a subject without end": (lambda i: i.token(sub="a" * 300), "names no subject"),
    "alg none": (_unsigned, "not signed in a way"),
    "alg None": (lambda i: _unsigned(i, "NoNe"), "not signed in a way"),
    "alg is a list": (lambda i: _with_header(i, {"alg": ["RS256"]}), "not signed in a way"),
    "HS256 with the public key": (lambda i: _other_way(i, "HS256"), "not signed in a way"),
    "RS256 said, HS256 done": (lambda i: _other_way(i, "RS256"), "signature"),
    "changed": (_changed, "signature"),
    "a key brought along": (_foreign, "signature"),
    "another kind of key": (_other_kind, "key that the issuer does not have"),
    "unknown key": (lambda i: i.token(headers={"kid": "else"}), "key that the issuer"),
    "an ID token": (lambda i: i.token(headers={"typ": "logout+jwt"}), "not an access token"),
    "bound to its holder": (lambda i: i.token(cnf={"jkt": "x"}), "bound to a key"),
    "what must be understood": (lambda i: i.token(headers={"crit": ["x"], "x": 1}), "no token"),
    "a name of a key that is none": (lambda i: _with_header(i, {"kid": {"a": 1}}), "no token"),
    "no JSON": (lambda i: "a.b.c", "no token"),
    "deeply nested": (lambda i: _with_raw(b"[" * 9_000), "no token"),
    "too long": (lambda i: "a" * 17_000, "no token"),
    "opaque": (lambda i: "abcdef", "neither a key"),
}


def _with_header(issuer: Issuer, header: dict[str, Any]) -> str:
    _, claims, signature = issuer.token().split(".")
    head = {"alg": "RS256", "kid": issuer.name} | header
    return f"{_b64(json.dumps(head).encode())}.{claims}.{signature}"


def _with_raw(header: bytes) -> str:
    return f"{_b64(header)}.e30.x"


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Issuer]]:
    """A server with a memory of no interest, and its issuer."""
    folder = tmp_path_factory.mktemp("attacked")
    with begun(folder) as issuer, milepost.connect(folder / "m.db") as memory:
        assert isinstance(memory, Milepost)
        with served(memory, str(folder / "m.db"), issuer) as address:
            yield address, issuer


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_token_that_is_not_good_lets_nobody_in(attacked: tuple[str, Issuer], attack: str) -> None:
    server, issuer = attacked
    assert search(server, issuer.token()).status == 200, "a good one does"
    forge, why = ATTACKS[attack]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    token = forge(issuer)
    for answer in (search(server, token), ask(server, "/mcp", token, message)):
        assert answer.status == 401
        assert answer.challenge["error"] == "invalid_token"
        assert why in answer.challenge["error_description"]
        assert why in answer.body["detail"]


def test_a_clock_may_be_a_little_off(attacked: tuple[str, Issuer]) -> None:
    server, issuer = attacked
    now = int(time.time())
    assert search(server, issuer.token(exp=now - 5)).status == 200
    assert search(server, issuer.token(nbf=now + 20, iat=now + 20)).status == 200


# The issuer's keys


def test_a_flood_of_unknown_keys_does_not_reach_the_issuer(
    server: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    original = issuers.Issuer._answer

    def counted(self: Any, method: str, url: Any, *more: Any) -> Any:
        asked.append(url)
        return original(self, method, url, *more)

    monkeypatch.setattr(issuers.Issuer, "_answer", counted)
    monkeypatch.setattr(issuers, "AGAIN_S", 600.0)
    for number in range(50):
        assert search(server, issuer.token(headers={"kid": f"made up {number}"})).status == 401
    assert len(asked) == 2, "its metadata and its keys, once"
    assert search(server, issuer.token()).status == 200


def test_a_key_that_the_issuer_begins_to_use_is_learned_and_the_old_one_forgotten(
    server: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuers, "AGAIN_S", 0.0)
    old = issuer.token()
    assert search(server, old).status == 200
    issuer.rotate("second")
    assert search(server, issuer.token()).status == 200
    assert search(server, old).status == 401


def test_while_the_issuer_is_away_its_keys_go_on_and_others_are_told_so(
    server: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuers, "AGAIN_S", 0.0)
    monkeypatch.setattr(issuers, "FRESH_S", 0.0)
    assert search(server, issuer.token()).status == 200
    issuer.stop()
    assert search(server, issuer.token()).status == 200
    answer = search(server, issuer.token(headers={"kid": "new"}))
    assert answer.status == 503
    assert answer.headers["Retry-After"]
    monkeypatch.setattr(issuers, "KEPT_S", 0.0)
    assert search(server, issuer.token()).status == 503, "not for ever"


def test_an_issuer_that_was_never_there_is_a_503_that_says_so(server: str, issuer: Issuer) -> None:
    issuer.stop()
    answer = search(server, issuer.token())
    assert answer.status == 503
    assert answer.body["code"] == "unreachable"
    assert issuer.url in answer.body["detail"]
    assert search(server, None).status == 401, "who has no token is told as always"


def test_what_only_the_issuer_can_read_is_asked_for_and_remembered_for_a_moment(
    memory: Milepost, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = dict(zip(("oauth_client_id", "oauth_client_secret"), RESOURCE_SERVER, strict=True))
    with begun(tmp_path, "opaque") as issuer, served(memory, url, issuer, **client) as address:
        assert search(address, "made up").status == 401
        said = {"active": True, "sub": "ann", "scope": "milepost:read", "aud": AUDIENCE}
        answers = {
            "good": said,
            "for another": said | {"aud": "https://other.example.org"},
            "for nobody": said | {"aud": None},
            "of another": said | {"iss": "https://evil.example.org"},
            "expired": said | {"exp": 1},
            "not yet": said | {"nbf": time.time() + 600},
            "no time": said | {"exp": "soon"},
            "nearly active": said | {"active": "true"},
        }
        monkeypatch.setattr(issuers.Issuer, "_asked_of", lambda _self, token: answers[token])
        got = {token: search(address, token).status for token in answers}
        assert got == {token: 200 if token == "good" else 401 for token in answers}
        issuer.stop()
        assert search(address, "good").status == 200


# Settings


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"oauth_audience": ""}, "oauth_audience must be"),
        ({"oauth_audience": "http://memory.example.org/mcp"}, "oauth_audience must be"),
        ({"oauth_audience": "https://memory.example.org/mcp#x"}, "oauth_audience must be"),
        ({"oauth_issuer": "http://login.example.org"}, "oauth_issuer must be an https://"),
        ({"oauth_issuer": "login"}, "oauth_issuer must be an https://"),
    ],
)
def test_settings_that_would_let_in_who_must_not_be_are_refused(
    memory: Milepost, url: str, issuer: Issuer, more: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said), served(memory, url, issuer, **more):
        pass


def test_an_issuer_that_says_it_is_another_is_not_believed(
    memory: Milepost, url: str, issuer: Issuer
) -> None:
    lookalike = issuer.url.replace("127.0.0.1", "localhost")
    with served(memory, url, issuer, oauth_issuer=lookalike) as address:
        answer = search(address, issuer.token(iss=lookalike))
    assert answer.status == 503
    assert "another issuer" in answer.body["detail"]
