"""The measurement of syntax trees counts functions that are the author's, and shows how others differ."""

from __future__ import annotations

import syntax_trees

SOURCE = "def f(a):\n    return a + 1\n\n\ndef g(a):\n    global b\n    return b if a in [b, f] else 60 * 60\n"


def test_a_file_is_measured(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text(SOURCE)
    assert syntax_trees.main([str(path), "--show", "1"]) == 0
    printed = capsys.readouterr().out
    assert "50.00 % of 2 functions; 1 are different" in printed
    assert "     1  FunctionDef.body: " in printed
    assert "    -    global b\n" in printed


def test_a_file_that_is_not_python_has_no_functions(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text("def f(:\n")
    assert syntax_trees.main([str(path)]) == 0
    assert " of 0 functions; 0 are different" in capsys.readouterr().out
