from __future__ import annotations

x: int = 3


class A:
    y = 3

    def f(self):
        return 1
