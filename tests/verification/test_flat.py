"""The quick look: it finds equal code equal whatever is shared in a file, and never more than that."""

from __future__ import annotations

import ast
import marshal
import random
from pathlib import Path

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.reading.pyc import read_code_and_end
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import PycError
from depyf.verification.comparison import differences
from depyf.verification.compiling import compiled
from depyf.verification.flat import flat

TEXT = '''\
import os.path, sys
NAMES = ("os", "sys", ("path", 1.5, 2j, -(10 ** 30), b"bytes", "\\u20ac" * 300), ...)
def f(a, *, b=None, **more):
    try:
        return a in {"x", "y"} or sys.maxsize + 123456789
    except (OSError, ValueError) as error:
        raise KeyError(a) from error
class C:
    def g(self): return lambda x: [self, x, f, f"{x!r}"]
'''


def test_the_whole_of_a_module():
    """Every file of a part of the library: it ends where the code ends. Very few (with an infinity) need more."""
    paths = sorted(Path(ast.__file__).parent.glob("[a-c]*.py"))
    closer = 0
    for path in paths:
        data = marshal.dumps(compile(path.read_bytes(), path.name, "exec", dont_inherit=True))
        found = flat(data, HOST_VERSION)
        closer += found is None
        assert found is None or found[1] == len(data)
    assert closer < len(paths) / 10


@pytest.mark.parametrize("version", [one for one in TABLES if find_interpreter(one)], ids=str)
def test_it_ends_where_the_code_ends(version):
    data = compiled(TEXT.encode(), "mod.py", version, 0)
    found = flat(data, version)
    assert found is not None
    assert found[1] == len(data)
    assert flat(compiled(TEXT.replace("1.5", "1.25").encode(), "mod.py", version, 0), version) != found


def test_what_is_shared_does_not_count():
    """A text that is written twice, and one that is written once and referred to."""
    text = b"\x5a\x04name"
    twice = b")\x02" + text + text
    once = b")\x02" + bytes([text[0] | 0x80]) + text[1:] + b"r" + bytes(4)
    assert marshal.loads(twice) == marshal.loads(once) == ("name", "name")
    ours, theirs = flat(twice, HOST_VERSION), flat(once, HOST_VERSION)
    assert ours is not None and theirs is not None
    assert ours[0] == theirs[0]
    assert (ours[1], theirs[1]) == (len(twice), len(once))


def test_equal_lists_are_equal_code():
    """Of 4000 damaged copies: where the lists are equal, the fields are, as the slow way reads them."""
    dice = random.Random(5)
    data = marshal.dumps(compile(TEXT, "mod.py", "exec", dont_inherit=True))
    clean = read_code_and_end(data, HOST_VERSION, 0)[0]
    parts = flat(data, HOST_VERSION)
    equal = 0
    for _ in range(4000):
        changed = bytearray(data)
        for _ in range(dice.choice((1, 1, 2))):
            changed[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        found = flat(bytes(changed), HOST_VERSION)
        if found != parts or changed == data:
            continue
        equal += 1
        try:
            raw, end = read_code_and_end(bytes(changed), HOST_VERSION, 0)
        except PycError as error:
            raise AssertionError(f"the reader refuses it: {error}") from error
        assert differences(raw, clean) == []
        assert end == len(data)
    assert equal > 0  # a mark that nothing refers to


def test_what_needs_a_closer_look_has_no_list():
    nan = compile("x = y = 1e999 - 1e999", "mod.py", "exec")
    data = marshal.dumps(nan.replace(co_consts=(float("nan"), None)))
    assert flat(data, HOST_VERSION) is None
    assert flat(marshal.dumps(nan.replace(co_consts=([1], None))), HOST_VERSION) is None
    assert flat(data[:-1], HOST_VERSION) is None
    assert flat(b"", HOST_VERSION) is None
