"""Tell a password, key or code from what else may stand in its place: a type, a word, a count."""

from __future__ import annotations

from itertools import pairwise

from milepost.text.expressions import lazy

# What is put where a secret will be, or is none.
_PLAIN = frozenset(
    "none null nil true false yes no on off undefined nan void any string str bytes text char "
    "varchar number int integer float bool boolean object unknown optional required default empty "
    "password passwd passphrase passcode passkey token tokens secret secrets pwd key apikey "
    "api_key bearer basic digest hidden redacted removed masked omitted example invalid missing "
    "expired wrong valid correct incorrect failed denied ok error enabled disabled sha256 sha512 "
    "sha1 md5 base64 utf8 utf-8 oauth2 oauth jwt http2 http https int32 int64 uint8 float32 "
    "float64 readonly private public protected self this env stdin file prompt plaintext passwort "
    "mot contraseña pass same-origin include omit latin1 latin-1 ascii utf-16 utf-32 cp1252 "
    "iso-8859-1".split()
)
# Words after a name in prose: "the --token flag", "password: must not be empty".
_PROSE = frozenset(
    "flag flags option options argument arguments parameter field value header and or is was are "
    "to for in from with the a an if on of as by be must should can will not has have that which "
    "when expected found authentication auth authorization based provider manager name names count "
    "limit type".split()
)
_COMMON = frozenset(
    "letmein qwerty qwertyuiop sunshine iloveyou correcthorse correcthorsebatterystaple toor "
    "trustno1 abc123 p@ssw0rd passw0rd welcome1 hunter2 s3cret changeit starwars princess football "
    "baseball superman batman asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx 1q2w3e4r iloveu pokemon "
    "whatever1 letmein1 monkey123 dragon123 admin123 root123 welcome123 password1 password123 "
    "qwerty123 sesame opensesame".split()
)
# How a sentence goes on behind a code.
_GOING_ON = frozenset(
    "when to as is for at and or on expires expired valid now from in if before within please "
    "again but was here until then right it which that with this works worked does did didn't has "
    "because so by via after just instead while i you we he she they only once not are will ist "
    "und für der pour et para y e per di come the my your never do don't keep go gets got btw fyi "
    "thanks geändert gesetzt aber wenn als nicht mais si pero maar en ale и но та ve ama vergeet "
    "gilt läuft sonst".split()
)
# Words of a sentence about a secret, and of no passphrase.
_ABOUT = frozenset(
    "your please enter password passphrase token secret key required invalid missing expired wrong "
    "confirm forgot reset new old current".split()
)
# What a message begins with a capital and has, and a passphrase has not.
_OF_SENTENCES = frozenset(
    "a an the with is are was were has have not of in to for no must be should at least characters "
    "does do did cannot could".split()
)
# Most of what is called so is none: only what is long and mixed counts.
_OFTEN_HARMLESS = ("sess", "cookie", "sig", "sid", "pat", "tokens")
_DENSE_MIN, _DISTINCT_MIN = 16, 5
# Neighbours of unlike case, as a share: names have fewer.
_UNLIKE_MIN = 0.4
# A key of which nothing is known: only what is nothing but a key counts.
UNKNOWN_KEY = "any key"
_HOLLOW = lazy(
    r"ssh-\w{3,10}|ecdsa-sha2-\w+|[*•x.\-_#?]+|#[0-9a-fA-F]{3,8}|\[.*\]|<.*>|\$.*|%\w+%"
    r"|%\(?\w*\)?[sd]|\{.*\}|@\w+|&lt;.*|\.\.\.|…|#[a-z-]+|\d+(?:\.\d+){3,}"
    r"|(?i:(?:your|my|the|some|a|an|insert|enter|replace|put|add|example|dummy|fake|sample)"
    r"[ _-]?(?:\w+[ -])*(?:\w+_)?(?:password|token|secret|key|here|value)s?(?:[ _-]here)?)"
)
# What says itself that a secret will be there: your-token-here, xxxx.
_PLACEHOLDER = lazy(
    r"(?i)example|placeholder|(?<![a-z])(?:your|my)[_-]|[_-]here\b|change[_-]?me"
    r"|replace[_-]?(?:me|with|this)|dummy|redacted|insert[_-]|x{5,}|\*{3,}|\.{3}|…|[<>{}\[\]]"
    r"|(?-i:\$[A-Z_]{2})"
)
# The address of a contract or an account, and a public key of SSH.
_PUBLIC = lazy(r"0x[0-9a-fA-F]{40}\Z|AAAA[A-Z][23][A-Z]")
_NOTHING_BUT_KEY = lazy(
    r"(?:[0-9a-f]{32}|[0-9a-f]{48,128}|(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+/]{32,128}={0,2})"
)
_SETTING = lazy(r"[a-z]+(?:[._-][A-Za-z]+)*=")
# A path, a variable, an address.
_PLACE = lazy(
    r"(?:\.{0,2}|~|[A-Za-z]:)(?:[/\\][a-z.][\w.-]{0,30})+/?"
    r"|(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD)(?:_[A-Z]+)*"
    r"|https?://[^\s?@]*|[\w-]+(?:/[\w.-]+)+\.\w{1,5}"
)
# A name or a chain of names with no digit, as code has it.
_EXPRESSION = lazy(r"[*&!-]*[A-Za-z_]+(?:[.?]+[A-Za-z_]+|->[A-Za-z_]+|::[A-Za-z_]+)*[?!.:;]*")
_NAME_WITH_NUMBER = lazy(r"[A-Za-z]+[0-9]{0,3}(?:[_.][A-Za-z]*[0-9]{0,3})*")
_VERSION = lazy(r"v?\d+(?:\.\d+){1,3}(?:[-+.]?[a-z]+\.?\d*)?|\d{4}-\d\d-\d\d.*")
_WORDS = lazy(r"[\w.\-/:\\|&*?]+")
_DIGIT = lazy(r"[^\w.-]|\d")
_SIGN = lazy(r"[!@#$%^&*+=?~](?!$)|(?<=[a-z0-9])[!#$%^&*+~]$")
_SHORT_PASSWORD = lazy(r"(?=.*[A-Z])(?=.*[a-z])(?=.*\d).*[!@#$%^&*+=?~]")
_JOINED_WORDS = lazy(r"[a-z]{3,}(?:[-.][a-z]{3,}){3,}")
_CODE = lazy(
    r"(?:[A-Z]{1,2}-?)?\d{4,8}[A-F]?|\d{3}[ -]\d{3}"
    r"|[A-Z0-9]{4}-[A-Z0-9]{4}|(?=[^-]*-?[^-]*\d)[A-Za-z0-9]{3,6}(?:-[A-Za-z0-9]{3,6}){1,5}"
)
# How a public key of PGP is known.
_FINGERPRINT = lazy(r"(?:0x)?(?:[0-9A-F]{16}|[0-9A-F]{40})")
_NEXT_WORD = lazy(r"[ ]([a-zA-ZÀ-ɏ']+|%)")
_YEAR = lazy(r"(?:19|20)\d\d")
# What a word is that has digits or signs and is no password.
_NO_PASSWORD = lazy(
    # Code, variables, placeholders and flags.
    r"[(){}\[\];<>\"'`|\\]|^[$%@&/~.-]|^[a-z_.]+[=:]"
    r"|^[A-Za-z_.]+[=:](?!\d+[A-Z])(?!.*[!#$%^&*~])|::|->|^\W*$"
    # Paths, addresses, files, versions, dates, times, sizes.
    r"|://|^\w+(?:/[\w.-]+)+(?::\d+)*$|(?i:1password)"
    r"|^[A-Za-z][\w.+-]*@(?:[\w-]+\.[\w.-]+|[a-z-]+\d{0,2})$"
    r"|^[\w*~-]+(?:[.+][\w-]+)*\.(?:[a-z]{2,5}|[a-z]\d?|[1-8])(?::\d+)?$"
    r"|^(?:vnd\.|x-)?[a-z0-9.-]+\+(?:json|xml|html|yaml|zip|cbor|text)$|^![A-Za-z/-]+$|^#[a-z]+$"
    # Licenses, models and images with their versions.
    r"|^[A-Za-z]+(?:-[A-Za-z0-9]+)*-v?\d+(?:\.\d+)+[A-Za-z]?$"
    r"|^\d+(?:\.\d+)*-[a-z](?:-?[a-z0-9.])*$|^[a-z]+(?:-[a-z]+)*-\d+[BMbmk]$"
    r"|^v?\d+(?:\.\d+){1,3}(?:[-+.]?[a-z]+\.?\d*)?$|^\d{1,4}[-/.]\d\d?[-/.]\d"
    r"|^[\d.]+[a-zA-Z%]{1,4}\+?$|^[\d.,:+-]+$"
    # Names of algorithms, protocols, machines and tickets.
    r"|(?i:sha-?\d|hmac|pbkdf|aes|rsa|md5|crypt|argon|base\d|utf-?8|tls|oauth|jwt|totp|ldap|http"
    r"|ed25519|^(?:v|k|x|s|ec|ipv|win|amd|arm|db|srv|web|node|prod|dev|test|host|user|app|mysql"
    r"|postgres\w*|pg|python|java|level|step|section|chapter|version|rfc|cve|iso|nist|type|phase"
    r"|page|line|table|option)[-_.]?\d+[a-z]?(?:_\w+)?(?:[.-]\w+)*$)"
    r"|^[A-Z]{2,10}-\d+$|^[A-Z]+(?:_[A-Z0-9]+)+$|^[a-z]+(?:_[a-z0-9]+)+$|^[a-z]+-[a-z]+\d?$"
)


def is_placeholder(token: str) -> bool:
    """Whether something of the shape of a token says itself that it is none."""
    return bool(_PLACEHOLDER.search(token) or _PUBLIC.match(token)) or is_unmade(token)


def is_unmade(token: str) -> bool:
    """Whether what should be chance is a few characters again and again."""
    return len(token) >= 16 and len(set(token[-16:].lower())) < _DISTINCT_MIN


def looks_secret(
    written: str, name: str, *, quoted: bool = False, loose: bool = False, then: str = ""
) -> bool:
    """Whether a value is a secret, given the name that it belongs to.

    loose: any word is a value, as in an env file, a flag or a query; in code a bare one is a
    variable. then: the character that follows.
    """
    value, called = written.removesuffix("{enter}"), name.casefold()
    plain = value.casefold()
    if len(value) < 2 or value.startswith("--") or plain in _PLAIN or _HOLLOW.fullmatch(value):
        return False
    if plain == called or _is_place(value, called) or is_placeholder(value):
        return False
    if called == "tokens" and _SETTING.match(value):
        return False
    if called == "key" and _FINGERPRINT.fullmatch(value):
        return False
    if name == UNKNOWN_KEY:
        return is_dense(value) and bool(_NOTHING_BUT_KEY.fullmatch(value))
    if value.isdigit():
        return len(value) >= 4 and not called.startswith(("token", "sess"))
    if quoted:
        return _quoted_secret(value, called, loose)
    return _bare_secret(written, called, loose, then)


def _is_place(value: str, name: str) -> bool:
    """Whether a value says where a secret lies: a path, an address, a variable's name."""
    return (name == "pwd" and value[0] in "/~.\\") or bool(_PLACE.fullmatch(value))


def _quoted_secret(value: str, name: str, loose: bool) -> bool:
    # The quote ended a string and this follows it, or it is a part of a sentence.
    if value[0] in ",;) ":
        return False
    if name in ("tokens", "secrets") and value.isalpha():
        return False
    if " " in value.strip():
        return _is_passphrase(value.strip(), name)
    if name.startswith("token") and not loose and not _DIGIT.search(value):
        return False  # a token of a language
    if name.startswith(_OFTEN_HARMLESS):
        return is_dense(value)
    if not name.startswith("pass") and name in value.casefold() and not _DIGIT.search(value):
        return False  # it says what it is called: "x-token", "app_secret"
    return any(map(str.isalnum, value))


def _is_passphrase(value: str, name: str) -> bool:
    """Whether words are a secret and not a sentence about one."""
    words = value.split()
    if len(words) > 12 or not name.startswith(("pass", "secret", "pwd", "auth", "cookie")):
        return any(is_dense(word) for word in words)
    plain = {word.casefold().strip(".,:;!?") for word in words}
    return value[0] not in "<{$%" and plain.isdisjoint(_PROSE | _ABOUT)


def _bare_secret(value: str, name: str, loose: bool, then: str) -> bool:
    if is_dense(value):
        return then not in ("(", "[")
    if (name.startswith(_OFTEN_HARMLESS) and not loose) or then in ("(", "[", "{"):
        return False
    if _EXPRESSION.fullmatch(value):
        return loose and value.casefold() not in _PROSE and "." not in value[:-1]
    return len(value) >= (4 if loose else 6) and _is_mixed(value)


def is_password(value: str, *, strict: bool = False) -> bool:
    """Whether a word that follows the word for password looks like one, and like no other word."""
    if not 6 <= len(value) <= 100 or is_placeholder(value):
        return False
    if strict and len(value) < 8 and not _SHORT_PASSWORD.match(value):
        return False
    if value.casefold() in _PLAIN or _NO_PASSWORD.search(value):
        return False
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    signs = bool(_SIGN.search(value))
    if not digits and not signs:
        return not strict and bool(_JOINED_WORDS.fullmatch(value))
    if not letters:
        return False
    mixed = value != value.lower() and value != value.upper()
    return (signs and letters >= 2) or (mixed and digits > 0) or digits >= 2 or not strict


def is_jumbled(value: str) -> bool:
    """Whether letters change between small and capital as in no name."""
    if len(value) < 8 or not value.isascii() or not value.isalpha():
        return False
    cases = [c.isupper() for c in value]
    return sum(a != b for a, b in pairwise(cases)) >= _UNLIKE_MIN * (len(value) - 1)


def is_code(value: str) -> bool:
    """Whether a word is a code of a second factor: a few digits, or groups of both."""
    return bool(_CODE.fullmatch(value)) and not _YEAR.fullmatch(value)


def is_common(value: str) -> bool:
    """Whether a word is one of those that most often are passwords, and seldom anything else."""
    return value.casefold() in _COMMON


def is_counted(text: str, end: int) -> bool:
    """Whether a number that ends here counts what follows it: 482913 users."""
    word = _NEXT_WORD.match(text, end)
    return bool(word and word[1].lower() not in _GOING_ON)


def is_phrase(value: str) -> bool:
    """Whether words in quotes are a passphrase and not what a form says."""
    words = value.casefold().split()
    return (
        3 <= len(words) <= 12
        and value[0] not in "<{$%[("
        and (value[0].islower() or _OF_SENTENCES.isdisjoint(words))
        and _ABOUT.isdisjoint(word.strip(".,:;!?") for word in words)
    )


def is_dense(value: str) -> bool:
    """Whether a value is long and mixed as no word of a program is."""
    if len(value) < _DENSE_MIN or not any(map(str.isdigit, value)):
        return False
    return not _NAME_WITH_NUMBER.fullmatch(value) and (
        sum(map(str.isalpha, value)) >= 4 or value.count("-") >= 2
    )


def _is_mixed(value: str) -> bool:
    """Whether letters stand with digits or signs, or many words in one, as in passwords."""
    if _VERSION.fullmatch(value):
        return False
    letters = any(map(str.isalpha, value))
    others = any(map(str.isdigit, value)) or not _WORDS.fullmatch(value)
    return (letters and others) or (len(value) >= 16 and value.count("-") >= 2)
