"""Secrets that show what they are by their own shape: prefixes of vendors, JWTs, key blocks.

Most shapes are those that published lists give (data/providers.txt).
"""

from __future__ import annotations

import re
from functools import cache

from milepost.text.expressions import compiled, lazy
from milepost.text.secrets.mark import SECRET, marked, marked_group
from milepost.text.secrets.pairs import without_paired
from milepost.text.secrets.passwords import is_placeholder, is_unmade
from milepost.text.secrets.signs import BYTES_MIN, Index, Signs, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# How tokens go on that no published list knows, or in fewer forms, and what they begin with.
_ANY = "[A-Za-z0-9_-]"
_WITH_DIGIT = rf"(?=[A-Za-z_-]{{0,40}}+\d){_ANY}"
_PREFIXES = {
    f"{_WITH_DIGIT}{{20,}}": "re_ napi_ rnd_ fw_ csk- hcaik_ ico- sm_aat_ pat-na1- pat-eu1- "
    "access-production- access-sandbox- access-development- API- sha256~ nyk_ v1.0-",
    "[A-Za-z0-9]{16,}": "gsk_ r8_ bkua_ hf_ npm_",
    r"[A-Za-z0-9_.-]{16,}": "lsv2_ ya29. hvs.",
    "[A-Za-z0-9]{10,}": "sk_live_ sk_test_ rk_live_ rk_test_",
    "[A-Za-z0-9+/=_-]{16,}": "ATATT3 ATCTT3 ATBB sb_secret_ lin_oauth_ ops_eyJ fm2_ fm1r_ fo1_ "
    "whsec_",
    f"{_WITH_DIGIT}{{18,}}": "sk- xai- pcsk_ nvapi- NRRA- secret_ pypi-",
    "[a-fA-F0-9]{32,}": "SK key- sbp_",
}
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
_PURPOSES = "live test prod pat key token secret api sk oat oauth admin personal".split()
_MORE_LINES = (
    r"(?:(?:\\+n|\s)[ \t]{0,20}[A-Za-z0-9+/]{16,}|(?:\\+n"
    r"|\s)[ \t]{0,20}[A-Za-z0-9+/]{1,15}={0,2}$)*={0,2}"
)
# What else must be in a text for a shape to be looked for, and the shape.
_SHAPES = (
    ("eyJ", r"(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]+){1,4}"),
    *(
        (f"{use}-", rf"(?<![\w-]){use}-{_UUID}(?![\w-])")
        for use in ("sdk", "api", "mob", "rel", "key", "tok", "token", "secret", "pat")
    ),
    ("sk.eyJ", r"(?<![\w-])sk\.eyJ[\w.-]{20,}"),
    ("SG.", r"(?<![\w-])SG\.[\w-]{16,}\.[\w-]{16,}"),
    (".atlasv1.", r"(?<!\w)\w{10,20}\.atlasv1\.[\w-]{40,}"),
    (":AA", r"(?<!\w)\d{8,10}:AA[\w-]{30,}"),
    ("Q~", r"(?<!\w)[\w.~-]{3,5}Q~[\w.~-]{31,40}"),
    ("//hook", r"(?<=//hook)s?\.[\w.-]+/(?=\S{0,200}\d)(?=\S{0,200}[\w-]{16})[\w/+.-]{8,}"),
    ("/api/webhooks/", r"(?<=/api/webhooks/)\d+/[\w-]{20,}"),
    # Services that name what a token is for: acme_live_…, acme_pat_…
    *(
        (
            f"{by}{purpose}",
            rf"(?<![A-Za-z0-9_])(?!pk_)[a-z][a-z0-9]{{1,12}}{by}{purpose}[_-]{_WITH_DIGIT}{{20,}}",
        )
        for purpose in _PURPOSES
        for by in "_-"
    ),
    # 1Password's key of an account, and what a YubiKey types.
    ("A3-", r"(?<!\w)A3-[A-Z0-9]{6}-[A-Z0-9]{5,11}(?:-[A-Z0-9]{5,6}){3,5}"),
    ("cccc", r"(?<!\w)cccc[cbdefghijklnrtuv]{40}(?!\w)"),
    ("nsec1", r"(?<!\w)nsec1[02-9ac-hj-np-z]{50,}"),
    # What opens a disk of Windows.
    ("-", r"\d{6}-(?<![\w-]\d{6}-)(?:\d{6}-){6}\d{6}(?![\w-])"),
    ("-us", r"(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    # Airtable: an id, a dot and what opens it.
    ("pat", r"(?<!\w)pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    # A private key in base64; what follows of a certificate or a public key begins otherwise.
    ("LS0tLS1CRUdJTi", r"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[\w+/=]{16,}"),
    ("rivate-Lines:", r"(?<=rivate-Lines: )\d+(?:\s+[A-Za-z0-9+/=]{20,})+"),
    ("$ANSIBLE_VAULT", r"\$ANSIBLE_VAULT;[\w.;]+(?:\s+[0-9a-f]{20,})+"),
    # A private key in DER: a sequence that begins with a version; a public one has none.
    ("MII", rf"(?<![\w+/])MII\w[\w+/][AQgw]IBA[A-Za-z0-9+/]{{20,}}{_MORE_LINES}"),
    ("CAQ", rf"(?<![\w+/])M(?:HcCAQEE|C4CAQAw|HQCAQEE|FECAQAw)[A-Za-z0-9+/]{{20,}}{_MORE_LINES}"),
    ("MIG", rf"(?<![\w+/])MIG[HTkm][A-Za-z0-9+/]?AgE[AB][A-Za-z0-9+/]{{20,}}{_MORE_LINES}"),
    ("b3BlbnNzaC1rZXktdjE", rf"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{{20,}}{_MORE_LINES}"),
    ("/IncomingWebhook/", r"(?<=/IncomingWebhook/)[0-9a-f]{20,}[\w/-]*"),
    *((f"{n}/", rf"(?<![\w/]){n}/\d{{12,20}}(?:/\d{{12,20}})?:[0-9a-f]{{32}}") for n in "12"),
    ("webhook.office.com/", r"(?<=webhook\.office\.com/)webhookb2/[\w@/-]{20,}"),
)
_KEY = r"(?:[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
_KEY_BEGINS = lazy(rf"-----BEGIN {_KEY}")
_KEY_ENDS = lazy(rf"-----END {_KEY}")
# The lines of a key whose end was cut off, in a file or inside a string.
_KEY_LINES = lazy(
    r"(?:\s{0,40}(?:Proc-Type|DEK-Info|Version|Comment):[^\n]{0,80}){0,4}"
    r"(?:(?:\s|\\+[nr]|[\"'+,|>#*]){0,40}[A-Za-z0-9+/=]{24,})*(?:(?:\s|\\+n){1,9}[\w+/]*=+)?"
)
_KEY_LINE = lazy(r"(?m)(?:(?<=\s)|^|\A)[\"']?[A-Za-z0-9+/=\\]+[\"',]*\s*\Z")
# Words of a program that one of a service's purposes is among.
_IDENTIFIER = lazy(r"[a-z0-9]+(?:[_-][a-z]{1,14}\d{0,3}){3,}")
# The bytes of a key as a list.
_BYTES = lazy(rf"(?<=\[)\s?(?:\d{{1,3}},\s?){{{BYTES_MIN}}}\d{{1,3}}(?=\s?\])")
# A value behind its provider's name, as in GITTER_TOKEN = "…"; what the gap says may be an id.
_GAP = r"(?P<gap>[\w \t.-]{0,20}+)[\s\"']{0,3}(?:=>?|>|:{1,3}=?|\|\||\?=|,)[`'\"\s=]{0,5}"
_IDENTIFIES = lazy(
    r"(?i)(?:^|[_\W]|(?<=[a-z]))(?:ids?|hash|sha\d*|md5|commit|rev|ref|digest|checksum"
    r"|version|url|uri"
    r"|host|org|project|user|name|pub|public|image|etag|build|trace|request|run)(?:[_\W]|$)"
)
# Keys that are made to be shown: a page carries them.
_PUBLIC = ("pk_", "phc_")


def hide(text: str, signs: Signs) -> str:
    """Return a text in which private keys and everything that has the shape of a token is replaced.

    A key may be whole, or cut off at either end.
    """
    if "-----" in text and (" KEY" in text or "Static key" in text):
        text = marked(text, _key_spans(text))
    if not signs.has_long and text.count(",") < BYTES_MIN:
        return text
    text = without_paired(text)
    shapes, index = _shapes()
    for number in index.numbers_in(signs):
        text = compiled(shapes[number]).sub(_token, text)
    if text.count(",") >= BYTES_MIN:
        text = _BYTES.sub(SECRET, text)
    providers, index = _providers()
    for number in index.numbers_in(signs):
        text = _provider_shape(*providers[number]).sub(_provider_token, text)
    return text


def _token(match: re.Match[str]) -> str:
    return match[0] if is_unmade(match[0]) or _IDENTIFIER.fullmatch(match[0]) else SECRET


def _provider_token(match: re.Match[str]) -> str:
    secret = match[match.re.groups]
    if secret.startswith(_PUBLIC) or is_placeholder(secret):
        return match[0]
    if "gap" in match.re.groupindex:
        mixed = re.search(r"\d", secret) and re.search(r"[A-Za-z]", secret)
        if not mixed or _IDENTIFIES.search(match["gap"]):
            return match[0]
    return marked_group(match, match.re.groups)


@cache
def _shapes() -> tuple[list[str], Index]:
    """Return the shapes, and the words that are signs of them."""
    prefixed = (
        (prefix, rf"(?<![A-Za-z0-9]){re.escape(prefix)}{rest}")
        for rest, prefixes in _PREFIXES.items()
        for prefix in prefixes.split()
    )
    shapes = [*_SHAPES, *prefixed]
    signs = Index((sign, number) for number, (sign, _) in enumerate(shapes))
    return [shape for _, shape in shapes], signs


@cache
def _providers() -> tuple[list[list[str]], Index]:
    """Return the rules of published lists, and the words that are signs of them."""
    rules = [line.split("\t") for line in lines("providers.txt")]
    return rules, Index((word, i) for i, rule in enumerate(rules) for word in rule[2].split())


@cache
def _provider_shape(kind: str, _name: str, words: str, shape: str) -> re.Pattern[str]:
    if kind == "shape":
        return re.compile(rf"(?<![A-Za-z0-9]){shape}")
    names = "|".join(map(re.escape, words.split()))
    return re.compile(rf"(?i)(?:{names}){_GAP}{shape}(?![\w+/=-])")


def _key_spans(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    closing = _KEY_ENDS.search(text)
    for opening in _KEY_BEGINS.finditer(text):
        if opening.start() < done:
            continue
        while closing and closing.end() <= opening.start():
            yield _back_over_lines(text, closing.start(), done), closing.end()
            closing = _KEY_ENDS.search(text, closing.end())
        if closing:
            done = closing.end()
            closing = _KEY_ENDS.search(text, done)
        else:
            body = _KEY_LINES.match(text, opening.end())
            done = body.end() if body else opening.end()
        yield opening.start(), done
    while closing:
        yield _back_over_lines(text, closing.start(), done), closing.end()
        done = closing.end()
        closing = _KEY_ENDS.search(text, done)


def _back_over_lines(text: str, start: int, floor: int) -> int:
    """Return where the lines begin that a key without its beginning consists of."""
    while start > floor:
        line = max(text.rfind("\n", floor, start - 1) + 1, floor)
        word = _KEY_LINE.search(text, line, start)
        if word is None:
            return start
        start = word.start()
        if start > line:
            return start  # what stands before it on the line is not of the key
    return start
