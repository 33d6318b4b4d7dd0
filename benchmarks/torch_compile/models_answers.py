"""What `depyf run` answers to each of the real models, as a page that a person reads before a release.

    python benchmarks/torch_compile/models_answers.py --python A/bin/python --write benchmarks/results/real-models.md
    python benchmarks/torch_compile/models_answers.py --models gcn bert --backend inductor      some, on standard output

Each model of tests/real_models is a program of its own, `depyf run tests/real_models NAME`, and what it prints on
standard error is its part of the page, without the seconds, which are others in each run. What is not installed is
listed at the end. Exit status 1 if a program fails, or an answer has more than ten lines of places.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

from torch_models import ROOT, environment, models_here

START, END = "<!-- answers -->", "<!-- /answers -->"
_SECONDS = re.compile(r"  \([\d.]+ \w+ compiling.*\)$", re.MULTILINE)
_PLACE = re.compile(r"^  \S+:\d+ ", re.MULTILINE)
_MOST = 10


def answer(python: str, model: str, ranks: int, backend: str) -> str:
    """What `depyf run` prints at the end, a paragraph for each rank. Raises CalledProcessError where a model fails."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, "-W", "ignore", "-m", "depyf", "run", "-o", folder + "/report", "tests/real_models",
                   model, backend]  # fmt: skip
        store = {"WORLD_SIZE": str(ranks), "MODELS_STORE": "file://{}/store".format(folder)} if ranks > 1 else {}
        processes = [
            subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, encoding="utf-8",
                             env={**environment(folder), **store, **({"RANK": str(rank)} if store else {})})
            for rank in range(ranks)
        ]  # fmt: skip
        said = []
        for one in processes:
            errors = one.communicate()[1]
            if one.returncode:
                raise subprocess.CalledProcessError(one.returncode, command, stderr=errors)
            lines = _SECONDS.sub("", errors[errors.index("depyf:") :]).splitlines()
            said.append("\n".join(line for line in lines if folder not in line))
    return "\n".join(said)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="an interpreter with a torch")
    parser.add_argument("--backend", default="eager", choices=["eager", "aot_eager", "inductor"])
    parser.add_argument("--models", nargs="+", metavar="NAME", help="models whose names begin so")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put them into this page")
    options = parser.parse_args()
    here = models_here(options.python)
    parts = ["torch {torch} on Python {python}, backend `{backend}`.".format(**here, backend=options.backend)]
    lacking: List[str] = []
    wrong: List[str] = []
    for name, (says, ranks, lacks) in here["models"].items():
        if options.models and not name.startswith(tuple(options.models)):
            continue
        if lacks:
            lacking.append("`{}` needs {}".format(name, ", ".join(lacks)))
            continue
        try:
            said = answer(options.python, name, ranks, options.backend)
        except subprocess.CalledProcessError as error:
            wrong.append("{}: {}".format(name, str(error.stderr)[-2000:]))
            continue
        if len(_PLACE.findall(said)) > _MOST * ranks:
            wrong.append("{}: more than {} places".format(name, _MOST))
        parts.append("## `{}`\n\n{}\n\n```\n{}\n```".format(name, says, said))
        print(parts[-1] if not options.write else name, flush=True)
    if lacking:
        parts.append("Not installed here: {}.".format("; ".join(lacking)))
    if options.write:
        before, after = options.write.read_text(encoding="utf-8").split(START)
        page = [before + START, *parts, END + after.partition(END)[2]]
        options.write.write_text("\n\n".join(page), encoding="utf-8")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
