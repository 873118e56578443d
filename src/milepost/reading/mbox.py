"""Boxes of e-mail."""

from __future__ import annotations

from milepost.reading.mail import read_mbox as read

__all__ = ["read"]
