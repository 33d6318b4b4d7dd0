"""Archives whose members land elsewhere than their names say, or where another one lies: never status 0.

Each case has a compiled file beside the source that it is made of, so that by name alone all is identical.
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib

import pytest
from made_archives import CLEAN, DEVICE, EVIL, FOLDER, GOOD, LINK, TAG, cached, pyc, status, tar_of, zip_of

import depyf
from depyf.verification.report import Status


@pytest.mark.parametrize("write", [tar_of, zip_of])
def test_a_clean_archive(write, tmp_path):
    assert status(tmp_path, write(CLEAN)) == (0, "")
    assert status(tmp_path, write([("pkg", "", FOLDER), *CLEAN, ("docs/x", "../pkg/m.py", LINK)])) == (0, "")
    assert status(tmp_path, write([("./" + name, data) for name, data in CLEAN])) == (0, "")


BOTH = {
    "through a link": [("l", "pkg", LINK), *cached("l")],
    "through a link to a cache": [("l", "pkg/__pycache__", LINK), ("l/m.py", EVIL), (f"l/m.{TAG}.pyc", pyc(EVIL))],
    "the link comes last": [*cached("l"), ("l", "pkg", LINK)],
    "a link spelled otherwise": [("L", "pkg", LINK), *cached("l")],
    "below two links": [("a", ".", LINK), ("a/l", "pkg", LINK), *cached("a/l")],
    "a folder that becomes a link": [("pkg", "", FOLDER), ("pkg", "data", LINK), *cached("data")],
    "a link on a cache": [("data/m.py", EVIL), (f"data/m.{TAG}.py", EVIL), ("pkg/__PYCACHE__", "../data", LINK)],
    "a link over a link": [("n", "pkg/m.py", LINK), ("n", "data", LINK)],
    "written through a link": [("n.txt", f"pkg/__pycache__/m.{TAG}.pyc", LINK), ("n.txt", pyc(EVIL))],
    "written through a link, spelled otherwise": [("n.txt", "pkg/m.py", LINK), ("N.TXT", EVIL)],
    "a link that leads out": [("sub", "../../elsewhere", LINK)],
    "a link that leads out by another": [("a/b", ".", LINK), ("sub", "a/b/../../..", LINK)],
    "a link to the root": [("sub", "/elsewhere", LINK)],
    "below a file": [("data", b""), *cached("data")],
    "below a pipe": [("data", "", DEVICE), *cached("data")],
    "a module that is a link": [("pkg/n.py", "m.py", LINK)],
}
SPELLINGS = {
    "case": "PKG", "capitals of another script": "p\u212ag", "composed": "pk\uff47", "invisible": "p\u00adkg",
    "joiner": "pk\u200dg",
    "dot": "pkg.", "space": "pkg ", "stream": "pkg::$INDEX_ALLOCATION", "two slashes": "pkg/", "dots": "./pkg/.",
    "up": "x/../pkg", "backslash": "x\\..\\pkg", "root": "/pkg", "drive": "C:pkg",
}  # fmt: skip


@pytest.mark.parametrize("write", [tar_of, zip_of])
@pytest.mark.parametrize("kind", BOTH)
def test_links_and_other_things_that_are_no_files(write, kind, tmp_path):
    found, reason = status(tmp_path, write([*CLEAN, *BOTH[kind]]))
    assert found == 2
    assert any(
        word in reason for word in ("no folder", "link", "depends on the unpacker", "no regular file", "leads out")
    )


@pytest.mark.parametrize("write", [tar_of, zip_of])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_a_folder(write, spelling, tmp_path):
    assert status(tmp_path, write([*CLEAN, *cached(SPELLINGS[spelling])]))[0] == 2


@pytest.mark.parametrize("name", [
    "m.PY", "M.py", "\uff4d.py", "m.p\u200dy", "m.py.", "m.py ", "m.py::$DATA", "LONGNA~1.PY", "m.py\0x",
    "/m.py", "./m.py", "x/../m.py",
])  # fmt: skip
@pytest.mark.parametrize("kind", ["pax", "gnu", "zip"])
def test_spellings_of_a_source(name, kind, tmp_path):
    """The second source is the one that is there in the end, on some file system."""
    members = [*cached(""), (name, GOOD)]
    if kind == "zip":
        data = zip_of(members)
        if "\0" in name:  # zipfile does not write it
            data = zip_of([*members[:-1], (name.replace("\0", "0"), GOOD)]).replace(b"m.py0x", b"m.py\0x")
    else:
        data = tar_of(members, format=tarfile.PAX_FORMAT if kind == "pax" else tarfile.GNU_FORMAT)
    assert status(tmp_path, data)[0] == 2


@pytest.mark.parametrize("name", [
    f"__PYCACHE__/m.{TAG}", f"__pycache__./m.{TAG}", f"__pycache__:$I30:$INDEX_ALLOCATION/m.{TAG}", f"__PYCA~1/m.{TAG}",
    f"__pyc\u200dache__/m.{TAG}", f"__pycache__/m.{TAG}.OPT-1",
])  # fmt: skip
@pytest.mark.parametrize("write", [tar_of, zip_of])
def test_spellings_of_a_cache(write, name, tmp_path):
    """There is a source to which the compiled file seems to belong."""
    folder, _, base = name.rpartition("/")
    for stem in (base, base.partition(".")[0]):
        assert (
            status(tmp_path, write([("m.py", GOOD), (f"{folder}/{stem}.py", EVIL), (f"{name}.pyc", pyc(EVIL))]))[0] != 0
        )
    beside = f"m.{TAG}.py" if "OPT" in name else f"{folder}/m.{TAG}.py"
    for end in (".pyc", ".pyc.", ".pyc ", ".py\u200dc", ".pyc:x"):
        assert status(tmp_path, write([("m.py", GOOD), (beside, EVIL), (f"{name}{end}", pyc(EVIL))]))[0] != 0


# Tar files that tar, libarchive, tarfile and installers take differently.


def header(name, data=b"", kind=b"0", size=None, magic=b"ustar\x0000", prefix=b"", pad=True):
    head = bytearray(512)
    head[: len(name)] = name
    head[124:136] = b"%011o\0" % (len(data) if size is None else size)
    head[136:148] = b"00000000000\0"
    head[156:157], head[257:265], head[345 : 345 + len(prefix)] = kind, magic, prefix
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + data + bytes(-len(data) % 512 if pad else 0)


def record(key, value):
    text = b" %s=%s\n" % (key, value)
    size = len(text) + len(str(len(text)))
    return str(size + (len(str(size)) != len(str(len(text))))).encode() + text


END = bytes(1024)
PLACE = f"pkg/__pycache__/m.{TAG}.pyc".encode()
CUT = (
    tar_of(CLEAN)[: -tarfile.RECORDSIZE] if len(tar_of(CLEAN)) > 2 * tarfile.RECORDSIZE else tar_of(CLEAN).rstrip(b"\0")
)
CUT += bytes(-len(CUT) % 512)
HIDDEN = header(PLACE, pyc(EVIL))
TARS = {
    "behind the end": bytes(1024) + HIDDEN + END,
    "behind one block of the end": bytes(512) + HIDDEN + END,
    "two sizes": header(b"p", record(b"size", b"0"), b"x") + header(b"n.txt", HIDDEN) + END,
    "a larger size": header(b"p", record(b"size", b"%d" % len(HIDDEN)), b"x") + header(b"n.txt", size=0) + HIDDEN + END,
    "a folder with a size": header(b"d", HIDDEN, b"5") + END,
    "a link with a size": header(b"d", HIDDEN, b"2") + END,
    "a sparse file of pax": header(b"p", record(b"GNU.sparse.name", PLACE), b"x") + header(b"n.txt", pyc(EVIL)) + END,
    "a sparse file of GNU": header(b"n.txt", pyc(EVIL), b"S", magic=b"ustar  \0") + END,
    "a prefix for some": header(PLACE[4:], pyc(EVIL), magic=b"ustar  \0", prefix=b"pkg") + END,
    "a prefix without the mark": header(PLACE[4:], pyc(EVIL), magic=bytes(8), prefix=b"pkg") + END,
    "a name for all": header(b"g", record(b"path", PLACE), b"g") + header(b"n.txt", pyc(EVIL)) + END,
    "a name twice": header(b"p", record(b"path", b"a") + record(b"path", PLACE), b"x") + header(b"n", pyc(EVIL)) + END,
    "two kinds of names": header(b"p", record(b"path", b"n"), b"x") + header(b"L", PLACE + b"\0", b"L")
    + header(b"n", pyc(EVIL)) + END,
    "another encoding": header(b"p", record(b"hdrcharset", b"BINARY"), b"x") + header(b"n", pyc(EVIL)) + END,
    "a continued volume": header(b"n", pyc(EVIL), b"M") + END,
    "a size with a space": header(b"n", HIDDEN).replace(b"%011o\0" % len(HIDDEN), b"0 %09o\0" % len(HIDDEN)) + END,
    "a file named as a folder": header(PLACE + b"/", pyc(EVIL), b"\0") + END,
    "cut short": header(b"n", pyc(EVIL))[:700],
}  # fmt: skip


def test_what_the_cases_begin_with_is_clean(tmp_path):
    assert status(tmp_path, CUT + header(b"n.txt", b"text") + END) == (0, "")
    named = header(b"p", record(b"path", b"n.txt") + record(b"comment", b"x"), b"x") + header(b"short", b"text")
    assert status(tmp_path, CUT + named + END) == (0, "")
    long = header(b"L", b"n" * 150 + b"\0", b"L") + header(b"n", b"text") + header(b"n", b"", prefix=b"a" * 150)
    assert status(tmp_path, CUT + long + END) == (0, "")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", TARS)
def test_headers_that_readers_take_differently(kind, packed, tmp_path):
    data = CUT + TARS[kind]
    assert status(tmp_path, gzip.compress(CUT) + gzip.compress(TARS[kind]) if packed else data)[0] == 2


def test_names_by_headers_of_their_own(tmp_path):
    """Pax's and GNU's long names are the names."""
    for named in (header(b"p", record(b"path", PLACE), b"x"), header(b"L", PLACE + b"\0", b"L")):
        found, reason = status(tmp_path, CUT + named + header(b"n.txt", pyc(EVIL)) + END)
        assert found == 2 and "twice" in reason


# Zip files that readers of lists and of streams take differently.


def test_a_member_that_is_not_in_the_list(tmp_path):
    """uv and bsdtar read a wheel from its start on."""
    one, other = zip_of([("m.py", GOOD)]), zip_of([(f"__pycache__/m.{TAG}.pyc", pyc(EVIL))])
    member = other[: other.index(b"PK\1\2")]
    start = one.index(b"PK\1\2")
    (offset,) = struct.unpack_from("<L", one, len(one) - 6)
    between = bytearray(one[:start] + member + one[start:])
    struct.pack_into("<L", between, len(between) - 6, offset + len(member))
    first = member + one
    for data, name in (
        (bytes(between), "x.zip"),
        (bytes(between), "x-1-py3-none-any.whl"),
        (first, "x-1-py3-none-any.whl"),
    ):
        found, reason = status(tmp_path, data, name)
        assert found == 2 and "not in its list" in reason


@pytest.mark.parametrize("change", ["name", "size", "method", "encoding", "other name"])
def test_a_header_that_disagrees_with_the_list(change, tmp_path):
    data = bytearray(zip_of([("m.py", GOOD), ("notes.pyc.txt", pyc(EVIL))], compression=zipfile.ZIP_DEFLATED))
    at = data.index(b"PK\3\4", 4)
    if change == "name":
        data[at + 30 : at + 43] = b"m.pyc\0\0\0\0\0\0\0\0"
    elif change == "other name":
        data[at + 28] = 9
        data[at + 43 : at + 43] = struct.pack("<HHBL", 0x7075, 5, 1, zlib.crc32(b"notes.pyc.txt"))
    else:
        data[at + {"size": 22, "method": 8, "encoding": 7}[change]] ^= 8
    assert status(tmp_path, bytes(data))[0] == 2


def test_data_that_ends_early(tmp_path):
    """A reader of streams takes what follows for the next member."""
    data = zip_of([("notes.txt", b"text" * 99), ("pad.txt", bytes(99))], compression=zipfile.ZIP_DEFLATED)
    assert status(tmp_path, data) == (3, "")
    info = zipfile.ZipFile(io.BytesIO(data)).infolist()[0]
    longer = bytearray(data)
    at = 30 + len("notes.txt") + info.compress_size
    hidden = zip_of([("m.pyc", pyc(EVIL))])
    hidden = hidden[: hidden.index(b"PK\1\2")]
    longer[at:at] = hidden
    for place in (18, longer.index(b"PK\1\2") + 20):
        struct.pack_into("<L", longer, place, info.compress_size + len(hidden))
    second = longer.index(b"PK\1\2", longer.index(b"PK\1\2") + 4)
    struct.pack_into("<L", longer, second + 42, struct.unpack_from("<L", longer, second + 42)[0] + len(hidden))
    struct.pack_into("<L", longer, len(longer) - 6, struct.unpack_from("<L", longer, len(longer) - 6)[0] + len(hidden))
    found, reason = status(tmp_path, bytes(longer))
    assert found == 2 and "ends early" in reason


def test_a_name_in_an_unknown_encoding(tmp_path):
    data = zip_of([("\u00e9.pyc", pyc(GOOD)), ("\u00e9.py", GOOD)])
    assert status(tmp_path, data)[0] == 0
    plain = bytearray(data)
    for mark, place in ((b"PK\3\4", 7), (b"PK\1\2", 9)):
        at = plain.find(mark)
        while at >= 0:
            plain[at + place] &= ~8
            at = plain.find(mark, at + 4)
    found, reason = status(tmp_path, bytes(plain))
    assert found == 2 and "encoding" in reason


def test_a_link_with_a_name_in_an_unknown_encoding(tmp_path):
    data = bytearray(zip_of([*CLEAN, ("\u00e9", "pkg", LINK)]))
    at = data.rindex(b"\xc3\xa9") - 46
    data[at + 9] &= ~8
    data[data.index(b"\xc3\xa9") - 30 + 7] &= ~8
    found, reason = status(tmp_path, bytes(data))
    assert found == 2 and "encoding" in reason


def test_something_behind_the_list(tmp_path):
    """Some readers look for a list whose comment reaches to the end."""
    for data in (zip_of(CLEAN) + b"x", zip_of(CLEAN) + bytes(100)):
        assert status(tmp_path, data)[0] == 2
    commented = bytearray(zip_of(CLEAN) + b"text")
    commented[-6] = 4
    assert status(tmp_path, bytes(commented))[0] == 0


def test_a_very_long_name(tmp_path):
    for kind in (b"0", b"2", b"5"):
        long = header(b"L", b"n" * 500_000 + b"\0", b"L") + header(b"n", kind=kind)
        found, reason = status(tmp_path, CUT + long + END)
        assert (found, reason) == (2, "the name has 500000 letters")


def test_two_kinds_of_archives_in_one(tmp_path):
    assert status(tmp_path, tar_of(CLEAN) + zip_of([("m.pyc", pyc(EVIL))]), "x.tar")[0] == 2


def test_a_folder_spelled_otherwise(tmp_path):
    """On a disk, too: it may be copied to another one."""
    folder = tmp_path / "a" / "__PYCACHE__"
    folder.mkdir(parents=True)
    if (tmp_path / "a" / "__pycache__").exists():
        return  # this file system is such a one
    (tmp_path / "a" / "m.py").write_bytes(GOOD)
    (folder / f"m.{TAG}.py").write_bytes(EVIL)
    (folder / f"m.{TAG}.pyc").write_bytes(pyc(EVIL))
    [report] = depyf.verify_tree(tmp_path / "a").files
    assert report.status is Status.NOT_CHECKED and "__pycache__ on some file systems" in report.reasons[0]
