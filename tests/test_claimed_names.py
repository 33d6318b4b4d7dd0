"""Code can say that it comes from any file: its text is its own all the same, or none, and that of others is theirs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import depyf

PROGRAM = '''
import importlib, inspect, io, linecache, marshal, os, py_compile, sys, traceback, types, zipfile
from importlib.util import MAGIC_NUMBER

HERE = os.getcwd()


def text(word):
    return f"""# the text of {word}
class {word.title()}:
    def method(self):
        return self.{word}_in_class

def f(x):
    if x:
        raise ValueError(
            len('{word}_in_f') / 0)
    return '{word}'
"""


def compiled(word, claim):
    """The bytes of a module; the names of nested code can be others: a claim is (outer, inner)."""
    outer, inner = claim if isinstance(claim, tuple) else (claim, claim)
    code = compile(text(word), "name", "exec")
    consts = tuple(one.replace(co_filename=inner) if isinstance(one, types.CodeType) else one for one in code.co_consts)
    return MAGIC_NUMBER + bytes(12) + marshal.dumps(code.replace(co_consts=consts, co_filename=outer))


def write(word, claim, folder="."):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, word + ".pyc"), "wb") as file:
        file.write(compiled(word, claim))


def printed(call, *args):
    try:
        call(*args)
    except Exception as error:
        file = io.StringIO()
        traceback.print_exception(type(error), error, error.__traceback__, file=file)
        return file.getvalue()


def later(call, *args):
    """The same where lines are looked up when they are printed."""
    try:
        call(*args)
    except Exception as error:
        stack = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), lookup_lines=False)
        return "".join(stack.format())


def shown(of):
    try:
        return inspect.getsource(of)
    except OSError:
        return ""


def by_name(name):
    return "".join(linecache.getlines(name))


def check(own, others, module):
    """All that knows the code shows its own text."""
    for what, found in (
        ("traceback", printed(module.f, 3)), ("later", later(module.f, 3)), ("getsource", shown(module.f)),
        ("code", shown(module.f.__code__)), ("depyf", depyf.getsource(module.f)),
        ("method", shown(getattr(module, own.title()).method)),
    ):
        if f"{own}_in_" not in found:
            print(own, what, "has not its own text:", repr(found))
        for other in others:
            if f"{other}_in_" in found:
                print(own, what, "has that of", other, ":", repr(found))
    for what, found in (("module", shown(module)), ("class", shown(getattr(module, own.title())))):
        for other in others:
            if f"{other}_in_" in found:
                print(own, what, "has that of", other, ":", repr(found))


sys.path.insert(0, HERE)
import depyf
depyf.source.install()
'''


def run(folder, text, *options):
    (folder / "program.py").write_text(PROGRAM + text)
    environment = {**os.environ, "PYTHONPATH": str(Path(depyf.__file__).parents[1])}
    done = subprocess.run([sys.executable, *options, "program.py"], env=environment, capture_output=True, cwd=folder,
                          encoding="utf-8", timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


CLAIMS = {
    "the file of another module": "os.path.join(HERE, 'victim.py')",
    "the same, spelled otherwise": "os.path.join(HERE, '.', 'x', '..', 'victim.py')",
    "the same, relative": "'victim.py'",
    "its compiled file": "os.path.join(HERE, 'victim.pyc')",
    "in nested code alone": "('evil.py', os.path.join(HERE, 'victim.py'))",
    "in the module's code alone": "(os.path.join(HERE, 'victim.py'), 'evil.py')",
    "the library": "os.__file__",
    "the library, relative": "'os.py'",
    "the program": "sys.argv[0]",
    "a string": "'<string>'",
    "standard input": "'<stdin>'",
    "frozen": "'<frozen os>'",
    "nothing": "''",
    "no name": "'a\\0b'",
    "a folder": "HERE",
    "a module in a zip file": "os.path.join(HERE, 'lib.zip', 'zipped.py')",
    "a module with source": "os.path.join(HERE, 'honest.py')",
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_code_that_claims_another_file_has_its_own_text(tmp_path, claim):
    out = run(tmp_path, f"""
open("honest.py", "w").write(text("honest"))
with zipfile.ZipFile("lib.zip", "w") as archive:
    archive.writestr("zipped.pyc", compiled("zipped", os.path.join(HERE, "lib.zip", "zipped.py")))
sys.path.append(os.path.join(HERE, "lib.zip"))
write("victim", os.path.join(HERE, "victim.py"))
write("evil", {CLAIMS[claim]})
write("again", {CLAIMS[claim]})
claimed = {CLAIMS[claim]}
claimed = claimed if isinstance(claimed, tuple) else [claimed]
words = ["evil", "victim", "zipped", "honest", "again"]
for order in (words, words[::-1]):
    linecache.clearcache()
    for word in words:
        sys.modules.pop(word, None)
    found = []
    for word in order:
        found.append(importlib.import_module(word))
        for module in found:
            check(module.__name__, [one for one in words if one != module.__name__], module)
    for name in (*claimed, os.path.join(HERE, "victim.py"), os.path.join(HERE, "honest.py"),
                 os.path.join(HERE, "lib.zip", "zipped.py"), os.__file__):
        for word in ("evil", "again"):
            if word + "_in_" in by_name(name):
                print("the name", name, "has the text of", word)
    victim, name = found[order.index("victim")], os.path.join(HERE, "victim.py")
    if any(name == os.path.abspath(one) for one in claimed):
        assert by_name(name) == "", by_name(name)  # two claim it
    else:
        assert "victim_in_f" in by_name(name)
    assert by_name(os.path.join(HERE, "honest.py")) == text("honest")
    assert by_name(os.__file__) == open(os.__file__).read()
""")  # fmt: skip
    assert out == ""


def test_one_name_for_two_builds(tmp_path):
    out = run(tmp_path, """
write("one", "/build/module.py")
import one
print("one_in_f" in by_name("/build/module.py"))
write("two", "/build/module.py")
import two
print(by_name("/build/module.py") == "")
check("one", ["two"], one), check("two", ["one"], two)
del sys.modules["two"]
print("one_in_f" in by_name("/build/module.py"))
""")  # fmt: skip
    assert out == "True\n" * 3


def test_one_module_under_two_names_is_one_claimant(tmp_path):
    out = run(tmp_path, """
write("one", "/build/module.py", "package")
sys.path.append("package")
import package.one, one
print("one_in_f" in by_name("/build/module.py"))
""")  # fmt: skip
    assert out == "True\n"


def test_a_file_that_appears_later_is_read(tmp_path):
    out = run(tmp_path, """
name = os.path.join(HERE, "newer.py")
write("evil", name)
import evil
print("evil_in_f" in by_name(name))
open(name, "w").write(text("newer"))
import newer
check("evil", ["newer"], evil), check("newer", ["evil"], newer)
print(by_name(name) == text("newer"))
""")  # fmt: skip
    assert out == "True\n" * 2


def test_a_compiled_file_beside_the_name_is_a_claimant_before_it_is_imported(tmp_path):
    out = run(tmp_path, """
name = os.path.join(HERE, "victim.py")
write("victim", name), write("evil", name)
import evil
print(by_name(name) == "")
check("evil", ["victim"], evil)
""")  # fmt: skip
    assert out == "True\n"


def test_a_file_that_was_replaced_after_the_import(tmp_path):
    out = run(tmp_path, """
name = os.path.join(HERE, "module.py")
write("module", name)
import module
with open("module.pyc", "wb") as file:
    file.write(compiled("other", name) + b" ")
check("module", ["other"], module)
print(by_name(name) == "")
del sys.modules["module"]
import module
check("other", ["module"], module)
print("other_in_f" in by_name(name))
""")  # fmt: skip
    assert out == "True\n" * 2


def test_code_that_the_program_makes_under_the_name_of_a_module(tmp_path):
    out = run(tmp_path, """
name = os.path.join(HERE, "victim.py")
write("victim", name)
import victim
for names in ({"__builtins__": __builtins__}, vars(victim)):
    made = types.ModuleType("made")
    exec(compile(text("made"), name, "exec"), dict(names))
    function = types.FunctionType(next(c for c in compile(text("made"), name, "exec").co_consts
                                       if isinstance(c, types.CodeType) and c.co_name == "f"), names)
    for found in (printed(function, 3), later(function, 3), shown(function), depyf.getsource(function)):
        print("made_in_f" in found and "victim_in" not in found)
check("victim", ["made"], victim)
""")  # fmt: skip
    assert out == "True\n" * 8


def test_a_source_file_that_is_the_modules_own_is_shown_with_its_comments(tmp_path):
    out = run(tmp_path, """
os.mkdir("source")
name = os.path.join(HERE, "source", "module.py")
write("module", name)
import module
open(name, "w").write(text("module").replace("/ 0)", "/ 0)  # a comment"))
print("# a comment" in shown(module.f), "# a comment" in printed(module.f, 3))
check("module", ["other"], module)
""")  # fmt: skip
    assert out == "True True\n"


def test_a_class_that_says_that_it_is_of_another_module(tmp_path):
    out = run(tmp_path, """
write("victim", os.path.join(HERE, "victim.py"))
import victim
text = "__name__ = 'victim'\\nclass Victim:\\n    def method(self): return self.evil_in_class\\n"
code = compile(text, "evil.py", "exec")
with open("evil.pyc", "wb") as file:
    file.write(MAGIC_NUMBER + bytes(12) + marshal.dumps(code))
import evil
print("victim_in" in shown(evil.Victim), "victim_in" in shown(victim.Victim), shown(evil.Victim.method).strip())
""")  # fmt: skip
    assert out == "False True def method(self): return self.evil_in_class\n"


def test_uninstalling_takes_the_names_back(tmp_path):
    out = run(tmp_path, """
name = os.path.join(HERE, "victim.py")
write("victim", name)
import victim
print("victim_in_f" in by_name(name), "victim_in_f" in printed(victim.f, 3))
depyf.source.uninstall()
print("victim_in_f" in by_name(name), "victim_in_f" in printed(victim.f, 3))
""")  # fmt: skip
    assert out == "True True\nFalse False\n"


def test_without_installing_getsource_looks_at_the_code_too(tmp_path):
    out = run(tmp_path, """
depyf.source.uninstall()
write("evil", os.__file__)
import evil
print("evil_in_f" in depyf.getsource(evil.f))
names = {}
exec(compile("\\n" * 5 + "def f(): return made_in_f\\n", os.__file__, "exec"), names)
print(depyf.getsource(names["f"]), end="")
print(depyf.getsource(inspect.cleandoc) == inspect.getsource(inspect.cleandoc))
""")  # fmt: skip
    assert out == "True\ndef f(): return made_in_f\nTrue\n"
