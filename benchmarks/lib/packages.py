"""A second corpus: ten well-known packages of the registry, which pip downloads for the run. Nobody chose them by hand.

They are in the newest releases that run on the oldest Python that depyf runs on: all interpreters get the same files,
and as hardly any new release is for that Python, figures stay comparable.
"""

from __future__ import annotations

import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import List, Optional

NAMES = """
arrow attrs babel beautifulsoup4 bottle cachetools celery click cmd2 colorama dask discord.py django dnspython docutils
faker fastapi flask httpx humanize hypothesis invoke ipython jedi jinja2 joblib jsonschema kombu loguru mako markdown
marshmallow more-itertools mpmath networkx nltk oauthlib packaging paramiko parso pexpect pika pip pluggy
prompt-toolkit pycparser pygments pyparsing pytest python-dateutil redis requests rich scrapy setuptools sphinx sqlglot
starlette sympy tabulate textual toolz tqdm trio twisted typer urllib3 werkzeug wtforms
""".split()
COUNT = 10
PYTHON = "3.8"


NEW = """
anndata arviz bokeh contourpy django flax homeassistant jax jaxlib networkx numcodecs numpy optype pint pymc scanpy
scipy sphinx xarray-einstats zarr
""".split()
"""Packages whose newest releases ask for Python 3.12 or later."""
NEWEST = "3.14"


def chosen(seed: int) -> List[str]:
    """The ten packages."""
    return sorted(random.Random(seed).sample(NAMES, COUNT))


def download(names: List[str], folder: Path, python: str = PYTHON) -> None:
    """Put the sources of each package, for that ``python``, into a folder of its own, unless it is there already."""
    for name in names:
        if (folder / name).is_dir():
            continue
        wheels = folder / "wheels" / name
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--only-binary=:all:", "--python-version", python, "-d", str(wheels), name], check=True)
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            wanted = (".py", ".dist-info/METADATA")
            archive.extractall(folder / name, [one for one in archive.namelist() if one.endswith(wanted)])


def requires(name: str, folder: Path) -> str:
    """What the package says of the Pythons that it is for, such as '>=3.12'."""
    (metadata,) = (folder / name).glob("*.dist-info/METADATA")
    lines = metadata.read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("Requires-Python:")), "")


def files_of(names: List[str], folder: Path, sample: Optional[int], seed: int) -> List[str]:
    """Their Python files; with ``sample`` so many, from each package the same share of that number."""
    found: List[str] = []
    for name in names:
        files = sorted(map(str, (folder / name).rglob("*.py")))
        if sample is not None:
            share = max(sample // len(names), 1)
            files = sorted(random.Random(seed).sample(files, min(share, len(files))))
        found += files
    return found
