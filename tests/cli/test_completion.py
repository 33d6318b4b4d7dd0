"""Completion and the manual page are those of the parser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from depyf import cli
from depyf.cli import options

PARSER = options._parser(with_decompile=True)
COMMANDS = options._commands_of(PARSER)


def printed(words, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == 0
    return capsys.readouterr().out


def names(parser):
    return {name for action in parser._get_optional_actions() for name in action.option_strings}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_of_every_command_is_there(shell, capsys):
    text = printed(["--print-completion", shell], capsys)
    form = {"bash": "{}", "zsh": "'{}[", "fish": ""}[shell]
    for command, parser in COMMANDS.items():
        lines = [line for line in text.splitlines() if command in line] if shell == "fish" else [text]
        for name in names(parser):
            found = form.format(name) or ("-l " + name[2:] if name.startswith("--") else "-s " + name[1:])
            assert any(found in line for line in lines), (command, name)
    program = shutil.which(shell)
    checked = subprocess.run([program or "cat", *(["-n"] if program else [])], input=text, text=True,
                             capture_output=True)  # fmt: skip
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    "words, found",
    [
        ("depyf dec", "decompile"), ("depyf verify --req", "--require"),
        ("depyf decompile --layout ", "compact author"),
        ("depyf report --format s", "sarif"), ("depyf decompile fil", ""), ("depyf --print-m", "--print-man"),
        ("depyf attach --h", "--help --html"),
    ],
)  # fmt: skip
def test_bash_completes(words, found, capsys, tmp_path):
    (tmp_path / "depyf.bash").write_text(printed(["--print-completion", "bash"], capsys))
    script = (
        "source depyf.bash\nCOMP_WORDS=(" + words + ' ""' * words.endswith(" ") + ")\n"
        'COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_depyf\necho "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, env=dict(os.environ))
    assert (done.stdout, done.stderr) == (found + "\n", "")


def test_the_manual_page_has_every_option_and_no_stray_macro(capsys):
    text = printed(["--print-man"], capsys)
    plain = text.replace("\\-", "-")
    for command, parser in COMMANDS.items():
        section = plain.partition(f".SS depyf {command}\n")[2].partition("\n.SS ")[0]
        assert all(f"\\fB{name}\\fR" in section for name in names(parser)), command
    assert set(re.findall(r"^[.'][^\s]*", text, re.MULTILINE)) <= {".TH", ".SH", ".SS", ".TP", ".PP", ".nf", ".fi"}
