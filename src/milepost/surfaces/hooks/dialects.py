"""How clients speak of a session: their names for our events, their JSON, how they are told.

Claude Code's words are ours. What others send is put into them, so that nothing else need know.
A client is known by what it sends, for some run the hooks that were installed for another.
"""

from __future__ import annotations

from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# A place in what a client sends: keys and indexes with dots between them.
Places = tuple[str, ...]


class Dialect(NamedTuple):
    """What a client calls things."""

    client: str
    # Our events, and the client's that each is run at.
    events: Mapping[str, tuple[str, ...]]
    # Our events at which it takes what the model shall be told.
    tells: tuple[str, ...] = ("session-start", "prompt-submit")
    # Fields that no other client sends.
    signs: tuple[str, ...] = ()
    # Where our fields are; one that is not named has our name.
    fields: Mapping[str, Places] = {}
    # What its tools are called by us; of others nothing is noted. Empty when it uses our names.
    tools: Mapping[str, str] = {}
    # The arguments of tools, where they have other names than ours.
    inputs: Mapping[str, Places] = {}


_SHELL, _EDIT, _WRITE = "Bash", "Edit", "Write"

CLAUDE_CODE = Dialect(
    "claude-code",
    {
        "session-start": ("SessionStart",),
        "prompt-submit": ("UserPromptSubmit",),
        "post-tool-use": ("PostToolUse", "PostToolUseFailure"),
        "stop": ("Stop",),
        "session-end": ("SessionEnd",),
        "pre-compact": ("PreCompact",),
    },
)
CODEX = Dialect(
    "codex",
    {
        "session-start": ("SessionStart",),
        "prompt-submit": ("UserPromptSubmit",),
        "post-tool-use": ("PostToolUse",),
        "stop": ("Stop",),
        "pre-compact": ("PreCompact",),
    },
)
GEMINI = Dialect(
    "gemini",
    {
        "session-start": ("SessionStart",),
        "prompt-submit": ("BeforeAgent",),
        "post-tool-use": ("AfterTool",),
        "stop": ("AfterAgent",),
        "session-end": ("SessionEnd",),
        "pre-compact": ("PreCompress",),
    },
    fields={
        "last_assistant_message": ("prompt_response",),
        "error": ("tool_response.error.message", "tool_response.error"),
        "tool_response": ("tool_response.llmContent", "tool_response"),
    },
    tools={"run_shell_command": _SHELL, "replace": _EDIT, "write_file": _WRITE},
)
CURSOR = Dialect(
    "cursor",
    {
        "session-start": ("sessionStart",),
        "prompt-submit": ("beforeSubmitPrompt",),
        "post-tool-use": ("postToolUse", "postToolUseFailure"),
        # Its own `stop` does not tell what was said.
        "stop": ("afterAgentResponse",),
        "session-end": ("sessionEnd",),
        "pre-compact": ("preCompact",),
    },
    signs=("conversation_id", "cursor_version", "workspace_roots"),
    fields={
        "session_id": ("session_id", "conversation_id"),
        "cwd": ("cwd", "workspace_roots.0"),
        "last_assistant_message": ("text",),
        "tool_response": ("tool_output",),
        "error": ("error_message",),
    },
    tools={
        "Shell": _SHELL, "Edit": _EDIT, "StrReplace": _EDIT, "Write": _WRITE, "MultiEdit": _EDIT,
    },
    inputs={"file_path": ("file_path", "path", "target_file"),
            "content": ("content", "contents")},
)  # fmt: skip
VSCODE = Dialect(
    "vscode",
    {
        "session-start": ("SessionStart",),
        "prompt-submit": ("UserPromptSubmit",),
        "post-tool-use": ("PostToolUse",),
        "stop": ("Stop",),
        "pre-compact": ("PreCompact",),
    },
    tells=("session-start",),
    signs=("sessionId", "hookEventName"),
    fields={
        "session_id": ("sessionId", "session_id"),
        "hook_event_name": ("hookEventName", "hook_event_name"),
    },
    tools={
        "runTerminalCommand": _SHELL, "run_in_terminal": _SHELL, "editFiles": _EDIT,
        "replace_string_in_file": _EDIT, "insert_edit_into_file": _EDIT, "apply_patch": _EDIT,
        "createFile": _WRITE, "create_file": _WRITE,
    },
    inputs={
        "file_path": ("filePath", "path", "files.0"),
        "old_string": ("oldString",),
        "new_string": ("newString",),
    },
)  # fmt: skip
WINDSURF = Dialect(
    "windsurf",
    {
        "prompt-submit": ("pre_user_prompt",),
        "post-tool-use": ("post_run_command", "post_write_code"),
        "stop": ("post_cascade_response",),
    },
    tells=(),
    signs=("agent_action_name", "trajectory_id"),
    fields={
        "session_id": ("trajectory_id",),
        "hook_event_name": ("agent_action_name",),
        "tool_use_id": ("execution_id",),
        "cwd": ("tool_info.cwd",),
        "prompt": ("tool_info.user_prompt",),
        "last_assistant_message": ("tool_info.response",),
        "tool_name": ("agent_action_name",),
        "tool_input": ("tool_info",),
    },
    tools={"post_run_command": _SHELL, "post_write_code": _EDIT},
    inputs={"command": ("command_line",)},
)

DIALECTS = {d.client: d for d in (CLAUDE_CODE, CODEX, GEMINI, CURSOR, VSCODE, WINDSURF)}
# Names of events that only one client has.
_OWN_EVENTS = dict.fromkeys(("BeforeAgent", "AfterTool", "AfterAgent", "PreCompress"), GEMINI)


def dialect_of(given: Mapping[str, Any]) -> Dialect:
    """Return how the client speaks that sent this."""
    for dialect in (CURSOR, WINDSURF, VSCODE):
        if any(sign in given for sign in dialect.signs):
            return dialect
    event = given.get("hook_event_name")
    return _OWN_EVENTS.get(event, CLAUDE_CODE) if isinstance(event, str) else CLAUDE_CODE


def translated(given: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    """Return what a client sent in the words of Claude Code."""
    found = {ours: _first(given, places) for ours, places in dialect.fields.items()}
    fields = {**given, **{ours: value for ours, value in found.items() if value is not None}}
    if dialect.tools and "tool_name" in fields:
        fields["tool_name"] = dialect.tools.get(str(fields["tool_name"]), "")
        fields["tool_input"] = _named(fields.get("tool_input"), dialect)
        fields["tool_response"] = _unpacked(fields.get("tool_response"))
    return fields


def answer(dialect: Dialect, event: str, given: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return what the client takes to tell its model something; nothing where it takes nothing."""
    if event not in dialect.tells:
        return {}
    if dialect is CURSOR:
        told: dict[str, Any] = {"additional_context": text}
        return told if event == "session-start" else {"continue": True, **told}
    names = dialect.events[event]
    sent = given.get("hook_event_name")
    name = sent if sent in names else names[0]
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def _first(given: object, places: Places) -> Any:
    values = (_at(given, place) for place in places)
    return next((value for value in values if value not in (None, "", [])), None)


def _at(given: Any, place: str) -> Any:
    for step in place.split("."):
        if isinstance(given, list):
            given = given[int(step)] if step.isdecimal() and int(step) < len(given) else None
        else:
            given = given.get(step) if isinstance(given, dict) else None
    return given


def _named(asked: object, dialect: Dialect) -> Any:
    """Return a tool's arguments by our names for those that we read."""
    asked = _unpacked(asked)
    if not isinstance(asked, dict):
        return asked
    ours = {name: _first(asked, places) for name, places in dialect.inputs.items()}
    return {**asked, **{name: value for name, value in ours.items() if value is not None}}


def _unpacked(value: object) -> Any:
    """Return the object that a text is, where a client sends JSON within JSON."""
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    import json

    try:
        return json.loads(value)
    except ValueError:
        return value
