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
from depyf.verification.written_out import written_out

MOST = 1 << 20
TEXT = '''\
import os.path, sys
NAMES = ("os", "sys", ("path", 1.5, 2j, -(10 ** 30), b"bytes", "\\u20ac" * 300, "a" * 300), ...)
def f(a, *, b=None, **more):
    try:
        return a in {"x", "y"} or sys.maxsize + 123456789
    except (OSError, ValueError) as error:
        raise KeyError(a) from error
class C:
    def g(self): return lambda x: [self, x, f, f"{x!r}"]
'''


def code_of(constants):
    code = compile("x = y = 1e999 - 1e999", "mod.py", "exec")
    return code.replace(co_consts=tuple(constants))


def test_the_whole_of_a_module():
    """Every file of a part of the library: what marshal writes in format 2. Very few (with an infinity) need more."""
    paths = sorted(Path(ast.__file__).parent.glob("[a-c]*.py"))
    closer = 0
    for path in paths:
        code = compile(path.read_bytes(), path.name, "exec", dont_inherit=True)
        found = written_out(marshal.dumps(code), HOST_VERSION, 0, MOST)
        closer += found is None
        assert found is None or found == marshal.dumps(code, 2)
    assert closer < len(paths) / 10


@pytest.mark.parametrize("version", [one for one in TABLES if find_interpreter(one)], ids=str)
def test_code_of_every_python(version):
    made = compiled(TEXT.encode(), "mod.py", version, 0)
    found = written_out(made.data, version, 0, MOST)
    assert found is not None
    assert made.written_out in (None, found)
    changed = compiled(TEXT.replace("1.5", "1.25").encode(), "mod.py", version, 0)
    assert written_out(changed.data, version, 0, MOST) not in (None, found)


@pytest.mark.parametrize("version", [(3, 7), (3, 8), (3, 9), (3, 10)], ids=str)
def test_where_marks_vary_the_compiler_writes_both(version):
    if not find_interpreter(version):
        version = next(one for one in TABLES if find_interpreter(one))
    made = compiled(TEXT.encode(), "mod.py", version, 0)
    assert made.written_out == (None if version >= (3, 11) else written_out(made.data, version, 0, MOST))


def test_what_is_shared_does_not_count():
    """A text that is written twice, and one that is written once and referred to; a tuple likewise."""
    text = b"\x5a\x04name"
    twice = b")\x02" + text + text
    once = b")\x02" + bytes([text[0] | 0x80]) + text[1:] + b"r" + bytes(4)
    assert marshal.loads(twice) == marshal.loads(once) == ("name", "name")
    plain = marshal.dumps(("name", "name"), 2)
    assert written_out(twice, HOST_VERSION, 0, MOST) == written_out(once, HOST_VERSION, 0, MOST) == plain
    pair = b"\xa9\x02" + text + b"N" + b"r" + bytes(4)
    assert marshal.loads(b")\x02" + pair) == (("name", None), ("name", None))
    assert written_out(b")\x02" + pair, HOST_VERSION, 0, MOST) == marshal.dumps((("name", None),) * 2, 2)


def test_equal_bytes_are_equal_code():
    """Of 4000 damaged copies: where the bytes are equal, the fields are, as the slow way reads them."""
    dice = random.Random(5)
    data = marshal.dumps(compile(TEXT, "mod.py", "exec", dont_inherit=True))
    clean = read_code_and_end(data, HOST_VERSION, 0)[0]
    plain = written_out(data, HOST_VERSION, 0, MOST)
    equal = 0
    for _ in range(4000):
        changed = bytearray(data)
        for _ in range(dice.choice((1, 1, 2))):
            changed[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        if changed == data or written_out(bytes(changed), HOST_VERSION, 0, MOST) != plain:
            continue
        equal += 1
        try:
            raw, end = read_code_and_end(bytes(changed), HOST_VERSION, 0)
        except PycError as error:
            raise AssertionError(f"the reader refuses it: {error}") from error
        assert differences(raw, clean) == []
        assert end == len(data)
    assert equal > 0  # a mark that nothing refers to


@pytest.mark.parametrize("kind", [b"z", b"Z", b"a", b"A"])
def test_latin_1_in_an_ascii_text_is_not_the_utf_8_of_another(kind):
    """CPython reads two characters there, whose bytes are those of one in UTF-8."""
    text = "é".encode()
    length = bytes([len(text)]) if kind in b"zZ" else len(text).to_bytes(4, "little")
    assert marshal.loads(kind + length + text) == "Ã©"
    assert written_out(kind + length + text, HOST_VERSION, 0, MOST) is None


def test_what_needs_a_closer_look():
    data = marshal.dumps(code_of([float("nan"), None]))
    assert written_out(data, HOST_VERSION, 0, MOST) is None
    assert written_out(marshal.dumps(code_of([[1], None])), HOST_VERSION, 0, MOST) is None
    plain = marshal.dumps(code_of([1, None]))
    assert written_out(plain, HOST_VERSION, 0, MOST) is not None
    assert written_out(plain[:-1], HOST_VERSION, 0, MOST) is None
    assert written_out(plain + b"x", HOST_VERSION, 0, MOST) is None
    assert written_out(b"", HOST_VERSION, 0, MOST) is None
    assert written_out(b"\xa9\x02r\0\0\0\0N", HOST_VERSION, 0, MOST) is None  # a tuple in itself


def test_references_to_references_do_not_grow_without_end():
    """Sixty tuples, each with the one before it twice, would have 2**60 parts."""
    data = b"N"
    for depth in range(60):
        data = b"\xa9\x02" + data + b"r" + (59 - depth).to_bytes(4, "little")
    # Marks count from the outside: the innermost tuple has the last number.
    data = b"\xa9\x02" * 60 + b"NN" + b"".join(b"r" + number.to_bytes(4, "little") for number in range(59, 0, -1))
    assert written_out(data, HOST_VERSION, 0, 10_000) is None
