"""What reads paths reads Windows' too, here by `ntpath`; systems.yml runs this, and what else needs no POSIX, there."""

from __future__ import annotations

import ntpath
import os
import re

import pytest

from depyf.explain.names import file_name, writable_name
from depyf.explain.report.remarks.answer import short
from depyf.files.names import parse
from depyf.files.trees import Tree
from depyf.targets import is_file, split_target


@pytest.fixture
def windows(monkeypatch):
    """`os.path` and the separator, in every module: they are attributes of one `os`."""
    monkeypatch.setattr(os, "path", ntpath)
    monkeypatch.setattr(os, "sep", "\\")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("C:\\programs\\shop.py", ("C:\\programs\\shop.py", "")),
        ("C:\\programs\\shop.py:Cart.total", ("C:\\programs\\shop.py", "Cart.total")),
        ("C:/programs/shop.pyc:Cart.total", ("C:/programs/shop.pyc", "Cart.total")),
        ("\\\\server\\share\\shop.py:f", ("\\\\server\\share\\shop.py", "f")),
        ("shop.py:f.<locals>.g", ("shop.py", "f.<locals>.g")),
    ],
)
def test_a_target_with_a_drive(text, parts, windows):
    assert split_target(text) == parts
    assert is_file(parts[0])


def test_the_name_of_a_file_that_another_system_compiled():
    assert file_name("C:\\programs\\shop.py") == file_name("/programs/shop.py") == "shop.py"


def test_a_file_below_the_working_directory_is_named_from_there(windows):
    assert short("C:\\work\\app\\train.py", "C:\\work") == "app\\train.py"
    assert short("D:\\work\\train.py", "C:\\work") == "D:\\work\\train.py"


def test_names_in_trees_have_slashes_and_paths_have_not(windows):
    tree = Tree()
    tree.path = "C:\\programs"
    assert tree.shown("shop/__pycache__/cart.pyc") == "C:\\programs\\shop\\__pycache__\\cart.pyc"
    assert parse("shop/__pycache__/cart.cpython-311.pyc").source == "shop/cart.py"


def test_no_name_of_a_dump_has_characters_that_windows_refuses():
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', writable_name('__transformed_code_0_for_<lambda>:a/b\\c"|?*\n.py'))
