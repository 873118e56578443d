"""Addresses, hosts and mailboxes: what is told by its shape before anything else is read."""

from __future__ import annotations

from milepost.text.expressions import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from milepost.text.entities.page import Page

_ADDRESS = lazy(
    r"(?i)\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`|\\^{}\u3000-\u303f\u3400-\u9fff\uff00-\uffef]+"
)
_MAILBOX = lazy(r"[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}\b")
_NUMBERS = lazy(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?(?![\w.]*\d)")
_CLOSING = ".,;:!?'*_"
_OPENED = {")": "(", "]": "["}
_NETWORKS = frozenset(
    "com org net edu gov info biz de fr es it nl uk ch at eu cn jp ca us co io dev app cloud ai "
    "example test local internal lan localhost invalid".split()
)
# Endings of hosts that files and members have too: only a host of three parts is sure.
_DOUBTFUL = frozenset(
    "io dev app cloud ai co it at us test local internal info es de ch is".split()
)
_MACHINE = lazy(r"(?:db|web|srv|vm|mail|ns|lb|gw|nas|host|proxy|edge|cache|runner)-?\d{1,3}")


def find_addresses(page: Page) -> None:
    """Find whole addresses and numbered hosts, and pass by mailboxes."""
    text = page.text
    if "://" in text:
        for match in _ADDRESS.finditer(text):
            address = _bare(match[0])
            if not address.endswith("://") and not address.endswith("//"):
                page.claim(match.start(), match.start() + len(address), "url")
            else:
                page.claim(match.start(), match.end())
    if "@" in text:
        for match in _MAILBOX.finditer(text):
            if page.free(*match.span()):
                page.claim(*match.span())
    if text.count(".") > 2:
        for match in _NUMBERS.finditer(text):
            if page.free(*match.span()) and _is_numbered(match[0]):
                page.claim(match.start(), match.start() + len(match[0].split("/")[0]), "host")


def is_host(word: str) -> bool:
    """Tell whether a word is the name of a machine or of a place in the network."""
    if "." not in word:
        return word == "localhost" or _MACHINE.fullmatch(word) is not None
    if not word.islower():
        return False
    labels = word.split(":", maxsplit=1)[0].split(".")
    if labels[-1] not in _NETWORKS or not all(map(_is_label, labels)):
        return False
    return len(labels) > 2 or labels[-1] not in _DOUBTFUL


def _is_label(label: str) -> bool:
    return label.replace("-", "").isalnum() and label.isascii()


def _is_numbered(numbers: str) -> bool:
    return all(int(number) < 256 for number in numbers.split("/", maxsplit=1)[0].split("."))


def _bare(address: str) -> str:
    """Take off the signs of the sentence around an address."""
    while address:
        last = address[-1]
        if last in _CLOSING or (last in _OPENED and _OPENED[last] not in address):
            address = address[:-1]
        else:
            break
    return address
