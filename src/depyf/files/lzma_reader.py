"""LZMA's decompressors, where this Python has them: one built without liblzma, such as Pyodide's, has none."""

from __future__ import annotations

from typing import Any

try:
    import lzma
except ImportError:
    lzma = None  # type: ignore[assignment]

__all__ = ["LZMAError", "lzma1_decompressor", "xz_decompressor"]


class _NoError(Exception):
    """What nothing raises."""


LZMAError: type[Exception] = lzma.LZMAError if lzma is not None else _NoError


def xz_decompressor(most: int) -> Any:
    """That of an .xz file; it allocates at most ``most`` bytes. Raises NotImplementedError."""
    _need()
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=most)


def lzma1_decompressor(window: int, lc: int, lp: int, pb: int) -> Any:
    """That of data without a header. Raises NotImplementedError."""
    _need()
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": window, "lc": lc, "lp": lp, "pb": pb}]
    return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=filters)


def _need() -> None:
    if lzma is None:
        raise NotImplementedError("it is compressed with LZMA, which this Python was built without")
