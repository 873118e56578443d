"""How languages say password, key, code and login: the words of data/languages.txt."""

from __future__ import annotations

from functools import cache

from milepost.text.secrets.published import lines
from milepost.text.secrets.signs import Index

PASSWORD, KEY, CODE, LOGIN, ANY_KEY = range(5)
# Who often has a password.
USERS = ("admin", "root", "demo", "guest", "test", "user", "postgres", "@")


@cache
def index() -> Index:
    """Return the words of all languages, with what each is for."""
    return Index(_words().items())


@cache
def english() -> frozenset[str]:
    """Return the words that have no other ending than that of many."""
    return frozenset(",".join(lines("languages.txt")[0].split("\t")[1:]).split(","))


def _words() -> dict[str, int]:
    known: dict[str, int] = {}
    for line in lines("languages.txt"):
        for kind, words in enumerate(line.split("\t")[1:]):
            known |= dict.fromkeys(filter(None, words.split(",")), kind)
    return known
