"""The operations that this room accepts, with those that it executes differently from the default.

It refuses early what ``dispatch/`` handles better, and trusts that LIST_APPEND appends to a list built by this code.
"""

from __future__ import annotations

from typing import Any

from ..stack_machine.machine import Handler, Handlers, Machine
from ..stack_machine.operations import HANDLERS as EVERY_HANDLER
from ..stack_machine.operations.additions import append
from ..stack_machine.operations.displays import make_container
from ..stack_machine.operations.unpacking import joined

_LEFT_TO_DISPATCH = frozenset(
    {"BUILD_MAP_UNPACK", "BUILD_SET_UNPACK", "CONVERT_VALUE", "EAGER_IMPORT_NAME", "GET_AITER", "GET_AWAITABLE",
     "GET_YIELD_FROM_ITER", "LOAD_SUPER_ATTR", "MAP_ADD", "SET_ADD", "SET_UPDATE", "TO_BOOL"}
)  # fmt: skip


def _refused(reason: str) -> Handler:
    def refuse(machine: Machine, arg: Any) -> None:
        raise machine.error(reason)

    return refuse


def _build_list_unpack(machine: Machine, count: int) -> None:
    make_container(machine, "list", joined(machine, count))


def _build_tuple_unpack(machine: Machine, count: int) -> None:
    make_container(machine, "tuple", joined(machine, count))


HANDLERS: Handlers = {
    **{operation: handler for operation, handler in EVERY_HANDLER.items() if operation not in _LEFT_TO_DISPATCH},
    "BUILD_LIST_UNPACK": _build_list_unpack,
    "BUILD_TUPLE_UNPACK": _build_tuple_unpack,
    "IMPORT_NAME": _refused("an import in code with other stack shapes"),
    "LIST_APPEND": append,
    "LOAD_ASSERTION_ERROR": _refused("an assertion in code with other stack shapes"),
}
