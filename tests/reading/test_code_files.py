"""Source code, by function and class."""

import pytest

_PYTHON = '''"""Gates."""

import os

KEYS = 3


class Gate:
    """A gate."""

    locked = True

    @property
    def key(self):
        return 7

    def open(self):
        def inner():
            pass
        return inner


def close():
    return None
'''


def test_python_is_cut_into_functions_and_methods(read):
    document = read("gates.py", _PYTHON)
    assert document.media == "code"
    assert [(s.symbol, s.line, s.text.split("\n")[0].strip()) for s in document.sections] == [
        ("", 1, '"""Gates."""'),
        ("Gate", 8, "class Gate:"),
        ("Gate.key", 13, "@property"),
        ("Gate.open", 17, "def open(self):"),
        ("close", 23, "def close():"),
    ]
    assert {s.kind for s in document.sections} == {"code"}


def test_nothing_of_the_code_is_lost(read):
    text = "".join(section.text for section in read("gates.py", _PYTHON).sections)
    assert "".join(text.split()) == "".join(_PYTHON.split())


_JS = """// Opens.
export function open() {
}
export default class Gate {
  close() {
  }
}
const lock = () => {
};
"""
_TS = """interface Key { a: number }
export class Gate<T> {
  open(): void {
  }
}
namespace N {
  export function f() {
  }
}
"""
_GO = """package a

type Gate struct {
\tKey int
}

func (g *Gate) Open() {
}

func f() {
}
"""
_RUST = """/// A gate.
pub struct Gate {
  key: u8,
}
impl Gate {
  pub fn open(&self) {
  }
}
"""
_JAVA = """package a;
public class Gate {
  int key;
  Gate() {
  }
  void open() {
  }
}
"""
_C = """#include <a.h>

static int *open(int a)
{
}
"""
_CPP = """namespace n {
class Gate {
  void open() {
  }
};
void Gate::close() {
}
}
"""
_SHELL = """set -e
open_gate() {
  echo
}
function close {
  echo
}
"""
_LANGUAGES = {
    "a.js": (_JS, ["open", "Gate", "Gate.close", "lock"]),
    "a.ts": (_TS, ["Key", "Gate", "Gate.open", "N", "N.f"]),
    "a.go": (_GO, ["", "Gate", "Gate.Open", "f"]),
    "a.rs": (_RUST, ["Gate", "Gate", "Gate.open"]),
    "a.java": (_JAVA, ["", "Gate", "Gate.Gate", "Gate.open"]),
    "a.c": (_C, ["", "open"]),
    "a.cpp": (_CPP, ["n", "n.Gate", "n.Gate.open", "n.Gate::close"]),
    "a.sh": (_SHELL, ["", "open_gate", "close"]),
    "a.kt": ("class Gate\nfun open() {\n}\n", ["Gate", "open"]),
}


@pytest.mark.parametrize("name", _LANGUAGES)
def test_other_languages_are_cut_too(read, name):
    text, symbols = _LANGUAGES[name]
    document = read(name, text)
    assert [section.symbol for section in document.sections] == symbols
    for section in document.sections:
        assert text.split("\n")[section.line - 1] == section.text.split("\n")[0]


def test_code_that_is_no_valid_python_is_read_all_the_same(read):
    document = read("old.py", "print 'x'\n\ndef f():\n    pass\n")
    assert [s.symbol for s in document.sections] == ["", "f"]
    assert document.notes == ("no valid Python of this version: cut by its lines",)


def test_code_that_is_nested_very_deep_is_read_or_refused(read):
    document = read("deep.js", "function f() {" + "[" * 100_000)
    assert document.sections
