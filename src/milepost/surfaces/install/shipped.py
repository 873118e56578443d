"""The files that clients are given: in the package, or in the sources it is run from."""

from pathlib import Path

import milepost

_PACKAGE = Path(milepost.__file__).parent


def shipped(name: str) -> str:
    """Return the text of a file of `integrations`."""
    for folder in (_PACKAGE / "integrations", _PACKAGE.parents[1] / "integrations"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise FileNotFoundError(2, "Milepost is not completely installed; install it again", name)
