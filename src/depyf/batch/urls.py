"""Inputs and outputs that `fsspec` reads and writes: ``s3://bucket/x.whl``, ``memory://out``. Inputs are copied to a
temporary folder, which is removed at the end."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from typing import Any, Iterable, Iterator

from ..errors import DepyfError

__all__ = ["Copies", "is_url", "write_url"]

_URL = re.compile(r"[a-z][a-z0-9+.-]+(?:://|::)")


def is_url(text: object) -> bool:
    """Whether it is for fsspec."""
    return isinstance(text, str) and _URL.match(text) is not None


class Copies:
    """The copies of the inputs of one run. A context manager."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._urls: dict[str, str] = {}

    def __enter__(self) -> Copies:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def local(self, targets: Iterable[Any]) -> Iterator[Any]:
        """The targets, with the paths of copies for URLs. Raises DepyfError."""
        for target in targets:
            yield self._copied(target) if is_url(target) else target

    def shown(self, text: str) -> str:
        """A text with URLs in the place of their copies."""
        for path, url in self._urls.items():
            text = text.replace(path, url)
        return text

    def _copied(self, url: str) -> str:
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="depyf-"))
        system, path = _opened(url)
        copy = os.path.join(folder, os.path.basename(path.rstrip("/")) or "root")
        with _told(url):
            is_folder = system.isdir(path)
            system.get(path, copy, recursive=is_folder)
        self._urls[copy] = url.rstrip("/")
        return copy


def write_url(url: str, name: str, data: bytes) -> str:
    """Write a file below the folder ``url``; its URL. Raises DepyfError."""
    system, path = _opened(url)
    path = f"{path.rstrip('/')}/{name}"
    with _told(url):
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.pipe_file(path, data)
    return f"{url.rstrip('/')}/{name}"


def _opened(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise DepyfError(f"{url} needs fsspec: pip install fsspec") from error
    with _told(url):
        system, path = url_to_fs(url)
    return system, path


@contextlib.contextmanager
def _told(url: str) -> Iterator[None]:
    """Errors of whatever file system it is, as ours."""
    try:
        yield
    except Exception as error:
        raise DepyfError(f"can't reach {url}: {type(error).__name__}: {error}") from error
