"""Build the shapes of providers' tokens that ship with the secrets' rules, from published lists.

usage: python bench/build_providers.py CREDSWEEPER.whl LLM_GUARD.whl DETECT_SECRETS.whl

The wheels are what `pip download --no-deps credsweeper llm-guard detect-secrets` brings; llm-guard
carries the rules of gitleaks in Python. Needs pyyaml. Where two lists know the same tokens, the
first speaks.
"""

import ast
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

# The parser of patterns is private; it is the one thing that reads them as re does.
from re import _constants, _parser  # type: ignore[attr-defined]

import yaml

DATA = Path(__file__).parents[1] / "src/milepost/text/secrets/data/providers.txt"
HEADER = """\
# Shapes of providers' tokens: kind, id, keywords, pattern. Made by bench/build_providers.py from
# CredSweeper (MIT), llm-guard (MIT, after gitleaks, MIT) and detect-secrets (Apache-2.0).
# A shape is found anywhere, a named value only behind its provider's name; group 1 is the secret.
"""
# Ids, public keys, hosts, names of no provider, and what other rules of ours know better.
LEFT_OUT = re.compile(
    r"UUID|Activation|Domain|Bucket|AWS Client ID|JSON Web|JWK|PEM|BASE64|NTLM|Twilio|WeChat|PASE"
    r"|Salesforce|Authorization|SQL|CURL|CMD|URL|OTP|NKEY|Jira|Dropbox App|Azure Access|Multi"
    r"|Grafana Prov|Composio|Facebook App|Discord Bot|Square Access|MailGun"
    r"|adobe:0|asana:0|discord:1|flutterwave:1|lob:1|mailgun:1|mapbox|linkedin:0|finicity:1|jwt|slack:8"
    r"|base|basic_auth|high_entropy|ip_public|keyword|npm|private_key|softlayer|cloudant"
    r"|artifactory|detect:twilio:0|azure_storage|detect:telegram|detect:slack"
)
# Words of the language that are names of providers, too.
COMMON = frozenset("linear lob travis sumo beamer xray kraken jira confluence".split())
NAMED = re.compile(
    r"(?:\(\?i\)|\(\?i:)?\(\?:([\w|,-]+)\)\(\?:\[0-9a-z.*?\{0,5\}(\(.*\))\(\?:\[", re.S
)
LENGTH = re.compile(r"\](\{(\d+)(?:,(\d+))?\})(?=\)*$)")
CUT_MIN, CUT_SHARE, LENGTH_MAX = 16, 2, 4_000
KEYWORD_MIN = 3


def main() -> None:
    """Write the data file."""
    credsweeper, llm_guard, detect = sys.argv[1:]
    known: set[str] = set()
    lines: list[str] = []
    for source in (_yaml(credsweeper), _plugins(llm_guard, "guard"), _plugins(detect, "detect")):
        rules = list(_rules(source, tuple(known)))
        known.update(word for rule in rules if rule[0] == "shape" for word in rule[2].split())
        lines += ["\t".join(rule) for rule in rules]
    DATA.write_text(HEADER + "\n".join(lines) + "\n")
    print(len(lines), "rules")


def _rules(
    source: Iterable[tuple[str, str, list[str]]], known: tuple[str, ...]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rules of a list that say something new."""
    for name, pattern, said in source:
        if LEFT_OUT.search(name):
            continue
        kind, keywords, shape = _translated(pattern)
        if said and min(map(len, keywords), default=0) < KEYWORD_MIN:
            keywords = [word.lower() for word in said]
        if kind == "shape":
            keywords = [word for word in keywords if not word.startswith(known)]
        if not keywords or min(map(len, keywords)) < KEYWORD_MIN:
            print("left out:", name, keywords, file=sys.stderr)
            continue
        re.compile(shape)
        rule = re.sub(r"\W+", "-", name.lower()).strip("-")
        yield kind, rule, " ".join(sorted(keywords)), shape


def _yaml(wheel: str) -> Iterator[tuple[str, str, list[str]]]:
    with zipfile.ZipFile(wheel) as files:
        rules = yaml.safe_load(files.read("credsweeper/rules/config.yaml"))
    for rule in rules:
        if rule["type"] == "pattern" and not rule.get("use_ml") and "keyword" not in rule["type"]:
            yield rule["name"], rule["values"][0], rule.get("required_substrings") or []


def _plugins(wheel: str, source: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the patterns that stand as they are in plugins of the form that detect-secrets has."""
    with zipfile.ZipFile(wheel) as files:
        for path in sorted(files.namelist()):
            if not re.search(r"plugins/[a-z]\w+\.py$", path) or "/core/" in path:
                continue
            number = 0
            for call in ast.walk(ast.parse(files.read(path))):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "re.compile":
                    if isinstance(call.args[0], ast.Constant):
                        yield f"{source}:{Path(path).stem}:{number}", str(call.args[0].value), []
                    number += 1


def _translated(pattern: str) -> tuple[str, list[str], str]:
    """Return a rule's kind, words without which it finds nothing, and our pattern for it."""
    named = NAMED.match(pattern)
    if named:
        words = [word.strip(",").lower() for word in named[1].split("|")]
        return "named", [w for w in words if w not in COMMON], _grouped(named[2])
    ignore = pattern.startswith("(?i)")
    shape = pattern.removeprefix("(?i)")
    # What stands around a token is ours to say.
    shape = re.sub(r"^\(\?:\^\|.*?m\)(?=\(\?P<value>)", "", shape)
    shape = re.sub(r"^(?:\\b|\(\?:\^\|\[.*?\]\))(?=\()", "", shape).removeprefix(r"\b")
    shape = re.sub(r"\(\?:(?:\$\||\[').*$|\(\?!\[[^\]]*\]\)$|\(\?!\\w\)$|\\b$", "", shape)
    shape = _cut(_grouped(shape))
    keywords = sorted({word.lower() for word in _literals(_parser.parse(shape))})
    return "shape", keywords, f"(?i:{shape})" if ignore else shape


def _grouped(pattern: str) -> str:
    """Return a pattern with one capturing group: the value, or the whole of it."""
    if re.fullmatch(r"\((?!\?)[^()]*\)", pattern):
        return pattern
    value = "(?P<value>" in pattern
    parts, inside, at = [], False, 0
    while at < len(pattern):
        here = pattern[at]
        if here == "\\":
            parts.append(pattern[at : at + 2])
            at += 2
            continue
        inside = (inside or here == "[") and here != "]"
        group = re.compile(r"\((?:\?P<(\w+)>|(?!\?))").match(pattern, at) if not inside else None
        if group:
            parts.append("(" if group[1] == "value" else "(?:")
            at = group.end()
        else:
            parts.append(here)
            at += 1
    whole = "".join(parts)
    return whole if value else f"({whole})"


def _cut(pattern: str) -> str:
    """Return a pattern that knows a token of another length, too, or one that was cut off."""
    found = LENGTH.search(pattern)
    if found is None or int(found[2]) < CUT_MIN:
        return re.sub(r"\+(?=\)*$)", f"{{1,{LENGTH_MAX}}}", pattern)
    least = max(CUT_MIN, int(found[2]) // CUT_SHARE)
    return f"{pattern[: found.start(1)]}{{{least},{LENGTH_MAX}}}{pattern[found.end(1) :]}"


def _literals(parsed: object) -> list[str]:
    """Return words one of which is in whatever a pattern finds: the longest such."""
    best: list[str] = []
    run = ""

    def better(words: list[str]) -> None:
        nonlocal best
        if words and min(map(len, words)) > (min(map(len, best)) if best else 0):
            best = words

    for op, value in parsed:  # type: ignore[attr-defined]
        if op is _constants.LITERAL:
            run += chr(value)
            continue
        if op is _constants.SUBPATTERN:
            better([run])
            words = _literals(value[-1])
            inner = list(value[-1])
            starts = [chr(v) for o, v in inner if o is _constants.LITERAL][:1]
            better(
                [run + w for w in words]
                if run and starts and words and _leads(inner, words)
                else words
            )
        elif op is _constants.BRANCH:
            options = [_literals(option) for option in value[1]]
            if all(options):
                led = [
                    run + w
                    for ws, o in zip(options, value[1], strict=True)
                    for w in ws
                    if _leads(list(o), ws)
                ]
                plain = [w for ws in options for w in ws]
                better(led if len(led) == len(plain) else plain)
        better([run])
        run = ""
    better([run])
    return best


def _leads(items: list[tuple[object, object]], words: list[str]) -> bool:
    """Whether what was found to be literal stands at the beginning."""
    said = ""
    for op, value in items:
        if op is not _constants.LITERAL:
            break
        said += chr(value)  # type: ignore[arg-type]
    return words == [said]


if __name__ == "__main__":
    main()
