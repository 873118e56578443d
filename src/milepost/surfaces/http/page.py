"""The page at /docs: two operations to try, all of them on one sheet, nothing from elsewhere."""

import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from milepost import __version__
from milepost.errors import MilepostError
from milepost.operation import CATEGORIES
from milepost.registry import Operation, Parameter, by_category
from milepost.surfaces.http.catalogue import Operations
from milepost.surfaces.http.meant import Address, example_of
from milepost.surfaces.http.problems import REFUSALS

# What is told is put in as text: a memory that holds a page does not become one.
_SCRIPT = """
for (const form of document.forms) form.addEventListener("submit", async event => {
  event.preventDefault();
  const told = form.querySelector("output");
  const given = [...new FormData(form)].filter(([, value]) => value.trim());
  told.textContent = "…";
  try {
    const answer = await fetch(`/tools/${form.dataset.tool}/execute?view=compact`, {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(Object.fromEntries(given)),
    });
    const text = await answer.text();
    told.textContent = answer.ok ? text : JSON.parse(text).detail;
  } catch (problem) {
    told.textContent = String(problem);
  }
});
"""
# The page's one style sheet and its one script are part of it; nothing else is let in.
_DIGEST = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
CONTENT_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_DIGEST}'; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
# What can be tried on the page, each with the parameters that it asks for.
_TRIED = {"search": ("query", "limit"), "store": ("content", "tags")}

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c2126; background: #fff }
h3 { margin: 2rem 0 .3rem } code, pre { font: 14px/1.45 ui-monospace, monospace }
pre { background: #f4f5f6; padding: .7rem; overflow-x: auto; white-space: pre-wrap }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top;
  padding: .25rem .7rem .25rem 0; border-bottom: 1px solid #e2e5e8 }
label { display: block; margin: .5rem 0 } input, textarea { font: inherit; width: 100%;
  box-sizing: border-box }
output { display: block; white-space: pre-wrap; margin: .5rem 0 }
nav a { margin-right: .8rem } .note { color: #5a6570 }
@media (prefers-color-scheme: dark) { body { color: #dfe3e7; background: #15181b }
  pre { background: #20252a } td, th { border-color: #333a41 } a { color: #8ab4f8 } }
"""


def page(operations: Operations, base: str) -> str:
    """Return the page, for whoever reaches the server under an address."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>Milepost {__version__}</title><style>{_STYLE}</style></head><body>",
            *_trial(operations, Address(base.rstrip("/"))),
            *_introduction(operations),
            *(line for operation in operations.values() for line in _operation(operation)),
            *_errors(),
            f"<script>{_SCRIPT}</script></body></html>",
        ]
    )


def _trial(operations: Operations, address: Address) -> Iterator[str]:
    yield f"<h1>Milepost <small>{__version__}</small></h1>"
    yield "<p>A memory for agents. These two are most of it; try them on the memory of this server."
    yield "</p>"
    for name, asked in _TRIED.items():
        operation = operations[name]
        yield f'<form data-tool="{name}"><h2>{name}</h2><p>{escape(operation.summary)}</p>'
        yield from (_field(p) for p in operation.parameters if p.name in asked)
        yield f"<button>{name}</button><output></output></form>"
        yield f"<pre>{escape(example_of(operation, address))}</pre>"


def _field(parameter: Parameter) -> str:
    needed = " required" if parameter.required else ""
    field = f'<input name="{parameter.name}" autocomplete="off"{needed}>'
    if parameter.name == "content":
        field = f'<textarea name="{parameter.name}" rows="3"{needed}></textarea>'
    return f"<label>{parameter.name}: {escape(parameter.description)}{field}</label>"


def _introduction(operations: Operations) -> Iterator[str]:
    yield "<h2>All of it</h2>"
    yield "<p>Discover: <code>GET /tools/discover</code>, <code>/tools/list?category=</code>, "
    yield "<code>/tools/search?q=</code>, <code>/tools/{name}</code>. Call: "
    yield "<code>POST /tools/{name}/execute</code> with the arguments as JSON; "
    yield "<code>?view=compact</code> answers with the text that a model reads, "
    yield "<code>Accept: application/x-ndjson</code> row by row. "
    yield "<code>Milepost-Space</code> chooses a tenant. "
    yield 'Machines read <a href="/openapi.json">/openapi.json</a>.</p>'
    for category, members in by_category(operations).items():
        links = " ".join(f'<a href="#{o.name}">{o.name}</a>' for o in members)
        yield f"<h2>{category}</h2><p>{escape(CATEGORIES[category])}</p><nav>{links}</nav>"


def _operation(operation: Operation) -> Iterator[str]:
    spec = operation.spec
    body = json.dumps(operation.example, ensure_ascii=False)
    yield f'<h3 id="{operation.name}">{operation.name}</h3><p>{escape(operation.summary)}'
    if spec.destructive:
        yield " <strong>It destroys.</strong>"
    if spec.aliases:
        yield f' <span class="note">Also called {", ".join(spec.aliases)}.</span>'
    yield f"</p><pre>POST /tools/{operation.name}/execute\n{escape(body)}</pre>"
    if operation.parameters:
        yield "<table><tr><th>parameter</th><th>type</th><th></th></tr>"
        yield from map(_row, operation.parameters)
        yield "</table>"
    yield f'<p class="note">Returns <code>{escape(operation.returned)}</code></p>'


def _row(parameter: Parameter) -> str:
    description = escape(parameter.description)
    if parameter.required:
        description += " <em>Required.</em>"
    elif parameter.default is not None:
        description += f" Default <code>{escape(json.dumps(parameter.default))}</code>."
    return (
        f"<tr><td><code>{parameter.name}</code></td>"
        f"<td><code>{escape(parameter.shown_type)}</code></td><td>{description}</td></tr>"
    )


def _errors() -> Iterator[str]:
    yield "<h2>Errors</h2><p>They are problem+json: <code>code</code> stays the same, "
    yield "<code>detail</code> says what was wrong and what to do.</p><table>"
    for code, text in sorted({**_told_by_operations(), **REFUSALS}.items()):
        yield f'<tr id="error-{code}"><td><code>{code}</code></td><td>{escape(text)}</td></tr>'
    yield "</table>"


def _told_by_operations() -> dict[str, str]:
    classes: list[type[MilepostError]] = [MilepostError]
    for known in classes:
        classes += known.__subclasses__()
    return {known.code: (known.__doc__ or "").partition("\n")[0] for known in classes}
