"""Programs that must be contained, all past the static analysis, and how each has to end.

`INNER` is how code gets at the guest's own border: it can, and gains nothing.
"""

INNER = "host = __import__('sys').modules['wit_world.imports.host']\n"
OS = "os = __import__('os')\n"
ZIPPED = (
    "import zlib\nz = zlib.compress(bytes(9_000_000), 1)\n"
    "x = [zlib.decompress(z) for _ in range(7)]"
)

# With the kinds of errors with which a program may end; None for a good end.
ATTACKS: dict[str, tuple[str, str | None]] = {
    "exit": (OS + "os._exit(3)", "exit"),
    "abort": (OS + "os.abort()", "crash"),
    "fork": (OS + "os.fork()", "error"),
    "signal": (OS + "os.kill(1, 9)", "error"),
    "execute": (OS + "os.execv('/bin/sh', ['sh'])", "error"),
    "subprocess": ("__import__('subprocess').run(['id'])", "error"),
    "native code": ("__import__('ctypes').CDLL(None)", "error"),
    "thread": ("import threading\nthreading.Thread(target=print).start()", "error"),
    "deadlock": ("import threading\nl = threading.Lock(); l.acquire(); l.acquire()", "crash"),
    "generator without end": ("def g():\n while True: yield 1\nsum(g())", "timeout"),
    "catastrophic expression": ("import re\nre.match('(a+)+$', 'a' * 40 + 'b')", "timeout"),
    "power": ("7 ** (10 ** 7) % 97", "timeout"),
    "digits": ("import sys\nsys.set_int_max_str_digits(0)\nstr(7 ** 10 ** 6)", "timeout"),
    "time with errors swallowed": ("while True:\n try: x = [1][0]\n except: pass", "timeout"),
    "memory": ("a = []\nwhile True: a.append('x' * 100_000)", "memory"),
    "memory with errors swallowed": (
        "a = []\nwhile True:\n try: a.append('x' * 1000)\n except MemoryError: pass",
        "timeout",
    ),
    "one large value": ("x = 'a' * 60_000_000", "memory"),
    "zipped bomb": (ZIPPED, "memory timeout"),
    "wide format": ("f'{1:>{10**9}}'", "memory"),
    "recursion": ("def f(n): return f(n + 1)\nf(0)", "recursion"),
    "recursion without limit": (
        "import sys\nsys.setrecursionlimit(10**8)\ndef f(): f()\nf()",
        "recursion",
    ),
    "deep comparison": (
        "a = []; b = []\nfor i in range(200_000): a = [a]; b = [b]\na == b",
        "recursion",
    ),
    "bomb for the parser": ("x = " + "-" * 5_000 + "1", "syntax"),
    "bomb for eval": ("eval('(' * 10_000 + ')' * 10_000)", "memory"),
    "much output": ("while True: print('x' * 1000)", "output"),
    "much output with errors swallowed": (
        "while True:\n try: print('x' * 1000)\n except BaseException: pass",
        "timeout",
    ),
    "long sleep": ("import time\ntime.sleep(60)", "error"),
    "many sleeps": ("import time\nfor _ in range(10_000): time.sleep(0.01)", "error"),
    "asynchronous sleep": ("import asyncio\nawait asyncio.sleep(100)", "error"),
    "waiting for nothing": ("import asyncio\nawait asyncio.Future()", "error"),
    "asynchronous loop": ("import asyncio\nwhile True: await asyncio.sleep(0)", "timeout"),
    "evil text of a value": ("class A:\n def __repr__(self): 1 / 0\nA()", "error"),
    "endless text of a value": (
        "class A:\n def __repr__(self):\n  while True: len('')\nA()",
        "timeout",
    ),
    "large text of a value": ("class A:\n def __repr__(self): return 'x' * 10**8\nA()", "memory"),
    "text that is none": ("class A:\n def __repr__(self): return 5\nA()", "error"),
    "evil text of an error": ("class E(Exception):\n def __str__(self): 1 / 0\nraise E", "error"),
    "evil exit": ("class A:\n def __repr__(self): 1 / 0\nraise SystemExit(A())", "crash"),
    "evil end of life": ("class A:\n def __del__(self): 1 / 0\na = A(); del a", None),
    "builtins replaced": (
        "import builtins as b\nb.isinstance = b.len = b.repr = b.str = b.type = b.map = None\n1",
        "crash",
    ),
    "json replaced": ("import json\njson.dumps = lambda *a, **k: 'garbage'\n1", "state"),
    "json with another type": ("import json\njson.dumps = lambda *a, **k: 5\n1", "state"),
    "no standard output": ("import sys\nsys.stdout.close(); sys.stdout = None\nprint(1)", None),
    "surrogates": ("print('\\ud800')\n'\\udc80'", None),
    "surrogates as an argument": ("echo('\\ud800')", "error"),
    "endless argument": (
        "class A:\n def __iter__(self):\n  while True: yield 1\necho(A())",
        "memory timeout",
    ),
    "large argument": ("echo('a' * 5_000_000)", "error"),
    "deep argument": ("a = []\nfor i in range(500): a = [a]\necho(a)", "error"),
    "not a number": ("echo(float('nan'))", "error"),
    "large results": ("x = [echo('a' * 1_000_000) for _ in range(100)]", "error"),
    "calls without end": ("while True: echo(1)", "error"),
    "calls with errors swallowed": ("while True:\n try: echo(1)\n except: pass", "callbacks"),
    "unknown function": (INNER + "host.call('nope', '{}')[0]", None),
    "malformed arguments": (
        INNER
        + "bad = ['', '[]', '{', 'x', '{\"y\": 1}', '[' * 100_000, '{\"x\": \"\\\\ud800\"}']\n"
        "{host.call('echo', b)[0] for b in bad}",
        None,
    ),
    "another type at the border": (INNER + "host.call(5, None)", "crash"),
    "surrogates at the border": (INNER + "host.call('\\ud800', '{}')", "crash"),
    "flood of output at the border": (INNER + "while True: host.write('x' * 1000)", "output"),
    "flood of calls at the border": (INNER + "while True: host.call('echo', '{')", "callbacks"),
    "odd sleeps at the border": (
        INNER + "[host.sleep(s) for s in (float('nan'), float('inf'), -1.0, 1e308)]",
        None,
    ),
    "frames of the harness": (
        "import sys\nf = sys._getframe()\nwhile f.f_back: f = f.f_back\nf.f_locals.clear()",
        "error",
    ),
}
