"""TLS from a real server to a real client: who is let in, who is believed, what is said if not."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from http.client import HTTPSConnection
from pathlib import Path

import pytest
from command_line import milepost as run
from hook_runs import DECISION, Hooks

import milepost
from certificates import DAY, Authority, Pair
from milepost import ConfigError, MilepostClient, Tls, Unreachable
from milepost.app import open_memory
from milepost.opening import settings_for
from milepost.surfaces.http import running
from milepost.surfaces.http.limits import ServerLimits
from milepost.transport import tls as transport_tls
from support import PATIENCE_S

FACT = "The harbour master keeps the key of the north gate"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def pair(authority: Authority) -> Pair:
    return authority.issue("server")


@contextmanager
def served(
    path: Path, pair: Pair, limits: ServerLimits | None = None, **more: str
) -> Iterator[str]:
    """Serve a memory that has one fact; give the address."""
    settings = settings_for(path)._replace(
        port=0, tls_cert=str(pair.certificate), tls_key=str(pair.key), **more
    )
    with open_memory(settings) as memory:
        memory.store(FACT)
        with running(memory, settings, limits or ServerLimits()) as url:
            yield url


def asked(url: str, **tls: object) -> int:
    """Return how many memories a client finds there."""
    with MilepostClient(url, timeout=PATIENCE_S, tls=Tls(**tls)) as client:  # type: ignore[arg-type]
        return len(client.search("who keeps the key?").memories)


def refused(url: str, **tls: object) -> str:
    """Return what a client says that does not believe the server, or is not let in."""
    with pytest.raises(Unreachable) as problem:
        asked(url, **tls)
    return str(problem.value)


def open_line(url: str, authority: Authority) -> HTTPSConnection:
    """Return a connection that stays open."""
    context = ssl.create_default_context(cafile=authority.file)
    host, _, port = url.removeprefix("https://").partition(":")
    line = HTTPSConnection(host, int(port), timeout=PATIENCE_S, context=context)
    line.connect()
    return line


def shown_pin(line: HTTPSConnection) -> str:
    return transport_tls.pin_of(line.sock.getpeercert(binary_form=True))


def healthy(line: HTTPSConnection) -> bool:
    line.request("GET", "/healthz")
    answer = line.getresponse()
    answer.read()
    return answer.status == 200


def test_a_client_that_knows_the_authority_is_answered(
    path: Path, authority: Authority, pair: Pair
) -> None:
    with served(path, pair) as url:
        assert url.startswith("https://")
        assert asked(url, ca=str(authority.file)) == 1
        assert asked(url, ca=str(authority.file), pins=(pair.pin,)) == 1


def test_everything_that_takes_settings_takes_the_authority(
    path: Path, authority: Authority, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(path, pair) as url:
        monkeypatch.setenv("MILEPOST_CA", str(authority.file))
        monkeypatch.setenv("MILEPOST_PIN", pair.pin)
        with milepost.connect(url) as memory:
            assert len(memory.search("who keeps the key?").memories) == 1
        assert FACT in run("search", "who keeps the key?", "--url", url).out
        assert run("monitor", "--once", "--url", str(path), "--server", url).code == 0
        monkeypatch.setenv("MILEPOST_PIN", authority.issue("another").pin)
        outcome = run("search", "who keeps the key?", "--url", url)
        assert outcome.code == 1
        assert "not the pinned one" in outcome.err


@pytest.mark.slow
def test_hooks_and_the_mcp_way_reach_a_server_by_tls(
    path: Path, repo: Path, authority: Authority, pair: Pair
) -> None:
    with milepost.connect(path) as memory:
        memory.store(DECISION, kind="decision", project="shop")
    with served(path, pair) as url:
        by_mcp = {"MILEPOST_HOOK_SERVER": f"{url}/mcp", "MILEPOST_HOOK_CODE": "off"}
        for way in ({"MILEPOST_URL": url}, by_mcp):
            told = {}
            for ca in (str(authority.file), ""):
                hooks = Hooks(path, repo)
                hooks.environment |= {**way, "MILEPOST_CA": ca}
                done = hooks("session-start")
                told[ca] = done.told
            assert DECISION in told[str(authority.file)]
            assert DECISION not in told[""]


def test_nothing_older_than_tls_1_2_is_spoken(path: Path, authority: Authority, pair: Pair) -> None:
    with served(path, pair) as url:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        spoken = {}
        for version in (ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.create_default_context(cafile=authority.file)
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                context.minimum_version = context.maximum_version = version
            with (
                socket.create_connection(address, PATIENCE_S) as line,
                suppress(ssl.SSLError),
                context.wrap_socket(line, server_hostname="127.0.0.1") as secured,
            ):
                spoken[version] = secured.version()
        assert list(spoken.values()) == ["TLSv1.2", "TLSv1.3"]


def test_a_new_certificate_is_used_by_new_connections_and_old_ones_go_on(
    path: Path, authority: Authority, pair: Pair
) -> None:
    with served(path, pair) as url:
        old = open_line(url, authority)
        assert healthy(old)
        renewed = authority.issue("renewed")
        pair.put(renewed)

        new = open_line(url, authority)

        assert (shown_pin(old), shown_pin(new)) == (pair.pin, renewed.pin)
        assert healthy(old)
        assert healthy(new)
        old.close()
        new.close()


def test_a_broken_or_half_written_pair_is_logged_and_the_old_one_kept(
    path: Path, authority: Authority, pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    with served(path, pair) as url:
        renewed, whole = authority.issue("renewed"), pair.certificate.read_bytes()
        broken = (
            (b"", "no PEM"),
            (b"no certificate", "no PEM"),
            (renewed.certificate.read_bytes(), "of another certificate"),
            (None, "No such file"),
        )
        for content, said in broken:
            caplog.clear()
            pair.certificate.unlink()
            if content is not None:
                pair.certificate.write_bytes(content)
            for _ in range(3):
                with closing(open_line(url, authority)) as line:
                    assert shown_pin(line) == pair.pin
            (record,) = caplog.records
            assert said in record.getMessage()
            assert "certificate of before is kept" in record.getMessage()
        pair.put(renewed)
        assert asked(url, ca=str(authority.file), pins=(renewed.pin,)) == 1
        pair.certificate.write_bytes(whole)
        assert asked(url, ca=str(authority.file), pins=(renewed.pin,)) == 1


def test_with_a_client_authority_only_clients_with_its_certificates_are_let_in(
    path: Path, authority: Authority, pair: Pair, tmp_path: Path
) -> None:
    of_clients = Authority(tmp_path, "Authority of clients")
    mine, strange = of_clients.issue("mine", "laptop"), authority.issue("strange", "laptop")
    late = of_clients.issue("late", "laptop", -2 * DAY, -DAY)
    known = {"ca": str(authority.file)}
    with served(path, pair, client_ca=str(of_clients.file)) as url:
        shown = {"certificate": str(mine.certificate), "key": str(mine.key)}
        assert asked(url, **known, **shown) == 1
        for _ in range(5):  # whether it is heard must not be a matter of luck
            with pytest.raises(ConfigError, match="set client_cert"):
                asked(url, **known)
        for other in (strange, late):
            shown = {"certificate": str(other.certificate), "key": str(other.key)}
            said = refused(url, **known, **shown)
            assert "that its client_ca signed your client_cert" in said


def test_who_may_come_in_follows_the_file_too(
    path: Path, authority: Authority, pair: Pair, tmp_path: Path
) -> None:
    before, after = Authority(tmp_path, "Before"), Authority(tmp_path, "After")
    mine = after.issue("mine", "laptop")
    shown = {"certificate": str(mine.certificate), "key": str(mine.key), "ca": str(authority.file)}
    with served(path, pair, client_ca=str(before.file)) as url:
        assert "its client_ca signed your client_cert" in refused(url, **shown)
        before.file.write_bytes(after.file.read_bytes())
        assert asked(url, **shown) == 1


@pytest.mark.parametrize(
    ("host", "starts", "ends", "said"),
    [
        ("127.0.0.1", -2 * DAY, -DAY, ("has expired", "renew it there")),
        ("127.0.0.1", DAY, 2 * DAY, ("not valid yet", "check the clocks")),
        ("memory.example", -DAY, DAY, ("of another host", "use the name")),
        ("127.0.0.2", -DAY, DAY, ("of another host", "use the name")),
    ],
)
def test_a_certificate_that_does_not_hold_is_told_with_what_to_do(
    path: Path,
    authority: Authority,
    host: str,
    starts: timedelta,
    ends: timedelta,
    said: tuple[str, str],
) -> None:
    with served(path, authority.issue("server", host, starts, ends)) as url:
        told = refused(url, ca=str(authority.file))
        assert all(part in told for part in said), told


def test_a_stranger_s_certificate_and_another_key_are_told_with_what_to_do(
    path: Path, authority: Authority, pair: Pair
) -> None:
    with served(path, pair) as url:
        assert "set ca (MILEPOST_CA)" in refused(url)
        other = authority.issue("other")
        told = refused(url, ca=str(authority.file), pins=(other.pin,))
        assert f"not the pinned one but {pair.pin}" in told
        assert "set pin to that" in told
        digits = transport_tls._digest(pair.pin).hex()
        colons = ":".join(digits[at : at + 2] for at in range(0, 64, 2)).upper()
        for pin in (digits, colons, f"sha256:{digits}"):
            assert asked(url, ca=str(authority.file), pins=(other.pin, pin)) == 1
        for nonsense in ("", "sha256//", "abc", pair.pin[:-4]):
            with pytest.raises(ConfigError, match="pin must be"):
                asked(url, ca=str(authority.file), pins=(nonsense,))


class Listener:
    """Takes connections in clear, and notes what it is sent."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def heard(self) -> bytes:
        """Return what came first over the connections that were made, and end."""
        self._socket.setblocking(False)
        heard = b""
        with suppress(BlockingIOError):
            while True:
                line, _ = self._socket.accept()
                line.settimeout(PATIENCE_S)
                heard += line.recv(65536)
                line.close()
        self._socket.close()
        return heard


def test_no_key_is_ever_sent_in_clear_to_a_server_with_tls(
    path: Path, authority: Authority, pair: Pair
) -> None:
    listener = Listener()
    tls = Tls(str(authority.file))
    url = f"https://127.0.0.1:{listener.port}"
    client = MilepostClient(url, "the key", timeout=0.3, tls=tls)
    with client, pytest.raises(Unreachable):
        client.search("who keeps the key?")
    heard = listener.heard()
    assert heard[:1] == b"\x16"  # the handshake of TLS
    assert b"the key" not in heard
    with pytest.raises(ConfigError, match="all as https"):
        MilepostClient(f"{url},http://127.0.0.1:1", "the key", tls=tls)
    with pytest.raises(ConfigError, match="use https"):
        MilepostClient("http://127.0.0.1:1", "the key", tls=Tls(pins=(pair.pin,)))


def test_of_several_servers_the_one_that_is_known_answers(
    path: Path, tmp_path: Path, authority: Authority, pair: Pair
) -> None:
    wrong = authority.issue("wrong")
    with served(path, pair) as good, served(tmp_path / "other.db", wrong) as bad:
        both = f"{bad},{good}"
        assert asked(both, ca=str(authority.file), pins=(pair.pin,)) == 1
        assert asked(both, ca=str(authority.file), pins=(wrong.pin, pair.pin)) == 1
        told = refused(both, ca=str(authority.file), pins=(authority.issue("x").pin,))
        assert "not the pinned one" in told
        gone = f"{bad},https://127.0.0.1:1"
        told = refused(gone, ca=str(authority.file), pins=(pair.pin,))
        assert told.startswith(f"{bad} ")
        assert "not the pinned one" in told


def test_clear_http_on_a_tls_port_is_ended_and_no_tls_is_told(
    path: Path, tmp_path: Path, authority: Authority, pair: Pair
) -> None:
    with served(path, pair) as url:
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 30) as line:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            with suppress(ConnectionError):
                assert b"200" not in line.recv(1000)
        assert asked(url, ca=str(authority.file)) == 1
    settings = settings_for(path)._replace(port=0)
    with open_memory(settings) as memory, running(memory, settings) as clear:
        told = refused(clear.replace("http:", "https:"), ca=str(authority.file))
    assert "does not speak TLS" in told


def test_who_says_nothing_on_a_tls_port_is_sent_away(
    path: Path, authority: Authority, pair: Pair
) -> None:
    with served(path, pair, ServerLimits(header_seconds=0.2)) as url:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        with socket.create_connection(address, 30) as line, suppress(ConnectionError):
            assert line.recv(1) == b""


def test_files_that_cannot_be_used_are_named_before_anything_is_served(
    path: Path, authority: Authority, pair: Pair, tmp_path: Path
) -> None:
    other, locked = authority.issue("other"), authority.issue("locked", password=b"secret")
    empty = tmp_path / "empty.pem"
    empty.write_bytes(b"")
    wrong = (
        (pair._replace(key=other.key), {}, "of another certificate"),
        (locked, {}, "has a password"),
        (pair._replace(certificate=tmp_path / "none.pem"), {}, "No such file"),
        (pair._replace(certificate=empty), {}, "no PEM"),
        (pair, {"client_ca": str(empty)}, "client_ca cannot be read"),
    )
    for files, more, said in wrong:
        with pytest.raises(ConfigError, match=said), served(path, files, **more):
            pass
    with open_memory(settings_for(path)) as memory:
        settings = settings_for(path)._replace(port=0, client_ca=str(authority.file))
        with pytest.raises(ConfigError, match="need tls_cert"), running(memory, settings):
            pass
    for tls, said in (
        ({"ca": str(empty)}, "ca cannot be read"),
        ({"ca": str(tmp_path / "none.pem")}, "No such file"),
        ({"certificate": str(empty)}, "client_cert"),
    ):
        with pytest.raises(ConfigError, match=said):
            asked("https://127.0.0.1:1", **tls)


@pytest.mark.slow
def test_the_command_serves_by_tls_and_tells_its_pin(
    path: Path, authority: Authority, pair: Pair
) -> None:
    words = ["serve", "--url", path, "--port", 0, "--tls-cert", pair.certificate]
    process = subprocess.Popen(
        [sys.executable, "-m", "milepost", *map(str, [*words, "--tls-key", pair.key])],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"MILEPOST_SANDBOX": "off", "HOME": str(path.parent)},
    )
    try:
        assert process.stderr is not None
        lines = [next(process.stderr), next(process.stderr)]
        url = lines[0].rpartition(" on ")[2].strip()
        assert lines[1] == f"milepost: clients may pin {pair.pin}\n"
        with MilepostClient(url, tls=Tls(str(authority.file), pins=(pair.pin,))) as client:
            client.store(FACT)
        port = url.rpartition(":")[2]
        spoken = subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", authority.file],
            input=b"",
            capture_output=True,
            check=True,
        ).stdout.decode()
        assert "Verify return code: 0 (ok)" in spoken
        assert "TLSv1.3" in spoken
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
