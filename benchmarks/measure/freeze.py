"""Texts, verdicts and line maps before and after a change that should keep them.

    python benchmarks/measure/freeze.py before.json                  record 60 files of the running Python's library
    python benchmarks/measure/freeze.py before.json --compare        the same again; print each difference
    ... --sample 1000 --layouts compact author stripped              more files and layouts (stripped: no line table)

Recorded are the text and the line map of each file, and the level of each of its code objects. Exit status 1 if
something differs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from chosen import library_files
from depyf.decompiler.pipeline import analyze
from roundtrip import strip


def record(path: Path, layout: str) -> Dict[str, str]:
    """What one file gives: a hash of its text and line map, and the number of code objects at each level."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(path.read_bytes(), path.name, "exec", dont_inherit=True)
    result = analyze(strip(code) if layout == "stripped" else code, layout="author" if layout == "author" else None)
    text, lines = result.text.printed
    found = {"text": hashlib.sha256(f"{text}{sorted(lines.items())}".encode("utf-8", "surrogatepass")).hexdigest()}
    for one in result.walk():
        level = " ".join(str(part) for part in one.verdict[:2] if part)
        found[level] = str(int(found.get(level, "0")) + 1)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--sample", type=int, default=60, help="files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layouts", nargs="+", choices=["compact", "author", "stripped"], default=["compact"])
    options = parser.parse_args()
    found: Dict[str, Dict[str, str]] = {}
    for path in library_files(options.sample, options.seed, 60_000):
        for layout in options.layouts:
            found[f"{path.parent.name}/{path.name} {layout}"] = record(path, layout)
    if not options.compare:
        options.file.write_text(json.dumps(found, indent=1))
        print(f"{len(found)} recorded")
        return 0
    before: Dict[str, Dict[str, str]] = json.loads(options.file.read_text())
    different: List[str] = [name for name in found if before.get(name) != found[name]]
    for name in different:
        print(name, before.get(name), found[name], sep="\n  ")
    print(f"{len(different)} of {len(found)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
