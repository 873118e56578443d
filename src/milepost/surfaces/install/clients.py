"""The clients that can be given a memory, the files they read, and what goes into each."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import milepost
from milepost.config import folder_of
from milepost.surfaces.install import invocations, jsonc, toml
from milepost.surfaces.install.hook_groups import HookGroups
from milepost.surfaces.install.pieces import Document, Piece, ServerEntry

_PACKAGE = Path(milepost.__file__).parent
USER, PROJECT = SCOPES = ("user", "project")
SKILL = "claude-code/skills/memory/SKILL.md"
COMMANDS = ("memory-cost", "memory-health", "recall", "remember")


class Client(NamedTuple):
    """A program that agents run in."""

    name: str
    program: str
    # Where it keeps what belongs to a user; if that exists, the client was here.
    home: Callable[[], Path]
    pieces: Callable[[str, Path], list[Piece]]

    def is_here(self) -> bool:
        """Whether the client seems to be used on this machine."""
        return self.home().exists() or shutil.which(self.program) is not None


def _shipped(name: str) -> str:
    """Return a file of `integrations`: of the package, or of the sources it is run from."""
    for folder in (_PACKAGE / "integrations", _PACKAGE.parents[1] / "integrations"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise FileNotFoundError(2, "Milepost is not completely installed; install it again", name)


def _claude_home() -> Path:
    return Path(folder_of("CLAUDE_CONFIG_DIR", ".claude"))


def _claude_code(scope: str, project: Path) -> list[Piece]:
    shared = scope == PROJECT
    folder = project / ".claude" if shared else _claude_home()
    servers = project / ".mcp.json" if shared else _claude_state()
    skill = _shipped(SKILL).replace("name: memory\n", "name: milepost\n", 1)
    return [
        HookGroups(folder / "settings.json", jsonc, _hooks(shared=shared)),
        ServerEntry(
            servers, jsonc, ("mcpServers", "milepost"), _stdio(shared=shared, type="stdio")
        ),
        Document(folder / "skills" / "milepost" / "SKILL.md", skill),
        *(
            Document(folder / "commands" / f"{name}.md", _slash_command(name, shared=shared))
            for name in COMMANDS
        ),
    ]


def _slash_command(name: str, *, shared: bool) -> str:
    """Return a command of the plugin that runs what the hooks run."""
    text = _shipped(f"claude-code/commands/{name}.md")
    run = invocations.shell(shared=shared)
    return text.replace("Bash(milepost ", f"Bash({run} ").replace("`milepost ", f"`{run} ")


def _claude_state() -> Path:
    # Beside the folder by default, but in it where another one is set.
    folder = _claude_home()
    moved = folder != Path.home() / ".claude"
    return folder / ".claude.json" if moved else folder.with_name(".claude.json")


def _hooks(*, shared: bool) -> dict[str, dict[str, Any]]:
    """Return the plugin's groups of hooks with commands that need no plugin."""
    groups = json.loads(_shipped("claude-code/hooks/hooks.json"))["hooks"]
    hooks = {}
    for event, (group,) in groups.items():
        (hook,) = group["hooks"]
        name = hook["command"].rsplit(" ", 1)[-1]
        command = invocations.hook_command(name, shared=shared)
        hooks[event] = group | {"hooks": [hook | {"command": command}]}
    return hooks


def _stdio(*, shared: bool, **more: Any) -> dict[str, Any]:
    """Return an entry with a command and its arguments."""
    program, *words = invocations.program(shared=shared)
    return more | {"command": program, "args": [*words, "mcp"]}


def _cursor_home() -> Path:
    return Path.home() / ".cursor"


def _cursor(scope: str, project: Path) -> list[Piece]:
    folder = project / ".cursor" if scope == PROJECT else _cursor_home()
    entry = _stdio(shared=scope == PROJECT)
    return [ServerEntry(folder / "mcp.json", jsonc, ("mcpServers", "milepost"), entry)]


def _vscode_home() -> Path:
    import platformdirs

    return platformdirs.user_config_path("Code", appauthor=False, roaming=True)


def _vscode(scope: str, project: Path) -> list[Piece]:
    folder = project / ".vscode" if scope == PROJECT else _vscode_home() / "User"
    entry = _stdio(shared=scope == PROJECT, type="stdio")
    return [ServerEntry(folder / "mcp.json", jsonc, ("servers", "milepost"), entry)]


def _codex_home() -> Path:
    return Path(folder_of("CODEX_HOME", ".codex"))


def _codex(scope: str, project: Path) -> list[Piece]:
    folder = project / ".codex" if scope == PROJECT else _codex_home()
    entry = _stdio(shared=scope == PROJECT)
    return [ServerEntry(folder / "config.toml", toml, ("mcp_servers", "milepost"), entry)]


def _opencode_home() -> Path:
    return Path(folder_of("XDG_CONFIG_HOME", ".config"), "opencode")


def _opencode(scope: str, project: Path) -> list[Piece]:
    shared = scope == PROJECT
    program = invocations.program(shared=shared)
    entry = {"type": "local", "command": [*program, "mcp"], "enabled": True}
    settings = project if shared else _opencode_home()
    plugins = (project / ".opencode" if shared else settings) / "plugins"
    commands = json.dumps(list(dict.fromkeys((program, invocations.BY_NAME))))
    plugin = _shipped("opencode/milepost.js").replace('[["milepost"]]', commands, 1)
    return [
        ServerEntry(_opencode_settings(settings), jsonc, ("mcp", "milepost"), entry),
        Document(plugins / "milepost.js", plugin),
    ]


def _opencode_settings(folder: Path) -> Path:
    """Return the file that is there; OpenCode reads both and itself writes the first it finds."""
    plain, with_comments = folder / "opencode.json", folder / "opencode.jsonc"
    return with_comments if with_comments.exists() and not plain.exists() else plain


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-code", "claude", _claude_home, _claude_code),
        Client("opencode", "opencode", _opencode_home, _opencode),
        Client("cursor", "cursor", _cursor_home, _cursor),
        Client("vscode", "code", _vscode_home, _vscode),
        Client("codex", "codex", _codex_home, _codex),
    )
}
