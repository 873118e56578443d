"""The settings, and the only place that reads the environment.

A setting comes from a flag, else from MILEPOST_<NAME>, else from milepost.toml in the user's
configuration folder, else it has its default. A milepost.toml in the current folder is not read:
a cloned repository could name a store of its own and be told everything.

A secret, and the URL, which may hold one, may also lie in a file, which MILEPOST_<NAME>_FILE names,
a secret in the keyring too; what a named
embedder leaves open comes from the variables that people have set for other programs, whose keys
may lie in files too.
"""

from __future__ import annotations

import os
import sys

from milepost.location import shown
from milepost.values import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

APP = "milepost"
FILE = "milepost.toml"
SPACES_FILE = "spaces.toml"
# Settings that name what memories belong to.
_NAMES = frozenset({"space", "project"})
_NAME_CHARS_MAX = 200
# Where a setting comes from that nobody set.
DEFAULT = "default"


class Settings(NamedTuple):
    """Everything that can be set."""

    url: str
    space: str = "default"
    spaces_file: str = ""
    project: str = ""
    embedder: str = "static"
    embedder_keys: tuple[str, ...] = ()
    models_folder: str = ""
    cache_folder: str = ""
    sandbox: str = "on"
    programs_per_minute: int = 600
    daemon: str = "use"
    daemon_idle: int = 900
    runtime_folder: str = ""
    host: str = "127.0.0.1"
    port: int = 8765
    tls_cert: str = ""
    tls_key: str = ""
    client_ca: str = ""
    tls_proxy: str = "off"
    key: str = ""
    oauth_issuer: str = ""
    oauth_audience: str = ""
    oauth_spaces: tuple[str, ...] = ()
    oauth_client_id: str = ""
    oauth_client_secret: str = ""
    ca: str = ""
    client_cert: str = ""
    client_key: str = ""
    pin: tuple[str, ...] = ()
    tools: str = ""
    secrets: str = "redact"
    questions: str = "keep"
    audit_reads: str = "off"
    undo_days: int = 30
    event_days: int = 90
    ingest_folders: tuple[str, ...] = ()
    database_connections: int = 10
    database_timeout: int = 30
    database_prepare: str = "on"
    replica: str = ""
    replica_lag: int = 1_000
    cache_mb: int = 16
    log_level: str = "warning"
    hook_timeout: int = 5_000
    hook_code: str = "on"
    hook_fallback: str = "on"
    hook_python: str = ""
    hook_metrics: str = "on"
    hook_server: str = ""
    hook_config: str = ""
    reflector: str = ""
    reflector_key: str = ""
    encryption_key: str = ""
    backup_key: str = ""
    s3_endpoint: str = ""
    s3_region: str = "us-east-1"
    s3_key_id: str = ""
    s3_secret_key: str = ""
    alert_every: int = 10
    alert_command: str = ""
    alert_webhook: str = ""
    alert_secret: str = ""
    traces: str = ""

    @property
    def shown_url(self) -> str:
        """Where the memories are, as it can be shown."""
        return shown(self.url)

    def alone_at(self, url: str) -> Settings:
        """Return the same for one store, on which all spaces are."""
        return self._replace(url=url, replica="", spaces_file="")


DESCRIPTIONS = {
    "url": "where the memories are: a path, sqlite:path, memory://, "
    "postgresql://user@host/database or a server's http:// address, several of one store with "
    "commas between them",
    "space": "the tenant whose memories are used",
    "spaces_file": "the file that places spaces on other stores than url, such as "
    '"team-*" = "postgresql://…"',
    "project": "the project that is worked on; by default that of the working folder, everywhere "
    "for none",
    "embedder": "static, or a second model: onnx:FOLDER, openai[:URL][#MODEL], cohere[#MODEL], "
    "ollama[:URL][#MODEL]",
    "embedder_keys": "keys of a remote embedder, with commas between them",
    "models_folder": "where models are looked for",
    "cache_folder": "where what can be made again is kept, such as the compiled sandbox",
    "sandbox": "on, strict (run programs only where all six layers work) or off",
    "programs_per_minute": "how many programs a caller may run",
    "daemon": "use a warm process that runs (session hooks start one), start one when none does, "
    "or off",
    "daemon_idle": "seconds without a call after which the warm process ends",
    "runtime_folder": "where the warm processes' sockets are",
    "host": "the address that `milepost serve` listens on",
    "port": "the port that `milepost serve` listens on",
    "tls_cert": "the certificate of `milepost serve`, a file in PEM with those of who signed it; "
    "read again when it changes",
    "tls_key": "the private key of tls_cert, a file, if it does not lie in that",
    "client_ca": "a file with the certificates of who signs those of clients; none without one is "
    "let in then",
    "tls_proxy": "on or off: whether a proxy in front of `milepost serve` speaks TLS, so that "
    "`doctor` does not warn",
    "key": "the bearer key of the server, needed beyond loopback; sent by the client",
    "oauth_issuer": "the https:// address of the OAuth issuer whose tokens let others in",
    "oauth_audience": "the address of this server's /mcp as its clients know it, for which tokens "
    "must have been made, such as https://memory.example.org/mcp",
    "oauth_spaces": "the spaces that tokens are for: names, patterns such as team-*, or claim:NAME "
    "for those that a claim of the token names, with commas between them; by default space alone",
    "oauth_client_id": "by what name the issuer lets this server ask about tokens that it cannot "
    "read itself (introspection)",
    "oauth_client_secret": "the secret that belongs to oauth_client_id",
    "ca": "a file with the certificates of who may have signed that of an https:// server; by "
    "default the system's",
    "client_cert": "the certificate that an https:// server is shown, a file",
    "client_key": "the private key of client_cert, a file, if it does not lie in that",
    "pin": "the public keys that https:// servers may have, each as sha256//BASE64 of it, with "
    "commas between them",
    "tools": "which tools the MCP server lists: few (the default), full, nodes, or some by name",
    "secrets": "what becomes of secrets in what is to be written: redact (each is replaced by "
    "[secret]), refuse (nothing is written then) or keep",
    "questions": "keep or off: whether what models asked and then used is kept in the store, to be "
    "asked again when recall is measured",
    "audit_reads": "on or off: whether the audit tells who read what, too: names of memories, "
    "never questions",
    "undo_days": "for how many days deletions and changes can be taken back; 0 erases at once",
    "event_days": "for how many days events are kept; 0 keeps them for good",
    "ingest_folders": "the folders whose documents those may have read who come over HTTP "
    "or with a key, and programs, with commas between them; none without it",
    "database_connections": "how many connections a process has to PostgreSQL at most",
    "database_timeout": "seconds after which PostgreSQL gives up on a statement",
    "database_prepare": "on or off: whether statements are prepared; off behind a pooler that does "
    "not know prepared statements",
    "replica": "the postgresql:// address of a replica that is read from where it is near enough",
    "replica_lag": "milliseconds that a replica may be behind; what who asks wrote it must have",
    "cache_mb": "megabytes that a server or a warm process keeps of answers to searches, which it "
    "gives again while nothing has changed; 0 for none",
    "traces": "the http:// address of an OpenTelemetry collector that is told of every call, "
    "such as http://127.0.0.1:4318; by default nobody is told",
    "log_level": "what is logged to standard error: debug, info, warning or error",
    "hook_timeout": "milliseconds after which a hook ends without having told anything",
    "hook_code": "on or off: whether hooks ask the memory itself",
    "hook_fallback": "on or off: whether hooks go another way when that fails: hook_server, and a "
    "plain reading of the store",
    "hook_python": "the path of another Python that hooks shall run in",
    "hook_metrics": "on or off: whether hooks say on standard error what they told",
    "hook_server": "an MCP server that hooks may ask: a command, or an http:// address",
    "hook_config": "a JSON file with codeExecution.enabled and so on, for what is not set here",
    "reflector": "a language model that words the lessons of episodes in the background and, where "
    "asked to, reads memories for the graph and rewords summaries, as http://host:port#MODEL of an "
    "OpenAI-compatible server; never needed",
    "reflector_key": "the bearer key of the reflector",
    "encryption_key": "where the key of an encrypted store is: file:PATH, keyring: or prompt:; a "
    "store that is made while it is set is encrypted",
    "backup_key": "where the key of scheduled backups is, as encryption_key names it; by default "
    "they are encrypted as the store is",
    "s3_endpoint": "the https:// address of the S3-compatible server that backups are kept at; by "
    "default Amazon's of s3_region",
    "s3_region": "the region of that server",
    "s3_key_id": "by what name that server knows who keeps backups there",
    "s3_secret_key": "the secret that belongs to s3_key_id",
    "alert_every": "after how many seconds servers and the daemon look whether a rule of alerts "
    "is broken; 0 for never",
    "alert_command": "the command that is told of alerts, as JSON on its standard input; it is run "
    "without a shell",
    "alert_webhook": "the http:// or https:// address that alerts are posted to as JSON",
    "alert_secret": "the secret by which what is posted there is signed",
}
SECRETS = frozenset(
    {
        "alert_secret",
        "backup_key",
        "embedder_keys",
        "encryption_key",
        "key",
        "oauth_client_secret",
        "reflector_key",
        "s3_secret_key",
    }
)
# What can be in force in some spaces alone (`milepost flags`); `opening` says what each comes to.
FLAGGED = ("audit_reads", "embedder", "event_days", "reflector", "secrets", "undo_days")
_CHOICES = {
    "daemon": ("use", "start", "off"),
    "sandbox": ("on", "strict", "off"),
    "secrets": ("redact", "refuse", "keep"),
    "questions": ("keep", "off"),
    "audit_reads": ("on", "off"),
    "database_prepare": ("on", "off"),
    "tls_proxy": ("on", "off"),
    "log_level": ("debug", "info", "warning", "error"),
    "hook_code": ("on", "off"),
    "hook_fallback": ("on", "off"),
    "hook_metrics": ("on", "off"),
}
_MOST = {
    "port": 65_535,
    "undo_days": 36_500,
    "event_days": 36_500,
    "cache_mb": 65_536,
    "alert_every": 3_600,
}
# What `secret_sources` reads; its name is here so that reading settings loads nothing more.
_FILE_REFERENCE = "file:"


class Others(NamedTuple):
    """The variables in which people keep the key and the address of a server for all programs."""

    key: str
    url: str


_OTHERS = {
    "openai": Others("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "cohere": Others("COHERE_API_KEY", ""),
    "ollama": Others("", "OLLAMA_BASE_URL"),
}
MODEL_VARIABLE = "EMBEDDING_MODEL"
EMBEDDER_VARIABLES = (
    "OPENAI_API_KEY", "OPENAI_API_KEY_FILE", "OPENAI_BASE_URL", "COHERE_API_KEY",
    "COHERE_API_KEY_FILE", "OLLAMA_BASE_URL", MODEL_VARIABLE,
)  # fmt: skip


class Origin(NamedTuple):
    """A setting's value and where it came from."""

    name: str
    value: object
    source: str


def load_settings(
    flags: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings in force."""
    return settings_of(trace_settings(flags, environment))


def settings_of(origins: Sequence[Origin]) -> Settings:
    """Return the settings without where they came from."""
    return Settings(*(origin.value for origin in origins))  # type: ignore[arg-type]


def trace_settings(
    flags: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None
) -> list[Origin]:
    """Return every setting with where it came from."""
    env = os.environ if environment is None else environment
    path = config_file(env)
    written = _read(path) if os.path.exists(path) else {}  # noqa: PTH110 -- pathlib takes longer
    defaults = _defaults(env)
    return _completed(
        [_traced(name, flags or {}, env, written, path, defaults) for name in Settings._fields], env
    )


def _traced(
    name: str,
    flags: Mapping[str, object],
    env: Mapping[str, str],
    written: Mapping[str, object],
    path: str,
    defaults: Mapping[str, object],
) -> Origin:
    variable = f"MILEPOST_{name.upper()}"
    if flags.get(name) not in (None, ""):
        flag = f"--{name.replace('_', '-')}"
        return Origin(name, _parsed(name, flags[name], flag), "flag")
    if (told := _told(name, variable, env)) is not None:
        return told
    if name in written:
        return Origin(name, _parsed(name, written[name], f"{name} in {path}"), path)
    return Origin(name, defaults[name], DEFAULT)


def _told(name: str, variable: str, env: Mapping[str, str]) -> Origin | None:
    """Return what a variable says of a setting; of a secret, also the file that one names."""
    if env.get(variable):
        return Origin(name, _parsed(name, env[variable], variable), f"environment {variable}")
    if name in SECRETS and env.get(variable := f"{variable}_FILE"):
        named = f"{_FILE_REFERENCE}{env[variable]}"
        several = isinstance(Settings._field_defaults[name], tuple)
        return Origin(name, (named,) if several else named, f"environment {variable}")
    if name == "url" and env.get(variable := f"{variable}_FILE"):
        # Read at once: whether it names a file or a server decides how all else is done.
        from milepost.secret_sources import revealed

        address = revealed(name, f"{_FILE_REFERENCE}{env[variable]}").strip()
        return Origin(name, address, f"environment {variable}")
    return None


def _completed(origins: list[Origin], env: Mapping[str, str]) -> list[Origin]:
    """Fill in what a named embedder leaves open, unless it has keys of ours.

    A key goes to its own server, never to another whose address we were given.
    """
    places = {origin.name: place for place, origin in enumerate(origins)}
    spaces = origins[places["spaces_file"]]
    if origins[places["url"]].source == "flag" and spaces.source == DEFAULT:
        # A store that was asked for by name is used alone.
        origins[places["spaces_file"]] = spaces._replace(value="")
    embedder, keys = origins[places["embedder"]], origins[places["embedder_keys"]]
    server, _, model = str(embedder.value).partition("#")
    kind, _, url = server.partition(":")
    if kind not in _OTHERS or keys.source != DEFAULT:
        return origins
    others, used = _OTHERS[kind], []
    if not url and others.key and (key := _told(keys.name, others.key, env)) is not None:
        origins[places["embedder_keys"]] = key
    if not url and env.get(others.url):
        server, used = f"{kind}:{_base(kind, env[others.url])}", [others.url]
    if not model and env.get(MODEL_VARIABLE):
        model, used = env[MODEL_VARIABLE], [*used, MODEL_VARIABLE]
    if used:
        source = f"{embedder.source} and environment {', '.join(used)}"
        origins[places["embedder"]] = Origin(embedder.name, f"{server}#{model}".rstrip("#"), source)
    return origins


def _base(kind: str, url: str) -> str:
    """Return the address of a server as its embedder wants it."""
    # Where Ollama speaks as OpenAI does; its own API is beside that.
    return url.rstrip("/").removesuffix("/v1") if kind == "ollama" else url


def _defaults(env: Mapping[str, str]) -> dict[str, object]:
    data = data_folder(env)
    return Settings._field_defaults | {
        "url": os.path.join(data, "memory.db"),  # noqa: PTH118
        "models_folder": os.path.join(data, "models"),  # noqa: PTH118
        "cache_folder": _folder(env, "XDG_CACHE_HOME", ".cache", "user_cache_path"),
        "runtime_folder": runtime_folder(env),
        "spaces_file": os.path.join(os.path.dirname(config_file(env)), SPACES_FILE),  # noqa: PTH118, PTH120
        "hook_config": os.path.join(os.path.dirname(config_file(env)), "hooks.json"),  # noqa: PTH118, PTH120
    }


def _parsed(name: str, value: object, where: str) -> object:
    from milepost.errors import ConfigError

    default = Settings._field_defaults.get(name, "")
    if isinstance(default, int):
        if not str(value).isdecimal():
            raise ConfigError(f"{where} must be a whole number, not {value!r}.")
        number, most = int(str(value)), _MOST.get(name)
        if most is not None and number > most:
            raise ConfigError(f"{where} must be at most {most}, not {value}.")
        return number
    if isinstance(default, tuple):
        parts = value if isinstance(value, list | tuple) else str(value).split(",")
        return tuple(str(part).strip() for part in parts if str(part).strip())
    if not isinstance(value, str):
        raise ConfigError(f"{where} must be a text, not {value!r}.")
    # Spaces that begin with no letter are the store's own: what was deleted lies in some.
    value = value.strip() if name in _NAMES else value
    if name in _NAMES and (not value.isprintable() or len(value) > _NAME_CHARS_MAX):
        raise ConfigError(f"{where} must have at most {_NAME_CHARS_MAX} letters, not {value!r}.")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ConfigError(f"{where} must be one of {', '.join(_CHOICES[name])}, not {value!r}.")
    return value


def _read(path: str) -> dict[str, object]:
    import tomllib

    from milepost.errors import ConfigError

    try:
        with open(path, "rb") as file:  # noqa: PTH123
            written = tomllib.load(file)
    except (OSError, ValueError) as problem:
        raise ConfigError(f"{path} cannot be read: {problem}.") from problem
    for name in written:
        if name not in Settings._fields:
            known = ", ".join(Settings._fields)
            raise ConfigError(f"{path} has an unknown setting {name!r}; the settings are {known}.")
    return written


def filled_in(text: str, environment: Mapping[str, str] | None = None) -> str:
    """Return a text with each ${NAME} replaced by that variable, or by the file NAME_FILE names."""
    if "${" not in text:
        return text
    import re

    from milepost.errors import ConfigError
    from milepost.secret_sources import revealed

    env = os.environ if environment is None else environment

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if env.get(name):
            return env[name]
        if env.get(f"{name}_FILE"):
            return revealed(name, f"{_FILE_REFERENCE}{env[f'{name}_FILE']}")
        raise ConfigError(f"neither {name} nor {name}_FILE is set in the environment.")

    return re.sub(r"\$\{(\w+)\}", value, text)


def config_file(environment: Mapping[str, str] | None = None) -> str:
    """Return where milepost.toml is, whether it exists or not."""
    env = os.environ if environment is None else environment
    return env.get("MILEPOST_CONFIG") or os.path.join(  # noqa: PTH118
        _folder(env, "XDG_CONFIG_HOME", ".config", "user_config_path"), FILE
    )


def data_folder(environment: Mapping[str, str] | None = None) -> str:
    """Return the folder of this user's data."""
    env = os.environ if environment is None else environment
    return _folder(env, "XDG_DATA_HOME", ".local/share", "user_data_path")


def inbox_folder(settings: Settings) -> str:
    """Return where hooks leave what is to be remembered later."""
    from milepost.sessions.inbox import folder_of

    return folder_of(settings.url, data_folder())


def runtime_folder(env: Mapping[str, str]) -> str:
    """Return the folder of this user's sockets; their paths must be short."""
    base = env.get("XDG_RUNTIME_DIR")
    if base and os.path.isdir(base):  # noqa: PTH112
        return os.path.join(base, APP)  # noqa: PTH118
    if hasattr(os, "getuid"):
        return f"/tmp/{APP}-{os.getuid()}"  # noqa: S108 -- made private before use
    return os.path.join(data_folder(env), "run")  # noqa: PTH118


def wants_colour(environment: Mapping[str, str] | None = None) -> bool:
    """Whether a terminal may be given colours (https://no-color.org)."""
    env = os.environ if environment is None else environment
    return not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def editor(environment: Mapping[str, str] | None = None) -> str:
    """Return the command of the editor that the user wants texts opened in; empty for none."""
    env = os.environ if environment is None else environment
    return env.get("VISUAL") or env.get("EDITOR") or ""


# What agents set in the shells that they run commands in, and which of it names their session.
AGENT_VARIABLES = (
    "AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI",
    "OPENCODE",
)  # fmt: skip
SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID")


class Agent(NamedTuple):
    """An agent that runs this process, known by a variable, and its session if that is told."""

    variable: str
    session: str | None


def agent(environment: Mapping[str, str] | None = None) -> Agent | None:
    """Return the agent that runs this process and reads what it prints; None for a person."""
    env = os.environ if environment is None else environment
    mark = next((name for name in AGENT_VARIABLES if env.get(name)), None)
    session = next((env[name] for name in SESSION_VARIABLES if env.get(name)), None)
    return None if mark is None else Agent(mark, session)


def agent_session() -> str:
    """Return the session of the agent that runs this process, if that is told."""
    running = agent()
    return running.session or "" if running else ""


def folder_of(variable: str, below_home: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the folder of another program: the one its variable names, else one below home."""
    env = os.environ if environment is None else environment
    return env.get(variable) or os.path.expanduser(f"~/{below_home}")  # noqa: PTH111


def _folder(env: Mapping[str, str], variable: str, below_home: str, elsewhere: str) -> str:
    if sys.platform == "linux":
        # What platformdirs would say, without the time it takes to import.
        base = env.get(variable) or os.path.expanduser(f"~/{below_home}")  # noqa: PTH111
        return os.path.join(base, APP)  # noqa: PTH118
    import platformdirs

    return str(getattr(platformdirs, elsewhere)(APP, appauthor=False))
