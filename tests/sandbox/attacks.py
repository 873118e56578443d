"""Programs that must be contained, all past the static analysis.

`INNER` is how code gets at the guest's own border: it can, and gains nothing.
"""

INNER = "host = __import__('sys').modules['wit_world.imports.host']\n"
OS = "os = __import__('os')\n"
ZIPPED = (
    "import zlib\nz = zlib.compress(bytes(9_000_000), 1)\n"
    "x = [zlib.decompress(z) for _ in range(7)]"
)

ATTACKS: dict[str, str] = {
    "exit": OS + "os._exit(3)",
    "abort": OS + "os.abort()",
    "fork": OS + "os.fork()",
    "signal": OS + "os.kill(1, 9)",
    "execute": OS + "os.execv('/bin/sh', ['sh'])",
    "subprocess": "__import__('subprocess').run(['id'])",
    "native code": "__import__('ctypes').CDLL(None)",
    "thread": "import threading\nthreading.Thread(target=print).start()",
    "deadlock": "import threading\nl = threading.Lock(); l.acquire(); l.acquire()",
    "generator without end": "def g():\n while True: yield 1\nsum(g())",
    "catastrophic expression": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "power": "7 ** (10 ** 7) % 97",
    "digits": "str(7 ** 10 ** 6)",
    "time with errors swallowed": "while True:\n try: x = [1][0]\n except: pass",
    "memory": "a = []\nwhile True: a.append('x' * 100_000)",
    "memory with errors swallowed": (
        "a = []\nwhile True:\n try: a.append('x' * 1000)\n except MemoryError: pass"
    ),
    "one large value": "x = 'a' * 60_000_000",
    "zipped bomb": ZIPPED,
    "wide format": "f'{1:>{10**9}}'",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "recursion without limit": "import sys\nsys.setrecursionlimit(10**8)\ndef f(): f()\nf()",
    "deep comparison": "a = []; b = []\nfor i in range(200_000): a = [a]; b = [b]\na == b",
    "bomb for the parser": "x = " + "-" * 5_000 + "1",
    "bomb for eval": "eval('(' * 10_000 + ')' * 10_000)",
    "much output": "while True: print('x' * 1000)",
    "much output with errors swallowed": (
        "while True:\n try: print('x' * 1000)\n except BaseException: pass"
    ),
    "long sleep": "import time\ntime.sleep(60)",
    "many sleeps": "import time\nfor _ in range(10_000): time.sleep(0.01)",
    "asynchronous sleep": "import asyncio\nawait asyncio.sleep(100)",
    "waiting for nothing": "import asyncio\nawait asyncio.Future()",
    "asynchronous loop": "import asyncio\nwhile True: await asyncio.sleep(0)",
    "evil text of a value": "class A:\n def __repr__(self): 1 / 0\nA()",
    "endless text of a value": "class A:\n def __repr__(self):\n  while True: len('')\nA()",
    "large text of a value": "class A:\n def __repr__(self): return 'x' * 10**8\nA()",
    "text that is none": "class A:\n def __repr__(self): return 5\nA()",
    "evil text of an error": "class E(Exception):\n def __str__(self): 1 / 0\nraise E",
    "evil exit": "class A:\n def __repr__(self): 1 / 0\nraise SystemExit(A())",
    "evil end of life": "class A:\n def __del__(self): 1 / 0\na = A(); del a",
    "builtins replaced": (
        "import builtins as b\nb.isinstance = b.len = b.repr = b.str = b.type = b.map = None\n1"
    ),
    "json replaced": "import json\njson.dumps = lambda *a, **k: 'garbage'\n1",
    "json with another type": "import json\njson.dumps = lambda *a, **k: 5\n1",
    "no standard output": "import sys\nsys.stdout.close(); sys.stdout = None\nprint(1)",
    "surrogates": "print('\\ud800')\n'\\udc80'",
    "surrogates as an argument": "echo('\\ud800')",
    "endless argument": "class A:\n def __iter__(self):\n  while True: yield 1\necho(A())",
    "large argument": "echo('a' * 5_000_000)",
    "deep argument": "a = []\nfor i in range(500): a = [a]\necho(a)",
    "not a number": "echo(float('nan'))",
    "large results": "x = [echo('a' * 1_000_000) for _ in range(100)]",
    "calls without end": "while True: echo(1)",
    "calls with errors swallowed": "while True:\n try: echo(1)\n except: pass",
    "unknown function": INNER + "host.call('nope', '{}')[0]",
    "malformed arguments": INNER
    + "bad = ['', '[]', '{', 'x', '{\"y\": 1}', '[' * 100_000, '{\"x\": \"\\\\ud800\"}']\n"
    "{host.call('echo', b)[0] for b in bad}",
    "another type at the border": INNER + "host.call(5, None)",
    "surrogates at the border": INNER + "host.call('\\ud800', '{}')",
    "flood of output at the border": INNER + "while True: host.write('x' * 1000)",
    "flood of calls at the border": INNER + "while True: host.call('echo', '{')",
    "odd sleeps at the border": INNER
    + "[host.sleep(s) for s in (float('nan'), float('inf'), -1.0, 1e308)]",
    "frames of the harness": (
        "import sys\nf = sys._getframe()\nwhile f.f_back: f = f.f_back\nf.f_locals.clear()"
    ),
}
