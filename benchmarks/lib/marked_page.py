"""Regions of documentation pages which benchmarks write: between ``<!-- name -->`` and ``<!-- /name -->``."""

from __future__ import annotations

from pathlib import Path


def put(page: Path, name: str, text: str) -> None:
    """Makes `text` the region `name` of a page. Raises ValueError, and leaves the page alone, when it has none."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no region between {begin.strip()} and {end}")
    text += "" if text.endswith("\n") else "\n"
    page.write_text("".join((before, begin, text, end, after)), encoding="utf-8")
