"""Upstream's place of `prepare_debug`, `debug` and what vLLM reaches for: imports only."""

from depyf.explain.compat.compatibility import patched_load_by_key_path
from depyf.explain.recording.breakpoints import debug
from depyf.explain.recording.session import prepare_debug

__all__ = ["debug", "patched_load_by_key_path", "prepare_debug"]
