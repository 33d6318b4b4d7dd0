"""Helpers which earlier releases had here: imports only."""

from .explain.compat.code_tools import (
    collect_all_code_objects,
    decompile_ensure,
    get_code_owner,
    get_function_signature,
    safe_create_directory,
)

__all__ = [
    "collect_all_code_objects",
    "decompile_ensure",
    "get_code_owner",
    "get_function_signature",
    "safe_create_directory",
]
