"""Records of outcomes in a file: a line of JSON each, or a row of Parquet. Whole or not at all."""

from __future__ import annotations

import json
import os
from typing import Any

from ..errors import DepyfError
from .outcome import Outcome

__all__ = ["Results"]

_ROWS = 10_000


class Results:
    """A file of records, which has its name when all are in it. A context manager.

    Raises DepyfError for a name that ends in neither ``.jsonl`` nor ``.parquet``, OSError.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._rows: list[dict[str, Any]] = []
        self._unfinished = f"{path}.{os.getpid()}.part"  # what a run left that was killed is in nobody's way
        self._file: Any = None
        self._schema: Any = None
        if path.endswith(".parquet"):
            self._schema = _schema()
        elif not path.endswith(".jsonl"):
            raise DepyfError(f"--results writes NAME.jsonl or NAME.parquet, not {path}")

    def __enter__(self) -> Results:
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        if self._schema is None:
            self._file = open(self._unfinished, "x", encoding="utf-8")
        else:
            import pyarrow.parquet

            self._file = pyarrow.parquet.ParquetWriter(self._unfinished, self._schema)
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if kind is None:
            self._write()
        self._file.close()
        if kind is None:
            os.replace(self._unfinished, self.path)
        else:
            os.unlink(self._unfinished)

    def add(self, outcome: Outcome) -> None:
        """One more record, without the source."""
        record = outcome.to_dict()
        record.pop("source", None)
        self._rows.append({"warnings": [], **record})
        if len(self._rows) >= _ROWS:
            self._write()

    def _write(self) -> None:
        rows, self._rows = self._rows, []
        if self._schema is None:
            self._file.writelines(json.dumps(row) + "\n" for row in rows)
            return
        import pyarrow

        # Parquet's text is UTF-8, which has no lone surrogates.
        clean = [json.loads(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace")) for row in rows]
        for row in clean:
            row["verdicts"] = list(row["verdicts"].items())
        self._file.write_table(pyarrow.Table.from_pylist(clean, schema=self._schema))


def _schema() -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise DepyfError("--results NAME.parquet needs pyarrow: pip install pyarrow") from error
    text = pa.string()
    doubt = pa.struct([("where", text), ("line", pa.int64()), ("verdict", text), ("reasons", pa.list_(text))])
    return pa.schema([
        ("path", text), ("written", text), ("was_there", pa.bool_()), ("error", text), ("python", text),
        ("filename", text), ("proven", pa.bool_()), ("verdicts", pa.map_(text, pa.int64())),
        ("not_proven", pa.list_(doubt)), ("warnings", pa.list_(text)),
    ])  # fmt: skip
