"""Archives written as a test says, whatever sense they make."""

from __future__ import annotations

import importlib.util
import io
import marshal
import sys
import tarfile
import warnings
import zipfile

import depyf
from depyf.files.trees import VerificationError

TAG = sys.implementation.cache_tag
GOOD, EVIL = b"x = 'good'\n", b"x = 'evil'\n"


def pyc(text):
    code = compile(text, "m.py", "exec", dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def cached(folder, base="m", text=EVIL, end=""):
    """A source and its compiled file."""
    at = folder + "/" if folder else ""
    return [(f"{at}{base}.py", text), (f"{at}__pycache__/{base}.{TAG}{end}.pyc", pyc(text))]


CLEAN = [("pkg/__init__.py", b""), *cached("pkg", text=GOOD)]
LINK, FOLDER, DEVICE = tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE


def tar_of(members, **options):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", **options) as file:
        for name, content, *kind in members:
            info = tarfile.TarInfo(name)
            if kind:
                info.type, info.linkname = kind[0], content
            else:
                info.size = len(content)
            file.addfile(info, None if kind else io.BytesIO(content))
    return data.getvalue()


def zip_of(members, **options):
    data = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(data, "w", **options) as file:
        warnings.simplefilter("ignore")
        for name, content, *kind in members:
            info = zipfile.ZipInfo(name + "/" * (kind == [FOLDER]))
            info.compress_type = file.compression
            if kind:
                info.external_attr = {LINK: 0o120777, DEVICE: 0o010644, FOLDER: 0o040755}[kind[0]] << 16
            file.writestr(info, content)
    return data.getvalue()


def status(tmp_path, data, name="a"):
    """The exit status, and all reasons."""
    (tmp_path / name).write_bytes(data)
    try:
        report = depyf.verify_tree(tmp_path / name)
    except VerificationError as error:
        return 2, str(error)
    return report.exit_status, "; ".join(reason for file in report.files for reason in file.reasons)
