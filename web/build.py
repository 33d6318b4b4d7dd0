"""Build the page that decompiles in the browser: a folder that any server of static files can serve.

    python web/build.py                           all versions, to build/web
    python web/build.py --versions 3.13 3.14 --out site/page
    python -m http.server --bind 127.0.0.1 --directory build/web

Each CPython is a release of Pyodide, from npm; Node.js (20 or later) and npm are needed, and no other package. What the
page imports, of depyf and of the standard library, is compiled by that very CPython here, so that no browser does it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

PYODIDES = {
    "3.10": "0.22.1", "3.11": "0.25.1", "3.12": "0.27.8", "3.13": "0.29.5", "3.14": "314.0.7",
    "3.15": "315.0.0-alpha.2",
}  # fmt: skip
"""CPython -> the release of Pyodide that has it."""

KEPT = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide.asm.data", "pyodide_py.tar",
        "python_stdlib.zip", "pyodide-lock.json", "repodata.json")  # fmt: skip
"""What a browser loads of a release; none has all of them."""

PAGE = ("index.html", "style.css", "app.mjs", "view.mjs", "draw.mjs", "choose.mjs", "worker.mjs", "offline.mjs",
        "report.html", "report.js")  # fmt: skip

COMPILE = """
const [folder, source, target] = process.argv.slice(2);
const { loadPyodide } = await import(folder + "/pyodide.mjs");
const pyodide = await loadPyodide({ indexURL: folder });
for (const [name, root] of [["/source", source], ["/target", target]]) {
  pyodide.FS.mkdirTree(name);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, name);
}
await pyodide.runPythonAsync(PYTHON);
process.exit(0);
"""
PYTHON = """
import importlib.util, pathlib, zipfile

def compiled(path, name):
    # As -m compileall --invalidation-mode unchecked-hash writes them, but where zipimport looks.
    code = importlib._bootstrap_external.SourceLoader.source_to_code(None, path.read_bytes(), name)
    return importlib._bootstrap_external._code_to_hash_pyc(code, b"0" * 8, False)

for archive in pathlib.Path("/source").iterdir():
    with zipfile.ZipFile(f"/target/{archive.name}.zip", "w", zipfile.ZIP_DEFLATED) as out:
        for path in sorted(archive.rglob("*")):
            name = path.relative_to(archive).as_posix()
            if path.suffix == ".py":
                try:
                    out.writestr(zipfile.ZipInfo(name + "c"), compiled(path, f"/{archive.name}.zip/{name}"),
                                 zipfile.ZIP_DEFLATED)
                    continue
                except SyntaxError:
                    pass
            if path.is_file():
                out.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
"""
"""Runs in Pyodide: folders in /source -> archives in /target, with modules compiled."""


def installed(version: str, work: Path) -> Path:
    """Install the Pyodide of a CPython into the folder ``work``; the folder of the package."""
    npm = [shutil.which("npm") or "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(work)]
    work.mkdir(exist_ok=True)
    subprocess.run([*npm, f"pyodide@{PYODIDES[version]}"], check=True, stdout=subprocess.DEVNULL)
    return work / "node_modules" / "pyodide"


def build_version(version: str, out: Path) -> None:
    """Put a CPython and depyf's modules, compiled by it, into the folder ``out``."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        package = installed(version, work)
        out.mkdir(parents=True)
        for kept in KEPT:
            if (package / kept).is_file():
                shutil.copyfile(package / kept, out / kept)
        source, target = work / "source", work / "target"
        target.mkdir()
        ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(ROOT / "src" / "depyf", source / "depyf" / "depyf", ignore=ignored)
        shutil.copyfile(ROOT / "web" / "answers.py", source / "depyf" / "answers.py")
        library = package / "python_stdlib.zip"
        if library.is_file():
            with zipfile.ZipFile(library) as archive:
                archive.extractall(source / "python_stdlib")
        script = work / "compile.mjs"
        script.write_text(COMPILE.replace("PYTHON", json.dumps(PYTHON)), encoding="utf-8")
        subprocess.run(["node", str(script), str(package), str(source), str(target)], check=True)
        for made in target.iterdir():
            shutil.copyfile(made, out / made.name)


def known_versions() -> dict[str, list[int]]:
    """The magic numbers of each CPython whose files depyf reads: what the page chooses a version by."""
    from depyf.decompiler.bytecode.code.formats import FORMATS

    return {"{}.{}".format(*version): sorted(form.magic_numbers) for version, form in FORMATS.items()}


def build(out: Path, versions: list[str]) -> dict[str, Any]:
    """Build the page into the folder ``out``, replacing one that was built before; what the page knows of itself."""
    if out.is_dir() and any(out.iterdir()) and not (out / "versions.json").is_file():
        raise SystemExit(f"{out} has something else in it")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=str(out.parent)) as name:
        folder = Path(name) / "page"
        folder.mkdir()
        for version in versions:
            build_version(version, folder / "python" / version)
        for part in PAGE:
            shutil.copyfile(ROOT / "web" / part, folder / part)
        about = described(folder, versions)
        (folder / "versions.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        offline = folder / "offline.mjs"
        text = offline.read_text(encoding="utf-8").replace("of all files of the page", about["digest"])
        offline.write_text(text, encoding="utf-8")
        if out.is_dir():
            shutil.rmtree(out)
        folder.replace(out)
    return about


def described(folder: Path, versions: list[str]) -> dict[str, Any]:
    """The content of versions.json; ``digest`` is of all files."""
    import depyf

    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    digest = hashlib.sha256()
    for name, path in files.items():
        digest.update(name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return {
        "depyf": depyf.__version__,
        "built": versions,
        "magic": known_versions(),
        "page": [name for name in files if "/" not in name],
        "digest": digest.hexdigest()[:16],
    }


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "web", help="the folder (default: build/web)")
    parser.add_argument("--versions", nargs="+", choices=PYODIDES, default=list(PYODIDES), metavar="X.Y",
                        help="of CPython (default: all)")  # fmt: skip
    options = parser.parse_args()
    build(options.out, sorted(options.versions, key=list(PYODIDES).index))
    for version in options.versions:
        size = sum(path.stat().st_size for path in (options.out / "python" / version).iterdir())
        print(f"CPython {version}, Pyodide {PYODIDES[version]}: {size / 1e6:.1f} MB")
    print(f"{options.out}: serve it with any server, such as python -m http.server")
    return 0


if __name__ == "__main__":
    sys.exit(main())
