"""`felt completion`: prints the script with which bash or zsh completes `felt`, made from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from felt.commands.parser import Parser
from felt.nouns.faults import CATALOGUE
from felt.rules import shelf

EPILOG = """examples:
  source <(felt completion bash)                          in this bash, until it ends
  felt completion bash > ~/.local/share/bash-completion/completions/felt
  felt completion zsh > ~/.zfunc/_felt                    in a folder of zsh's fpath

The Debian package installs both scripts."""

FILES, FOLDERS = "files", "folders"
# What an argument takes, by the name that its help shows. Arguments with choices state their words themselves.
_KINDS = {"FILE": FILES, "SOCKET": FILES, "what": FILES, "FOLDER": FOLDERS, "WHERE": FOLDERS, "JOURNAL": FOLDERS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=("bash", "zsh"), metavar="SHELL", help="bash or zsh")


def run(arguments: argparse.Namespace) -> int:
    script = {"bash": bash, "zsh": zsh}[arguments.shell]
    print(script(arguments.parsers()), end="")
    return 0


def shown_name(argument: argparse.Action) -> str:
    """The name of an argument's value, as its help shows it."""
    return argument.metavar if isinstance(argument.metavar, str) else argument.dest


def takes_value(argument: argparse.Action) -> bool:
    return argument.nargs != 0


def words_of(argument: argparse.Action) -> list[str]:
    """Every word that may be given; empty if that is not known beforehand."""
    if argument.choices is not None:
        return [str(choice) for choice in argument.choices]
    match shown_name(argument):
        case "GAME":
            return list(shelf.GAMES)
        case "CODE":
            return list(CATALOGUE)
    return []


# --- bash ------------------------------------------------------------------------------------------------

_BASH = """\
# Completes felt in bash. Written by: felt completion bash

_felt_words() { mapfile -t COMPREPLY < <(compgen -W "$*" -- "$current"); }

_felt_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_felt() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local options valued place=0 number word
    COMPREPLY=()
    if [[ $current == = ]]; then # --option=VALUE is three words here
        current=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        _felt_words "@FIRST@"
        return
    fi
    case $command in
@OPTIONS@
        *) return ;;
    esac
    if [[ $current == -* ]]; then
        _felt_words "$options"
        return
    fi
    if [[ " $valued " != *" $before "* ]]; then
        for ((number = 2; number < COMP_CWORD; number++)); do # the place among the words that belong to no option
            word=${COMP_WORDS[number]}
            if [[ " $valued " == *" $word "* ]]; then
                ((number++))
                [[ ${COMP_WORDS[number]} != = ]] || ((number++))
            elif [[ $word != -* ]]; then
                ((place++))
            fi
        done
        before=$place
    fi
    case "$command $before" in
@VALUES@
    esac
}

complete -F _felt felt
"""


def bash(parsers: Mapping[str, Parser]) -> str:
    commands = {name: parser for name, parser in parsers.items() if name}
    options: list[str] = []
    values: list[str] = []
    for name, parser in commands.items():
        named = [argument for argument in parser.arguments if argument.option_strings]
        every = " ".join(option for argument in named for option in argument.option_strings)
        valued = " ".join(option for argument in named if takes_value(argument) for option in argument.option_strings)
        options.append(f'        {name}) options="{every}" valued="{valued}" ;;')
        for argument in named:
            values += _bash_case(name, " | ".join(f'"{name} {option}"' for option in argument.option_strings), argument)
        for place, argument in enumerate(_positional(parser)):
            pattern = f'"{name} "*' if argument.nargs in ("*", "+") else f'"{name} {place}"'
            values += _bash_case(name, pattern, argument)
    first = " ".join([*commands, *(option for argument in parsers[""].arguments for option in argument.option_strings)])
    parts = {"@FIRST@": first, "@OPTIONS@": "\n".join(options), "@VALUES@": "\n".join(values)}
    script = _BASH
    for mark, text in parts.items():
        script = script.replace(mark, text)
    return script


def _bash_case(command: str, pattern: str, argument: argparse.Action) -> list[str]:
    kind = _KINDS.get(shown_name(argument))
    words = words_of(argument)
    if words:
        return [f'        {pattern}) _felt_words "{" ".join(words)}" ;;']
    if kind is None:
        return []
    return [f"        {pattern}) _felt_files {'-f' if kind == FILES else '-d'} ;;"]


def _positional(parser: Parser) -> list[argparse.Action]:
    return [argument for argument in parser.arguments if not argument.option_strings]


# --- zsh -------------------------------------------------------------------------------------------------

_ZSH = """\
#compdef felt
# Completes felt in zsh. Written by: felt completion zsh

_felt() {
    local -a commands
    commands=(
@COMMANDS@
    )
    if ((CURRENT == 2)); then
        _describe -t commands 'felt command' commands
        _arguments @OWN@
        return
    fi
    shift words
    ((CURRENT--))
    case $words[1] in
@ARGUMENTS@
    esac
}

if [[ $funcstack[1] == _felt ]]; then
    _felt "$@"
else
    compdef _felt felt
fi
"""


def zsh(parsers: Mapping[str, Parser]) -> str:
    commands = {name: parser for name, parser in parsers.items() if name}
    described = [f"        {_quoted(f'{name}:{_spared(_about(parser))}')}" for name, parser in commands.items()]
    arguments = []
    for name, parser in commands.items():
        named = [argument for argument in parser.arguments if argument.option_strings]
        specs = [spec for argument in named for spec in _zsh_options(argument)]
        specs += [_zsh_positional(place, argument) for place, argument in enumerate(_positional(parser), 1)]
        lines = " \\\n".join(f"                {spec}" for spec in specs)
        arguments.append(f"        {name})\n            _arguments \\\n{lines}\n            ;;")
    own = " ".join(spec for argument in parsers[""].arguments for spec in _zsh_options(argument))
    parts = {"@COMMANDS@": "\n".join(described), "@OWN@": own, "@ARGUMENTS@": "\n".join(arguments)}
    script = _ZSH
    for mark, text in parts.items():
        script = script.replace(mark, text)
    return script


def _about(parser: Parser) -> str:
    return (parser.description or "").partition(". ")[0].rstrip(".")


def _zsh_options(argument: argparse.Action) -> list[str]:
    repeated = "*" if isinstance(argument.default, list) else ""  # what may be repeated is a list
    value = ""
    if takes_value(argument):
        optional = ":" if argument.nargs == "?" else ""
        value = f":{optional}{_spared(shown_name(argument))}:{_zsh_values(argument)}"
    return [_quoted(f"{repeated}{option}[{_spared(argument.help or '')}]{value}") for option in argument.option_strings]


def _zsh_positional(place: int, argument: argparse.Action) -> str:
    optional = ":" if argument.nargs == "?" else ""
    where = "*" if argument.nargs in ("*", "+") else f"{place}:{optional}"
    where = where if where.endswith(":") else f"{where}:"
    return _quoted(f"{where}{_spared(shown_name(argument))}:{_zsh_values(argument)}")


def _zsh_values(argument: argparse.Action) -> str:
    words = words_of(argument)
    if words:
        return f"({' '.join(words)})"
    return {FILES: "_files", FOLDERS: "_files -/"}.get(_KINDS.get(shown_name(argument), ""), " ")


def _spared(text: str) -> str:
    """Text in which no character means anything to _arguments."""
    for mark in "\\:[]":
        text = text.replace(mark, f"\\{mark}")
    return text.replace("%%", "%")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
