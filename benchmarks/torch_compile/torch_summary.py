"""What torch_matrix.py puts into the documentation: a row for each cell on the page, one for each program as CSV."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

from marked_page import put

COLUMNS = (
    "torch", "python", "program", "results", "compilations", "exit", "files", "calls", "pages", "proven", "codes",
    "well", "torch lacks", "torch fails alone", "differences",
)  # fmt: skip
HEADER = (
    "| torch | Python | same, all well | fail without depyf too | need what torch lacks | files compile "
    "| calls of pages | compilations proven | seconds |\n"
    "|---|---|---|---|---|---|---|---|---|"
)
COMPARED = ("results", "compilations", "exit")

Row = Dict[str, str]


def rows_of(cell: Dict[str, Any]) -> List[Row]:
    """One row for each program of a cell, all in words."""
    rows = []
    for found in cell["rows"]:
        row = dict.fromkeys(COLUMNS, "")
        row.update(torch=cell["torch"], python=cell["python"], program=found["program"])
        row["torch lacks"] = found["lacks"]
        if not found["lacks"]:
            row.update({part: "same" if found.get(part) else "different" for part in COMPARED})
            dump = found.get("dump", {})
            row["files"] = str(dump.get("files", ""))
            if dump.get("pages"):
                row.update(calls=str(dump["runs"]), pages=str(dump["pages"]))
            if dump.get("codes"):
                row.update(proven=str(dump["proven"]), codes=str(dump["codes"]))
            row["well"] = "no" if found["differences"] else "yes"
            row["torch fails alone"] = found["alone"]
            row["differences"] = " / ".join(" ".join(one.split()) for one in found["differences"])
        rows.append(row)
    return rows


def summary(rows: List[Row], seconds: Dict[str, int]) -> str:
    """The cells as a table, then each program that is not simply the same, with the cells where it is not.

    ``seconds``: what each cell took, by ``cell_of`` its rows.
    """
    cells: Dict[str, List[Row]] = {}
    for row in rows:
        cells.setdefault(cell_of(row), []).append(row)
    lines = [HEADER]
    for name, of_cell in cells.items():
        ran = [row for row in of_cell if not row["torch lacks"]]
        counts = {key: sum(int(row[key] or 0) for row in ran) for key in ("files", "calls", "pages", "proven", "codes")}
        form = (
            "| {torch} | {python} | {same} of {ran} | {alone} | {lacking} | {files} | {calls} of {pages} "
            "| {proven} of {codes} | {seconds} |"
        )
        well = sum(row["well"] == "yes" for row in ran)
        alone = sum(bool(row["torch fails alone"]) for row in ran)
        lines.append(
            form.format(
                **{**of_cell[0], **counts},
                same=well, ran=len(ran), alone=alone, lacking=len(of_cell) - len(ran), seconds=seconds.get(name, ""),
            )
        )
    parts = ["\n".join(lines)]
    parts += _listed("Something differs", [(row, _short(row["differences"])) for row in rows if row["well"] == "no"])
    parts += _listed("Torch fails alone", [(r, _short(r["torch fails alone"])) for r in rows if r["torch fails alone"]])
    parts += _listed("Torch lacks a name", [(r, "`{}`".format(r["torch lacks"])) for r in rows if r["torch lacks"]])
    return "\n\n".join(parts)


def cell_of(row: Row) -> str:
    """The cell of a row, as it is called in lists."""
    return "{} on {}".format(row["torch"], row["python"])


def write(page: Path, table: Path, rows: List[Row], seconds: Dict[str, int]) -> None:
    """Puts the summary into the page's region and all rows into the table."""
    put(page, "matrix", summary(rows, seconds))
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _short(text: str) -> str:
    """The first reason, cut, as code."""
    text = text.split(" / ")[0].split(";")[0]
    return "`{}`".format(text if len(text) <= 120 else text[:119].rstrip() + "…")


def _listed(title: str, found: List[Any]) -> List[str]:
    """A heading and a line for each reason, with its programs and cells; nothing if nothing was found."""
    cells: Dict[Any, List[str]] = {}
    for row, reason in found:
        cells.setdefault((row["program"], reason), []).append(cell_of(row))
    programs: Dict[Any, List[str]] = {}
    for (program, reason), where in sorted(cells.items()):
        programs.setdefault((reason, ", ".join(where)), []).append("`{}`".format(program))
    lines = ["* {}: {} ({})".format(", ".join(names), *key) for key, names in programs.items()]
    return ["## " + title, "\n".join(lines)] if lines else []
