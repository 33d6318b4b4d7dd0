"""Annotations under the future statement."""

from __future__ import annotations

a: int = 3


def f(a: int | None) -> list[str]:
    return a


class A:
    b: f(1) = 2
