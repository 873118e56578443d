"""Believe a server's answer only when every number in it can be a vector."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milepost.ranking.numerics import unit_rows

# Larger numbers, infinity included, overflow when squared; no model means them.
NUMBER_MAX = 1e100


class AnswerError(Exception):
    """A server answered with something that is not the vectors we asked for."""


def read_vectors(
    body: bytes, rows_of: Callable[[Any], list[Any]], count: int
) -> NDArray[np.float32]:
    """Return the unit rows in an answer, exactly one for each text sent."""
    try:
        rows = rows_of(json.loads(body))
    except (ValueError, RecursionError) as error:
        raise AnswerError("the answer is not JSON") from error
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise AnswerError("the answer has no vectors where they belong") from error
    if not isinstance(rows, list) or len(rows) != count:
        raise AnswerError(f"the answer does not hold one vector for each of {count} texts")
    return _unit_matrix(rows)


def _unit_matrix(rows: list[Any]) -> NDArray[np.float32]:
    for row in rows:
        if not isinstance(row, list) or not row or not set(map(type, row)) <= {int, float}:
            raise AnswerError("a vector in the answer is not a list of numbers")
        if len(row) != len(rows[0]):
            raise AnswerError("the vectors in the answer differ in length")
    try:
        matrix = np.array(rows, dtype=np.float64)
    except OverflowError as error:
        raise AnswerError("a vector in the answer holds an impossible number") from error
    if not (np.abs(matrix) < NUMBER_MAX).all():
        raise AnswerError("a vector in the answer holds an impossible number")
    return unit_rows(matrix)
