"""Programs as a model writes them: each must run to its end."""

LANGUAGE = {
    "formatted strings": "x = 3\nassert f'{x:>5} {x/7:.3f} {x!r} {x=}' == '    3 0.429 3 x=3'",
    "nested quotes in formatted strings": "d = {'a': 1}\nassert f'{d['a']}' == '1'",
    "comprehensions": "a = [(i, j) for i in range(3) for j in range(3) if i != j]\n"
    "assert len(a) == 6 and {x for x, _ in a} == {0, 1, 2}",
    "generators": "def g():\n    yield from [1, 2]\n    yield 3\nassert list(g()) == [1, 2, 3]",
    "unpacking": "a, *b, c = [1, 2, 3, 4]\nassert b == [2, 3] and {**{'a': 1}, 'b': 2}['b'] == 2",
    "exceptions": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    ok = type(e).__name__\n"
    "finally:\n    done = True\nassert ok == 'ZeroDivisionError' and done",
    "exception groups": "try:\n    raise ExceptionGroup('g', [ValueError('a')])\n"
    "except* ValueError:\n    ok = 1\nassert ok == 1",
    "classes": "class A:\n    def f(self): return 1\nclass B(A):\n"
    "    def f(self): return super().f() + 1\nassert B().f() == 2",
    "dataclasses": "from dataclasses import dataclass, field, asdict\n@dataclass\nclass M:\n"
    "    id: str\n    tags: list[str] = field(default_factory=list)\n"
    "assert asdict(M('a')) == {'id': 'a', 'tags': []}",
    "matching": "match {'k': 'a', 'v': 1}:\n    case {'k': 'a', 'v': v}: r = v\n"
    "    case _: r = None\nassert r == 1",
    "type aliases": "type Pair[T] = tuple[T, T]\ndef f(x: Pair[int]) -> int: return x[0]\n"
    "assert f((1, 2)) == 1",
    "closures": "def mk():\n    c = 0\n    def inc():\n        nonlocal c\n        c += 1\n"
    "        return c\n    return inc\ni = mk(); i()\nassert i() == 2",
    "collections": "from collections import Counter, defaultdict, deque, OrderedDict, namedtuple\n"
    "assert Counter('abracadabra').most_common(1) == [('a', 5)]\nd = defaultdict(list)\n"
    "d['a'].append(1)\nassert d['a'] == [1]",
    "json": "import json\nassert json.loads(json.dumps({'a': [1, None]})) == {'a': [1, None]}",
    "regular expressions": "import re\n"
    "assert re.sub(r'\\d+', lambda m: str(int(m.group()) + 1), 'a1') == 'a2'",
    "dates": "from datetime import datetime, timedelta, timezone\n"
    "a = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=40)\n"
    "assert a.isoformat().startswith('2026-02-10')\n"
    "assert datetime.strptime('2026-03-01', '%Y-%m-%d').month == 3\n"
    "assert datetime.now().year >= 2025",
    "time zones": "from datetime import datetime\nfrom zoneinfo import ZoneInfo\n"
    "t = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo('Europe/Berlin'))\n"
    "assert t.utcoffset().total_seconds() == 7200",
    "numbers": "import math, statistics\nfrom decimal import Decimal\n"
    "from fractions import Fraction\n"
    "assert math.isqrt(16) == 4 and statistics.median([1, 3, 2]) == 2\n"
    "assert Decimal('0.1') + Decimal('0.2') == Decimal('0.3') and Fraction(1, 2) * 2 == 1",
    "iteration tools": "import itertools, functools, heapq, bisect, operator\n"
    "assert [k for k, g in itertools.groupby([1, 1, 2])] == [1, 2]\n"
    "assert list(itertools.batched('abcd', 2))[0] == ('a', 'b')\n"
    "assert heapq.nlargest(2, [1, 5, 3]) == [5, 3] and bisect.bisect([1, 2, 3], 2) == 2",
    "text": "import textwrap, difflib, string, unicodedata, html\n"
    "assert textwrap.shorten('hello world foo', 11, placeholder='..')\n"
    "assert difflib.SequenceMatcher(None, 'abc', 'abd').ratio() > 0.5\n"
    "assert unicodedata.normalize('NFKD', 'é')[0] == 'e' and html.escape('<') == '&lt;'",
    "hashes and ids": "import hashlib, uuid, base64, random\n"
    "assert hashlib.sha256(b'a').hexdigest().startswith('ca97') and len(str(uuid.uuid4())) == 36\n"
    "assert base64.b64encode(b'a') == b'YQ==' and 0 <= random.random() < 1",
    "tables": "import csv, io\nr = list(csv.DictReader(io.StringIO('a,b\\n1,2\\n')))\n"
    "assert r[0]['b'] == '2'",
    "addresses": "from urllib.parse import urlparse, quote\n"
    "assert urlparse('http://a.b/c').netloc == 'a.b'",
    "structures in text": "import tomllib, xml.etree.ElementTree as ET\n"
    "assert tomllib.loads('a = 1') == {'a': 1} and ET.fromstring('<a><b/></a>')[0].tag == 'b'",
    "encodings": "assert 'é'.encode('latin-1') == b'\\xe9' and 'a'.encode('utf-16')[-1] == 0",
    "enumerations": "from enum import Enum\nclass C(Enum):\n    A = 1\nassert C.A.value == 1",
    "annotations": "from typing import Any, Optional, TypedDict, get_type_hints\n"
    "def f(x: Optional[int] = None) -> dict[str, Any]: return {'x': x}\n"
    "assert get_type_hints(f)['x'] == Optional[int]",
    "context managers": "from contextlib import contextmanager, suppress\n@contextmanager\n"
    "def c():\n    yield 3\nwith c() as v, suppress(KeyError):\n    {}[v]",
    "asynchronous code": "import asyncio\nasync def f(x): return x * 2\nasync def main():\n"
    "    async with asyncio.TaskGroup() as g:\n        t = g.create_task(f(4))\n"
    "    return await asyncio.gather(f(1), f(2)) + [t.result()]\n"
    "assert asyncio.run(main()) == [2, 4, 8]",
    "asynchronous generators": "import asyncio\nasync def g():\n    for i in range(3):\n"
    "        yield i\nasync def main(): return [x async for x in g()]\n"
    "assert asyncio.run(main()) == [0, 1, 2]",
    "pools of threads": "from concurrent.futures import ThreadPoolExecutor, as_completed\n"
    "with ThreadPoolExecutor(4) as pool:\n    jobs = [pool.submit(pow, 2, n) for n in range(3)]\n"
    "    assert sorted(j.result() for j in as_completed(jobs)) == [1, 2, 4]",
    "a guarded main": "def main(): print('ran')\nif __name__ == '__main__':\n    main()",
    "optional modules": "try:\n    import numpy\nexcept ImportError:\n    numpy = None\n"
    "assert numpy is None",
    "a loop with a break": "n = 0\nwhile True:\n    n += 1\n    if n > 3: break\nassert n == 4",
    "printing": "from pprint import pprint\npprint({'a': 1})\nprint('a', 'b', sep='-', flush=True)",
}

# Each of these has the value 5.
AWAITING = {
    "at the top": "await echo(5)",
    "in a coroutine": "async def m(): return await echo(5)\nimport asyncio\nasyncio.run(m())",
    "in a coroutine that is the value": "async def m(): return await echo(5)\nm()",
    "gathered": "import asyncio\n(await asyncio.gather(echo(4), echo(5)))[1]",
    "in threads": "import asyncio\njobs = [asyncio.to_thread(echo, i) for i in (4, 5)]\n"
    "(await asyncio.gather(*jobs))[1]",
    "with a timeout": "import asyncio\nawait asyncio.wait_for(echo(5), 1)",
    "as a task": "import asyncio\nawait asyncio.create_task(echo(5))",
    "in a group of tasks": "import asyncio\nasync with asyncio.TaskGroup() as group:\n"
    "    task = group.create_task(echo(5))\ntask.result()",
    "in a loop within a loop": "import asyncio\nasync def m(): return 5\n"
    "async def n(): return asyncio.run(m())\nawait n()",
    "after a sleep": "import asyncio\nawait asyncio.sleep(0.001)\n5",
    "in an executor": "import asyncio\nloop = asyncio.new_event_loop()\n"
    "loop.run_until_complete(loop.run_in_executor(None, echo, 5))",
}

# What CPython itself, or its library, imports only when it is used.
ON_DEMAND = {
    "a long number as text": "assert str(10 ** 100_000) == '1' + '0' * 100_000",
    "a long text as a number": "assert int('9' * 100_000) == 10 ** 100_000 - 1",
    "division of long numbers": "assert divmod(7 ** 9_000 * 3 + 1, 7 ** 9_000) == (3, 1)",
    "a long number in JSON": "import json\nassert json.loads('1' * 9_000) > 10 ** 8_000",
    "a template string copied": (
        "import copy\nn = 1\nassert copy.copy(t'a{n}').strings == ('a', '')\n"
        "from string.templatelib import Template\nassert isinstance(t'', Template)"
    ),
    "a syntax tree as text": "import ast\nassert ast.unparse(ast.parse('x=1')) == 'x = 1'",
    "annotations that are not defined yet": (
        "from annotationlib import Format, get_annotations\ndef f(a: Missing): ...\n"
        "assert 'Missing' in str(get_annotations(f, format=Format.FORWARDREF))"
    ),
    "type parameters": "def f[T: int](x: T): ...\nassert f.__type_params__[0].__bound__ is int",
    "codecs of text": (
        "for c in 'utf-7 cp437 cp1251 koi8-r mac-roman iso8859-2 gbk shift_jis big5'.split():"
        "\n assert b'abc'.decode(c) == 'abc'"
    ),
    "codecs of bytes": (
        "import codecs\nfor c in 'base64 hex quopri uu zlib'.split():\n"
        " assert codecs.decode(codecs.encode(b'abc', c), c) == b'abc'"
    ),
    "pickling": (
        "import copy, pickle, re, datetime, decimal, collections\nfor x in (re.compile('a'), "
        "datetime.date(2024, 1, 1), decimal.Decimal(1), collections.Counter('aa'), range(3)):\n"
        " assert pickle.loads(pickle.dumps(x)) == copy.deepcopy(x) == x"
    ),
    "times from text": (
        "from datetime import date, datetime\n"
        "assert datetime.strptime('2 Jan 2024', '%d %b %Y').date() == date(2024, 1, 2)"
    ),
    "warnings": (
        "import warnings\nwith warnings.catch_warnings(record=True) as told:\n"
        " warnings.simplefilter('always')\n warnings.warn('x', ResourceWarning, source=object())\n"
        "assert len(told) == 1\nwarnings.warn('y', ResourceWarning, source=object())"
    ),
    "groups of errors": (
        "try: raise ExceptionGroup('g', [ValueError(1), TypeError(2)])\n"
        "except* ValueError as e: assert e.exceptions\nexcept* TypeError: pass"
    ),
    "numbers as a place writes them": "assert format(1234567, 'n') == '1234567'",
    "long decimals": (
        "from decimal import Decimal, getcontext\ngetcontext().prec = 5_000\n"
        "assert len(str(Decimal(2).sqrt())) == 5_001"
    ),
    "mail as text": (
        "import email\nassert 'hi' in email.message_from_string('Subject: a\\n\\nhi').as_string()"
    ),
    "XML by events": (
        "import xml.sax\nxml.sax.parseString(b'<a/>', xml.sax.ContentHandler())\n"
        "import xml.etree.ElementTree as ET\nassert ET.canonicalize('<a/>') == '<a></a>'"
    ),
    "all of concurrent.futures": (
        "from concurrent.futures import *\n"
        "with ThreadPoolExecutor() as pool: assert list(pool.map(abs, [-1])) == [1]"
    ),
    "help": "help(echo)",
}
