lazy import json
lazy import os.path
lazy import a.b as c
lazy from sys import argv, path as p
import re


def f():
    import re
    from os import x


try:
    import q
except ImportError:
    q = None


class A:
    import z
