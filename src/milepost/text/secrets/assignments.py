"""Secrets that are known by the name they are given to: password=…, "apiKey": "…", --token …."""

from __future__ import annotations

import re

from milepost.text.expressions import before, compiled, lazy
from milepost.text.secrets.mark import marked
from milepost.text.secrets.passwords import UNKNOWN_KEY, looks_secret
from milepost.text.secrets.signs import Signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Which keys are secret.
_KEYS = tuple(
    "api access private encryption encrypt signing sign master auth account shared storage service "
    "deploy ssh hmac aes crypto license webhook app application client consumer subscription root "
    "session host admin function wallet routing server ingest activation recovery vault bot pragma "
    "decryption decrypt tls ssl server ca rsa ecdsa ed25519 jwt dkim gpg pgp wg wireguard device "
    "preshared pre-shared psk cipher fernet data kms unseal cookie backup database db storage "
    "secret symmetric".split()
)
_FINDING = tuple(
    "cache primary partition sort foreign public pub idempotency dedup object index map lookup "
    "shard hash row composite unique sorting group routing-key registry site publishable press hot "
    "short verify verifying verification websocket did:".split()
)
# Names; their first letters are looked at first, which is faster.
_NAME = (
    r"(?=[abckmpst])(?:passw(?:or)?d|passphrase|passcode|passwort|mot de passe|contrase[ñn]a|pwd"
    r"|pass(?=\\*[\"']?\s?[=:]|_|[ ]\S)|(?<=[#.=_-])pass(?=[\"'`\])]{1,3}[,.])"
    r"|(?<=_)pass(?![a-z])|pw(?=\\*[\"']?\s?[=:]|[ ](?:is|was)\b)"
    r"|(?<!\[)secret(?:[ _-]?(?:access[ _-]?)?key)?|token|credentials?|bearer"
    r"|authorization|key|cookie|session[_-]?(?:id)?(?=\\*[\"']?\s?[=:])"
    r"|(?<![a-z])(?:auth|sig|sid|signature|pat|pin|psk)(?=\\*[\"']?\s?[=:]))"
)
_SMALL_NAME, _NAME_ANY_CASE = lazy(_NAME), lazy(f"(?i){_NAME}")
# What a name is about that goes on so: no secret, but something known of one.
_ABOUT = frozenset(
    "count counts limit limits name names type types url uri endpoint expiry expires expiration "
    "expire field fields file files path paths env var len length size max min policy usage used "
    "budget ttl lifetime age store provider manager service class kind format pattern regex prefix "
    "suffix header headers label hint placeholder required reset changed at ref refs index idx pos "
    "position list map set stdin id ids per cost price stream parser error errors status valid "
    "input prompt rotation strength version scheme hashing hasher based auth handler helper "
    "estimate window rate total bucket form page view model schema validator exchange generator "
    "refresh test tests spec param params info check labs request requests response action consent "
    "banner tar gz zip tgz txt md py js ts go rs c h cc cpp hpp java kt rb sh php cs swift html "
    "css json yaml yml pem pub crt iso domain policies rotate rotated expired minimum maximum same "
    "site samesite secure httponly".split()
)
_AFTER = r"(?:[ \t]|\\+\r?\n)*"
_LINK = lazy(
    r"(?P<closers>(?:\\*[\"'`]|&quot;|%22|[\])])*)(?:[ ]?\[[^\]\n]{0,24}\])?(?:"
    rf"(?P<typed>:[ ]?[A-Za-z&][\w\[\]., |?&]{{0,40}}?[ ]?=[ ]?(?=[bru]?[\"'`]))"
    rf"|(?P<operator>(?:,[ ]?(?:_|err|ok|error)(?=[ ]?:?=))?{_AFTER}"
    rf"(?:=>|:=|={{1,3}}|:(?!:)|%3[dDaA]|&#61;|\|\||\?\?|<<<|->|→|[|](?=[ ])"
    rf"|(?<=[ ])[-–—](?=[ ])){_AFTER}"
    r"(?:(?:\[\]byte|bytes|Buffer\.from|new[ ]\w{1,20}|\w{1,20}\.encode"
    r"|[\w.]{0,30}(?i:from|hex|decode|b64|bytes)\w{0,20}!?)?\(\s*(?=[bru]?[\"'`]))?)"
    r"|(?P<pair>[,\s]*(?:-\s+)?\\*[\"']?[vV]al(?:ue)?\\*[\"']?\s*[:=]\s*)"
    r"|(?P<default>\s*\{[^{}]{0,120}?\bdefault\s*=\s*)"
    r"|(?P<comma>,\s*(?=\\*[\"'`]))|(?P<call>(?:\.(?:send_keys|sendKeys|type|fill|setValue"
    r"|val))?\(\s*(?=\\*[\"'`]))|(?P<tag>(?:\s[^<>\n]{0,80})?>)"
    r"|(?P<is>(?:\s+(?:for|of|on|in)\s+(?:the\s+|our\s+|key\s+)?[\w.@/~\"'-]{1,80}?)?"
    r"(?:\s+(?:is|was|ist|est|es|to)\s*:?|['’]s|:)\s+)"
    r"|(?P<gap>(?:[ \t]|\\\r?\n)+))"
)
_SCHEME = lazy(
    r"(?:![A-Za-z/-]{1,20}[ \t]+)?"
    r"(?i:(?:bearer|basic|token|apikey|digest|negotiate|aws4-hmac-sha256)[ \t]+)?"
)
_QUOTE = r"(?:[bBrRuUfF@$]{1,2})?(?P<quote>\\*(?:\"\"\"|'''|[\"'`])|&quot;|%22|[“‘«])"
_BLOCK = lazy(r"[|>][+-]?\d?[ \t]*\r?\n(?P<body>(?:[ \t]+[^\s][^\n]{0,2000}\n?){1,50})")
_BARE = lazy(r"(?:\\\r?\n[ \t]*|(?!&(?:amp;)?\w+=|\\+[nrt](?![a-z]))[^\s\"'`<>,;(){}\[\]]){1,400}")
_WIDE = lazy(r"(?:\\\r?\n[ \t]*|(?!\\+[nrt](?![a-z]))[^\s\"'`]){1,400}")
_JOINT = lazy(rf"(?:\s{{0,40}}[+.&]\s{{0,40}}|[ \t]*\\\r?\n\s{{0,40}}|[ \t]{{1,9}}){_QUOTE}")
_OPENING = lazy(_QUOTE)
_CLOSING = {"“": "”", "‘": "’", "«": "»"}
# A name whose value was found by another rule.
_DONE = lazy(r"\w{3,60}[\"'`]?[ ]?[:=]?[ ]?[\"'`]?(?:[Bb]earer[ ])?\[secret\]")
# Tokens that only say where to go on.
_PAGING = lazy(
    r"(?i)(?:page|next|prev|cursor|continuation|sync|resume|pagination|skip|start)[ _-]?$"
)
_COMMANDS = frozenset("env setx set setenv with by add alter login #define define".split())
_ASKING = lazy(
    r"(?:[gG]et|[fF]etch|[rR]ead|[lL]oad|[fF]ind|[lL]ookup|[dD]escribe|[lL]ist|[dD]elete"
    r"|[rR]emove|[hH]as|[cC]heck"
    r"|[vV]alidate|[vV]erify|[rR]equire|[aA]ccess|[rR]esolve|[rR]etrieve|[nN]eed|[aA]sk"
    r"|[pP]rompt)\w{0,20}$"
)
_USERS = frozenset("login user username account".split())
_ARTICLES = frozenset("the a an my your our their his her its this that no any each every".split())
# The number of a public key, and what a key may be of which nothing is known.
_PUBLIC_KEY = lazy(r"\W{1,4}0x[0-9A-F]{16}\b")
_ANY_KEY = lazy(r"\W{1,12}(?:[\w.]{1,30}\W{1,4}){0,2}[\w+/-]{32}")
_VALUE_MAX = 4_000
# No honest text has more names than this; the rest of one that has is hidden as a whole.
_NAMES_MAX = 10_000


def hide(text: str, _signs: Signs) -> str:
    """Return a text in which the values of secret names are replaced."""
    return marked(text, _spans(text))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    done = 0
    for seen, start in enumerate(_places(text)):
        if seen >= _NAMES_MAX:
            yield max(start, done), len(text)
            return
        if start < done or _DONE.match(text, start):
            continue
        name = _NAME_ANY_CASE.match(text, start)
        for first, last in _assigned(text, name) if name else ():
            if first >= done:
                yield first, last
                done = last


def _places(text: str) -> Iterator[int]:
    """Return where names begin."""
    lowered = text.lower()
    # To ignore case costs ten times as much, and is needed where lower letters are longer.
    same = len(lowered) == len(text)
    names = _SMALL_NAME.finditer(lowered) if same else _NAME_ANY_CASE.finditer(text)
    return (name.start() for name in names)


def _assigned(text: str, name: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield where the value of a name is, if it has a secret one; parts of a string one by one."""
    rest = compiled(r"[\w.-]{0,60}").match(text, name.end())
    suffix = rest[0].rstrip(".-") if rest else ""
    key = name[0].lower() == "key"
    if not _is_secret_name(name[0], suffix) or (key and _is_harmless_key(name)):
        return
    after = name.end() + len(suffix)
    known = not key or _is_secret_key(name)
    if (key and _PUBLIC_KEY.match(text, after)) or not (known or _ANY_KEY.match(text, after)):
        return
    link = _LINK.match(text, after)
    if link is None or not _links(name, link) or _is_other(name):
        return
    loose = _is_loose(name, link)
    # "tokens: a, b" are words of a program or of a design.
    called = name[0] + suffix[:1] if suffix[:1] in ("s", "S") else name[0]
    if not known:
        called = UNKNOWN_KEY
    scheme = _SCHEME.match(text, link.end())
    at = scheme.end() if scheme else link.end()
    block = _BLOCK.match(text, at)
    if block and link["operator"]:
        yield block.span("body")
        return
    opening = _OPENING.match(text, at)
    if opening:
        yield from _quoted(opening, called, loose=loose)
    elif not (link["comma"] or link["call"]):
        yield from _bare(text, at, called, loose=loose, wide=_is_env(name, link))


def _is_other(name: re.Match[str]) -> bool:
    """Whether a name is of what only says where to go on, or by which number a cloud knows it."""
    head = _before(name)
    paging = name[0].lower() == "token" and _PAGING.search(head)
    return bool(paging) or "arn:" in head.rpartition(" ")[2]


def _is_secret_name(name: str, suffix: str) -> bool:
    """Whether an identifier is the name of a secret and not of something about secrets."""
    if not suffix:
        return True
    if suffix[0].isalpha() and suffix[0].islower() == name[-1].islower():
        # The word goes on: only its plural is the same word.
        if suffix[0] not in "sS" or suffix[1:2].isalpha():
            return False
        suffix = suffix[1:]
    parts = re.split(r"[_.-]|(?<=[a-z0-9])(?=[A-Z])", suffix)
    return _ABOUT.isdisjoint(part.lower() for part in parts)


def _is_secret_key(name: re.Match[str]) -> bool:
    """Whether a key is one of those that open something."""
    head = before(name, 20).rstrip(" _.-")
    kind = next((kind for kind in _KEYS if head.lower().endswith(kind)), None)
    if kind is None:
        return False
    outside, first = head[: -len(kind)][-1:], head[-len(kind)]
    # metadata is no data; but userData is, and what is joined in one case may be.
    return kind != "data" or not outside.isalpha() or (outside.islower() and first.isupper())


def _is_harmless_key(name: re.Match[str]) -> bool:
    """Whether a key is one of those that only find something: a cache's, a table's."""
    if name[0][0] == "k" and before(name, 1).isalpha() and not _is_secret_key(name):
        return True  # monkey; but apiKey is a key
    head = before(name, 20).rstrip(" _.-").lower()
    return head.endswith(_FINDING) or bool(compiled(r"public[ _-]?\w*$").search(head))


def _links(name: re.Match[str], link: re.Match[str]) -> bool:
    """Whether what stands between a name and what follows joins them."""
    text, called = name.string, name[0].lower()
    if called.startswith("credential") and _goes_on(link, r"[\"'`][^\"'`\n]*[\"'`],"):
        return False  # a user comes first
    if link["comma"]:
        # set("NAME", "value"); in a list of names the next one is no value.
        setting = compiled(r"\w\(\s*\\*[\"'`][\w.#\[=-]*$").search(_before(name))
        return bool(setting and link["closers"].strip("])"))
    if link["call"]:
        # A method of something that is called so, or what is asked for by its name.
        dotted = "." in text[name.end() : link.start()]
        return link["call"].startswith(".") or not (dotted or _ASKING.search(_before(name)))
    if link["tag"]:
        start = text.rfind("<", max(name.start() - 40, 0), name.start())
        if text[link.end() : link.end() + 1] in "@:/.,)":
            return False  # <user>:<password>@host
        return start >= 0 and not re.search(r"[\s>]", text[start : name.start()])
    if link["gap"]:
        return _is_beside(name, link)
    if called == "cookie" and (link["operator"] or "").startswith(":"):
        return False  # a header, which is read cookie by cookie
    if link["is"]:
        # "the token was api_key=…" is about the other name.
        return called not in ("bearer", "auth", "cookie") and not _goes_on(
            link, r"\S{0,80}[=:][\"'\w]"
        )
    return True


def _goes_on(link: re.Match[str], source: str) -> bool:
    return bool(compiled(source).match(link.string, link.end()))


def _is_beside(name: re.Match[str], link: re.Match[str]) -> bool:
    """Whether what follows a name with nothing but a gap between is its value."""
    called, is_flag = name[0].lower(), _is_flag(name)
    if link["closers"].strip("])") and not is_flag:
        return False  # the name of something, and then another string
    is_command = _is_command(_before(name), name[0])
    if called == "pass" and not is_command:
        return is_flag  # -storepass …; elsewhere it is a verb
    plain = called.startswith(("pass", "pwd", "key"))
    if plain and _goes_on(link, r"[A-Za-z_.]+=(?!=?[ \t]|$)"):
        return False  # reason=bad_password attempts=3
    if plain or is_flag or is_command:
        return True
    # "the token 9f3a…": after any such name a word of chance is its value.
    return _goes_on(link, r"(?=\w*\d)(?=\w*[A-Za-z])\w{16,200}(?![\w(/.:])")


def _is_command(head: str, name: str) -> bool:
    """Whether a name and its value are words of a command: ENV NAME value, login x password y."""
    words = head.split()
    begun = bool(head[-1:].strip())
    if begun:
        words = words[:-1]  # the beginning of the name itself
    if not words or words[-1].lower() in _ARTICLES:
        return False  # user: the password …
    words = [word.strip("'\"`,;:").lower() for word in words[-4:]]
    if words[-1] in _COMMANDS and (begun or name.isupper()):
        return True
    if words[-1] in ("and", "with", "&"):
        words = words[:-1]  # username bob and password …
    return not _USERS.isdisjoint(words[-3:-1]) and words[-1] not in ("name", "email")


def _is_flag(name: re.Match[str]) -> bool:
    head = _before(name)
    return "-" in head and bool(compiled(r"(?:^|[\s\"'=\[])--?[\w-]*$").search(head))


def _before(name: re.Match[str]) -> str:
    """Return what stands before a name on its line, as far as it matters."""
    return before(name, 80).rpartition("\n")[2]


def _is_env(name: re.Match[str], link: re.Match[str]) -> bool:
    """Whether this is a line of an env file or of a shell: NAME=value and no spaces."""
    if link["operator"] != "=" or not name[0].isupper():
        return False
    return bool(compiled(r"(?:^|[\s;&|])[A-Z0-9_]*$").search(_before(name)))


def _is_loose(name: re.Match[str], link: re.Match[str]) -> bool:
    """Whether any bare word here is a value, and not a variable as it would be in code."""
    if link["tag"] or link["pair"] or _is_flag(name):
        return True
    if link["gap"]:
        return _is_command(_before(name), name[0])
    if link["operator"] == ": ":
        return _is_entry(name, link)
    if link["operator"] not in ("=", "%3D", "%3d"):
        return False
    head = re.sub(r"[\w.-]+$", "", _before(name)).rstrip(" \t\"'")
    return not head.endswith((",", "(", ".", "{", "["))


def _is_entry(name: re.Match[str], link: re.Match[str]) -> bool:
    """Whether this is a line of YAML with a password; in code there is a type there, or a comma."""
    if not name[0].lower().startswith(("passw", "passp", "pwd")):
        return False
    alone = compiled(r"\s*(?:-\s+)?[\w.-]*").fullmatch(_before(name))
    return bool(alone) and _goes_on(link, r"(?m)[a-z][a-z0-9_-]{3,60}[ \t]*(?:$|#)")


def _quoted(opening: re.Match[str], called: str, *, loose: bool) -> Iterator[tuple[int, int]]:
    """Yield the inside of a string, and of the strings that are joined to it."""
    text = opening.string
    string: re.Match[str] | None = opening
    while string:
        quote = _CLOSING.get(string["quote"], string["quote"])
        stop = _string_end(text, string.end(), quote)
        scheme = _SCHEME.match(text, string.end(), stop)
        start = scheme.end() if scheme else string.end()
        value = text[start:stop]
        if string is opening and not looks_secret(value, called, quoted=True, loose=loose):
            return
        yield start, stop
        stop += len(quote)
        string = _JOINT.match(text, stop)
        if string is None and loose:
            yield from _glued(text, stop)


def _string_end(text: str, start: int, quote: str) -> int:
    """Return where a string ends: at its quote, or with its line if the quote never comes."""
    stop = text.find(quote, start, start + _VALUE_MAX)
    while stop > start and text[stop - 1] == "\\" and not text.endswith("\\\\", start, stop):
        stop = text.find(quote, stop + 1, start + _VALUE_MAX)
    line = text.find("\n", start, start + _VALUE_MAX)
    end = line if line >= 0 else min(len(text), start + _VALUE_MAX)
    if stop < 0:
        return end
    if stop < end or len(quote) == 3 or text[end - 1] == "\\":
        return stop
    # A value of several lines, unless what follows is program text and the quote was forgotten.
    return end if compiled(r"[=(){}]|:\s").search(text, end, stop) else stop


def _bare(text: str, at: int, called: str, *, loose: bool, wide: bool) -> Iterator[tuple[int, int]]:
    word = (_WIDE if wide else _BARE).match(text, at)
    if word is None:
        return
    value = word[0].rstrip(".,;:!?)")
    if word[0].endswith(("...", "…")) or (wide and compiled(r"[A-Za-z_.]+\(").match(value)):
        return  # left out, or made by a program
    stop = at + len(value)
    then = text[stop : stop + 1]
    loose = loose and (wide or then not in (",", ")"))
    if looks_secret(value, called, loose=loose, then=then):
        yield at, stop
        if loose:
            yield from _glued(text, stop)


def _glued(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield what a shell takes for one word with what stands before it: abc"def"ghi."""
    more = compiled(r"(?:\"[^\"\s]{1,200}\"|'[^'\s]{1,200}'|[\w.@#%+-]){1,50}").match(text, at)
    if more:
        yield more.span()
