"""Another user of the same machine gets nothing: not by the port, the sockets or the files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import milepost
from milepost import Milepost, MilepostClient
from milepost.opening import settings_for
from milepost.surfaces import warm
from milepost.surfaces.cli import main
from milepost.surfaces.http import peer, running
from milepost.surfaces.warm_server import WarmServer
from support import PATIENCE_S

FACT = "The harbour master keeps the key of the north gate"
NOBODY = 65_534

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0, reason="only root can be somebody else here"
    ),
]


def as_nobody(code: str, *given: object) -> str:
    """Run Python as another user, and return what it prints."""
    program = f"""
import encodings.idna, json, os, socket, sys, urllib.error, urllib.request
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
given = sys.argv[1:]
{code}
"""
    command = [sys.executable, "-c", program, *map(str, given)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_S, cwd="/", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


_ASK = """
def ask(path, body=None, key=""):
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        with urllib.request.urlopen(urllib.request.Request(given[0] + path, body, headers)) as got:
            return got.status
    except urllib.error.HTTPError as refused:
        return refused.code
"""


@pytest.fixture
def served(memory: Milepost, path: Path) -> Iterator[str]:
    memory.store(FACT)
    with running(memory, settings_for(path)._replace(port=0)) as address:
        yield address


def test_by_the_port_another_user_gets_nothing_without_a_key(memory: Milepost, served: str) -> None:
    key = memory.create_key("for nobody", scope="read").secret
    got = as_nobody(
        _ASK
        + """
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
query = json.dumps({"query": "harbour"}).encode()
print(
    [ask(path) for path in ("/tools/discover", "/openapi.json", "/docs", "/metrics")],
    ask("/tools/search/execute", query),
    ask("/mcp", json.dumps(call).encode()),
    ask("/tools/store/execute", json.dumps({"content": "a lie"}).encode()),
    ask("/healthz"),
    ask("/tools/search/execute", query, given[1]),
)
""",
        served,
        key,
    )
    assert got == "[401, 401, 401, 401] 401 401 401 200 200"
    with MilepostClient(served, timeout=PATIENCE_S) as own:
        assert [m.content for m in own.list_memories()] == [FACT], "its user is let in as before"


def test_another_user_who_leaves_at_once_is_still_known(memory: Milepost, served: str) -> None:
    as_nobody(
        r"""
host, port = given[0].removeprefix("http://").split(":")
body = json.dumps({"content": "a lie"})
request = f"POST /tools/store/execute HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json"
request += f"\r\nContent-Length: {len(body)}\r\n\r\n{body}"
for wide in (False, True) * 20:
    family = socket.AF_INET6 if wide else socket.AF_INET
    with socket.socket(family) as line:
        line.connect(("::ffff:" + host if wide else host, int(port)))
        line.sendall(request.encode())
""",
        served,
    )
    with MilepostClient(served, timeout=PATIENCE_S) as own:
        assert [m.content for m in own.list_memories()] == [FACT]


def test_it_is_known_whose_connection_is_whose() -> None:
    assert peer.is_known_here()


def test_where_it_is_not_known_the_server_says_who_is_let_in(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(path)
    assert "nobody else" in peer.without_key(settings)
    monkeypatch.setattr(peer, "is_known_here", lambda: False)
    assert "every user of this machine is let in" in peer.without_key(settings)
    assert peer.without_key(settings._replace(key="a key")) == ""


def test_by_the_warm_socket_another_user_gets_nothing(path: Path) -> None:
    settings = settings_for(path)
    with milepost.connect(path) as memory:
        assert isinstance(memory, Milepost)
        memory.store(FACT)
        server = WarmServer(memory, settings, "test")
        assert server.start()
        place = Path(warm.endpoint(settings.runtime_folder, warm.canonical(settings.url) or ""))
        knock = """
line = socket.socket(socket.AF_UNIX)
line.settimeout(60)
try:
    line.connect(given[0])
    print(line.recv(100))
except PermissionError:
    print("not let near")
"""
        try:
            assert as_nobody(knock, place) == "not let near"
            # Even where the folder was opened by mistake.
            Path(settings.runtime_folder).chmod(0o755)
            place.chmod(0o666)
            for above in place.parents:
                if above.stat().st_uid == os.getuid() and above != Path("/"):
                    above.chmod(above.stat().st_mode | 0o011)
            assert as_nobody(knock, place) == "b''"
        finally:
            Path(settings.runtime_folder).chmod(0o700)
            server.stop()


def test_where_there_are_no_unix_sockets_the_port_wants_the_token_of_a_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "HAS_UNIX_SOCKETS", False)
    settings = settings_for(path)
    with milepost.connect(path) as memory:
        assert isinstance(memory, Milepost)
        server = WarmServer(memory, settings, "test")
        assert server.start()
        place = Path(warm.endpoint(settings.runtime_folder, warm.canonical(settings.url) or ""))
        port, token = place.read_bytes().split()
        try:
            got = as_nobody(
                """
try:
    print(open(given[0], "rb").read())
except PermissionError:
    print("not let near")
line = socket.create_connection(("127.0.0.1", int(given[1])))
line.settimeout(60)
line.sendall(b"0" * int(given[2]))
print(line.recv(100))
""",
                place,
                port.decode(),
                len(token),
            )
        finally:
            server.stop()
    assert got == "not let near\nb''"


def test_whatever_is_made_is_its_users_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        (home / name.lower()).mkdir(mode=0o755)  # the user's, where others have theirs too
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.delenv("MILEPOST_URL", raising=False)
    monkeypatch.setenv("MILEPOST_RUNTIME_FOLDER", str(home / "run"))
    before = os.umask(0o000)
    try:
        for command in (
            ("store", FACT),
            ("search", "who keeps the key?"),
            ("backup", "create"),
            ("audit",),
        ):
            main(list(command))
        settings = settings_for(str(home / "xdg_data_home/milepost/memory.db"))
        with milepost.connect(settings.url) as memory:
            assert isinstance(memory, Milepost)
            server = WarmServer(memory, settings._replace(runtime_folder=str(home / "run")), "test")
            assert server.start()
            open_to_others = {
                str(place.relative_to(home)): oct(stat.S_IMODE(place.stat().st_mode))
                for place in home.rglob("*/*")
                if place.stat().st_mode & 0o077 and _is_reached(place, home)
            }
            server.stop()
    finally:
        os.umask(before)
    capsys.readouterr()
    assert open_to_others == {}


def _is_reached(place: Path, home: Path) -> bool:
    """Whether another user gets as far as that: nothing above keeps them out."""
    inside = place.relative_to(home).parents
    return all((home / above).stat().st_mode & 0o011 for above in inside if str(above) != ".")
