"""The command line's parser -> scripts that complete it in a shell, and its manual page.

eval "$(depyf --print-completion bash)"
depyf --print-completion zsh > ~/.zfunc/_depyf
depyf --print-completion fish > ~/.config/fish/completions/depyf.fish
depyf --print-man > ~/.local/share/man/man1/depyf.1
"""

from __future__ import annotations

import argparse
from typing import Any, Iterator, Mapping

from .. import __version__

__all__ = ["SHELLS", "completion", "manual"]

Parsers = Mapping[str, argparse.ArgumentParser]

_BASH = """\
_depyf() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
    case "$COMP_CWORD ${COMP_WORDS[1]} $before" in
        "1 "*) words="@COMMANDS@" ;;
@VALUES@
        *) case "${COMP_WORDS[1]} $word" in
@OPTIONS@
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _depyf depyf
"""
_ZSH = """\
#compdef depyf
_depyf() {
    local -a commands
    commands=(@COMMANDS@)
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
@OPTIONS@
    esac
}
if [[ $funcstack[1] == _depyf ]]; then _depyf "$@"; else compdef _depyf depyf; fi
"""


def completion(shell: str, parser: argparse.ArgumentParser, commands: Parsers) -> str:
    """The script for one of `SHELLS`."""
    return SHELLS[shell](parser, commands)


def _bash(parser: argparse.ArgumentParser, commands: Parsers) -> str:
    top = [*commands, *(name for action in _options(parser) for name in action.option_strings)]
    values = [
        f'        *" {command} {name}") words="{" ".join(map(str, action.choices))}" ;;'
        for command, one in commands.items()
        for action in _options(one) if action.choices
        for name in action.option_strings
    ]  # fmt: skip
    options = []
    for command, one in commands.items():
        names = " ".join(name for action in _options(one) for name in action.option_strings)
        options.append(f'            "{command} -"*) words="{names}" ;;')
    parts = {"@COMMANDS@": " ".join(top), "@VALUES@": "\n".join(values), "@OPTIONS@": "\n".join(options)}
    return _filled(_BASH, parts)


def _zsh(parser: argparse.ArgumentParser, commands: Parsers) -> str:
    helps = _helps(parser)
    named = " ".join(_quoted(f"{name}:{helps[name]}") for name in commands)
    cases = []
    for command, one in commands.items():
        specs = [_quoted("*:file:_files")]
        for action in _options(one):
            value = (
                ""
                if action.nargs == 0
                else f":{action.metavar or action.dest}:"
                + (f"({' '.join(map(str, action.choices))})" if action.choices else "_files")
            )
            help = _help(action).replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
            specs += [_quoted(f"{name}[{help}]{value.replace('[', '(').replace(']', ')')}")
                      for name in action.option_strings]  # fmt: skip
        cases.append(f"        {command}) _arguments \\\n            " + " \\\n            ".join(specs) + " ;;")
    return _filled(_ZSH, {"@COMMANDS@": named, "@OPTIONS@": "\n".join(cases)})


def _fish(parser: argparse.ArgumentParser, commands: Parsers) -> str:
    helps = _helps(parser)
    lines = [f"complete -c depyf -f -n __fish_use_subcommand -a {name} -d {_quoted(helps[name])}" for name in commands]
    for command, one in [("", parser), *commands.items()]:
        condition = f"'__fish_seen_subcommand_from {command}'" if command else "__fish_use_subcommand"
        for action in _options(one):
            words = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings]
            if action.choices:
                words.append("-x -a " + _quoted(" ".join(map(str, action.choices))))
            elif action.nargs != 0:
                words.append("-r")
            lines.append(f"complete -c depyf -n {condition} {' '.join(words)} -d {_quoted(_help(action))}")
    return "\n".join(lines) + "\n"


SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}


def manual(parser: argparse.ArgumentParser, commands: Parsers) -> str:
    """The manual page, in the macros of man(7)."""
    lines = [f'.TH DEPYF 1 "" "depyf {__version__}"', ".SH NAME", f"depyf \\- {_roff(parser.description or '')}"]
    lines += [".SH SYNOPSIS", "\\fBdepyf\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR ...] ...", *_listed(_options(parser))]
    lines.append(".SH COMMANDS")
    for name, one in commands.items():
        lines += [f".SS depyf {name}", ".nf", *_verbatim(one.description), ".fi"]
        lines += [*_listed(one._get_positional_actions()), *_listed(_options(one))]
        lines += [".PP", ".nf", *_verbatim(one.epilog), ".fi"] if one.epilog else []
    return "\n".join(lines) + "\n"


def _listed(actions: Any) -> Iterator[str]:
    for action in actions:
        value = "" if action.nargs == 0 else str(action.metavar or action.dest)
        names = [f"\\fB{_roff(name)}\\fR" for name in action.option_strings] or [f"\\fI{_roff(value)}\\fR"]
        shown = f" \\fI{_roff(value)}\\fR" if value and action.option_strings else ""
        yield from (".TP", ", ".join(names) + shown, _roff(_help(action)))


def _verbatim(text: str | None) -> Iterator[str]:
    return (_roff(line) for line in (text or "").rstrip().split("\n"))


def _roff(text: str) -> str:
    """Text that is no macro and no escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._get_optional_actions() if action.help != argparse.SUPPRESS]


def _help(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").split())


def _helps(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The help of each command in one line."""
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {action.dest: action.help or "" for action in commands._choices_actions}


def _quoted(text: str) -> str:
    """One word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _filled(template: str, parts: Mapping[str, str]) -> str:
    for name, text in parts.items():
        template = template.replace(name, text)
    return template
