"""Annotations whose text has an ellipsis in an index."""

from __future__ import annotations
a: dict[str, Callable[..., None]]
b: Callable[[A, ...], None]
c: x[..., 1]
d: x[...]
e: x[1:2, ...]
f: Callable[..., Callable[..., 1]]


def g(a: dict[str, Callable[..., None]]) -> x[...,]:
    pass


def h(a: Tuple[Callable[..., "C[Any]"], U[str, Callable[..., "C[Any]"]]], b: X['Ellipsis', ...], c: X[()], d: X[1, 2]):
    pass
