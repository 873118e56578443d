"""A container as far as one can be had without anybody who runs containers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from container import ROOT, Container, image


@pytest.fixture
def container() -> Iterator[Container]:
    """An image's processes, with volumes that are empty and no secrets."""
    if Path("/tmp") in ROOT.parents:
        pytest.skip("the container has a /tmp of its own")
    probe = ["unshare", "--mount", "mount", "--make-rprivate", "/"]
    tools = all(shutil.which(name) for name in ("unshare", "setpriv", "mount"))
    if not tools or subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("no root can be made read-only here: that takes root and util-linux")
    folder = Path(mkdtemp(prefix="milepost-container-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield Container(folder, image())
    shutil.rmtree(folder)
