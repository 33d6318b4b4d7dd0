"""The unmarshaller against the interpreter's own, and against data that nobody should trust."""

from __future__ import annotations

import marshal
import random
import struct
import tracemalloc
from pathlib import Path

import pytest
from foreign_dump import describe

from depyf.decompiler.bytecode import RawCode, read_code
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION
from depyf.decompiler.bytecode.reading import marshal as reader
from depyf.decompiler.bytecode.reading.marshal import read_marshal
from depyf.errors import DepyfError, PycError

SLICES = FORMATS[HOST_VERSION].has_slices
CODE = """
def f(a, *b, c=(1, 2.5, "x")):
    '''Documented.'''
    try:
        return [x for x in a if x in {1, 2}] or (lambda: b)
    except ValueError as error:
        raise c from error
"""


def long_(number):
    return struct.pack("<i", number)


CODE_PARTS = {
    "argcount": 1, "posonlyargcount": 0, "kwonlyargcount": 0, "stacksize": 1, "flags": 3,
    "bytecode": b"s" + long_(2) + b"d\x00", "consts": b")\x01N", "names": b")\x00", "localsplus": b")\x01z\x01a",
    "localsplus_kinds": b"s" + long_(1) + b"\x20", "filename": b"z\x01f", "name": b"z\x01n", "qualname": b"z\x01q",
    "firstlineno": 1, "linetable": b"s" + long_(0), "exception_table": b"s" + long_(0),
}  # fmt: skip


def written(change):
    """A small code object of 3.12 with some fields changed."""
    parts = [{**CODE_PARTS, **change}[field] for field in FORMATS[(3, 12)].code_fields]
    return b"c" + b"".join(long_(part) if isinstance(part, int) else part for part in parts)


def random_object(dice, depth=0, hashable=False, shared=None):
    """A random object of the types that marshal knows; parts are shared now and then."""
    shared = [] if shared is None else shared
    if shared and dice.random() < 0.1:
        known = dice.choice(shared)
        if not hashable or is_hashable(known):
            return known
    kinds = ["int", "big", "float", "complex", "bytes", "str", "single"]
    if depth < 5:
        kinds += ["tuple", "tuple", "frozenset"]
        kinds += [] if hashable else ["list", "dict", "set"] + ["slice"] * SLICES
    made = _MAKERS[dice.choice(kinds)](dice, lambda h=hashable: random_object(dice, depth + 1, h, shared))
    if hashable and "nan" in repr(made):
        return 0  # the interpreter sorts members by their bytes, and can't write two that are alike
    shared.append(made)
    return made


def is_hashable(value):
    try:
        hash(value)
    except TypeError:
        return False
    return True


def size(dice):
    return 300 if dice.random() < 0.004 else dice.randrange(4)


def text(dice):
    alphabet = dice.choice(("abcdef_", "a\xe9\xff", "a\u20ac\ud800", "\U0001f600b", "\x00\n"))
    return "".join(dice.choice(alphabet) for _ in range(dice.choice((0, 1, 5, 20, 255, 256, 700))))


FLOATS = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7976931348623157e308, 0.1, -2.5)
_MAKERS = {
    "int": lambda dice, part: dice.randrange(-(2**31), 2**31) >> dice.randrange(31),
    "big": lambda dice, part: dice.choice((1, -1)) * dice.getrandbits(dice.choice((31, 32, 62, 64, 90, 3000))),
    "float": lambda dice, part: dice.choice((*FLOATS, dice.random())),
    "complex": lambda dice, part: complex(dice.choice(FLOATS), dice.choice(FLOATS)),
    "bytes": lambda dice, part: bytes(dice.randrange(256) for _ in range(dice.choice((0, 1, 300)))),
    "str": lambda dice, part: text(dice),
    "single": lambda dice, part: dice.choice((None, True, False, Ellipsis, StopIteration)),
    "tuple": lambda dice, part: tuple(part() for _ in range(size(dice))),
    "list": lambda dice, part: [part() for _ in range(size(dice))],
    "dict": lambda dice, part: {part(True): part() for _ in range(size(dice))},
    "set": lambda dice, part: {part(True) for _ in range(size(dice))},
    "frozenset": lambda dice, part: frozenset(part(True) for _ in range(size(dice))),
    "slice": lambda dice, part: slice(part(), part(), part()),
}


def no_code(value):
    raise AssertionError(value)


@pytest.mark.parametrize("version", range(marshal.version + 1))
@pytest.mark.parametrize("seed", range(25))
def test_random_objects_as_the_interpreter_reads_them(seed, version):
    """Older format versions write floats as text, no short strings, no references."""
    dice = random.Random(seed)
    value = [random_object(dice) for _ in range(12)]
    if SLICES and version < 5:
        value = [part for part in value if "slice" not in repr(part)]
    data = marshal.dumps(value, version)
    assert describe(read_marshal(data, HOST_VERSION), no_code) == describe(marshal.loads(data), no_code)


def test_legacy_integers_of_eight_bytes():
    assert read_marshal(b"I" + struct.pack("<q", -(2**40)), (3, 8)) == -(2**40)


def test_references_are_numbered_as_the_interpreter_does():
    # None takes no number even if it is flagged; an empty frozenset and a string do.
    data = b")\x04\xce\xbe" + long_(0) + b"\xda\x01ar" + long_(1)
    assert read_marshal(data, HOST_VERSION) == marshal.loads(data) == (None, frozenset(), "a", "a")


def test_what_follows_the_object_is_ignored():
    assert read_marshal(b"..Nrubbish"[1:], HOST_VERSION) is Ellipsis


def test_slices_belong_to_the_versions_that_write_them():
    data = b":" + b"i" + long_(1) + b"NN"
    assert read_marshal(data, (3, 14)) == slice(1, None, None)
    refused(data, "unknown type code 0x3a", 0, version=(3, 13))


def refused(data, reason, offset, version=HOST_VERSION):
    """Reading ``data`` is refused for ``reason`` at ``offset``, and takes memory in proportion to it."""
    tracemalloc.start()
    try:
        with pytest.raises(PycError) as error:
            read_marshal(data, version)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(error.value, DepyfError)
    assert reason in str(error.value)
    assert error.value.offset == offset, str(error.value)
    assert f"at byte {offset}: " in str(error.value)
    assert peak < 100_000 + 400 * len(data)


@pytest.mark.parametrize(
    "data, reason, offset",
    [
        (b"", "expected an object, found the end of the data", 0),
        (b"i\x01\x00", "expected a number of four bytes", 1),
        (b"(" + long_(2**31 - 1) + b"N", "size of a tuple, found 2147483647, but 1 bytes are left", 1),
        (b")\xffN", "size of a tuple, found 255", 1),
        (b"[" + long_(2**30), "size of a list, found 1073741824", 1),
        (b"<" + long_(2**30), "size of a set, found 1073741824", 1),
        (b">" + long_(-1), "size of a set, found -1", 1),
        (b"s" + long_(2**31 - 1), "size of bytes", 1),
        (b"u" + long_(-5), "size of a string, found -5", 1),
        (b"a" + long_(6) + b"12345", "size of a string, found 6, but 5 bytes are left", 1),
        (b"z\x05abcd", "expected a string, found the end", 2),
        (b"l" + long_(2**31 - 1), "size of an integer, found 2147483647", 1),
        (b"l" + long_(-(2**31)), "size of an integer", 1),
        (b"l" + long_(1) + b"\xff\xff", "a digit of an integer is out of range", 0),
        (b"l" + long_(2) + b"\x01\x00\x00\x00", "the highest digit of an integer is 0", 0),
        (b"f\x031_0", "expected a float, found b'1_0'", 0),
        (b"f\x01e", "expected a float", 0),
        (b"f\x00", "expected a float", 0),
        (b"u" + long_(3) + b"a\xffb", "a string is not UTF-8", 6),
        (b"?", "unknown type code 0x3f", 0),
        (b")\x01q", "unknown type code 0x71", 2),
        (b"r" + long_(0), "a reference to one of 0 objects, found number 0", 0),
        (b")\x02\xda\x01ar" + long_(-1), "a reference to one of 1 objects, found number -1", 5),
        (b"\xa9\x01r" + long_(0), "reference 0 is to an object that is not complete", 2),
        (b"\xdb" + long_(1) + b"r" + long_(0), "reference 0 is to an object that is not complete", 5),
        (b"0", "found the end mark of a dict", 0),
        (b")\x010", "found the end mark of a dict", 2),
        (b"{N0", "expected the value of a dict's key", 2),
        (b"<" + long_(1) + b"[" + long_(0), "not hashable: list", 5),
        (b"{{0N0", "not hashable: dict", 3),
    ],
    ids=repr,
)
def test_malformed(data, reason, offset):
    refused(data, reason, offset)


@pytest.mark.parametrize("opening", [b")\x01", b"[" + long_(1), b"{N", b">" + long_(1)], ids=repr)
def test_deep_nesting(opening):
    refused(opening * 100_000 + b"N" * 3, "nested more than 2000 deep", 2000 * len(opening))


def test_nesting_of_containers_has_a_limit_that_code_does_not_reach():
    limit = reader.MOST_NESTED_CONSTANTS
    value = read_marshal(b")\x01" * limit + b"N", HOST_VERSION)
    for _ in range(limit):
        (value,) = value
    assert value is None
    refused(b")\x01" * (limit + 1) + b"N", f"nested more than {limit} deep", 0)
    chain = b"".join(b"\xa9\x01r" + long_(number) for number in range(1, limit + 1))  # nested by reference
    refused(b"\xdb" + long_(limit + 1) + b"\xa9\x01N" + chain, f"nested more than {limit} deep", len(chain) + 1)


def test_nested_code_counts_for_itself():
    """As deep as CPython reads: its functions nest, not their constants."""
    data = written({})
    for _ in range(900):
        data = written({"consts": b")\x01" + data})
    assert len(list(read_code(data, (3, 12)).walk())) == 901


def tower(levels):
    """A list of tuples, each of twice the one before: small as a graph, 2 ** levels when written out."""
    parts = [b"\xa9\x01N"] + [b"\xa9\x02" + 2 * (b"r" + long_(number)) for number in range(1, levels)]
    return b"\xdb" + long_(levels) + b"".join(parts)


@pytest.mark.parametrize("where", ["list", "set member", "dict key", "tuple of tuples"])
def test_references_that_grow_without_end(where):
    towers = tower(60)
    data = {
        "list": towers,
        "set member": b")\x02" + towers + b">" + long_(1) + b"r" + long_(60),
        "dict key": b")\x02" + towers + b"{r" + long_(60) + b"N0",
        "tuple of tuples": b")\x02" + towers + b")\x02" + 2 * (b"r" + long_(59)),
    }[where]
    with pytest.raises(PycError, match=r"the references up to here have more than \d+ parts"):
        read_marshal(data, HOST_VERSION)


def test_code_objects_that_grow_without_end():
    """Walking over nested code must not take longer than the file is long."""
    nested = [written({})]
    for number in range(1, 40):
        nested.append(b"\xe3" + written({"consts": b")\x02" + 2 * (b"r" + long_(number))})[1:])
    nested[0] = b"\xe3" + nested[0][1:]
    with pytest.raises(PycError, match="the references up to here have more than"):
        read_marshal(b"\xdb" + long_(40) + b"".join(nested), (3, 12))


def test_members_with_one_hash():
    modulus = 2**61 - 1  # of the hash of integers
    members = [marshal.dumps(5 + k * modulus) for k in range(5000)]
    assert len({hash(marshal.loads(each)) for each in members}) == 1
    limit = reader.MOST_EQUAL_HASHES
    refused(b">" + long_(5000) + b"".join(members), "share a hash", 5 + sum(len(each) for each in members[:limit]))


def test_an_integer_of_many_digits():
    count = 100_000
    value = read_marshal(b"l" + long_(-count) + b"\x01\x00" * count, HOST_VERSION)
    assert value < 0 and value.bit_length() == 15 * (count - 1) + 1


@pytest.fixture(scope="module")
def marshalled():
    return marshal.dumps(compile(CODE, "file", "exec", dont_inherit=True))


def test_truncated_at_every_byte(marshalled):
    for length in range(len(marshalled)):
        with pytest.raises(PycError) as error:
            read_code(marshalled[:length], HOST_VERSION)
        assert 0 <= error.value.offset <= length


def test_every_byte_changed(marshalled):
    """Code or a clear error, whatever changes; and changes in the structure are noticed."""
    noticed = 0
    for offset in range(len(marshalled)):
        for mask in (0x10, 0x80):
            data = bytearray(marshalled)
            data[offset] ^= mask
            try:
                for raw in read_code(bytes(data), HOST_VERSION).walk():
                    assert isinstance(raw, RawCode) and len(raw.positions()) <= len(raw.bytecode) // 2
                    assert raw.parameters == raw.varnames[: len(raw.parameters)]
            except PycError as error:
                noticed += 1
                assert error.offset <= len(data)
    assert noticed > len(marshalled) // 2


def test_data_of_one_version_read_as_another_ends_in_an_error_or_in_code(marshalled):
    for version in FORMATS:
        try:
            assert read_code(marshalled, version).version == version
        except PycError as error:
            assert error.offset >= -1


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"argcount": -1}, "has argcount -1"),
        ({"flags": -1}, "has flags -1"),
        ({"argcount": 200}, "parameters, but"),
        ({"posonlyargcount": 2}, "2 of 1 parameters are positional only"),
        ({"bytecode": b"i" + long_(3)}, "expected the bytecode of a code object, found int"),
        ({"bytecode": b"s" + long_(1) + b"d"}, "odd length"),
        ({"names": b")\x01N"}, "a tuple that holds something else than strings"),
        ({"consts": b"[" + long_(0)}, "expected the consts of a code object, found list"),
        ({"localsplus_kinds": b"s" + long_(0)}, "of 0 kinds"),
        ({"exception_table": b"s" + long_(1) + b"\xc0"}, "exception table ends inside an entry"),
        ({"exception_table": b"s" + long_(90) + b"\xff" * 90}, "a number in the exception table is too large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_code_objects_that_contradict_themselves(change, reason):
    assert read_code(written({}), (3, 12)).varnames == ("a",)
    with pytest.raises(PycError) as error:
        read_code(written(change), (3, 12))
    assert reason in str(error.value)
    assert 0 <= error.value.offset < len(written(change))


def test_the_readers_do_not_use_the_interpreters_own():
    folder = Path(reader.__file__).parent
    for name in ("marshal.py", "code_fields.py", "pyc.py"):
        text = (folder / name).read_text(encoding="utf-8")
        assert "import marshal" not in text.replace("from .marshal import", "")
