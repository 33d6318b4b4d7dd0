"""Archives made to deceive: what is imported after unpacking them, against what `depyf verify` says.

    python benchmarks/attack/archive_oracle.py --count 10000 --seed 1                 tar files and zip files
    python benchmarks/attack/archive_oracle.py --count 300 --seed 2 --installers      wheels, by pip and uv (--uv FILE)

Archive number N of a seed is always the same: some modules with compiled files, then links, duplicates, prefixes,
spellings, nested archives, folders of wheels, and headers that readers take differently. Each is unpacked by the
system's tar, tarfile with the filters `data` and `fully_trusted`, zipfile, and as on a file system without case. The
import system of this Python is then asked, in other processes and at each level of optimisation, for the code of every
module (`get_code` of what FileFinder and zipimport find); no code is run. A failure is code that is neither what the
source in its place compiles to, nor was seen by `verify`, though its exit status is 0. Prints a row for
results/fuzzing.md, and ends with 1 if there was a failure. Of the archives with another status, one in ten is
unpacked too: that shows how many of them would have deceived.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import io
import json
import marshal
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unicodedata
import warnings
import zipfile
import zlib
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

TAG = sys.implementation.cache_tag
GOOD, EVIL = "def f():\n    return 'good'\n", "def f():\n    return 'evil'\n"
_HERE = os.path.abspath(__file__)


class Member(NamedTuple):
    """``kind`` is 'file', 'folder', 'link' or 'hard'; ``data`` is the content, or the target."""

    name: str
    kind: str
    data: bytes
    extra: Dict[str, Any]


def pyc(text: str, level: int = 0) -> bytes:
    """A compiled file that is loaded whatever the source is."""
    code = compile(text, "m.py", "exec", dont_inherit=True, optimize=level)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def digest(code: types.CodeType) -> str:
    """Of all that runs."""

    def plain(one: Any) -> Any:
        if not isinstance(one, types.CodeType):
            return repr(one)
        return one.co_code, one.co_names, one.co_varnames, tuple(plain(const) for const in one.co_consts)

    return hashlib.sha256(repr(plain(code)).encode()).hexdigest()[:16]


# What is made.

_FOLDERS = (
    "pkg",
    "Pkg",
    "PKG",
    "\uff50kg",
    "p\u00adkg",
    "pkg.",
    "a",
    "b",
    "data",
    "__pycache__",
    "__PYCACHE__",
    "lib",
    ".",
)
_SCHEMES = (
    "m-1.data/purelib", "m-1.data/platlib", "m-1.data/data", "m-1.data/scripts", "m-1.data/headers", ".data/purelib",
    "other-2.data/purelib", "M-1.DATA/purelib", "m-1.data/data/lib/python3.{0}/site-packages",
    "m-1.data/data/lib64/python3.{0}/site-packages", "m-1.data/data/lib/python3.{0}", "m-1.data/data/Lib/site-packages",
    "m-1.data/data/local/lib/python3.{0}/dist-packages", "m-1.data/data/lib/python3/dist-packages",
    "m-1.data/data/lib/python", "m-1.data/data/share/m", "m-1.dist-info", "m-1.data",
)  # fmt: skip


class Maker:
    """Makes one archive."""

    def __init__(self, dice: random.Random, is_wheel: bool) -> None:
        self.dice, self.is_wheel = dice, is_wheel
        self.members: List[Member] = []

    def all(self) -> List[Member]:
        """The members of the archive, some of them tricks."""
        for name in self.dice.sample(("pkg/__init__", "pkg/m", "a/m", "n", "pkg/sub/m"), self.dice.randint(1, 3)):
            self.file(f"{name}.py", GOOD.encode())
            if self.dice.random() < 0.5:
                self.compiled(name, GOOD)
        tricks = [self.through_a_link, self.twice, self.a_linked_cache, self.hard_link, self.spelled, self.anywhere,
                  self.nested, self.a_package, self.beside, self.written_over, self.anywhere]  # fmt: skip
        if self.is_wheel:
            tricks = [self.scheme, self.scheme, self.scheme, self.twice, self.anywhere, self.nested, self.spelled]
        tricks += [self.a_pair] * len(tricks)
        for trick in self.dice.choices(tricks, k=self.dice.choice((1, 1, 1, 2))):
            trick()
        if self.dice.random() < 0.3:
            self.dice.shuffle(self.members)
        return self.members

    def file(self, name: str, data: bytes, **extra: Any) -> None:
        self.members.append(Member(name, "file", data, extra))

    def link(self, name: str, target: str, kind: str = "link") -> None:
        self.members.append(Member(name, kind, target.encode("utf-8", "surrogateescape"), {}))

    def module(self) -> str:
        """One that is there, without suffix."""
        return self.dice.choice([one.name for one in self.members if one.name.endswith(".py")])[:-3]

    def cached(self, name: str) -> str:
        folder, _, base = name.rpartition("/")
        end = self.dice.choice(("", "", ".opt-1", ".opt-2"))
        return f"{folder}{'/' * bool(folder)}__pycache__/{base}.{TAG}{end}.pyc"

    def compiled(self, name: str, text: str) -> None:
        self.file(self.cached(name), pyc(text))

    def evil(self, name: str) -> None:
        """A compiled file, and sometimes a source that it is made of."""
        self.file(name, pyc(EVIL))
        if self.dice.random() < 0.5:
            folder, _, base = name.rpartition("/")
            if folder.rpartition("/")[2] == "__pycache__":
                folder = folder.rpartition("/")[0]
            self.file(f"{folder}/{base.partition('.')[0]}.py", EVIL.encode())

    def a_pair(self) -> None:
        """A compiled file beside its own source, in a folder that may turn out to be the one of another source."""
        name = self.module()
        folder, slash, base = name.rpartition("/")
        ways = [self.spell(folder), "data", "l", f"data/{folder}", f"{folder}/__pycache__", f"{folder}/{base}"]
        if self.is_wheel:
            ways += [f"{one.format(sys.version_info[1])}{slash}{folder}" for one in _SCHEMES]
        there = self.dice.choice(ways)
        pair = [(f"{there}/{base}.py", EVIL.encode()), (self.cached(f"{there}/{base}"), pyc(EVIL))]
        if self.dice.random() < 0.2:
            pair[1] = f"{there}/{base}.pyc", pyc(EVIL)
        if self.dice.random() < 0.3:  # the compiled file alone, and its source where it seems to belong
            pair[0] = (self.spell(f"{folder}{slash}{base}") + ".py", EVIL.encode())
        if self.dice.random() < 0.2:
            pair.append((f"{there}/{base}.{TAG}.py", EVIL.encode()))
        link = self.dice.random()
        if link < 0.3 and folder:
            up = "../" * folder.count("/")
            self.link(folder, f"{up}{there}")
        elif link < 0.6:
            self.link(there, ("../" * there.count("/") + folder) or ".")
        for one in pair:
            self.file(*one)

    def spell(self, name: str) -> str:
        ways = (str.upper, str.title, lambda one: one + ".", lambda one: one + " ", lambda one: "./" + one,
                lambda one: one.replace("/", "//"), lambda one: one.replace("/", "\\"), lambda one: "x/../" + one,
                lambda one: one.replace("p", "\uff50"), lambda one: one.replace("k", "\u212a"), lambda one: "/" + one,
                lambda one: one.replace("s", "\u017f"), lambda one: one.replace("m", "m\u200d"), lambda one: one + "\0",
                lambda one: one.replace("__pycache__", "__PYCACHE__"), lambda one: one + "::$DATA",
                lambda one: one.replace(".pyc", ".PYC").replace("opt-", "OPT-"), lambda one: one)  # fmt: skip
        return self.dice.choice(ways)(name)

    def through_a_link(self) -> None:
        name = self.module()
        folder = f"{name}".rpartition("/")[0]
        place = f"{folder}/__pycache__" if folder and self.dice.random() < 0.5 else folder or "."
        self.link(
            self.dice.choice(("l", "data", "b/l", "pkg2")), self.dice.choice((place, f"../{place}", "./" + place))
        )
        base = name.rpartition("/")[2]
        below = self.members[-1].name
        self.file(
            f"{self.spell(below)}/{self.dice.choice((f'{base}.{TAG}.pyc', f'__pycache__/{base}.{TAG}.pyc'))}", pyc(EVIL)
        )

    def a_linked_cache(self) -> None:
        name = self.module()
        folder, _, base = name.rpartition("/")
        self.file(f"data/{base}.{TAG}.pyc", pyc(EVIL))
        self.file(f"data/{base}.{TAG}.py", EVIL.encode())
        self.link(f"{folder}/__pycache__" if folder else "__pycache__", f"{'../' * bool(folder)}data")

    def twice(self) -> None:
        name = self.module()
        self.file(self.spell(name) + ".py", EVIL.encode())
        self.compiled(name, self.dice.choice((GOOD, EVIL)))
        if self.dice.random() < 0.5:
            self.compiled(name, EVIL)

    def hard_link(self) -> None:
        target = self.dice.choice(self.members).name
        name = self.dice.choice(("notes.txt", "Notes.txt", "b/n.txt"))
        self.link(name, target, self.dice.choice(("hard", "link")))
        self.file(self.dice.choice((name, name.lower(), name)), pyc(EVIL))

    def spelled(self) -> None:
        self.file(self.spell(self.cached(self.module())), pyc(EVIL))

    def written_over(self) -> None:
        """A folder that becomes a link, or the other way."""
        name = self.module()
        folder = name.rpartition("/")[0] or "pkg"
        self.members.append(Member(folder, "folder", b"", {}))
        self.evil(f"data/__pycache__/{name.rpartition('/')[2]}.{TAG}.pyc")
        self.link(folder, "data")

    def anywhere(self) -> None:
        folders = [self.dice.choice(_FOLDERS) for _ in range(self.dice.randint(0, 3))]
        base = self.dice.choice(("m", "n", "__init__", "M"))
        end = self.dice.choice((".py", ".pyc", ".pyo", f".{TAG}.pyc", f".{TAG}.opt-1.pyc", ".pyw", "", ".so"))
        name = "/".join([*folders, base + end])
        chance = self.dice.random()
        if chance < 0.5:
            self.evil(name)
        elif chance < 0.7:
            self.link(name, self.dice.choice([one.name for one in self.members]), self.dice.choice(("hard", "link")))
        else:
            self.file(name, self.dice.choice((pyc(GOOD), EVIL.encode(), GOOD.encode())))

    def nested(self) -> None:
        """An archive in the archive; perhaps with a text before it, or a file that puts it on the path."""
        name = self.dice.choice(
            ("lib.egg", "pkg/data.bin", "x.pyz", "python311.zip", "notes.txt", "w-1-py3-none-any.whl")
        )
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", self.dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
            file.writestr(zipfile.ZipInfo("good.py"), GOOD, file.compression)
            inside = self.dice.choice(("evil.pyc", "pkg/m.pyc", "good.pyc", "e/__init__.pyc"))
            file.writestr(zipfile.ZipInfo(inside), pyc(EVIL), file.compression)
        data = inner.getvalue()
        if self.dice.random() < 0.3:
            outer = io.BytesIO()
            with zipfile.ZipFile(outer, "w") as file:
                file.writestr(zipfile.ZipInfo("inner.zip"), data)
            data = outer.getvalue()
        self.file(name, self.dice.choice((b"", b"#!/usr/bin/env python3\n", bytes(100_000))) + data)
        if self.dice.random() < 0.5:
            self.file("x.pth", name.encode() + b"\n")

    def a_package(self) -> None:
        self.evil(f"{self.module()}/__init__.pyc")

    def beside(self) -> None:
        self.evil(f"{self.module()}.pyc")

    def scheme(self) -> None:
        """In a folder of a wheel."""
        folder = self.dice.choice(_SCHEMES).format(sys.version_info[1])
        name = self.module()
        if self.dice.random() < 0.4:
            self.file(f"{folder}/{name}.py", self.dice.choice((GOOD, EVIL)).encode())
        self.file(f"{folder}/{self.dice.choice((self.cached(name), name + '.pyc'))}", pyc(EVIL))
        if self.dice.random() < 0.3:
            self.file(f"{folder}/other/{name}.pyc", pyc(EVIL))


def tar_file(members: Sequence[Member], dice: random.Random) -> bytes:
    """Now and then with headers that readers take differently."""
    data = io.BytesIO()
    form: Any = dice.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
    kinds = {"file": tarfile.REGTYPE, "folder": tarfile.DIRTYPE, "link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE}
    for member in members:
        info = tarfile.TarInfo(member.name)
        info.type, info.mode = kinds[member.kind], 0o755
        if member.kind == "file":
            info.size = len(member.data)
        elif member.kind != "folder":
            info.linkname = member.data.decode()
        trick = dice.random()
        if trick < 0.04:
            info.pax_headers = {"path": "pkg/__pycache__/m." + TAG + ".pyc"}
        elif trick < 0.06 and member.kind == "file":
            info.pax_headers = {"GNU.sparse.name": "pkg/m.pyc", "GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
        elif trick < 0.07 and member.kind == "file":
            info.pax_headers = {"size": str(dice.choice((0, 1024, info.size)))}
        try:
            head = bytearray(info.tobuf(tarfile.PAX_FORMAT if info.pax_headers else form, "utf-8", "surrogateescape"))
        except ValueError:  # too long for this form, or a NUL
            continue
        if 0.07 <= trick < 0.09:
            at = len(head) - 512
            head[at + 345 : at + 348] = b"pkg"
            head[at + 156 : at + 157] = dice.choice((b"0", b"\0", b"7", b"Z", b"5"))
            head[at + 148 : at + 156] = b"        "
            head[at + 148 : at + 156] = b"%06o\0 " % sum(head[at : at + 512])
        data.write(head)
        if member.kind == "file":
            data.write(member.data + bytes(-len(member.data) % 512))
        if trick > 0.99:
            data.write(bytes(512 * dice.choice((1, 2))))
    data.write(bytes(1024))
    packed = data.getvalue()
    if dice.random() < 0.3:
        import gzip

        parts = (packed,) if dice.random() < 0.7 else (packed[:1536], packed[1536:])
        return b"".join(gzip.compress(part, mtime=0) for part in parts)
    return packed


def zip_file(members: Sequence[Member], dice: random.Random, is_wheel: bool) -> bytes:
    """The same for zip files, of which a wheel has its metadata."""
    data = io.BytesIO()
    members = list(members)
    if is_wheel:
        info = {"METADATA": "Metadata-Version: 2.1\nName: m\nVersion: 1\n",
                "WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}  # fmt: skip
        names = [one.name for one in members if one.kind == "file"] + [
            f"m-1.dist-info/{one}" for one in (*info, "RECORD")
        ]
        info["RECORD"] = "".join(f'"{name}",,\n' for name in dict.fromkeys(names))
        members += [Member(f"m-1.dist-info/{name}", "file", text.encode(), {}) for name, text in info.items()]
    with zipfile.ZipFile(data, "w", dice.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))) as file:
        for member in members:
            one = zipfile.ZipInfo(member.name.partition("\0")[0] + "/" * (member.kind == "folder"))
            one.compress_type = file.compression
            if member.kind in ("link", "hard"):
                one.external_attr = 0o120777 << 16
            if dice.random() < 0.02:
                other = f"pkg/__pycache__/m.{TAG}.pyc".encode()
                field = b"\1" + zlib.crc32(one.filename.encode()).to_bytes(4, "little") + other
                one.extra = (0x7075).to_bytes(2, "little") + len(field).to_bytes(2, "little") + field
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                file.writestr(one, member.data)
    packed = bytearray(data.getvalue())
    if dice.random() < 0.15:  # one name in the list, another one of this length in the member's own header
        name = f"m.{TAG}.pyc".encode()
        found = packed.find(name) if dice.random() < 0.5 else packed.rfind(name)
        if found >= 0:
            packed[found : found + 1] = b"n"
    return bytes(packed)


# Who unpacks it.


def unpacked(path: str, folder: str, installers: Sequence[Tuple[str, List[str]]]) -> Iterator[Tuple[str, str]]:
    """The name of each unpacker that takes the archive, and the folder that it made."""
    is_zip = zipfile.is_zipfile(path) and not path.endswith(".tar")
    for name, unpack in (("zipfile", _by_zipfile), ("folded", _folded)) if is_zip else _FOR_TAR:
        target = os.path.join(folder, name)
        os.mkdir(target)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                unpack(path, target)
        except (
            OSError,
            ValueError,
            LookupError,
            RuntimeError,
            EOFError,
            tarfile.TarError,
            zipfile.BadZipFile,
            zlib.error,
        ):
            pass  # what it has unpacked until then can be imported
        yield name, target
    for name, command in installers if path.endswith(".whl") else ():
        target = os.path.join(folder, name)
        done = subprocess.run([*command, target, path], capture_output=True, check=False)
        if done.returncode == 0:
            yield name, target


def _by_zipfile(path: str, target: str) -> None:
    with zipfile.ZipFile(path) as file:
        for info in file.infolist():
            try:
                file.extract(info, target)
            except (OSError, LookupError):
                pass


def _by_tar(path: str, target: str) -> None:
    subprocess.run(["tar", "-xf", path, "-C", target], capture_output=True, check=False)


def _by_tarfile(path: str, target: str, kind: str = "data") -> None:
    with tarfile.open(path) as file:
        for info in file:
            if kind != "data" and _is_outside(info.name + "/" + (info.linkname if info.issym() else "")):
                continue  # not on this machine
            if kind != "data" and (info.ischr() or info.isblk() or info.isfifo()):
                continue
            try:
                options: dict[str, Any] = {"filter": kind} if hasattr(tarfile, "data_filter") else {}
                file.extract(info, target, **options)
            except (OSError, tarfile.TarError, LookupError):
                pass


def _is_outside(name: str) -> bool:
    return ".." in name.split("/") or name.startswith("/")


def _folded(path: str, target: str) -> None:
    """As on a file system that takes no notice of case, composed letters, and dots and spaces at the end."""
    members: List[Tuple[str, Optional[bytes]]] = []
    if zipfile.is_zipfile(path) and not path.endswith(".tar"):
        with zipfile.ZipFile(path) as file:
            for info in file.infolist():
                members.append((info.filename, None if info.external_attr >> 28 == 0xA else file.read(info)))
    else:
        with tarfile.open(path) as packed:
            for one in packed:
                found = packed.extractfile(one) if one.isreg() else None
                members.append((one.name, found.read() if found is not None else None))
    for name, data in members:
        name = unicodedata.normalize("NFKC", name.replace("\u00ad", "").replace("\u200d", "")).casefold()
        parts = [part.rstrip(". ") for part in name.split("/") if part not in ("", ".")]
        if data is None or not parts or ".." in parts or "" in parts:
            continue
        place = os.path.join(target, *parts)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as out:
                out.write(data)
        except OSError:
            pass


_FOR_TAR = (("tar", _by_tar), ("tarfile", _by_tarfile), ("folded", _folded),
            ("trusted", lambda path, target: _by_tarfile(path, target, "fully_trusted")))  # fmt: skip


# What is imported: runs in processes at each level of optimisation.


def answer() -> None:
    """For each folder on standard input, the modules in it: file, what is loaded, what its source compiles to."""
    sys.dont_write_bytecode = True
    for line in sys.stdin:
        found = [one for path in _folders(json.loads(line)) for one in _modules(path)]
        print(json.dumps(found), flush=True)


def _folders(top: str) -> Iterator[str]:
    for folder, below, names in os.walk(top, followlinks=True):
        if folder.count(os.sep) - top.count(os.sep) > 8:
            below.clear()
        yield folder
        yield from (os.path.join(folder, name) for name in names if zipfile.is_zipfile(os.path.join(folder, name)))


def _modules(path: str) -> Iterator[Tuple[str, str, Optional[str]]]:
    import zipimport
    from importlib import machinery

    places = [path]
    if os.path.isfile(path):
        with zipfile.ZipFile(path) as file:
            names = file.namelist()
        places += [os.path.join(path, name.rpartition("/")[0]) for name in names if "/" in name]
    else:
        names = os.listdir(path)
    stems = {name.rpartition("/")[2].partition(".")[0] for name in names} | {name.partition("/")[0] for name in names}
    for place in dict.fromkeys(places):
        for stem in sorted(stems):
            try:
                if os.path.isdir(place):
                    kinds = ((machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES),
                             (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES))  # fmt: skip
                    spec: Any = machinery.FileFinder(place, *kinds).find_spec(stem)
                    loader = spec and spec.loader
                    code = loader and loader.get_code(stem)
                else:
                    loader = zipimport.zipimporter(place)
                    code = loader.get_code(stem)
                if not isinstance(code, types.CodeType):
                    continue
            except (ImportError, EOFError, ValueError, TypeError, OSError, SyntaxError):
                continue
            try:
                text = loader.get_source(stem)
                source = text and digest(compile(text, "m.py", "exec", dont_inherit=True))
            except (ImportError, ValueError, SyntaxError, OSError):
                source = None
            yield os.path.join(place, stem), digest(code), source


class Importers:
    """A process for each level of optimisation."""

    def __init__(self) -> None:
        levels: Tuple[List[str], ...] = ([], ["-O"], ["-OO"])
        self.children = [
            subprocess.Popen(
                [sys.executable, "-I", "-S", "-W", "ignore", *level, _HERE, "--answer"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            ) for level in levels
        ]  # fmt: skip

    def modules(self, folder: str) -> Set[Tuple[str, str, Optional[str]]]:
        """What any of them would import."""
        for child in self.children:
            assert child.stdin
            child.stdin.write(json.dumps(folder) + "\n")
            child.stdin.flush()
        return {tuple(one) for child in self.children if child.stdout for one in json.loads(child.stdout.readline())}

    def close(self) -> None:
        """End the processes."""
        for child in self.children:
            child.communicate()


# What verify says.


def verdict(path: str) -> Tuple[int, Set[str]]:
    """The exit status, and the digests of all compiled files that were looked at."""
    from depyf.errors import DepyfError
    from depyf.files.names import is_compiled
    from depyf.files.trees import Tree
    from depyf.verification import check

    seen: Set[str] = set()

    def source_and_code(tree: Tree, name: str, sources: Any, real: Any = check._read) -> Any:
        if is_compiled(name):
            try:
                seen.add(digest(marshal.loads(tree.read(name)[16:])))
            except (DepyfError, ValueError, EOFError, TypeError):
                pass
        return real(tree, name, sources)

    before, check._read = check._read, source_and_code
    try:
        return check.verify_tree(path, statements=False).exit_status, seen
    except DepyfError:
        return 2, seen
    finally:
        check._read = before


def archive(seed: int, number: int, wheels: bool) -> Tuple[str, bytes]:
    """The suffix and the content of one archive."""
    dice = random.Random(seed * 1_000_003 + number)
    kind = "whl" if wheels else dice.choice(("tar", "tar", "zip", "whl"))
    members = Maker(dice, kind == "whl").all()
    if kind == "tar":
        return "x.tar", tar_file(members, dice)
    return "m-1-py3-none-any.whl" if kind == "whl" else "x.zip", zip_file(members, dice, kind == "whl")


def run(count: int, seed: int, first: int = 0, installers: Sequence[Tuple[str, List[str]]] = ()) -> Counter[str]:
    """Make, verify, unpack, import; the counts, ``failures`` among them."""
    importers = Importers()
    counts: Counter[str] = Counter()
    try:
        for number in range(first, first + count):
            name, data = archive(seed, number, bool(installers))
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, name)
                with open(path, "wb") as file:
                    file.write(data)
                status, seen = verdict(path)
                counts["archives"] += 1
                counts[f"status {status}"] += 1
                if status != 0 and number % 10:
                    continue
                os.mkdir(os.path.join(folder, "out"))
                bad = [f"{unpacker}: {os.path.relpath(module, place)}"
                       for unpacker, place in unpacked(path, os.path.join(folder, "out"), installers)
                       for module, loaded, source in importers.modules(place)
                       if loaded != source and (source is not None or loaded not in seen)]  # fmt: skip
                counts["unpacked"] += 1
                if bad and status == 0:
                    counts["failures"] += 1
                    print(f"archive {number} of seed {seed}, {name}: status 0, and {'; '.join(bad[:3])}", flush=True)
                counts["deceiving, of one in ten"] += bool(bad) and status != 0
    finally:
        importers.close()
    return counts


def main() -> int:
    """Run it; see the module's docstring."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first archive")
    parser.add_argument("--installers", action="store_true", help="only wheels, also by pip and uv")
    parser.add_argument("--uv", default=shutil.which("uv"), help="uv, if it is not on PATH")
    parser.add_argument("--save", metavar="DIR", help="write the archives there, and do nothing else")
    options = parser.parse_args()
    if options.save:
        for number in range(options.first, options.first + options.count):
            name, data = archive(options.seed, number, options.installers)
            os.makedirs(os.path.join(options.save, str(number)), exist_ok=True)
            with open(os.path.join(options.save, str(number), name), "wb") as file:
                file.write(data)
        return 0
    installers = []
    if options.installers:
        pip = [sys.executable, "-I", "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-input"]
        uv = [
            options.uv,
            "pip",
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            "--offline",
            "--no-cache",
            "--python",
            sys.executable,
        ]
        for name, command in (("pip", pip), *((("uv", uv),) if options.uv else ())):
            installers += [(f"{name}-target", [*command, "--target"]), (f"{name}-prefix", [*command, "--prefix"])]
    counts = run(options.count, options.seed, options.first, installers)
    kinds = "wheels, " + ", ".join(name for name, _ in installers) if installers else "tar, zip, wheels"
    deceiving, ten = counts["deceiving, of one in ten"], counts["unpacked"] - counts["status 0"]
    print(f"| {kinds}, seed {options.seed} | {counts['archives']} | {counts['status 0']} | {counts['status 1']} | "
          f"{counts['status 2']} | {counts['status 3']} | {deceiving} of {ten} | {counts['failures']} |")  # fmt: skip
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--answer"]:
        answer()
    else:
        sys.exit(main())
