"""What a process of cpython_tests.py runs: serves decompiled modules to every import, runs a test, says what came of it.

    python -S -E -X frozen_modules=off decompiled_import.py ORDER

ORDER is a marshalled dictionary: ``modules`` (name -> path of the decompiled text, path of the original, whether it is
a package), ``test`` and ``result``, the file for what came of each test. Nothing is imported here before the hook
stands that need not be: what is loaded already can't be served any more.
"""

from __future__ import annotations

import marshal
import sys

_external = sys.modules["_frozen_importlib_external"]


class Loader(_external.SourceFileLoader):  # type: ignore[name-defined,misc]
    """Loads a module from its decompiled text. ``__file__`` stays what it was: next to it lies what modules read."""

    def __init__(self, name, text, original):  # type: ignore[no-untyped-def]
        super().__init__(name, original)
        self.text = text

    def get_code(self, fullname):  # type: ignore[no-untyped-def]
        return compile(self.get_data(self.text), self.text, "exec", dont_inherit=True)

    def get_source(self, fullname):  # type: ignore[no-untyped-def]
        return self.get_data(self.text).decode()


class Finder:
    """Finds the modules that were decompiled."""

    def __init__(self, modules):  # type: ignore[no-untyped-def]
        self.modules = modules

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name not in self.modules:
            return None
        text, original, is_package = self.modules[name]
        within = [original.rpartition("/")[0]] if is_package else None
        loader = Loader(name, text, original)
        return _external.spec_from_file_location(name, original, loader=loader, submodule_search_locations=within)


def run_tests(name, found):  # type: ignore[no-untyped-def]
    """Runs all of a test module; ``found`` becomes the outcome of each test by its name."""
    import unittest

    from test import support

    support.verbose = 0
    support.use_resources = ["subprocess", "decimal"]  # neither the network, nor a screen, nor an hour

    class Result(unittest.TestResult):
        def addSuccess(self, test):  # type: ignore[no-untyped-def]
            found.setdefault(test.id(), "ok")

        def addError(self, test, error):  # type: ignore[no-untyped-def]
            found[test.id()] = "error: " + self._exc_info_to_string(error, test)

        def addFailure(self, test, error):  # type: ignore[no-untyped-def]
            found[test.id()] = "failure: " + self._exc_info_to_string(error, test)

        def addSubTest(self, test, subtest, error):  # type: ignore[no-untyped-def]
            if error is not None:
                found[test.id()] = "failure: " + self._exc_info_to_string(error, test)

        def addSkip(self, test, reason):  # type: ignore[no-untyped-def]
            found.setdefault(test.id(), "skipped")

        def addExpectedFailure(self, test, error):  # type: ignore[no-untyped-def]
            found.setdefault(test.id(), "expected failure")

        def addUnexpectedSuccess(self, test):  # type: ignore[no-untyped-def]
            found[test.id()] = "unexpected success"

    unittest.defaultTestLoader.loadTestsFromName("test." + name).run(Result())


def main() -> None:
    with open(sys.argv[1], "rb") as file:
        order = marshal.load(file)
    del sys.argv[1:], sys.path[0]
    sys.meta_path.insert(0, Finder(order["modules"]))
    sys.modules["decompiled_import"] = sys.modules.pop("__main__")  # tests look at __main__, and replace it
    sys.modules["__main__"] = type(sys)("__main__")
    import site

    site.main()
    outcomes = {}  # type: ignore[var-annotated]
    try:
        run_tests(order["test"], outcomes)
    finally:
        served = [name for name in order["modules"] if isinstance(getattr(sys.modules.get(name), "__loader__", 0), Loader)]
        with open(order["result"], "wb") as file:
            marshal.dump({"outcomes": outcomes, "served": served}, file)


if __name__ == "__main__":
    main()
