"""ovld and patchy: functions that they compile anew, dispatch by type or change by a diff."""

from __future__ import annotations

import sys
from pathlib import Path

MODULE = '''
from ovld import OvldBase, call_next, ovld, recurse, resolve

@ovld
def f(x: int, y: int = 1): return x + y
@ovld
def f(x: str): return recurse(len(x))
@ovld
def f(x: list, *, key=None): return [recurse(a) for a in x if a]
@ovld
def f(x: dict): return {k: call_next(v) if v else resolve(int)(v) for k, v in x.items()}
@f.variant
def g(x: object): return recurse.next(x) if x else call_next(x)

class K(OvldBase):
    def m(self, x: int): return self.m(str(x))
    def m(self, x: str): return recurse(len(x)) if x else [recurse(c) for c in x]

def old(items, start=0):
    total = start
    for item in items:
        total += item
    return total

class Old:
    def method(self):
        return super().__repr__() + "old"
'''


def generate(folder):
    import patchy

    Path(folder, "overloaded.py").write_text(MODULE)
    sys.path.insert(0, folder)
    import overloaded as o

    for action in (lambda: o.f(1), lambda: o.f("a"), lambda: o.f([1, "b"]), lambda: o.f({1: 2}), lambda: o.g(1), lambda: o.K().m("a"), lambda: o.K().m(1)):
        attempt(action)
    attempt(lambda: patchy.patch(o.old, "@@ -3,2 +3,3 @@\n     for item in items:\n+        if item is None: continue\n         total += item\n"))
    attempt(lambda: patchy.replace(o.Old.method, None, "def method(self):\n    return [super().__repr__() for _ in range(2)]\n"))
    found = [o.old, o.Old.method]
    for one in (o.f, o.g, o.K.m):
        found += [getattr(made, "fn", made) for made in getattr(one, "map", {}).values()] if isinstance(getattr(one, "map", None), dict) else []
        found += list(vars(one).values()) if hasattr(one, "__dict__") else []
    return [one.__code__ for one in found if hasattr(one, "__code__")]


def attempt(action):
    try:
        action()
    except Exception as error:
        print(type(error).__name__, str(error)[:200])


def rewritten(filename):
    return filename.endswith("overloaded.py") or "ovld" in filename and "site-packages" not in filename
