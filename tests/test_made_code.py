"""Text for code that never had a file, in fresh processes: exec() of strings, dataclasses, files that are gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import depyf

BEGIN = """\
import dataclasses, inspect, io, linecache, sys, threading, traceback
import depyf
depyf.source.install()

def printed(error):
    file = io.StringIO()
    traceback.print_exception(type(error), error, error.__traceback__, file=file)
    return file.getvalue()

def caught(call, *args):
    try:
        call(*args)
    except Exception as error:
        return error
"""


def run(folder, text, *options, begin=BEGIN):
    (folder / "program.py").write_text(begin + text)
    environment = {**os.environ, "PYTHONPATH": str(Path(depyf.__file__).parents[1])}
    done = subprocess.run([sys.executable, *options, "program.py"], env=environment, capture_output=True, cwd=folder,
                          encoding="utf-8", timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_inspect_has_the_source_of_functions_made_by_exec(tmp_path):
    out = run(tmp_path, """
names = {}
exec("x = 1\\n\\ndef solve(a, b=3):\\n  return [a,\\n          b]\\n", names)
print(inspect.getsourcelines(names["solve"]))
@dataclasses.dataclass
class P:
    x: int
print("self.x=x" in inspect.getsource(P.__init__).replace(" ", ""))
print(inspect.getsource(P.__init__).startswith("def __init__(self, x)"))
""")  # fmt: skip
    lines, yes, again = out.splitlines()
    assert lines == "(['def solve(a, b=3):\\n', '  return [a,\\n', '          b]\\n'], 3)" or sys.version_info < (3, 11)
    assert lines.endswith("3)") and "return [a" in lines
    assert yes == again == "True"


def test_what_has_no_text_raises_what_it_raised(tmp_path):
    out = run(tmp_path, """
before = [caught(inspect.getsource, one) for one in (len, 3, type("T", (), {}))]
depyf.source.uninstall()
after = [caught(inspect.getsource, one) for one in (len, 3, type("T", (), {}))]
print([repr(error) for error in before] == [repr(error) for error in after], None in after)
""")  # fmt: skip
    assert out == "True False\n"


def test_tracebacks_show_the_lines_of_code_that_shares_a_name(tmp_path):
    out = run(tmp_path, """
names = {}
exec("def one(x):\\n    y = x\\n    return y['one']\\n", names)
exec("def two(x):\\n\\n    return one(x[2])\\n\\n\\nexec('def deep(x): return two([x,x,x])', globals())", names)
print(printed(caught(names["deep"], 1)))
""")  # fmt: skip
    found = [line.strip() for line in out.splitlines() if not line.strip().strip("^~")  == ""]
    assert [found[place + 1] for place, line in enumerate(found) if '"<string>"' in line] == [
        "def deep(x): return two([x,x,x])" if sys.version_info >= (3, 11) else "def deep(x): return two([x, x, x])",
        "return one(x[2])",
        "return y['one']",
    ]


def test_a_file_that_is_gone(tmp_path):
    (tmp_path / "gone.py").write_text("# a comment\ndef f(x):\n    return x.there\n")
    (tmp_path / "kept.py").write_text("# a comment\ndef f(x):\n    return x.there  # kept\n")
    out = run(tmp_path, """
import gone, kept, os
os.remove("gone.py")
print(printed(caught(gone.f, 1)), printed(caught(kept.f, 1)))
linecache.checkcache()
print(inspect.getsource(gone.f))
""", "-B")  # fmt: skip
    assert out.count("return x.there") == 3 and out.count("# kept") == 1


def test_a_file_that_exists_is_not_replaced(tmp_path):
    out = run(tmp_path, """
open("short.py", "w").write("pass\\n")
names = {}
exec(compile("\\n\\n\\ndef f():\\n    return 1 / 0\\n", "short.py", "exec"), names)
print(type(caught(inspect.getsource, names["f"])).__name__)
print("1 / 0" in printed(caught(names["f"])))
print(linecache.getlines("short.py"))
""")  # fmt: skip
    assert out == "OSError\nFalse\n['pass\\n']\n"


def test_what_fails_here_is_not_seen(tmp_path):
    out = run(tmp_path, """
import depyf.decompiler.pipeline as pipeline
def broken(*args, **options): raise RuntimeError("ours")
pipeline.analyze = broken
names = {}
exec("def f():\\n    return 1 / 0\\n", names)
print(repr(caught(inspect.getsource, names["f"])))
print("ours" in printed(caught(names["f"])), "ZeroDivisionError" in printed(caught(names["f"])))
""")  # fmt: skip
    assert out.splitlines() == ["OSError('could not get source code')", "False True"]


def test_lines_that_lie_and_depth(tmp_path):
    out = run(tmp_path, """
names = {}
exec("def f(n):\\n    return f(n + 1)\\n", names)
print(printed(caught(names["f"], 0)).count("return f(n + 1)") > 2)
far = names["f"].__code__.replace(co_firstlineno=10**9)
print(caught(inspect.getsource, far) is not None)
huge = {}
exec("def g(x):\\n" + "    x = x + 1\\n" * 20000 + "    return x.no\\n", huge)
print("AttributeError" in printed(caught(huge["g"], 0)))
""")  # fmt: skip
    assert out == "True\nTrue\nTrue\n"


def test_threads(tmp_path):
    out = run(tmp_path, """
names = {}
exec("\\n".join(f"def f{n}(x):\\n    return x.a{n}" for n in range(8)), names)
found = []
def work(n): found.append(f"return x.a{n}" in printed(caught(names[f"f{n}"], 1)))
threads = [threading.Thread(target=work, args=(n % 8,)) for n in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found == [True] * 16)
""")  # fmt: skip
    assert out == "True\n"


def test_limits_and_stacks(tmp_path):
    out = run(tmp_path, """
names = {"traceback": traceback}
exec("def inner():\\n    return traceback.extract_stack(limit=2)\\ndef outer():\\n    return inner()\\n", names)
print([one.line for one in names["outer"]()])
print([one.line for one in traceback.StackSummary.extract(traceback.walk_stack(None), limit=1, lookup_lines=False)])
""")  # fmt: skip
    first = out.splitlines()[0]
    assert first == "['return inner()', 'return traceback.extract_stack(limit=2)']"


def test_uninstall_leaves_nothing(tmp_path):
    out = run(tmp_path, """
import inspect, pdb, traceback
name = "_extract_from_extended_frame_gen"
name = name if hasattr(traceback.StackSummary, name) else "extract"
def now(): return inspect.findsource, vars(traceback.StackSummary)[name], pdb.Pdb.lookupmodule
before = now()
import depyf
depyf.source.install()
print(any(one is other for one, other in zip(before, now())))
depyf.source.uninstall()
print(now() == before)
depyf.source.install()
inspect.findsource = mine = lambda object: 1 / 0
depyf.source.uninstall()
print(inspect.findsource is mine)
""", begin="")  # fmt: skip
    assert out == "False\nTrue\nTrue\n"


def test_it_costs_no_import_of_the_decompiler(tmp_path):
    out = run(tmp_path, """
names = {}
exec("def f():\\n    return 1 / 0\\n", names)
caught(names["f"])
print("depyf.decompiler" in sys.modules, len(linecache.cache))
""")  # fmt: skip
    assert out.startswith("False")


def test_write_gives_functions_files(tmp_path):
    out = run(tmp_path, """
@dataclasses.dataclass
class P:
    x: int
    y: list = dataclasses.field(default_factory=list)
    def own(self): return self.x
files = depyf.source.write(P, "made")
print(sorted(file.rpartition("made")[2][1:] for file in files if "init" in file))
code = P.__init__.__code__
print(code.co_filename in files, P(3), P.own.__code__.co_filename.endswith("program.py"))
print(linecache.getline(code.co_filename, code.co_firstlineno + 1).strip().replace(" ", ""))
print(depyf.source.write(P, "made"))
try:
    depyf.source.write(P.own)
except depyf.DecompilationError as error:
    print(error)
""")  # fmt: skip
    lines = out.splitlines()
    assert lines[0] == "['P.__init__.py']" and lines[1] == "True P(x=3, y=[]) True"
    assert lines[2] == "self.x=x" and lines[3] == "[]"
    assert "it has a file, or no text" in lines[4]


def test_write_takes_the_text_that_linecache_has(tmp_path):
    out = run(tmp_path, """
TEXT = "def f(x: int):\\n    # the author's\\n    return [x  +  1]\\n\\ndef g():\\n    return   2\\n"

def made(filename, text, cached):
    linecache.cache[filename] = len(cached), None, cached.splitlines(True), filename
    names = {}
    exec(compile(text, filename, "exec"), names)
    depyf.source.write(names["f"], "made")
    print(names["f"](1), open(names["f"].__code__.co_filename).read() == cached)

made("<one>", TEXT, TEXT)
made("<two>", TEXT, TEXT.replace("1", "3"))
made("<three>", TEXT, "no Python")
""", begin="from __future__ import annotations\n" + BEGIN)  # fmt: skip
    assert out.splitlines() == ["[2] True", "[2] False", "[2] False"]
