"""The commands of the image run as they stand there: not as root, on a root that is read-only."""

from __future__ import annotations

import json
import signal
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml
from container import CACHE, DATA, DEPLOY, Container, image

from milepost import MilepostClient
from milepost.surfaces.cli.builtin import COMMANDS
from support import PATIENCE_S, wait_until

KEY = "a-key-of-this-test-alone"
STORE = f"{DATA}/memory.db"
SERVE = [*image().entrypoint, *image().command]

pytestmark = pytest.mark.slow


@pytest.fixture
def keyed(container: Container) -> Container:
    """A container with the secrets that a store in a volume needs."""
    container.secret("milepost_key", KEY)
    container.secret("milepost_url", STORE)
    return container


def is_well(container: Container) -> bool:
    return container.run(container.image.health).returncode == 0


def client(container: Container) -> MilepostClient:
    return MilepostClient(f"http://127.0.0.1:{container.port}", key=KEY, timeout=PATIENCE_S)


def test_a_server_runs_as_its_user_on_a_read_only_root_and_ends_when_told(keyed: Container) -> None:
    assert not is_well(keyed)

    with keyed.running(SERVE) as process:
        wait_until(lambda: is_well(keyed))
        with client(keyed) as memory:
            memory.store("The gate opens at nine")
            assert memory.search("when does the gate open?").memories
        about = Path(f"/proc/{process.pid}/status").read_text()
        assert "Uid:\t10001\t10001\t10001\t10001" in about
        assert "NoNewPrivs:\t1" in about
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        told = process.stderr.read()

    assert "Read-only" not in told
    assert "Traceback" not in told
    store = keyed.volumes[DATA] / "memory.db"
    assert store.stat().st_uid == 10001
    assert not is_well(keyed)


def test_what_a_server_stored_is_there_for_the_next(keyed: Container) -> None:
    for known in (0, 1):
        with keyed.running(SERVE) as process:
            wait_until(lambda: is_well(keyed))
            with client(keyed) as memory:
                assert memory.health().count == known
                memory.store("The gate opens at nine")
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def test_nobody_comes_in_without_the_key(keyed: Container) -> None:
    with keyed.running(SERVE):
        wait_until(lambda: is_well(keyed))
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"http://127.0.0.1:{keyed.port}/tools/discover", timeout=60)


def test_a_server_without_a_store_refuses_to_start(container: Container) -> None:
    container.secret("milepost_key", KEY)

    ended = container.run(SERVE)

    assert ended.returncode == 1
    assert "url cannot be read from /run/secrets/milepost_url" in ended.stderr


def test_a_server_without_a_key_refuses_to_start(container: Container) -> None:
    container.secret("milepost_url", STORE)

    ended = container.run(SERVE)

    assert ended.returncode == 1
    assert "key cannot be read from /run/secrets/milepost_key" in ended.stderr


def test_a_store_that_no_volume_keeps_is_refused(keyed: Container) -> None:
    ended = keyed.run(
        [*keyed.image.entrypoint, "store", "The gate opens at nine"], volumes=(CACHE,)
    )

    assert ended.returncode == 1
    assert STORE in ended.stderr


def test_programs_run_or_health_says_what_is_missing(keyed: Container, sandbox: None) -> None:
    with keyed.running(SERVE):
        wait_until(lambda: is_well(keyed))
        with client(keyed) as memory:
            run = memory.execute_code("print(6 * 7)")
            notes = " ".join(memory.health().notes)

    assert "42" in str(run)
    layers = json.loads(keyed.run([*keyed.image.entrypoint, "doctor", "--json"]).stdout)
    (said,) = [check for check in layers["checks"] if check["name"] == "sandbox"]
    assert said["status"] != "broken"
    assert ("all 6 layers work" in said["found"]) == ("the sandbox lacks" not in notes), (
        said,
        notes,
    )


def commands() -> set[tuple[str, ...]]:
    """All that compose files have the image run, beside what it runs by itself."""
    found = {tuple(image().command)}
    for file in DEPLOY.rglob("compose.yaml"):
        services: dict[str, Any] = yaml.safe_load(file.read_text())["services"]
        ours = [s for s in services.values() if "milepost_url" in s.get("secrets", ())]
        found |= {tuple(service["command"]) for service in ours if "command" in service}
    return found


@pytest.mark.parametrize("words", sorted(commands()), ids=" ".join)
def test_every_command_of_the_files_is_one_of_the_program(
    words: tuple[str, ...], keyed: Container
) -> None:
    if words[0] not in {command.path[0] for command in COMMANDS}:
        pytest.skip(f"`milepost {words[0]}` comes with the PostgreSQL store")

    ended = keyed.run([*keyed.image.entrypoint, *words, "--help"])

    assert ended.returncode == 0, ended.stderr


def test_the_image_is_no_ones_but_its_user() -> None:
    user, group = image().user.split(":")

    assert int(user) > 0
    assert int(group) > 0
    assert Path(image().env["MILEPOST_URL_FILE"]).is_absolute()
    assert not {"MILEPOST_URL", "MILEPOST_KEY"} & image().env.keys()
