"""Small archives that unpack to very much: each ends with a status, within a bound of memory and processor time.

Generous bounds, since other programs run beside the tests: each bomb would take gigabytes, or minutes.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

import pytest
from made_archives import GOOD, pyc, tar_of, zip_of

MEGABYTE = 1 << 20
MEMORY, SECONDS = 700, 60
"""In megabytes, and of processor time. What is kept of an archive may have 256 MB, and is copied once."""

_CHILD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from depyf.cli import main
try:
    status = main(["verify", *sys.argv[1:]])
finally:
    # What getrusage says has that of the parent, too.
    with open("/proc/self/status") as file:
        [peak] = [line.split()[1] for line in file if line.startswith("VmHWM")]
    print(int(peak) // 1024, file=sys.stderr)
sys.exit(status)
"""


def compressed(parts):
    """As zip files have LZMA, and the checksum."""
    packer = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "preset": 0}])
    check, packed = 0, []
    for part in parts:
        check = zlib.crc32(part, check)
        packed.append(packer.compress(part))
    return b"\x09\x04\x05\x00\x5d" + struct.pack("<L", 1 << 18) + b"".join(packed) + packer.flush(), check


def zeros(size):
    return compressed(bytes(MEGABYTE) for _ in range(size))


def raw_zip(members, rows_of_each=1):
    """Of names, compressed data with its checksum, and the sizes that are stated."""
    body, rows = b"", b""
    for name, (data, check), size in members:
        fields = struct.pack("<HHHHHLLLHH", 20, 0, zipfile.ZIP_LZMA, 0, 33, check, len(data), size, len(name), 0)
        rows += (b"PK\1\2\x14\x03" + fields + bytes(10) + struct.pack("<L", len(body)) + name) * rows_of_each
        body += b"PK\3\4" + fields + name + data
    count = min(rows_of_each * len(members), 0xFFFF)
    return body + rows + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, count, count, len(rows), len(body), 0)


def lzma_source(stated):
    code = pyc(GOOD)
    return raw_zip([(b"m.py", zeros(600), stated), (b"m.pyc", compressed([code]), len(code))])


def many_members():
    row = b"PK\1\2\x14\x03" + struct.pack("<HHHHHLLLHH", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + bytes(14) + b"a"
    rows = row * 1_000_000
    return rows + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, len(rows), 0, 0)


def many_members_of_a_tar_file():
    return gzip.compress(tar_of([("a", b"")])[:512] * 1_000_000, 1)


def deep_names(levels):
    """Folders of folders, all different."""
    return zip_of([(f"{number}/" * levels + "m.pyc", b"") for number in range(100, 1000)])


def nested(levels):
    data = zip_of([("m.pyc", bytes(50 * MEGABYTE))], compression=zipfile.ZIP_DEFLATED)
    for level in range(levels):
        data = zip_of([(f"{level}-{number}.zip", data) for number in range(10)], compression=zipfile.ZIP_DEFLATED)
    return data


def twenty_modules():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", compresslevel=1) as file:
        for number in range(20):
            info = tarfile.TarInfo(f"m{number}.py")
            info.size = 64 * MEGABYTE
            file.addfile(info, io.BytesIO(bytes(info.size)))
    return data.getvalue()


def large_window():
    """An .xz file whose decompressor would allocate 4 GB."""
    data = bytearray(lzma.compress(tar_of([("m.py", GOOD)]), lzma.FORMAT_XZ))
    assert data[14] == 0x21
    size = (data[12] + 1) * 4
    data[16] = 40
    data[12 + size - 4 : 12 + size] = struct.pack("<L", zlib.crc32(bytes(data[12 : 12 + size - 4])))
    return bytes(data)


def large_tar_file():
    info = tarfile.TarInfo("notes.txt")
    info.size = 3 << 30
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    parts = [packer.compress(info.tobuf()), *(packer.compress(bytes(MEGABYTE)) for _ in range(2100)), packer.flush()]
    return b"".join(parts)


BOMBS = {
    "LZMA, as large as it says": (lambda: lzma_source(600 * MEGABYTE), "more than 16777216"),
    "LZMA, larger than it says": (lambda: lzma_source(5000), "does not have the 5000 bytes"),
    "LZMA, a large compiled file": (lambda: raw_zip([(b"m.pyc", zeros(300), 300 * MEGABYTE)]), "more than 268435456"),
    "LZMA, a large other file": (
        lambda: raw_zip([(b"lib.so", zeros(300), 300 * MEGABYTE)]),
        "not looked at: 1 extension",
    ),
    "LZMA with a large window": (
        lambda: raw_zip([(b"m.pyc", (b"\x09\x04\x05\x00\x5d\xff\xff\xff\xff" + bytes(50), 0), 5000)]),
        "can't be read|does not have",
    ),
    "10^6 members": (many_members, "more than 200000 members"),
    "10^6 members of a tar file": (many_members_of_a_tar_file, "more than 200000 members"),
    "long names": (lambda: deep_names(1300), "the name has 5205 letters"),
    "deep names": (lambda: deep_names(1000), "leads out"),
    "nested archives": (lambda: nested(3), "is an archive in 3 others"),
    "nested archives with much in them": (lambda: nested(2), "bytes when it is unpacked"),
    "twenty modules of 64 MB": (twenty_modules, "bytes of Python files"),
    "xz with a large window": (large_window, "limit"),
    "a tar file of 3 GB": (large_tar_file, "more than 2147483648 bytes"),
    "a source of 20 MB": (
        lambda: zip_of([("m.py", b"x=1\n" * (5 * MEGABYTE)), ("m.pyc", pyc(GOOD))], compression=8),
        "would not be compiled",
    ),
    "overlapping members": (lambda: raw_zip([(b"m.pyc", zeros(50), 50 * MEGABYTE)], 10_000), "share bytes"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb(kind, tmp_path):
    path = tmp_path / "m-1-py3-none-any.whl"
    write, reason = BOMBS[kind]
    path.write_bytes(write())
    assert path.stat().st_size < 100 * MEGABYTE
    done = subprocess.run(
        [sys.executable, "-I", "-c", _CHILD.format(seconds=SECONDS), str(path)],
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    *errors, memory = done.stderr.splitlines()
    assert int(memory) < MEMORY, (done.stdout, errors)
    assert done.returncode == (3 if "not looked at" in reason else 2), (done.stdout, errors)
    assert re.search(reason, done.stdout + done.stderr)
    assert len(errors) < 2 and "Traceback" not in done.stderr


