"""Upstream's place of small helpers that others call: imports only."""

from .compat.compatibility import get_current_compiled_fn_name, lock_on_file, write_code_to_file_template
from .compat.text_tools import remove_indentation

__all__ = ["get_current_compiled_fn_name", "lock_on_file", "remove_indentation", "write_code_to_file_template"]
