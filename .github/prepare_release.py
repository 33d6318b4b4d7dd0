"""Makes the README's links absolute, as a package index needs them, and puts in the repository that is released.

    python .github/prepare_release.py OWNER/NAME TAG [FOLDER]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PLACEHOLDER = "OWNER/depyf"
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!\w+:|#)(?P<path>[^)]+)\)")


def absolute(text: str, repository: str, tag: str) -> str:
    """`text` with links that work anywhere: files as pages of the repository, pictures as files."""

    def link(match: re.Match[str]) -> str:
        kind = "raw" if match["image"] else "blob"
        return f"{match['image']}[{match['text']}](https://github.com/{repository}/{kind}/{tag}/{match['path']})"

    return _LINK.sub(link, text)


def main(repository: str, tag: str, folder: Path) -> None:
    """Rewrites the files in `folder`."""
    readme = folder / "README.md"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), repository, tag), encoding="utf-8")
    for name in ("README.md", "pyproject.toml", "CITATION.cff"):
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace(PLACEHOLDER, repository), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3] if sys.argv[3:] else "."))
