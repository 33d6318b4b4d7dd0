"""Private names: in class C the compiler mangles `__x` to `_C__x`."""

from __future__ import annotations

from ..bytecode import RawCode
from ..syntax import nodes

_FIELDS = {
    nodes.Name: "id",
    nodes.Attribute: "attr",
    nodes.arg: "arg",
    nodes.alias: "asname",
    nodes.ExceptHandler: "name",
    nodes.MatchAs: "name",
    nodes.MatchStar: "name",
    nodes.MatchMapping: "rest",
}


def unmangle(body: list[nodes.Statement], class_name: str, raw: RawCode) -> None:
    """Unmangle the names in ``body``, the statements of ``raw``, which is code inside the class; changes the tree.
    """
    stem = class_name.lstrip("_")
    if not stem:
        return  # the compiler mangles nothing in a class named `_`
    prefix = f"_{stem}__"
    parts = (raw, *raw.nested)  # whose parameters are in the body
    names = [name for part in parts for name in (*part.names, *part.varnames, *part.cellvars, *part.freevars)]
    if prefix not in " ".join(names):
        return
    for node in nodes.walk(nodes.Module(body)):
        field = _FIELDS.get(type(node))
        if field is not None:
            setattr(node, field, _short(getattr(node, field), prefix))
        elif isinstance(node, (nodes.Global, nodes.Nonlocal)):
            node.names = [_short(name, prefix) or name for name in node.names]
        elif isinstance(node, nodes.ImportFrom):
            for alias in node.names:
                short = _short(alias.name, prefix) or alias.name
                if short != alias.name and any(isinstance(one, tuple) and short in one for one in raw.consts):
                    alias.name = short  # only the attribute that is read was mangled
                elif short != alias.name and alias.asname is None:
                    alias.asname = short


def _short(name: str | None, prefix: str) -> str | None:
    if name is None or not name.startswith(prefix) or name.endswith("__") or len(name) == len(prefix):
        return name
    return name[len(prefix) - 2 :]
