"""The executor of a running Dask cluster: what it is given, it hands to the workers."""

from __future__ import annotations

import contextlib
from concurrent.futures import Executor
from typing import Iterator

from ..errors import DepyfError

__all__ = ["scheduler"]

_SECONDS = 30


@contextlib.contextmanager
def scheduler(address: str | None) -> Iterator[Executor | None]:
    """The executor of the cluster whose scheduler is at ``address``; None for none.

    A worker that is lost costs nothing: the scheduler gives its files to another one. Raises DepyfError.
    """
    if address is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise DepyfError(f"--scheduler needs Dask: pip install 'depyf-proven[dask]' ({error})") from error
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise DepyfError(f"no scheduler of Dask answers at {address}: {error}") from error
    try:
        executor: Executor = client.get_executor(pure=False)
        yield executor
        executor.shutdown(wait=False)
    finally:
        client.close()
