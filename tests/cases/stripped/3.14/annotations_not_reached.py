"""A module with a docstring."""

import os

if False:
    from typing import IO

    theme: IO

reached: int = 1


def f():
    return os


f()
