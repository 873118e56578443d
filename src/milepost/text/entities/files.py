"""Paths and the names of files and folders, and the names that only look like paths."""

from __future__ import annotations

from milepost.text.expressions import lazy
from milepost.text.shapes import NAMED_FILES, bare_path

_PATH_CHARS_MAX = 300
_ENDINGS = frozenset(
    "py pyi pyx ipynb js jsx ts tsx mjs cjs vue svelte json jsonl md mdx rst adoc txt toml yaml "
    "yml ini cfg conf env sh bash zsh ps1 bat rs go mod sum java kt kts gradle scala cs csproj sln "
    "swift c cc cpp cxx h hpp m rb php pl lua ex exs erl hs ml clj sql tf tfvars proto graphql "
    "html htm css scss sass less xml xsd csv tsv xls xlsx doc docx ppt pptx pdf lock log db sqlite "
    "sqlite3 bak png jpg jpeg gif svg ico webp mp3 mp4 wav zip tar gz tgz xz bz2 zst whl jar war "
    "so dll exe dylib a o service socket timer pem crt key csr plist gd gdshader tscn patch diff "
    "lst map parquet wasm ac am build".split()
)
_STEMS = frozenset(
    "go poetry uv yarn Cargo Gemfile app server main meson Makefile configure".split()
)
# Names whose last part is also a member's or a word's.
_DOUBTFUL = frozenset(
    "env mod sum key map service socket timer log less m c h a o go so db lock build am ac".split()
)
BARE_FILES = NAMED_FILES | frozenset(
    "README LICENSE CHANGELOG CONTRIBUTING CODEOWNERS node_modules".split()
)
_DOT_FILE = lazy(
    r"\.(?:env|venv|nvmrc|git|github|gitignore|gitattributes|dockerignore|npmrc|"
    r"bashrc|zshrc|profile|vimrc|vscode|idea|ssh|cache|config|editorconfig|eslintrc|prettierrc|"
    r"flake8|pylintrc|coveragerc|tox|aws|kube|gitlab-ci|pre-commit-config)(?:\.[a-z]{2,6})*"
)
_ROOTS = frozenset(
    "bin boot dev etc home lib lib64 media mnt opt proc root run sbin srv sys tmp usr var users "
    "volumes workspace".split()
)
_FOLDERS = frozenset(
    "src lib libs app apps internal cmd pkg packages crates tests docs bin scripts config configs "
    "deploy infra migrations templates shaders scenes charts .github .circleci .vscode home etc "
    "usr var tmp".split()
)
_SEGMENT = lazy(r"[\w.@+~-]+")
_BRANCH = lazy(
    r"(?:feature|feat|fix|bugfix|hotfix|chore|refactor|release|wip|perf|spike|experiment)/[\w./-]+"
)
_VERB = lazy(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|endpoint|route|URL|url) +$")


def path_type(word: str, before: str) -> str | None:
    """Return what a word with a slash names: a file, a branch, a package of a scope, or nothing."""
    if len(word) > _PATH_CHARS_MAX or "//" in word:
        return None
    if word[0] == "@":
        scope, _, name = word[1:].partition("/")
        return "package" if _is_plain(scope) and _is_plain(name) else None
    if _BRANCH.fullmatch(word):
        return "symbol"
    return "file" if _is_path(bare_path(word), before) else None


def is_bare_file(word: str) -> bool:
    """Tell whether a word without a slash is the name of a file or a folder."""
    if word in BARE_FILES or _DOT_FILE.fullmatch(word):
        return True
    stem, dot, ending = word.rpartition(".")
    if not dot or not stem or ending.lower() not in _ENDINGS or not _SEGMENT.fullmatch(word):
        return False
    if not ending.islower() and not ending.isupper():
        return False
    if ending in ("a", "so") and stem.startswith("lib"):
        return True
    # "request.key" is a member, "go.mod" and "app.log" are files, "No.log" is none.
    return ending not in _DOUBTFUL or (stem in _STEMS and ending != "db")


def _is_path(path: str, before: str) -> bool:
    segments = path.strip("/").split("/")
    if not all(_SEGMENT.fullmatch(s) for s in segments) or not any(map(_has_letter, segments)):
        return False
    if is_bare_file(segments[-1]) or (
        segments[-1].rpartition(".")[2] in _ENDINGS and "." in segments[-1]
    ):
        return not path.startswith("//")
    if path[0] == "~" or path.startswith(("./", "../")):
        return True
    if path[0] == "/":
        return segments[0].lower() in _ROOTS and not _VERB.search(before)
    if segments[0] not in _FOLDERS or len(segments) < 2 or segments[-1][:1].isupper():
        return False
    # "docs/tests" are two folders, "docs/" and "docs/design" are one.
    return segments[1] not in _FOLDERS


def _is_plain(name: str) -> bool:
    return name != "" and name.replace("-", "").replace("_", "").replace(".", "").isalnum()


def _has_letter(segment: str) -> bool:
    return any(map(str.isalpha, segment))
