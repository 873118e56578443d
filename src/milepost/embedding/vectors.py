"""Rows of unit length, whatever they are made from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scale each row to length one and leave a row of zeros as it is."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, np.newaxis]
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (rows / lengths).astype(np.float32, copy=False)
    return scaled
