"""What coverage.py gets from the plugin. Its classes are stand-ins: the package is no requirement of the tests."""

from __future__ import annotations

import ast
import importlib.util
import marshal
import os
import py_compile
import sys
import types

import pytest

from depyf import coverage_plugin

MODULE = "import os\n\n\ndef f(x):\n    if x:\n        return [x,\n                os]\n"


class PythonParser:
    def __init__(self, text, filename):
        self.text = text

    def parse_source(self):
        self.statements = {node.lineno for node in ast.walk(ast.parse(self.text)) if isinstance(node, ast.stmt)}


class FileReporter:
    def relative_filename(self):
        return os.path.basename(self.filename)


@pytest.fixture
def plugin(monkeypatch):
    bases = {"CoveragePlugin": object, "FileTracer": type("FileTracer", (), {}), "FileReporter": FileReporter}
    parts = {"plugin": bases,
             "parser": {"PythonParser": PythonParser},
             "exceptions": {"NoSource": type("NoSource", (Exception,), {})}}  # fmt: skip
    monkeypatch.setitem(sys.modules, "coverage", types.ModuleType("coverage"))
    for name, values in parts.items():
        module = types.ModuleType("coverage." + name)
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    found = []
    coverage_plugin.coverage_init(types.SimpleNamespace(add_file_tracer=found.append), {})
    return found[0]


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(MODULE)
    py_compile.compile(str(path), str(path) + "c", doraise=True)
    path.unlink()
    return str(path)


def test_it_takes_modules_that_have_no_source(plugin, module, tmp_path):
    assert plugin.file_tracer(module).source_filename() == module
    assert plugin.file_tracer(str(tmp_path / "nowhere.py")) is None
    assert plugin.file_tracer("<string>") is None
    assert plugin.file_tracer(__file__) is None


def test_its_lines_are_those_of_the_original(plugin, module):
    reporter = plugin.file_reporter(module)
    assert reporter.source().splitlines()[4:6] == ["    if x:", "        return [x,"]
    assert reporter.lines() == {1, 4, 5, 6} and reporter.relative_filename() == "module.py"


def test_a_damaged_file_has_no_source(plugin, module):
    with open(module + "c", "r+b") as file:
        file.truncate(30)
    with pytest.raises(sys.modules["coverage.exceptions"].NoSource, match="No source for code"):
        plugin.file_reporter(module).source()


def test_lines_of_code_that_only_says_that_it_comes_from_there_do_not_count(plugin, module, tmp_path, monkeypatch):
    code = compile("import sys\nframe = sys._getframe()\n", module, "exec")
    pyc = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
    for name in ("module", "another"):
        (tmp_path / f"{name}.pyc").write_bytes(pyc)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "module", raising=False)
    own, other = (importlib.import_module(name).frame for name in ("module", "another"))
    tracer = plugin.file_tracer(module)
    assert tracer.has_dynamic_source_filename()
    assert [tracer.dynamic_source_filename(module, frame) for frame in (own, other)] == [module, None]
    assert tracer.dynamic_source_filename(module, sys._getframe()) is None
    for name in ("module", "another"):
        monkeypatch.delitem(sys.modules, name)
