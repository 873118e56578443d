"""The commands that are not operations: they look after the installation and the store."""

from __future__ import annotations

from functools import partial

from milepost.config import FLAGGED, SECRETS, Settings
from milepost.surfaces.cli.command import Subcommand, argument, setting
from milepost.upkeep.values import COPIES, LOG_LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from milepost.surfaces.cli.command import Argument, Call

SERVING, CARE, AGENTS = "serving", "care", "coding agents"
HOOKS = ("session-start", "prompt-submit", "post-tool-use", "stop", "session-end", "pre-compact")
CLIENTS = ("claude-code", "opencode", "cursor", "vscode", "codex", "gemini", "windsurf", "zed",
           "claude-desktop")  # fmt: skip
# Whose memories can be read; `surfaces/importing/formats` says how.
IMPORTED = ("claude-code", "mcp-memory-service", "mem0", "claude-mem", "basic-memory", "mempalace",
            "chroma", "server-memory", "claude", "chatgpt", "codex", "opencode", "letta", "jsonl",
            "csv")  # fmt: skip

_CLIENT: dict[str, Any] = {"choices": CLIENTS, "metavar": "CLIENT", "help": ", ".join(CLIENTS)}
_COPY = argument(
    "file",
    metavar="FILE",
    help="a copy that `milepost backup` made, or s3://bucket/prefix/NAME of one",
)
_NAME = argument("name", choices=Settings._fields, metavar="NAME", help="the setting")
_SECRET = argument("name", choices=sorted(SECRETS), metavar="NAME", help=", ".join(sorted(SECRETS)))
_SCOPE = argument(
    "--scope",
    choices=("user", "project"),
    default="user",
    help="the user's settings, or those of the project in the current folder",
)
_DIFF = argument("--diff", action="store_true", help="show every line that would change")
_YES = argument("--yes", "-y", action="store_true", help="do not ask")


def _command(
    section: str, words: str, function: str, summary: str, *arguments: Argument, **more: Any
) -> Subcommand:
    """Return a command whose function, `module.name` of `commands`, is loaded when it is called."""
    module, _, name = function.partition(".")

    def run(call: Call) -> object:
        from importlib import import_module

        loaded = import_module(f"milepost.surfaces.cli.commands.{module}")
        result: object = getattr(loaded, name)(call)
        return result

    return Subcommand(tuple(words.split()), summary, run, arguments, section=section, **more)


_serving, _care, _agents = (partial(_command, section) for section in (SERVING, CARE, AGENTS))

# fmt: off
COMMANDS = (
    _serving("serve", "processes.serve_http", "Serve the memory over HTTP.", setting("host"),
        setting("port"), setting("key"), setting("tls_cert", metavar="FILE"),
        setting("tls_key", metavar="FILE"), setting("client_ca", metavar="FILE")),
    _serving("ui", "dashboard.open_dashboard",
        "Open the dashboard in a browser; where no server runs, serve it as long as this does.",
        argument("--no-browser", action="store_true", help="only print its address"),
        setting("port"), setting("key")),
    _serving("mcp", "processes.serve_mcp",
        "Serve the memory as an MCP server on standard input and output.", setting("tools")),
    _serving("daemon start", "processes.daemon_start",
        "Start a process that keeps the memory warm.", changes=True),
    _serving("daemon stop", "processes.daemon_stop", "Stop the process that keeps the memory warm.",
        changes=True),
    _serving("daemon status", "processes.daemon_status",
        "Show the processes that keep memories warm."),
    _serving("daemon run", "processes.daemon_run",
        "Be the process that keeps the memory warm, in the foreground.",
        setting("daemon_idle", metavar="SECONDS")),
    _serving("watch", "watching.watch_folder",
        "Keep what is remembered of a folder as its files are.",
        argument("folder", metavar="DIR", help="the folder"),
        argument("--tags", metavar="TAG,TAG", help="tags of what is remembered"),
        argument("--chunk", metavar="SIZE", help="auto, tokens of a piece, or none"),
        argument("--project", metavar="NAME",
            help="the project it belongs to, if not the one worked on"),
        example="milepost watch docs"),
    _serving("hook", "processes.answer_hook",
        "Answer an event of a coding agent's session: JSON on standard input and output.",
        argument("event", choices=HOOKS, metavar="EVENT", help=", ".join(HOOKS)),
        argument("--explain", action="store_true",
            help="say what would be told and why, and write nothing"),
        example="echo '{}' | milepost hook session-start --explain"),
    _serving("logs", "logs.show_logs", "Show what the daemon, the servers and hooks logged.",
        argument("--follow", "-f", action="store_true", help="go on showing what is added"),
        argument("--lines", "--limit", "-n", type=int, default=50, metavar="N",
            help="how many lines"),
        argument("--level", metavar="LEVEL", choices=LOG_LEVELS,
            help="only debug, info, warning, error or critical, and what matters more"),
        argument("--since", metavar="TIME", help="only what was logged since, such as 1h"),
        argument("--grep", metavar="WORDS", help="only what has these words"),
        argument("--request", metavar="ID", help="only what was logged for this request"),
        example="milepost logs --level error --since 1h"),
    _serving("profile", "profiling.profile",
        "Do what an operation does several times, and show where the time goes.",
        argument("--times", type=int, default=5, metavar="N",
            help="how often again, after a first time that opens the store (5)"),
        argument("words", nargs="...", metavar="COMMAND",
            help="an operation that only reads, as it is typed without this"),
        example='milepost profile search "which database?"'),
    _serving("monitor", "monitor.watch",
        "Watch the memory: count, health, size, daemon, and a server's speed.",
        argument("--interval", type=float, default=2.0, metavar="S", help="seconds between"),
        argument("--once", action="store_true", help="show it once and end"),
        argument("--server", metavar="URL", help="also ask the /metrics of this server")),
    _command("admin", "savings", "savings_report.report",
        "Show the tokens that models were given, and what whole objects would have cost.",
        argument("--days", type=int, default=30, metavar="N", help="how many days back"),
        argument("--session", metavar="ID", help="only this one, or those that begin so"),
        argument("--plot", metavar="FILE", help="draw it into this .png file"),
        argument("--calculate", action="store_true", help="say what it saves a team"),
        argument("--users", type=int, metavar="N", help="people in the team (10)"),
        argument("--sessions", type=int, metavar="N", help="sessions of each a day (5)"),
        argument("--price", type=float, metavar="P", help="of a million input tokens (3.00)"),
        argument("--currency", metavar="SIGN", help="what stands before a price ($)"),
        argument("--workdays", type=int, metavar="N", help="working days a month (21)"),
        example="milepost savings --calculate --users 20 --sessions 8 --price 5"),
    _command("memory", "review", "reviewing.review",
        "Look through what was captured from sessions: keep, edit, drop or merge each.",
        argument("--limit", "-n", type=int, default=20, metavar="N", help="how many at most"),
        argument("--all", action="store_true", help="also what was stored by hand or imported"),
        argument("--project", "-p", metavar="PROJECT", help="only this project"),
        argument("--since", "--after", metavar="TIME", help="only what was created since"),
        argument("--quarantined", action="store_true",
            help="only texts that want to instruct a model, which nobody is told until kept"),
        argument("--approve", nargs="+", metavar="HASH", help="keep these, without asking"),
        argument("--drop", nargs="+", metavar="HASH", help="delete these, without asking"),
        epilog="In Python: review(limit=5). With --json, or without a terminal, it only lists."),
    _command("graph", "graph import", "graph_files.import_file",
        "Write entities and relations of a file of the MCP reference memory server.",
        argument("file", metavar="FILE", help="its JSONL; - reads standard input"), changes=True,
        example="milepost graph import memory.jsonl",
        epilog="In Python: import_graph(lines)."),
    _command("graph", "graph export", "graph_files.export_file",
        "Write the graph to a file, as the MCP reference memory server keeps it.",
        argument("file", metavar="FILE", nargs="?", default="-",
            help="where to; - and nothing write to standard output"),
        example="milepost graph export memory.jsonl",
        epilog="In Python: export_graph()."),
    _command("graph", "graph extract", "graph_extraction.extract",
        "Let the configured language model read memories for the graph, after telling the budget.",
        argument("--project", "-p", metavar="PROJECT", help="only this project"),
        argument("--limit", "-n", type=int, default=100, metavar="N", help="memories at most"),
        _YES, changes=True,
        example="milepost graph extract --limit 200 --dry-run",
        epilog="In Python: extract_graph(limit=200, dry_run=True)."),
    _care("doctor", "doctor.examine",
        "Check the installation and say how to repair what is broken.",
        argument("--compile", action="store_true",
            help="compile the sandbox for this machine now, if that was not done"),
        argument("--security", action="store_true",
            help="say what is open instead: files, keys, TLS, encryption, audit, tokens, holes"),
        argument("--advisories", metavar="FILE",
            help="with --security: known holes of packages in OSV format, instead of asking")),
    _care("encrypt", "encryption.encrypt",
        "Encrypt the store, its copies, its index and what sessions left, with encryption_key.",
        argument("--create-key", action="store_true",
            help="make a key of 256 bits in the file that encryption_key names"), changes=True,
        example="MILEPOST_ENCRYPTION_KEY_FILE=~/.config/milepost/store.key milepost encrypt",
        epilog="It is refused while a process uses the store. Whoever loses the key loses the "
            "memories."),
    _care("decrypt", "encryption.decrypt",
        "Write the store, its copies, its index and what sessions left in clear text.",
        changes=True),
    _care("rekey", "encryption.rekey",
        "Write everything under another key; the one of before opens nothing of it any more.",
        argument("--new-key-file", metavar="FILE", help="the file that has the new key"),
        argument("--create-key", action="store_true", help="make that key, of 256 bits"),
        argument("--prompt", action="store_true", help="type the new key"), changes=True,
        example="milepost rekey --new-key-file ~/.config/milepost/new.key --create-key"),
    _care("config show", "configuration.show", "Show every setting and where it comes from.",
        aliases=("ls",)),
    _care("config path", "configuration.path", "Show where the configuration file is."),
    _care("config set", "configuration.set_value", "Write a setting into the configuration file.",
        _NAME,
        argument("value", metavar="VALUE", help="what it shall be"), changes=True,
        example="milepost config set log_level info"),
    _care("config set-secret", "configuration.set_secret",
        "Keep a key in the system's keyring; it is typed, or read from standard input.",
        _SECRET, changes=True, example="milepost config set-secret key"),
    _care("config unset", "configuration.unset_value",
        "Remove a setting from the configuration file.", _NAME, changes=True,
        example="milepost config unset log_level"),
    _care("flags list", "flags.listed",
        "Show in which spaces settings are in force that reach some spaces before the others.",
        aliases=("ls",)),
    _care("flags set", "flags.set_flag",
        "Let a setting be in force in all spaces, in none, in a share of them, or in one alone.",
        argument("name", choices=FLAGGED, metavar="NAME", help=", ".join(FLAGGED)),
        argument("value", metavar="VALUE", help="on, off, a share such as 25%, or clear"),
        changes=True, example="milepost flags set secrets 25%",
        epilog="Where it is off the setting has its default. A --space that is given is the only "
        "one that changes, and its flag comes before the share."),
    _care("space list", "spaces.listed",
        "Show the spaces there are, the store each is on, and how much it holds.", aliases=("ls",)),
    _care("space move", "spaces.move",
        "Move a space to another store while it is used.",
        argument("name", metavar="NAME", help="the space"),
        argument("--to", dest="target", required=True, metavar="ADDRESS", help="the store it is "
            "moved to: a path, postgresql://…, file:PATH of a file with the address, or one with "
            "${VARIABLE} in it, as it shall stand in spaces.toml"),
        argument("--replace", action="store_true",
            help="remove first what the other store has of a space of this name"),
        argument("--remove", action="store_true",
            help="remove what is left in the store before, once it is moved"),
        argument("--keep", action="store_true",
            help="leave what is in the store before as it is, which is the default"),
        changes=True, example="milepost space move team-a --to postgresql://host/db --dry-run",
        epilog="Writers of the space wait for the last comparison alone, readers never. What was "
            "interrupted goes on when it is called again."),
    _care("migrate", "moving.migrate",
        "Bring the store up to date, or copy memories from one store to another.",
        argument("--from", dest="source", metavar="URL", help="the store that is copied, and left "
            "as it is: a path or postgresql://…"),
        argument("--to", dest="target", metavar="URL", help="the store it is copied to"),
        argument("--replace", action="store_true",
            help="remove first what the other store has of the same spaces"),
        argument("--check", action="store_true",
            help="say what would bring the store up to date, and whether that is safe now"),
        changes=True,
        example="milepost migrate --from memory.db --to postgresql://host/db --dry-run",
        epilog="With --space one space alone is copied. What was interrupted goes on when it is "
            "called again."),
    _care("storage info", "storage.info",
        "Show what the whole store holds and how large it is, with all its spaces.",
        aliases=("stats",)),
    _care("storage check", "storage.check",
        "Check that the store is whole and that its index agrees with it."),
    _care("storage compact", "storage.compact",
        "Free the space that deletions left, and join the index into one segment.", changes=True,
        aliases=("vacuum",)),
    _care("storage reindex", "storage.reindex",
        "Make anew what finds memories, from the memories.", changes=True),
    _care("storage sync", "storage.sync", "Let what finds memories catch up with them.",
        changes=True),
    _care("storage health", "storage.health",
        "Look at the store without changing it: reachable, whole, up to date."),
    _care("storage empty-bin", "storage.empty_bin",
        "Erase what was deleted and `milepost undo` could take back.", _YES, changes=True),
    _care("storage reembed", "storage.reembed",
        "Give every memory a vector of the chosen embedder now.", setting("embedder"),
        changes=True, example="milepost storage reembed --embedder onnx:FOLDER"),
    _care("model list", "models.listed",
        "Show the models that can be used, which one is, and how many memories have its vectors.",
        aliases=("ls",)),
    _care("model add", "models.add",
        "Fetch a model by its name and checksum, or copy one from a folder.",
        argument("model", metavar="MODEL", help="a name that `milepost model list` shows, or a "
            "folder with config.json, tokenizer.json and model.onnx"),
        argument("--name", metavar="NAME", help="what it shall be called, if not as it is"),
        argument("--from", dest="mirror", metavar="URL",
            help="fetch from this address of a folder with its files"), changes=True,
        example="milepost model add NAME"),
    _care("model use", "model_choice.use",
        "Use a model beside the static one, or static alone: say what it gains here, then embed.",
        argument("model", metavar="MODEL", help="the name of an installed model, or static"),
        argument("--background", action="store_true", help="do not wait for the embedding"),
        _YES, changes=True, example="milepost model use NAME --dry-run"),
    _care("backup create", "backups.create", "Copy the store to a file, while others use it.",
        argument("file", nargs="?", metavar="FILE", help="where to; else beside the store"),
        changes=True),
    _care("backup list", "backups.listed",
        "Show every copy beside the store, and those that a schedule keeps elsewhere.",
        argument("--in", dest="place", metavar="PLACE",
            help="those in a folder or in s3://bucket/prefix instead, of whichever store"),
        aliases=("ls",)),
    _care("backup prune", "backups.prune",
        "Remove copies beside the store, the oldest first, and what crashes left of some.",
        argument("--keep", type=int, metavar="N", help="how many of the newest stay"),
        argument("--older-than", metavar="AGE", help="only older ones: 12h, 30d, 8w"),
        argument("--kind", action="append", choices=COPIES, help="only these; may be repeated"),
        _YES, changes=True, example="milepost backup prune --keep 3 --older-than 30d"),
    _care("backup verify", "backups.verify", "Check that a copy is whole.", _COPY,
        example="milepost backup verify FILE"),
    _care("backup restore", "backups.restore",
        "Replace the store by a copy; what it replaces is kept beside it.", _COPY, changes=True,
        example="milepost backup restore FILE --dry-run"),
    _care("jobs run", "jobs.run", "Do the work that is due now, of all spaces.",
        argument("--limit", "-n", type=int, metavar="N", help="how many at most"), changes=True),
    _agents("install", "install.install",
        "Give a coding agent its memory: hooks, MCP server, skill. Without a name, list them.",
        argument("client", nargs="?", **_CLIENT), _SCOPE, _DIFF, _YES, changes=True,
        example="milepost install claude-code --dry-run"),
    _agents("uninstall", "install.uninstall",
        "Take out of a coding agent's settings what `milepost install` put there.",
        argument("client", **_CLIENT), _SCOPE, _DIFF, _YES, changes=True,
        example="milepost uninstall claude-code --dry-run"),
    _care("export", "exports.export",
        "Write all that is remembered to a file that another Milepost, or people, can read.",
        argument("--to", dest="target", required=True, metavar="FILE|DIR",
            help="where to; - writes to standard output"),
        argument("--format", dest="file_format", choices=("jsonl", "markdown"), default="jsonl",
            metavar="FORMAT", help="jsonl, a row on each line; or markdown, a folder with a file "
            "for each memory, which `milepost sync DIR` merges back"),
        argument("--all-spaces", action="store_true", help="all spaces of the store"),
        argument("--project", "-p", metavar="PROJECT", help="only what belongs to this project"),
        argument("--vectors", action="store_true",
            help="also vectors of a chosen embedder, which otherwise embeds anew"),
        argument("--encrypt", action="store_true", help="seal it with the key of the store"),
        example="milepost export --to memory.jsonl",
        epilog="What was deleted, keys, the audit and jobs are not in it. The same memory gives "
            "the same bytes. `milepost import FILE` reads it."),
    _care("sync", "syncing.sync",
        "Make this store and another of yours hold the same, whichever was written to.",
        argument("target", metavar="FOLDER|STORE", help="a folder that the others sync with too, "
            "such as one that a cloud keeps; another store: a path or postgresql://…; or a folder "
            "of notes that `milepost export --format markdown` made"),
        argument("--delete", action="store_true",
            help="also delete the memories whose notes were deleted; `undo` takes it back"),
        changes=True, example="milepost sync ~/Dropbox/milepost",
        epilog="Memories with versions and tags, links, episodes and events are synced, and "
            "deletions."),
    _agents("import", "imports.import_memories",
        "Read what `milepost export` wrote, or remember what another program keeps.",
        argument("source", metavar="SOURCE",
            help="an export of Milepost or - for one on standard input, whose memory it is, or a "
            f"file that tells by itself: {', '.join(IMPORTED)}"),
        argument("path", nargs="*", metavar="PATH",
            help="files or folders to read in place of the program's own"),
        argument("--project", metavar="NAME", help="the project, if not that of each file"),
        argument("--user", metavar="NAME", help="only what this user said (mem0)"),
        argument("--columns", metavar="NAMES",
            help="which column is what: content=text,tags=labels (jsonl, csv)"),
        changes=True, example="milepost import mcp-memory-service --dry-run"),
    _care("completion", "shell_completion.script",
        "Print a script that completes commands in a shell.",
        argument("shell", choices=("bash", "zsh", "fish"), help="which shell"),
        example='eval "$(milepost completion bash)"'),
)
# fmt: on

GROUPS = {
    "session": "what sessions are told",
    "episode": "what was tried",
    "pattern": "what was learned",
    "event": "what happened",
    "graph": "how things hang together",
    "consolidation": "the order of what is remembered",
    "daemon": "the process that keeps the memory warm",
    "config": "the settings",
    "flags": "settings that reach some spaces before the others",
    "space": "which store each space is on",
    "storage": "the store and what finds its memories",
    "model": "the models that understand texts",
    "backup": "copies of the store",
    "alerts": "who is told when something is wrong",
    "jobs": "work that was put off",
    "key": "who may come in",
}
