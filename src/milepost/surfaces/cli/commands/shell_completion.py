"""`milepost completion`: a script that completes what can be typed, for a shell.

The scripts are our own: those of shtab offer every alias beside its command and take the value of
an option before the command for a command; argcomplete starts Python at every press of the key.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from milepost.surfaces.cli.builtin import GROUPS
from milepost.surfaces.cli.command import SHOWN, Argument, Call, Subcommand
from milepost.surfaces.cli.parser import COMMON, common_options

_BASH = """\
# Completion of milepost in bash: eval "$(milepost completion bash)"
_milepost() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  local place="" flags="" words="" files="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${COMP_WORDS[i]}" in @valued) ((i++)); continue ;; esac
    case "$place/${COMP_WORDS[i]}" in
@steps
    esac
  done
  case "$prev" in
@values
  esac
  case "$place" in
@places
  esac
  [[ "$cur" == -* ]] && words="$flags"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ -n "$files" && "$cur" != -* ]] && COMPREPLY+=($(compgen -f -- "$cur"))
  return 0
}
complete -o filenames -F _milepost milepost"""
_ZSH = """\
#compdef milepost
_milepost() {
  local place="" i
  local -a found flags
  for ((i = 2; i < CURRENT; i++)); do
    case "${words[i]}" in @valued) ((i++)); continue ;; esac
    case "$place/${words[i]}" in
@steps
    esac
  done
  case "${words[CURRENT-1]}" in
@values
  esac
  case "$place" in
@places
  esac
  if [[ "$PREFIX" == -* ]]; then _describe -o option flags
  elif (( $#found )); then _describe command found; fi
}
compdef _milepost milepost"""
_FISH = """\
# Completion of milepost in fish: milepost completion fish | source
function __milepost_place
  set -l place ""; set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1; set skip 0; continue; end
    if contains -- $word @valued; set skip 1; continue; end
    switch "$place/$word"
@steps
    end
  end
  echo /$place
end
complete -c milepost -f
@places"""


class Place(NamedTuple):
    """A group or a command, named by its path (`/storage/info`), and what can follow it."""

    path: str
    aliases: tuple[str, ...]
    # Subcommands and other words, with what is said of them.
    words: Sequence[tuple[str, str]]
    flags: Sequence[Argument]
    takes_file: bool


class Shell(NamedTuple):
    """How a shell is told of places, and of the values of options: words, files, anything."""

    script: str
    separator: str
    step: str
    values: tuple[str, str, str]
    place: Callable[[Place], str]


def script(call: Call) -> object:
    """Print the script of a shell."""
    from milepost.surfaces.cli.command_line import all_commands

    shell, places = SHELLS[call.values["shell"]], _places(all_commands())
    flags = [flag for place in places for flag in place.flags if "action" not in flag.options]
    valued = list({flag.names: flag for flag in flags}.values())
    parts = {
        "@valued": shell.separator.join(name for flag in valued for name in flag.names),
        "@steps": "\n".join(
            shell.step.format(shell.separator.join((place.path, *place.aliases)), place.path)
            for place in places[1:]
        ),
        "@values": "\n".join(
            f"    {'|'.join(flag.names)}) {_values(shell, flag)}; return ;;" for flag in valued
        ),
        "@places": "\n".join(map(shell.place, places)),
    }
    text = shell.script
    for name, part in parts.items():
        text = text.replace(name, part)
    print(text)
    return SHOWN


def _places(commands: Iterable[Subcommand]) -> list[Place]:
    """Return the root, the groups and the commands."""
    listed = [command for command in commands if command.listed]
    groups = dict.fromkeys(c.path[0] for c in listed if len(c.path) > 1)
    top = [(c.path[0], c.summary) for c in listed if len(c.path) == 1]
    top += [(name, GROUPS.get(name, name)) for name in groups]
    places = [Place("", (), top, COMMON, takes_file=False)]
    for name in groups:
        below = [(c.path[1], c.summary) for c in listed if c.path[:-1] == (name,)]
        places.append(Place(f"/{name}", (), below, (), takes_file=False))
    return places + [_place(command) for command in listed]


def _place(command: Subcommand) -> Place:
    above = "".join(f"/{word}" for word in command.path[:-1])
    taken = (*command.arguments, *common_options(command))
    flags = [a for a in taken if a.names[0].startswith("-")]
    return Place(
        f"{above}/{command.path[-1]}",
        tuple(f"{above}/{alias}" for alias in command.aliases),
        [(str(w), "") for a in taken if a not in flags for w in a.options.get("choices", ())],
        flags,
        any(a.options.get("metavar") == "FILE" for a in taken),
    )


def _values(shell: Shell, flag: Argument) -> str:
    words, files, anything = shell.values
    if "choices" in flag.options:
        return words.format(" ".join(flag.options["choices"]))
    return files if flag.options.get("metavar") in ("FILE", "URL") else anything


def _bash(place: Place) -> str:
    words = " ".join(name for name, _ in place.words)
    flags = " ".join(name for flag in place.flags for name in flag.names)
    files = " files=1" if place.takes_file else ""
    return f'    "{place.path}") words="{words}" flags="{flags} --help"{files} ;;'


def _zsh(place: Place) -> str:
    def described(words: Iterable[tuple[str, str]]) -> str:
        texts = [(name, text.replace("%%", "%").replace(":", "\\:")) for name, text in words]
        items = [f"{name}:{text}" if text else name for name, text in texts]
        return " ".join("'" + item.replace("'", "'\\''") + "'" for item in items)

    flags = [(name, flag.options["help"]) for flag in place.flags for name in flag.names]
    return (
        f'    "{place.path}")\n      found=({described(place.words)})\n'
        f"      flags=({described(flags)})\n      {'_files' if place.takes_file else ':'} ;;"
    )


def _fish(place: Place) -> str:
    def text(words: str) -> str:
        return "'" + words.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'") + "'"

    parts = [f"-a {name} -d {text(said)}" for name, said in place.words]
    parts += ["-F"] if place.takes_file else []
    for flag in place.flags:
        names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in flag.names)
        values = "" if "action" in flag.options else _values(SHELLS["fish"], flag)
        parts.append(f"{names}{values} -d {text(flag.options['help'])}")
    start = f"complete -c milepost -n 'test (__milepost_place) = /{place.path}'"
    return "\n".join(f"{start} {part}" for part in parts)


_BASH_VALUES = (
    'COMPREPLY=($(compgen -W "{}" -- "$cur"))',
    'COMPREPLY=($(compgen -f -- "$cur"))',
    "COMPREPLY=()",
)
_ZSH_VALUES = ("compadd -- {}", "_files", "_message value")
_FISH_VALUES = (" -x -a '{}'", " -r -F", " -x")
SHELLS = {
    "bash": Shell(_BASH, "|", "      {}) place={} ;;", _BASH_VALUES, _bash),
    "zsh": Shell(_ZSH, "|", "      {}) place={} ;;", _ZSH_VALUES, _zsh),
    "fish": Shell(_FISH, " ", "      case {}; set place {}", _FISH_VALUES, _fish),
}
