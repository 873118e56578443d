"""What is cheap to know of a text: which rules about secrets may find one in it."""

from __future__ import annotations

from functools import cache
from os.path import dirname, join

from milepost.text.expressions import lazy
from milepost.text.secrets.places import FLAGS, PLACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Without one of its words a rule finds nothing; so most texts need few of the rules, or none.
WORDS = {
    "assignments": "pass,pw,secret,token,key,auth,bearer,cred,cookie,sess,contrase,sig=,sid=,sid:,"
    "pin=,pat=,psk",
    "calls": "login,log_in,auth,credential,connect,pw_set,bind,sign,pdo,mysqli,sequelize,cred,user,"
    "hmac,fernet,aes.new,cipher,secretkeyspec,crypt,serializer,register,password,jwt,encode,decode,"
    "verify,algolia,twilio,plivo,pusher",
    "codes": "code,emergency kit,kody,kod,kód,код,コード,码,codic,códig,2fa,mfa,otp,authenticat,"
    "factor,one-time,one time,passcode,verif,sms,texted,text m,tan,steam,prompt,sign in,log in,"
    "oath,seed,qr ,setup key,secret key,scan,manual",
    "cookies": "cookie,sessid=",
    "phrases": "mnemonic,phrase,seed,frase,фраз,master,wachtwoordzin,密码短语,フレーズ,diceware,"
    "password,luks,crypt,unlock,vault,keepass,bitwarden,borg,restic,gpg,ssh,keychain,keyring,"
    "keystore,disk,drive,opens",
    "english": "pass,pw,p/w,login,log in,log on,logged in,sign in,signed in,get in,gets you in,"
    "got in,let you in,lets you in,cred,token,key,bearer,auth,ftp,wifi,wi-fi,prompt,it's,it’s, "
    "one ",
    "tables": "pass,pw,secret,token,key,pin,kennwort,contrase,senha,hasło,heslo,парол",
}
_NAMES = tuple(WORDS)
# What the words of data/languages.txt are for, column by column.
PASSWORD, KEY, CODE, LOGIN, ANY_KEY = range(5)
# Who often has a password.
USERS = ("admin", "root", "demo", "guest", "test", "user", "postgres", "@")
# As many digits as every number of a card or an account has, with what may stand between them.
NUMBER = lazy(r"\d(?:[ ._\u00a0\u202f-]{0,2}\d){9}")
# As many commas as a key has that is written as a list of its bytes.
BYTES_MIN = 63
# As many words, but for those at the ends that may be joined to what stands around; x is the size
# of such a word, - of what may be many of them.
_RUN = b"x" * 10
_SIZE_MARKS = bytes(b"x"[0] if 2 < n < 13 else b" -"[n >= 40] for n in range(256))
# Four bytes are read as one number, which is how fast a text can be looked through here.
_SIZE = 4
# Letters and signs that neither look like those of a tag nor hide between others.
_PLAIN = lazy(r"[\x00-\x7fÀ-ſ–—‘’“”„…]*")
_LONG = lazy(r"[A-Za-z0-9_+/=.~-]{14,}")
_DIGIT = lazy(r"[0-9]")


class Signs:
    """A text in lower case, with what is cheap to know of it."""

    def __init__(self, text: str) -> None:
        self.lowered = lowered = text.lower()
        self.has_digit = _DIGIT.search(text) is not None
        # Whether a word is long and mixed enough to be a token of whatever make.
        sizes = list(map(len, text.split()))
        self.has_long = max(sizes, default=0) >= (14 if self.has_digit else 32)
        if self.has_long and self.has_digit:
            self.has_long = any(len(w) >= 32 or _DIGIT.search(w) for w in _LONG.findall(text))
        self._has_run = _has_run(sizes)
        raw = memoryview(lowered.encode("utf-8", "surrogatepass"))
        # The bytes of the text, four by four.
        self.quads: set[int] = set()
        for start in range(_SIZE):
            self.quads.update(raw[start : len(raw) - (len(raw) - start) % _SIZE].cast("I"))
        self.places = _places().numbers_in(self)
        # Words for a secret in whatever language, with what each is for.
        self.names = _names().words_in(self)
        # The rules that have a word in the text, and all that may find anything.
        self.named = {_NAMES[number] for _, number in _words().words_in(self)}
        self.rules = self.named.union(self._wordless_rules(text))

    def _wordless_rules(self, text: str) -> Iterator[str]:
        """Yield the rules that something else than a word of theirs tells of."""
        if "private" in self.lowered or not (text.isascii() or _PLAIN.fullmatch(text)):
            yield "private"
        if "Secret" in text and "ata" in text:
            yield "manifests"
        if self.has_long:
            yield "random_words"
        if self.has_long or "-----" in text or text.count(",") >= BYTES_MIN:
            yield "token_shapes"
        if self.has_digit and NUMBER.search(text):
            yield "numbers"
        if self.places:
            yield "places"
        if self.names or (self.has_odd and self.any(*USERS)):
            yield "languages"
        if self.has_run(text):
            yield "phrases"

    @property
    def has_odd(self) -> bool:
        """Whether there is anything that a password has and a word has not."""
        return self.has_digit or self.any("!", "#", "$", "%", "^", "&", "*")

    def has_run(self, text: str) -> bool:
        """Whether a dozen words of the sizes of a recovery phrase's may follow each other.

        They may be numbered, and a run without spaces counts as one.
        """
        numbered = self.has_digit and ("1." in text or "1)" in text or "1:" in text)
        return self._has_run or numbered or text.count("- ") > len(_RUN)

    def any(self, *words: str) -> bool:
        """Whether one of some words is there."""
        lowered = self.lowered
        for word in words:  # noqa: SIM110 -- a generator costs more than what it asks
            if word in lowered:
                return True
        return False


class Index:
    """Words with the number of what each is a sign of, to be looked up in texts."""

    def __init__(self, words: Iterable[tuple[str, int]]) -> None:
        self._short: dict[str, list[tuple[str, int]]] = {}
        self._long: dict[int, list[tuple[str, int]]] = {}
        for written, meaning in words:
            word = written.lower()
            raw = word.encode()
            if len(raw) < _SIZE:
                self._short.setdefault(word, []).append((word, meaning))
            else:
                (quad,) = memoryview(raw[:_SIZE]).cast("I")
                self._long.setdefault(quad, []).append((word, meaning))
        self._quads = frozenset(self._long)

    def words_in(self, signs: Signs) -> list[tuple[str, int]]:
        """Return the words that are in a text, with their meanings."""
        lowered, known = signs.lowered, self._long
        short = [
            entry for word, entries in self._short.items() if word in lowered for entry in entries
        ]
        there = [entry for quad in self._quads & signs.quads for entry in known[quad]]
        return short + [entry for entry in there if entry[0] in lowered]

    def numbers_in(self, signs: Signs) -> list[int]:
        """Return the meanings of the words that are in a text, in order."""
        return sorted({meaning for _, meaning in self.words_in(signs)})


def lines(name: str) -> list[str]:
    """Return the lines of a list that ships with the rules, without its comments."""
    # Importing pathlib takes longer than what is done here.
    with open(join(dirname(__file__), "data", name), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123
        return [line for line in file.read().splitlines() if not line.startswith("#")]


def _has_run(sizes: list[int]) -> bool:
    try:
        marks = bytes(sizes).translate(_SIZE_MARKS)
    except ValueError:
        return True  # longer than a byte can tell
    return _RUN in marks or b"-" in marks


@cache
def _words() -> Index:
    rules = enumerate(WORDS.values())
    return Index((word, number) for number, words in rules for word in words.split(","))


@cache
def _places() -> Index:
    signs = (*(sign for sign, _ in PLACES), *FLAGS)
    return Index((sign, number) for number, sign in enumerate(signs))


@cache
def _names() -> Index:
    kinds: dict[str, int] = {}
    for line in lines("languages.txt"):
        for kind, words in enumerate(line.split("\t")[1:]):
            kinds |= dict.fromkeys(filter(None, words.split(",")), kind)
    return Index(kinds.items())
