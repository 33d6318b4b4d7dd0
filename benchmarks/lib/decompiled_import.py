"""A process of cpython_tests.py: serves decompiled modules to every import, runs a test, says what came of it.

    python -S -E -X frozen_modules=off decompiled_import.py ORDER

ORDER is a marshalled dictionary: ``modules`` (name -> path of the decompiled text, path of the original, whether it is
a package), ``test`` and ``result``, the file for what came of each test. Nothing is imported here before the hook
stands that need not be: what is loaded already can't be served any more.
"""

from __future__ import annotations

import marshal
import sys

TYPE_CHECKING = False  # as typing.TYPE_CHECKING, which must not be imported yet
if TYPE_CHECKING:
    import types
    from typing import Any

_external = sys.modules["_frozen_importlib_external"]


class Loader(_external.SourceFileLoader):  # type: ignore[name-defined,misc]
    """Loads a module from its decompiled text. ``__file__`` stays what it was: next to it lies what modules read."""

    served: list[str] = []  # modules that were loaded; tests take some out of sys.modules again

    def __init__(self, name: str, text: str, original: str) -> None:
        super().__init__(name, original)
        self.text = text

    def get_code(self, fullname: str) -> types.CodeType:
        self.served.append(fullname)
        return compile(self.get_data(self.text), self.text, "exec", dont_inherit=True)

    def get_source(self, fullname: str) -> str:
        return str(self.get_data(self.text), "utf-8")


class Finder:
    """Finds the modules that were decompiled."""

    def __init__(self, modules: dict[str, tuple[str, str, bool]]) -> None:
        self.modules = modules

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name not in self.modules:
            return None
        text, original, is_package = self.modules[name]
        within = [original.rpartition("/")[0]] if is_package else None
        loader = Loader(name, text, original)
        return _external.spec_from_file_location(name, original, loader=loader, submodule_search_locations=within)


def run_tests(name: str, found: dict[str, str]) -> None:
    """Runs all of a test module; ``found`` becomes the outcome of each test by its name."""
    import traceback
    import unittest

    support: Any = __import__("test.support").support
    support.verbose = 0
    support.use_resources = ["subprocess", "decimal"]  # neither the network, nor a screen, nor an hour

    class Result(unittest.TestResult):
        def addSuccess(self, test: unittest.TestCase) -> None:
            found.setdefault(test.id(), "ok")

        def addError(self, test: unittest.TestCase, error: Any) -> None:
            found[test.id()] = "error: " + "".join(traceback.format_exception(*error))

        def addFailure(self, test: unittest.TestCase, error: Any) -> None:
            found[test.id()] = "failure: " + "".join(traceback.format_exception(*error))

        def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, error: Any) -> None:
            if error is not None:
                found[test.id()] = "failure: " + "".join(traceback.format_exception(*error))

        def addSkip(self, test: unittest.TestCase, reason: str) -> None:
            found.setdefault(test.id(), "skipped")

        def addExpectedFailure(self, test: unittest.TestCase, error: Any) -> None:
            found.setdefault(test.id(), "expected failure")

        def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
            found[test.id()] = "unexpected success"

    unittest.defaultTestLoader.loadTestsFromName("test." + name).run(Result())


def main() -> None:
    with open(sys.argv[1], "rb") as file:
        order = marshal.load(file)
    del sys.argv[1:], sys.path[0]
    sys.meta_path.insert(0, Finder(order["modules"]))  # type: ignore[arg-type]
    sys.modules["decompiled_import"] = sys.modules.pop("__main__")  # tests look at __main__, and replace it
    sys.modules["__main__"] = type(sys)("__main__")
    import site

    site.main()
    outcomes: dict[str, str] = {}
    try:
        run_tests(order["test"], outcomes)
    finally:
        with open(order["result"], "wb") as file:
            marshal.dump({"outcomes": outcomes, "served": sorted(set(Loader.served))}, file)


if __name__ == "__main__":
    main()
