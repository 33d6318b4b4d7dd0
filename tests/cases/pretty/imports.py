import a
import a.b
import a.b as c
import d as e
from . import f
from .g import h
from ..i import j as k, l
from m import *


def local():
    import os.path
    from sys import argv as arguments, path
    return os, arguments, path
