"""Secrets in a column that is named for them: tables of Markdown, of databases, and of commas."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.secrets.mark import SECRET
from milepost.text.secrets.passwords import looks_secret
from milepost.text.secrets.signs import WORDS, Signs

_ROWS_MAX, _WIDTH_MAX = 200, 400
_WORDS = WORDS["tables"].split(",")
_TITLE = lazy(r"[ \t\"'`*]*[\w ./()#-]{0,30}[ \t\"'`*\r]*")
# A password of letters alone has some capitals among them.
_IDENTIFIER = lazy(r"[a-z]+|[A-Z]?[a-z]+|[A-Z]+|[A-Za-z]*(?:_[A-Za-z]*)+|#\w+")
_NAME = lazy(
    r"(?i)[ \t\"'`*]*(?:[\w-]*[ _-])?(?:passwords?|passwd|passphrase|pass|pw|pwd|secrets?|token|pin"
    r"|(?:api|secret|access|private)[ _-]?key|passwort|kennwort|contraseña|senha|mot de passe|hasło"
    r"|heslo|wachtwoord|parola|şifre|пароль|密码|パスワード|비밀번호)[ \t\"'`*\r]*"
)
_RULE = lazy(r"[\s|:+=-]+")


def hide(text: str, _signs: Signs) -> str:
    """Return a text in which the cells below the name of a secret are replaced."""
    if "\n" not in text:
        return text
    lines = text.split("\n")
    done = 0
    for number, line in enumerate(lines[:-1]):
        if number < done or len(line) > _WIDTH_MAX or not any(w in line.lower() for w in _WORDS):
            continue
        by = "|" if "|" in line else "\t" if "\t" in line else ";" if ";" in line else ","
        columns = _secret_columns(line, by)
        if columns:
            done = _hide_cells(lines, number + 1, by, line.count(by), columns)
    return "\n".join(lines)


def _secret_columns(line: str, by: str) -> list[int]:
    """Return which cells of a line are names of secrets, if the line is a heading."""
    cells = line.split(by)
    if not 2 <= len(cells) <= 30 or not all(map(_TITLE.fullmatch, cells)):
        return []
    if by == "," and not all(map(str.strip, cells)):
        return []  # an item of a list
    return [i for i, cell in enumerate(cells) if _NAME.fullmatch(cell)]


def _hide_cells(lines: list[str], start: int, by: str, count: int, columns: list[int]) -> int:
    """Hide what stands in some columns of the rows from here on, and return where they end."""
    for number in range(start, min(start + _ROWS_MAX, len(lines))):
        cells = lines[number].split(by)
        if _RULE.fullmatch(lines[number]):
            continue
        if len(cells) != count + 1:
            return number
        for column in columns:
            value = cells[column].strip(" \t\"'`*")
            if " " in value or _IDENTIFIER.fullmatch(value):
                continue
            if looks_secret(value, "password", loose=True):
                cells[column] = cells[column].replace(value, SECRET)
        lines[number] = by.join(cells)
    return min(start + _ROWS_MAX, len(lines))
