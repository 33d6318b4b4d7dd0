"""Objects among the constants of code that have no literal: what tools put there, and code that no function is made of.

The text has a name for each, and `recompile` puts the object back.
"""

from __future__ import annotations

from functools import cached_property
from types import CodeType
from typing import Any

from ..bytecode import RawCode, load
from ..names.spelling import LITERAL_TYPES, Spelling, dotted_path
from ..proof.scaffold import Spelled
from ..syntax import nodes

_LITERALS = {*LITERAL_TYPES, frozenset, slice}  # the last two for displays and subscripts


class Objects:
    """The objects in the text of ``root``."""

    def __init__(self, root: RawCode) -> None:
        self._root = root

    @cached_property
    def spelling(self) -> Spelling:
        """The names for all of ``root``."""
        return Spelling(self._root)

    @property
    def named(self) -> dict[str, Any]:
        """The objects that were given names so far, by these."""
        return self.spelling.named if "spelling" in vars(self) else {}

    def write_names(self, body: list[nodes.Statement]) -> None:
        """Replace the objects in ``body`` by names."""
        nodes.rewrite(nodes.Module(body), self._replace)

    def spelled_with(self, spelled: Spelled) -> Spelled:
        """``spelled`` with the objects that are named so far."""
        if not self.named:
            return spelled
        constants = {**spelled.constants, **{text: self.spelling.constants[text] for text in self.named}}
        return Spelled(constants, spelled.names, spelled.variables, spelled.functions, spelled.meant)

    def of(self, raw: RawCode) -> dict[str, Any]:
        """Those whose names in the text are made up, of the constants of ``raw`` and of the code nested in it."""
        if not self.named:
            return {}
        known = {id(one) for code in raw.walk() for constant in code.consts for one in _items(constant)}
        return {
            text: value for text, value in self.named.items() if id(value) in known and dotted_path(value) != text
        }

    def _replace(self, node: nodes.Node) -> nodes.Node:
        if type(node) is not nodes.Constant or not _is_object(node.value):
            return node
        return self._written(node.value)

    def _written(self, value: Any) -> nodes.Expression:
        if not _is_object(value):
            return nodes.Constant(value)
        if type(value) is tuple:
            return nodes.Tuple([self._written(item) for item in value])
        text = self.spelling.constant(value)
        if text is None:
            return nodes.Constant(value)
        first, *attributes = text.split(".")
        written: nodes.Expression = nodes.Name(first)
        for attribute in attributes:
            written = nodes.Attribute(written, attribute)
        return written


def has_objects(raw: RawCode) -> bool:
    """Whether the text of ``raw`` may have to name one of its constants."""
    for one in raw.consts:
        kind = type(one)
        if kind not in _LITERALS and (one.is_value if kind is RawCode else _is_object(one)):
            return True
    return False


def code_in_tuples(raw: RawCode) -> list[RawCode]:
    """The code objects in tuples among the constants of ``raw``: no function can be made of them."""
    tuples = [one for one in raw.consts if type(one) is tuple and _is_object(one)]
    found = [one for constant in tuples for one in _items(constant)]
    return [load(one) if type(one) is CodeType else one for one in found if type(one) in (CodeType, RawCode)]


def _is_object(value: Any) -> bool:
    return any(map(_is_object, value)) if type(value) is tuple else type(value) not in _LITERALS


def _items(constant: Any) -> list[Any]:
    return [one for item in constant for one in _items(item)] if type(constant) is tuple else [constant]
