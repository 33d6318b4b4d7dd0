"""Upstream's place of `prepare_debug`, `debug` and what vLLM reaches for: imports only."""

from .compat.compatibility import patched_load_by_key_path
from .recording.breakpoints import debug
from .recording.session import prepare_debug

__all__ = ["debug", "patched_load_by_key_path", "prepare_debug"]
