"""The clients that can be given a memory, the files they read, and what goes into each."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import milepost
from milepost.config import folder_of
from milepost.surfaces.install import client_hooks, invocations, jsonc, toml
from milepost.surfaces.install.files import text_of
from milepost.surfaces.install.hook_groups import HookGroups
from milepost.surfaces.install.pieces import Document, Piece, Section, ServerEntry, Several, Unless

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
    # Whose settings it has.
    scopes: tuple[str, ...] = SCOPES
    # What a person has to do before all of it works.
    afterwards: str = ""

    def is_here(self) -> bool:
        """Whether the client seems to be used on this machine."""
        return self.home().exists() or bool(self.program and shutil.which(self.program))


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
        HookGroups(folder / "settings.json", jsonc, _hooks(shared=shared), plain_for="Claude Code"),
        ServerEntry(
            servers, jsonc, ("mcpServers", "milepost"), _stdio(shared=shared, type="stdio")
        ),
        Document(folder / "skills" / "milepost" / "SKILL.md", skill, "a skill"),
        *(
            Document(
                folder / "commands" / f"{name}.md",
                _slash_command(name, shared=shared),
                f"the command /{name}",
            )
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
    shared = scope == PROJECT
    folder = project / ".cursor" if shared else _cursor_home()
    # The user's own rules are in no file.
    rule = f"---\nalwaysApply: true\n---\n\n{_note()}"
    rules = [Document(folder / "rules" / "milepost.mdc", rule, "a rule")] if shared else []
    hooks = client_hooks.cursor(shared=shared)
    return [
        ServerEntry(folder / "mcp.json", jsonc, ("mcpServers", "milepost"), _stdio(shared=shared)),
        HookGroups(folder / "hooks.json", jsonc, hooks, {"version": 1}),
        *rules,
    ]


def _vscode_home() -> Path:
    import platformdirs

    return platformdirs.user_config_path("Code", appauthor=False, roaming=True)


def _vscode(scope: str, project: Path) -> list[Piece]:
    shared = scope == PROJECT
    settings = project / ".vscode" if shared else _vscode_home() / "User"
    github = project / ".github" if shared else Path(folder_of("COPILOT_HOME", ".copilot"))
    notes = github / "instructions" if shared else settings / "prompts"
    claude = (project / ".claude" if shared else _claude_home()) / "settings.json"
    note = f"---\napplyTo: '**'\n---\n\n{_note()}"
    entry = _stdio(shared=shared, type="stdio")
    hooks = HookGroups(
        github / "hooks" / "milepost.json", jsonc, client_hooks.vscode(shared=shared)
    )
    return [
        ServerEntry(settings / "mcp.json", jsonc, ("servers", "milepost"), entry),
        Unless(
            hooks,
            lambda: invocations.mentions_hook(text_of(claude) or ""),
            f"VS Code runs the hooks in {claude} as well, so it gets none of its own",
        ),
        Document(notes / "milepost.instructions.md", note, "a note that there is a memory"),
    ]


def _codex_home() -> Path:
    return Path(folder_of("CODEX_HOME", ".codex"))


def _codex(scope: str, project: Path) -> list[Piece]:
    shared = scope == PROJECT
    folder = project / ".codex" if shared else _codex_home()
    notes = (project if shared else folder) / "AGENTS.md"
    place = ("mcp_servers", "milepost")
    hooks = client_hooks.codex(shared=shared)
    return [
        ServerEntry(folder / "config.toml", toml, place, _stdio(shared=shared)),
        HookGroups(folder / "hooks.json", jsonc, hooks, plain_for="Codex"),
        Section(notes, _note()),
    ]


def _gemini_home() -> Path:
    return Path.home() / ".gemini"


def _gemini(scope: str, project: Path) -> list[Piece]:
    shared = scope == PROJECT
    folder = project / ".gemini" if shared else _gemini_home()
    settings = folder / "settings.json"
    entry = _stdio(shared=shared)
    server = ServerEntry(settings, jsonc, ("mcpServers", "milepost"), entry)
    hooks = HookGroups(settings, jsonc, client_hooks.gemini(shared=shared))
    notes = (project if shared else folder) / "GEMINI.md"
    return [Several(settings, (server, hooks)), Section(notes, _note())]


def _windsurf_home() -> Path:
    return Path.home() / ".codeium" / "windsurf"


def _windsurf(scope: str, project: Path) -> list[Piece]:
    if scope == PROJECT:
        folder = project / ".windsurf"
        rule = f"---\ntrigger: always_on\n---\n\n{_note()}"
        return [
            HookGroups(folder / "hooks.json", jsonc, client_hooks.windsurf(shared=True)),
            Document(folder / "rules" / "milepost.md", rule, "a rule"),
        ]
    folder = _windsurf_home()
    servers = folder / "mcp_config.json"
    return [
        ServerEntry(servers, jsonc, ("mcpServers", "milepost"), _stdio(shared=False)),
        HookGroups(folder / "hooks.json", jsonc, client_hooks.windsurf(shared=False)),
        Section(folder / "memories" / "global_rules.md", _note()),
    ]


def _zed_home() -> Path:
    if os.name == "nt":
        import platformdirs

        return platformdirs.user_config_path("Zed", appauthor=False, roaming=True)
    return Path(folder_of("XDG_CONFIG_HOME", ".config"), "zed")


def _zed(scope: str, project: Path) -> list[Piece]:
    shared = scope == PROJECT
    settings = (project / ".zed" if shared else _zed_home()) / "settings.json"
    entry = _stdio(shared=shared) | {"env": {}}
    server = ServerEntry(settings, jsonc, ("context_servers", "milepost"), entry)
    # The user's own rules are in no file.
    return [server, Section(project / "AGENTS.md", _note())] if shared else [server]


def _claude_desktop_home() -> Path:
    import platformdirs

    return platformdirs.user_config_path("Claude", appauthor=False, roaming=True)


def _claude_desktop(_scope: str, _project: Path) -> list[Piece]:
    settings = _claude_desktop_home() / "claude_desktop_config.json"
    entry = _stdio(shared=False)
    return [ServerEntry(settings, jsonc, ("mcpServers", "milepost"), entry)]


def _note() -> str:
    return _shipped("notes/memory.md")


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
        Document(plugins / "milepost.js", plugin, "a plugin that runs the hooks"),
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
        Client(
            "codex",
            "codex",
            _codex_home,
            _codex,
            afterwards="Codex runs hooks that you have trusted: see /hooks in it",
        ),
        Client("gemini", "gemini", _gemini_home, _gemini),
        Client("windsurf", "windsurf", _windsurf_home, _windsurf),
        Client("zed", "zed", _zed_home, _zed),
        Client("claude-desktop", "", _claude_desktop_home, _claude_desktop, (USER,)),
    )
}
