"""Upstream's place of `install` and `uninstall`: imports only."""

from .transformed.bytecode_log import install, pytorch_bytecode_src_hook, uninstall

__all__ = ["install", "pytorch_bytecode_src_hook", "uninstall"]
