"""What is cheap to know of a text: which of many words are in it, and whether it has long ones."""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Without one of its words a rule finds nothing; so most texts need few of the rules, or none.
_RULES = {
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
    "sentences": "pass,pw,p/w,login,log in,log on,logged in,sign in,signed in,get in,gets you in,"
    "got in,let you in,lets you in,cred,token,key,bearer,auth,ftp,wifi,wi-fi,prompt,it's,it’s, "
    "one ",
    "tables": "pass,pw,secret,token,key,pin,kennwort,contrase,senha,hasło,heslo,парол",
}
_NAMES = tuple(_RULES)
# As many words, but for those at the ends that may be joined to what stands around; x is the size
# of such a word, - of what may be many of them.
_RUN = b"x" * 10
_SIZE_MARKS = bytes(b"x"[0] if 2 < n < 13 else b" -"[n >= 40] for n in range(256))
# Four bytes are read as one number, which is how fast a text can be looked through here.
_SIZE = 4


class Signs:
    """A text in lower case, with what is cheap to know of it."""

    def __init__(self, text: str) -> None:
        self.lowered = lowered = text.lower()
        self.has_digit = _digit().search(text) is not None
        # Whether a word is long and mixed enough to be a token of whatever make.
        self.sizes = list(map(len, text.split()))
        self.has_long = max(self.sizes, default=0) >= (14 if self.has_digit else 32)
        if self.has_long and self.has_digit:
            self.has_long = _has_long(text)
        raw = memoryview(lowered.encode("utf-8", "surrogatepass"))
        # The bytes of the text, four by four.
        self.numbers: set[int] = set()
        for start in range(_SIZE):
            self.numbers.update(raw[start : len(raw) - (len(raw) - start) % _SIZE].cast("I"))
        # The rules that have a word in the text.
        self.rules = frozenset([_NAMES[number] for _, number in _rules().found(self)])

    @property
    def has_odd(self) -> bool:
        """Whether there is anything that a password has and a word has not."""
        return self.has_digit or self.any("!", "#", "$", "%", "^", "&", "*")

    def has_run(self, text: str) -> bool:
        """Whether a dozen words of the sizes of a recovery phrase's may follow each other.

        They may be numbered, and a run without spaces counts as one.
        """
        if self.has_digit and ("1." in text or "1)" in text or "1:" in text):
            return True
        if text.count("- ") > len(_RUN):
            return True
        try:
            marks = bytes(self.sizes).translate(_SIZE_MARKS)
        except ValueError:
            return True  # longer than a byte can tell
        return _RUN in marks or b"-" in marks

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
                (number,) = memoryview(raw[:_SIZE]).cast("I")
                self._long.setdefault(number, []).append((word, meaning))
        self._numbers = frozenset(self._long)

    def found(self, signs: Signs) -> list[tuple[str, int]]:
        """Return the words that are in a text, with their meanings."""
        lowered, known = signs.lowered, self._long
        short = [
            entry for word, entries in self._short.items() if word in lowered for entry in entries
        ]
        there = [entry for number in self._numbers & signs.numbers for entry in known[number]]
        return short + [entry for entry in there if entry[0] in lowered]


@cache
def _rules() -> Index:
    rules = enumerate(_RULES.values())
    return Index((word, number) for number, words in rules for word in words.split(","))


def _has_long(text: str) -> bool:
    return any(len(word) >= 32 or _digit().search(word) for word in _long().findall(text))


@cache
def _long() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_+/=.~-]{14,}")


@cache
def _digit() -> re.Pattern[str]:
    return re.compile(r"[0-9]")
