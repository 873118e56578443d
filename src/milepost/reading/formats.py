"""The table of formats: what each is called, and who reads it."""

from __future__ import annotations

from milepost.values import NamedTuple


class Format(NamedTuple):
    """A format that is read, by the `read` of a module in this package.

    endings: those of the names of such files, or whole names, in lower case.
    is_packed: whether it is no text, and told by how it begins.
    """

    media: str
    module: str
    endings: tuple[str, ...]
    is_packed: bool = False


FORMATS = (
    Format("asciidoc", "asciidoc", (".adoc", ".asciidoc", ".asc")),
    Format(
        "code",
        "code",
        tuple(
            ".py .pyi .js .jsx .mjs .cjs .ts .mts .tsx .go .rs .java .c .h .cc .cpp .cxx .hpp .cs "
            ".rb .php .kt .kts .swift .scala .lua .pl .pm .r .jl .ex .exs .erl .hs .ml .clj .dart "
            ".sh .bash .zsh .fish .ps1 .sql .css .scss .vue .svelte .proto .graphql .tf .toml "
            ".yaml .yml .ini .cfg .conf .gradle .cmake .mk makefile dockerfile .xml".split()
        ),
    ),
    Format("csv", "csv_rows", (".csv", ".tsv", ".tab")),
    Format("docx", "docx", (".docx", ".docm", ".dotx"), is_packed=True),
    Format("email", "mail", (".eml",)),
    Format("html", "html_page", (".html", ".htm", ".xhtml")),
    Format("json", "json_values", (".json", ".jsonl", ".ndjson")),
    Format("markdown", "markdown", (".md", ".markdown", ".mdx", ".rmd", ".qmd")),
    Format("mbox", "mbox", (".mbox", ".mbx")),
    Format("notebook", "notebook", (".ipynb",)),
    Format("pdf", "pdf", (".pdf",), is_packed=True),
    Format("pptx", "pptx", (".pptx", ".pptm", ".ppsx"), is_packed=True),
    Format("rst", "restructured", (".rst", ".rest")),
    Format("text", "text", (".txt", ".text", ".log", "readme", "license", "changelog", "authors")),
    Format("xlsx", "xlsx", (".xlsx", ".xlsm", ".xltx"), is_packed=True),
)
BY_MEDIA = {known.media: known for known in FORMATS}
BY_ENDING = {ending: known for known in FORMATS for ending in known.endings}
