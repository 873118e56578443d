"""Which project a folder belongs to; all worktrees of a repository are one."""

from __future__ import annotations

import os

from milepost.sessions.inbox import open_plain
from milepost.workspace.values import EVERYWHERE, NOWHERE, Project, is_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A package file is small; of a large one the name stands at the beginning.
_READ_MAX = 65_536
_NAME_MAX = 200
_REF_MAX = 255


def detect(folder: str) -> Project:
    """Return the project that a folder lies in; one without a name when it is nobody's."""
    try:
        here = os.path.realpath(folder or os.getcwd())
    except (OSError, ValueError):
        return NOWHERE  # a folder that is gone, or that no folder can be called
    places = ((place, git) for place in _upwards(here) if (git := _git_folder(place)))
    root = next(places, None)
    project = _repository(*root) if root else _plain(here)
    # A folder may be called what no text can hold.
    identity = project.identity.encode("utf-8", "backslashreplace").decode()
    shown = "".join(c if c.isprintable() else " " for c in identity)
    return project._replace(name=_plain_name(project.name), identity=shown)


def _plain_name(name: str | None) -> str | None:
    """Return a name as memories can have it."""
    printable = "".join(c if c.isprintable() else " " for c in name or "")
    plain = printable.encode("utf-8", "replace").decode()[:_NAME_MAX].strip()
    # Of that name is what belongs to no project.
    return f"{plain} (project)" if plain == EVERYWHERE else plain or None


def _repository(root: str, git: str) -> Project:
    common = _common_folder(git)
    # The folder of the main worktree, which all others hang on; a submodule has its own.
    main = os.path.dirname(common) if os.path.basename(common) == ".git" else root
    origin = _origin(os.path.join(common, "config"))
    name = origin.rpartition("/")[2] or _package_name(root) or os.path.basename(main)
    branch, head = _branch(git, common)
    main_branch = _main_branch(common)
    return Project(
        name,
        origin or main,
        root,
        git,
        branch or head[:8],
        not branch or branch == main_branch,
        head,
        _commit(common, f"refs/heads/{main_branch}"),
    )


def _plain(here: str) -> Project:
    home = os.path.realpath(os.path.expanduser("~"))
    for place in _upwards(here):
        if place == home:
            break
        name = _package_name(place)
        if name:
            return Project(name, place, place)
    name = None if here in (home, os.path.dirname(here)) else os.path.basename(here)
    return Project(name, here, here)


def _upwards(folder: str) -> Iterator[str]:
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _git_folder(place: str) -> str:
    """Return the repository's own folder for a worktree, or nothing."""
    path = os.path.join(place, ".git")
    if os.path.isdir(path):
        return path if os.path.exists(os.path.join(path, "HEAD")) else ""
    text = _read(path)
    if not text.startswith("gitdir:"):
        return ""
    return os.path.normpath(os.path.join(place, text[len("gitdir:") :].strip()))


def _common_folder(git: str) -> str:
    name = _read(os.path.join(git, "commondir")).strip()
    return os.path.normpath(os.path.join(git, name)) if name else git


def _origin(config: str) -> str:
    """Return where a repository comes from, as host/path: no scheme and no credentials."""
    url, inside = "", False
    for line in _read(config).splitlines():
        text = line.strip()
        if text.startswith("["):
            inside = text.replace(" ", "").lower() == '[remote"origin"]'
        elif inside and text.partition("=")[0].strip() == "url":
            url = text.partition("=")[2].strip().strip('"')
    if "://" in url:
        host, _, path = url.partition("://")[2].partition("/")
    elif ":" in url and not os.path.isabs(url):
        host, _, path = url.partition(":")
    else:
        host, path = "", url
    path = path.rstrip("/").removesuffix(".git").strip("/")
    return f"{host.rpartition('@')[2].lower()}/{path}" if path else ""


# What the branch is called that others come together in, where the origin does not say it.
_MAIN_BRANCHES = ("main", "master", "trunk", "develop")


def _branch(git: str, common: str) -> tuple[str, str]:
    """Return the branch that is checked out, if one is, and the commit it stands at."""
    head = _read(os.path.join(git, "HEAD")).strip()
    if not head.startswith("ref: "):
        return "", head if is_commit(head) else ""
    ref = head.removeprefix("ref: ")
    # A name that git would not give may lead out of the repository, or fill a line of an answer.
    if not ref.isprintable() or len(ref) > _REF_MAX or ".." in ref or "/." in ref:
        return "", ""
    return ref.removeprefix("refs/heads/"), _commit(common, ref)


def _commit(common: str, ref: str) -> str:
    commit = _read(os.path.join(common, ref)).strip()
    if not commit:
        # There may be hundreds of thousands of refs.
        packed = _read_all(os.path.join(common, "packed-refs"))
        commit = packed[: max(packed.find(f" {ref}\n"), 0)].rpartition("\n")[2]
    return commit if is_commit(commit) else ""


def _main_branch(common: str) -> str:
    """Return the branch that the others come together in."""
    told = _read(os.path.join(common, "refs", "remotes", "origin", "HEAD")).strip()
    if told.startswith("ref: refs/remotes/origin/"):
        return told.removeprefix("ref: refs/remotes/origin/")
    there = (name for name in _MAIN_BRANCHES if _commit(common, f"refs/heads/{name}"))
    # A repository without any has no other branch to be kept apart from.
    return next(there, "") or _read(os.path.join(common, "HEAD")).strip().removeprefix(
        "ref: refs/heads/"
    )


def _package_name(place: str) -> str | None:
    for file, named in _PACKAGES:
        text = _read(os.path.join(place, file))
        name = named(text) if text else None
        if name:
            return name
    return None


def _in_toml(text: str) -> str | None:
    """Return the name in a [project] or [package] table; a TOML parser would take longer."""
    inside = False
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if line.startswith("["):
            inside = line.strip() in ("[project]", "[package]", "[tool.poetry]")
        elif inside and key.strip() == "name":
            return value.split("#")[0].strip().strip("\"'") or None
    return None


def _in_json(text: str) -> str | None:
    import json

    try:
        data = json.loads(text)
    except ValueError:
        return None
    name = data.get("name") if isinstance(data, dict) else None
    return name if isinstance(name, str) else None


def _in_go(text: str) -> str | None:
    for line in text.splitlines():
        if line.startswith("module "):
            return line.split()[1].rpartition("/")[2]
    return None


_PACKAGES = (
    ("pyproject.toml", _in_toml),
    ("package.json", _in_json),
    ("Cargo.toml", _in_toml),
    ("go.mod", _in_go),
)


def _read_all(path: str) -> str:
    return _read(path, 16 << 20)


def _read(path: str, most: int = _READ_MAX) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", opener=open_plain) as file:
            return file.read(most)
    except (OSError, ValueError):
        return ""
