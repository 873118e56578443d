"""Secrets in a column that is named for them: tables of Markdown, of databases, and of commas."""

from __future__ import annotations

import re
from functools import cache

from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.values import Candidate, looks_secret

_SIGNS = (
    "pass",
    "pw",
    "secret",
    "token",
    "key",
    "pin",
    "kennwort",
    "contrase",
    "senha",
    "hasło",
    "heslo",
    "парол",
)
_ROWS_MAX, _WIDTH_MAX = 200, 400


def without_columns(text: str) -> str:
    """Return a text in which the cells below the name of a secret are replaced."""
    if "\n" not in text:
        return text
    lines = text.split("\n")
    done = 0
    for number, line in enumerate(lines[:-1]):
        if number < done or len(line) > _WIDTH_MAX or not any(s in line.lower() for s in _SIGNS):
            continue
        by = "|" if "|" in line else "\t" if "\t" in line else ";" if ";" in line else ","
        columns = _secret_columns(line, by)
        if columns:
            done = _hide(lines, number + 1, by, line.count(by), columns)
    return "\n".join(lines)


def _secret_columns(line: str, by: str) -> list[int]:
    """Return which cells of a line are names of secrets, if the line is a heading."""
    cells = line.split(by)
    if not 2 <= len(cells) <= 30:
        return []
    if not all(_title().fullmatch(cell) for cell in cells):
        return []
    if by == "," and not all(map(str.strip, cells)):
        return []  # an item of a list
    return [i for i, cell in enumerate(cells) if _name().fullmatch(cell)]


def _hide(lines: list[str], start: int, by: str, count: int, columns: list[int]) -> int:
    """Hide what stands in some columns of the rows from here on, and return where they end."""
    for number in range(start, min(start + _ROWS_MAX, len(lines))):
        cells = lines[number].split(by)
        if _rule().fullmatch(lines[number]):
            continue
        if len(cells) != count + 1:
            return number
        for column in columns:
            value = cells[column].strip(" \t\"'`*")
            if (
                not _identifier().fullmatch(value)
                and " " not in value
                and looks_secret(Candidate(value, "password", loose=True))
            ):
                cells[column] = cells[column].replace(value, SECRET)
        lines[number] = by.join(cells)
    return min(start + _ROWS_MAX, len(lines))


@cache
def _title() -> re.Pattern[str]:
    return re.compile(r"[ \t\"'`*]*[\w ./()#-]{0,30}[ \t\"'`*\r]*")


@cache
def _identifier() -> re.Pattern[str]:
    # A password of letters alone has some capitals among them.
    return re.compile(r"[a-z]+|[A-Z]?[a-z]+|[A-Z]+|[A-Za-z]*(?:_[A-Za-z]*)+|#\w+")


@cache
def _name() -> re.Pattern[str]:
    return re.compile(
        r"(?i)[ \t\"'`*]*(?:[\w-]*[ _-])?(?:passwords?|passwd|passphrase|pass|pw|pwd|secrets?"
        r"|token|pin|(?:api|secret|access|private)[ _-]?key"
        r"|passwort|kennwort|contraseña|senha|mot de passe|hasło|heslo|wachtwoord|parola"
        r"|şifre|пароль|密码|パスワード|비밀번호)[ \t\"'`*\r]*"
    )


@cache
def _rule() -> re.Pattern[str]:
    return re.compile(r"[\s|:+=-]+")
