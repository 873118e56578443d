"""`milepost completion`: a script that completes what can be typed, for a shell."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from milepost.surfaces.cli.builtin import GROUPS
from milepost.surfaces.cli.command import SHOWN, Argument, Call, Command
from milepost.surfaces.cli.parser import COMMON, DRY_RUN

_FILES = ("FILE", "URL")


class Place(NamedTuple):
    """A group or a command, named by its path (`/storage/info`), and what can follow it."""

    path: str
    aliases: tuple[str, ...] = ()
    subcommands: tuple[tuple[str, str], ...] = ()
    arguments: tuple[Argument, ...] = ()

    @property
    def flags(self) -> list[Argument]:
        """The options."""
        return [a for a in self.arguments if a.names[0].startswith("-")]

    @property
    def words(self) -> list[str]:
        """What may stand where neither an option nor a subcommand does."""
        plain = [a for a in self.arguments if a not in self.flags]
        return [str(word) for a in plain for word in a.options.get("choices", ())]

    @property
    def takes_file(self) -> bool:
        """Whether the name of a file may stand there."""
        return any(a.options.get("metavar") == "FILE" for a in self.arguments)


def script(call: Call) -> object:
    """Print the script of a shell."""
    from milepost.surfaces.cli.running import all_commands

    written = {"bash": bash, "zsh": zsh, "fish": fish}[call.given["shell"]]
    print("\n".join(written(places_of(all_commands()))))
    return SHOWN


def places_of(commands: Iterable[Command]) -> list[Place]:
    """Return the root, the groups and the commands."""
    listed = [command for command in commands if command.listed]
    groups = dict.fromkeys(c.path[0] for c in listed if len(c.path) > 1)
    top = [(c.path[0], c.summary) for c in listed if len(c.path) == 1]
    top += [(name, GROUPS.get(name, name)) for name in groups]
    found = [Place("", (), tuple(top), COMMON)]
    for name in groups:
        below = tuple((c.path[1], c.summary) for c in listed if c.path[:-1] == (name,))
        found.append(Place(f"/{name}", (), below))
    return found + [_place(command) for command in listed]


def _place(command: Command) -> Place:
    above = "".join(f"/{word}" for word in command.path[:-1])
    extra = (DRY_RUN,) if command.changes else ()
    return Place(
        f"{above}/{command.path[-1]}",
        tuple(f"{above}/{alias}" for alias in command.aliases),
        arguments=(*command.arguments, *COMMON, *extra),
    )


def _takes_value(flag: Argument) -> bool:
    return "action" not in flag.options


def _valued(places: Sequence[Place]) -> list[Argument]:
    """Return the different options that take a value."""
    flags = [flag for place in places for flag in place.flags if _takes_value(flag)]
    return list({flag.names: flag for flag in flags}.values())


def _walk(places: Sequence[Place], step: str) -> Iterator[str]:
    """Yield the cases that lead from a place and a word to the next place."""
    for place in places[1:]:
        names = "|".join((place.path, *place.aliases))
        yield f"      {names}) {step.format(place.path)} ;;"


def bash(places: Sequence[Place]) -> Iterator[str]:
    """Yield the script for bash, of version 3.2 (macOS) or newer."""
    valued = _valued(places)
    yield '# Completion of milepost in bash: eval "$(milepost completion bash)"'
    yield "_milepost() {"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '  local place="" flags="" words="" files="" i'
    yield "  for ((i = 1; i < COMP_CWORD; i++)); do"
    yield f'    case "${{COMP_WORDS[i]}}" in {_alternatives(valued)}) ((i++)); continue ;; esac'
    yield '    case "$place/${COMP_WORDS[i]}" in'
    yield from _walk(places, "place={}")
    yield "    esac"
    yield "  done"
    yield '  case "$prev" in'
    for flag in valued:
        yield f"    {'|'.join(flag.names)}) {_bash_values(flag)}; return ;;"
    yield "  esac"
    yield '  case "$place" in'
    for place in places:
        words = " ".join([*(name for name, _ in place.subcommands), *place.words])
        flags = " ".join(name for flag in place.flags for name in flag.names)
        files = " files=1" if place.takes_file else ""
        yield f'    "{place.path}") words="{words}" flags="{flags} --help"{files} ;;'
    yield "  esac"
    yield '  [[ "$cur" == -* ]] && words="$flags"'
    yield '  COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield '  [[ -n "$files" && "$cur" != -* ]] && COMPREPLY+=($(compgen -f -- "$cur"))'
    yield "  return 0"
    yield "}"
    yield "complete -o filenames -F _milepost milepost"


def _alternatives(flags: Iterable[Argument]) -> str:
    return "|".join(name for flag in flags for name in flag.names)


def _bash_values(flag: Argument) -> str:
    if "choices" in flag.options:
        return f'COMPREPLY=($(compgen -W "{" ".join(flag.options["choices"])}" -- "$cur"))'
    if flag.options.get("metavar") in _FILES:
        return 'COMPREPLY=($(compgen -f -- "$cur"))'
    return "COMPREPLY=()"


def zsh(places: Sequence[Place]) -> Iterator[str]:
    """Yield the script for zsh."""
    valued = _valued(places)
    yield "#compdef milepost"
    yield "_milepost() {"
    yield '  local place="" i'
    yield "  local -a found flags"
    yield "  for ((i = 2; i < CURRENT; i++)); do"
    yield f'    case "${{words[i]}}" in {_alternatives(valued)}) ((i++)); continue ;; esac'
    yield '    case "$place/${words[i]}" in'
    yield from _walk(places, "place={}")
    yield "    esac"
    yield "  done"
    yield '  case "${words[CURRENT-1]}" in'
    for flag in valued:
        yield f"    {'|'.join(flag.names)}) {_zsh_values(flag)}; return ;;"
    yield "  esac"
    yield '  case "$place" in'
    for place in places:
        yield f'    "{place.path}")'
        found = [*place.subcommands, *((word, "") for word in place.words)]
        yield f"      found=({' '.join(_described(n, text) for n, text in found)})"
        flags = [(n, str(f.options.get("help", ""))) for f in place.flags for n in f.names]
        yield f"      flags=({' '.join(_described(n, text) for n, text in flags)})"
        yield f"      {'_files' if place.takes_file else ':'} ;;"
    yield "  esac"
    yield '  if [[ "$PREFIX" == -* ]]; then _describe -o option flags'
    yield "  elif (( $#found )); then _describe command found; fi"
    yield "}"
    yield "compdef _milepost milepost"


def _described(name: str, text: str) -> str:
    told = text.replace("%%", "%").replace(":", "\\:")
    return _single(f"{name}:{told}" if told else name)


def _single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _zsh_values(flag: Argument) -> str:
    if "choices" in flag.options:
        return f"compadd -- {' '.join(flag.options['choices'])}"
    return "_files" if flag.options.get("metavar") in _FILES else "_message value"


def fish(places: Sequence[Place]) -> Iterator[str]:
    """Yield the script for fish."""
    valued = _valued(places)
    yield "# Completion of milepost in fish: milepost completion fish | source"
    yield "function __milepost_place"
    yield '  set -l place ""; set -l skip 0'
    yield "  for word in (commandline -opc)[2..-1]"
    yield "    if test $skip = 1; set skip 0; continue; end"
    names = " ".join(name for flag in valued for name in flag.names)
    yield f"    if contains -- $word {names}; set skip 1; continue; end"
    yield '    switch "$place/$word"'
    for place in places[1:]:
        yield f"      case {' '.join((place.path, *place.aliases))}; set place {place.path}"
    yield "    end"
    yield "  end"
    yield "  echo /$place"
    yield "end"
    yield "complete -c milepost -f"
    for place in places:
        yield from _fish_place(place)


def _fish_place(place: Place) -> Iterator[str]:
    start = f"complete -c milepost -n 'test (__milepost_place) = /{place.path}'"
    for name, text in [*place.subcommands, *((word, "") for word in place.words)]:
        yield f"{start} -a {name} -d {_fish_text(text)}"
    if place.takes_file:
        yield f"{start} -F"
    for flag in place.flags:
        names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in flag.names)
        yield f"{start} {names}{_fish_values(flag)} -d {_fish_text(str(flag.options['help']))}"


def _fish_text(text: str) -> str:
    told = text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'")
    return f"'{told}'"


def _fish_values(flag: Argument) -> str:
    if not _takes_value(flag):
        return ""
    if "choices" in flag.options:
        return f" -x -a '{' '.join(flag.options['choices'])}'"
    return " -r -F" if flag.options.get("metavar") in _FILES else " -x"
