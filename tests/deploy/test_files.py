"""What is deployed is checked by the tools of those who run it, and holds no secret."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from container import DEPLOY, ROOT, tool

from milepost.surfaces.http.access import PROBES

DOCKERFILES = sorted(DEPLOY.rglob("Dockerfile"))
COMPOSE = sorted(DEPLOY.rglob("compose.yaml"))
SCRIPTS = sorted(DEPLOY.rglob("*.sh"))


def named(path: Path) -> str:
    return path.relative_to(DEPLOY).as_posix()


def looked_at(*words: object) -> subprocess.CompletedProcess[str]:
    """Have a tool look at files, and return what it says."""
    return subprocess.run(list(map(str, words)), check=False, capture_output=True, text=True)


def services(file: Path) -> dict[str, dict[str, Any]]:
    return dict(yaml.safe_load(file.read_text())["services"])


def ours(file: Path) -> dict[str, dict[str, Any]]:
    return {n: s for n, s in services(file).items() if "milepost_url" in s.get("secrets", ())}


@pytest.mark.slow
@pytest.mark.parametrize("file", DOCKERFILES, ids=named)
def test_hadolint_finds_nothing(file: Path) -> None:
    checked = looked_at(tool("hadolint"), file)

    assert (checked.returncode, checked.stdout) == (0, "")


@pytest.mark.slow
def test_compose_files_are_what_compose_takes() -> None:
    pytest.importorskip("check_jsonschema")
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]

    checked = looked_at(*check, *COMPOSE)

    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
@pytest.mark.parametrize("file", SCRIPTS, ids=named)
def test_a_script_is_one_of_the_shell(file: Path) -> None:
    subprocess.run(["sh", "-n", str(file)], check=True)


@pytest.mark.parametrize("file", COMPOSE, ids=named)
def test_what_a_compose_file_mounts_and_builds_is_there(file: Path) -> None:
    for name, service in services(file).items():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            if source.startswith("."):
                assert (file.parent / source).exists(), (name, volume)
        build = service.get("build")
        context = build["context"] if isinstance(build, dict) else build
        if context is not None:
            dockerfile = build["dockerfile"] if isinstance(build, dict) else "Dockerfile"
            assert (file.parent / context / dockerfile).is_file(), name


@pytest.mark.parametrize("file", COMPOSE, ids=named)
def test_servers_wait_for_the_migration_and_the_migration_for_the_database(file: Path) -> None:
    every, mine = services(file), ours(file)
    migrating = {name for name, service in mine.items() if service.get("command") == ["migrate"]}
    serving = mine.keys() - migrating

    def waits_for(name: str) -> set[str]:
        told = every[name].get("depends_on", {})
        found = {
            other
            for other, how in (told.items() if isinstance(told, dict) else ())
            if how["condition"] in ("service_healthy", "service_completed_successfully")
        }
        return found.union(*(waits_for(other) for other in found))

    assert len(migrating) == 1
    assert serving
    assert all(migrating <= waits_for(name) for name in serving)
    databases = {n for n, s in every.items() if "postgres_password" in s.get("secrets", ())}
    assert waits_for(migrating.pop()) & databases


@pytest.mark.parametrize("file", COMPOSE, ids=named)
def test_servers_can_write_nowhere_and_get_no_secret_but_by_file(file: Path) -> None:
    for service in ours(file).values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
    for service in services(file).values():
        told = service.get("environment", {})
        assert [
            k for k in told if re.search("PASSWORD|KEY|SECRET", k) and not k.endswith("_FILE")
        ] == []


def test_every_image_that_is_fetched_has_a_version() -> None:
    fetched = [line for file in COMPOSE for line in re.findall(r"image: (\S+)", file.read_text())]
    bases = [
        line for file in DOCKERFILES for line in re.findall(r"^FROM (\S+)", file.read_text(), re.M)
    ]

    for image in {*fetched, *bases} - {"${PYTHON_IMAGE}", "${MILEPOST_IMAGE:-milepost:latest}"}:
        assert re.search(r":v?\d", image), image


def test_secrets_are_made_once_and_fit_each_other(tmp_path: Path) -> None:
    make = ["sh", str(DEPLOY / "make-secrets.sh"), str(tmp_path / "s"), "db-1,db-2", "?x=y"]
    made = []
    for _ in range(2):
        subprocess.run(make, check=True)
        made.append({file.name: file.read_text() for file in (tmp_path / "s").iterdir()})

    first = made[0]
    assert made == [first, first]
    password = first["postgres_password"]
    assert first["milepost_url"] == f"postgresql://milepost:{password}@db-1,db-2/milepost?x=y"
    assert re.fullmatch("[0-9a-f]{64}", first["milepost_key"])
    assert len(set(first.values())) == len(first)
    mounted = {
        Path(secret["file"]).name
        for file in COMPOSE
        for secret in yaml.safe_load(file.read_text())["secrets"].values()
    }
    assert mounted == first.keys()


def test_secrets_are_not_committed_and_not_sent_to_the_build() -> None:
    places = [DEPLOY / "secrets" / "milepost_key", DEPLOY / "patroni" / "secrets" / "milepost_url"]
    ignored = looked_at("git", "-C", ROOT, "check-ignore", *places)
    assert len(ignored.stdout.splitlines()) == 2
    assert (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()[1] == "*"


def test_what_the_image_copies_is_sent_to_the_build() -> None:
    sent = {
        line.removeprefix("!")
        for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.M)

    assert sent == {name for line in copied for name in line.split()}
    assert all((ROOT / name).exists() for name in sent)


@pytest.mark.slow
def test_the_proxy_is_configured_as_caddy_wants_it_and_asks_a_path_that_needs_no_key() -> None:
    file = DEPLOY / "Caddyfile"
    for words in (("validate", "--adapter", "caddyfile", "--config"), ("fmt", "--diff")):
        checked = looked_at(tool("caddy"), *words, file)
        assert checked.returncode == 0, checked.stderr

    (asked,) = re.findall(r"health_uri (\S+)", file.read_text())
    assert asked in PROBES
