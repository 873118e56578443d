"""Run what the Dockerfile says as a container would: its commands, its user, a read-only root."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
# Where the image keeps what it writes, and where it finds its secrets.
DATA, CACHE, SECRETS = "/var/lib/milepost", "/var/cache/milepost", "/run/secrets"


class Image(NamedTuple):
    """What of a Dockerfile's last stage matters when it runs."""

    env: dict[str, str]
    user: str
    entrypoint: list[str]
    command: list[str]
    health: list[str]


def image() -> Image:
    """Read the Dockerfile."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    stage = text[text.rindex("\nFROM ") :]

    def said(word: str) -> str:
        (line,) = re.findall(rf"^{word} +(.+)$", stage, re.MULTILINE)
        return str(line)

    return Image(
        env=dict(pair.split("=", 1) for pair in shlex.split(said("ENV"))),
        user=said("USER"),
        entrypoint=json.loads(said("ENTRYPOINT")),
        command=json.loads(said("CMD")),
        health=json.loads(said("HEALTHCHECK").partition(" CMD ")[2]),
    )


def tool(name: str) -> str:
    """Return a program that the development extras install, or that is on this machine."""
    beside = Path(sys.executable).parent
    found = shutil.which(name, path=f"{beside}{os.pathsep}{os.environ.get('PATH', '')}")
    if found is None:
        pytest.skip(f"there is no {name} here")
    return found


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


class Container:
    """A folder for each volume, and processes that see little else that they could write to."""

    def __init__(self, folder: Path, image: Image) -> None:
        self.image = image
        self.port = free_port()
        self._folder = folder
        self.volumes = {DATA: folder / "data", CACHE: folder / "cache"}
        self.secrets = folder / "secrets"
        for place in (*self.volumes.values(), self.secrets):
            place.mkdir()
            shutil.chown(place, *self._ids)

    @property
    def _ids(self) -> tuple[int, int]:
        user, group = self.image.user.split(":")
        return int(user), int(group)

    def secret(self, name: str, value: str) -> None:
        (self.secrets / name).write_text(value)

    def argv(
        self, words: Sequence[str], volumes: Sequence[str], env: Mapping[str, str]
    ) -> list[str]:
        """Return what runs some words in the container, with some of its volumes."""
        user, group = self._ids
        variables = self.image.env | {"MILEPOST_PORT": str(self.port), **env}
        given = [f"{name}={value}" for name, value in variables.items()]
        confined = [
            "setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs",
            "--bounding-set=-all", "--inh-caps=-all", "env", "-i", *given, f"PYTHONPATH={ROOT}/src",
        ]  # fmt: skip
        script = "\n".join((*self._mounts(volumes), shlex.join([*confined, *words])))
        return ["unshare", "--mount", "sh", "-euc", script]

    def _mounts(self, volumes: Sequence[str]) -> Iterator[str]:
        """Make the root read-only, but for volumes and /tmp, and show the program as the image."""
        yield "mount --make-rprivate /"
        places = {SECRETS: self.secrets, **{name: self.volumes[name] for name in volumes}}
        for top in ("/opt", "/run", "/var/lib", "/var/cache"):
            yield f"mount -t tmpfs -o mode=755 image {top}"
        yield from _interpreter("/run/python")
        for name, program in (
            ("milepost", f"{sys.executable} -m milepost"),
            ("python", sys.executable),
        ):
            yield "mkdir -p /opt/milepost/bin"
            yield f"printf '#!/bin/sh\\nexec {program} \"$@\"\\n' > /opt/milepost/bin/{name}"
            yield f"chmod 755 /opt/milepost/bin/{name}"
        # As in the image: the folders are there, and the user's, but nothing keeps them.
        user, group = self._ids
        for name in (DATA, CACHE, SECRETS):
            yield f"mkdir -p {name} && chown {user}:{group} {name}"
        for name, place in places.items():
            yield f"mount --bind {place} {name}"
        yield f"mount -o remount,bind,ro {SECRETS}"
        for top in ("/opt", "/run", "/var/lib", "/var/cache"):
            yield f"mount -o remount,ro {top}"
        yield "mount -o remount,bind,ro /"
        yield "mount -t tmpfs -o mode=1777,size=64m image /tmp"
        yield "cd /"
        yield "exec \\"

    def run(
        self, words: Sequence[str], volumes: Sequence[str] = (DATA, CACHE), **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run words to their end."""
        return subprocess.run(
            self.argv(words, volumes, env), capture_output=True, text=True, timeout=120, check=False
        )

    @contextmanager
    def running(
        self, words: Sequence[str], volumes: Sequence[str] = (DATA, CACHE), **env: str
    ) -> Iterator[subprocess.Popen[str]]:
        """Run words until the end of the block."""
        with subprocess.Popen(
            self.argv(words, volumes, env), stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()


def _interpreter(stash: str) -> Iterator[str]:
    """Let everybody reach this Python, where it lies in a folder of somebody's own."""
    base = Path(sys.base_prefix).resolve()
    closed = [folder for folder in base.parents if not folder.stat().st_mode & 0o001]
    if closed:
        yield f"mkdir -p {stash} && mount --bind {base} {stash}"
        yield f"mount -t tmpfs -o mode=755 image {closed[-1]}"
        yield f"mkdir -p {base} && mount --bind {stash} {base}"
