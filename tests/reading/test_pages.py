"""HTML, reStructuredText and AsciiDoc."""

_PAGE = """<!DOCTYPE html><html><head><title>Gates &amp; keys</title>
<meta name="author" content="Ines"><style>p {color: red}</style><script>alert("x")</script></head>
<body><header>Site</header><nav><a href="/">Home</a></nav>
<div class="sidebar">Other pages</div>
<main><h1>Gates</h1><p>The north gate<br>is <b>locked</b>.</p><ul><li>one</li><li>two</li></ul>
<h2>Keys</h2><pre>open
  gate</pre><table><tr><th>gate</th><th>key</th></tr><tr><td>north</td><td>7</td></tr></table>
</main><footer>Imprint</footer></body></html>"""


def test_a_page_is_read_without_what_leads_elsewhere(read):
    document = read("gates.html", _PAGE)
    assert (document.media, document.title, document.author) == ("html", "Gates & keys", "Ines")
    assert [(s.kind, s.heading, s.text) for s in document.sections] == [
        ("text", ("Gates",), "The north gate\nis locked.\n\n- one\n- two"),
        ("code", ("Gates", "Keys"), "open\n  gate"),
        ("table", ("Gates", "Keys"), "gate | key\nnorth | 7"),
    ]


def test_html_is_told_by_its_content(read):
    assert read("page.doc", _PAGE).media == "html"


def test_a_page_is_in_the_encoding_that_it_names(read):
    page = '<html><meta charset="iso-8859-2"><p>Łódź</p></html>'.encode("iso-8859-2")
    assert read("page.html", page).sections[0].text == "Łódź"
    assert read("page.html", "<p>Łódź").sections[0].text == "Łódź"


def test_a_page_that_is_nested_very_deep_is_read(read):
    page = "<div>" * 100_000 + "text"
    document = read("deep.html", f"<p>before</p>{page}")
    assert document.sections[0].text.startswith("before")


_RST = """=====
Gates
=====

The :ref:`north gate <north>` is ``locked``::

    open gate

Keys
----

.. note:: Hang it up.

.. code-block:: sh
   :linenos:

   take key

.. image:: key.png
   :alt: a key

====  ===
gate  key
====  ===
north 7
====  ===

Last words.
"""


def test_restructured_text_has_headings_code_and_tables(read):
    document = read("gates.rst", _RST)
    assert document.title == "Gates"
    assert [(s.kind, s.heading, s.text) for s in document.sections] == [
        ("text", ("Gates",), "The north gate is `locked`:"),
        ("code", ("Gates",), "    open gate"),
        ("text", ("Gates", "Keys"), "Hang it up."),
        ("code", ("Gates", "Keys"), "   take key"),
        ("table", ("Gates", "Keys"), "====  ===\ngate  key\n====  ===\nnorth 7\n====  ==="),
        ("text", ("Gates", "Keys"), "Last words."),
    ]
    assert [s.line for s in document.sections] == [5, 7, 12, 17, 22, 28]


_ADOC = """= Gates
:author: Ines

The https://example.org/north[north gate] is locked.

[source,sh]
----
open gate
= no title
----

== Keys
// nobody sees this
|===
|gate |key
|north |7
|===
Last words.
"""


def test_asciidoc_has_headings_code_and_tables(read):
    document = read("gates.adoc", _ADOC)
    assert (document.title, document.author) == ("Gates", "Ines")
    assert [(s.kind, s.heading, s.text) for s in document.sections] == [
        ("text", ("Gates",), "The north gate is locked."),
        ("code", ("Gates",), "open gate\n= no title"),
        ("table", ("Gates", "Keys"), "|gate |key\n|north |7"),
        ("text", ("Gates", "Keys"), "Last words."),
    ]
