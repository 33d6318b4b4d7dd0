"""depyf: source for Python bytecode, proven to mean the same; and what torch.compile made of your code.

``import depyf`` costs nothing: each public name, and each module of the package, is imported when it is first used,
and PyTorch only by the names that need it.
"""

# No `from __future__ import annotations`: it imports a module, and `depyf/__main__.py` has to come first.

TYPE_CHECKING = False  # type checkers take it for true; `typing` would be most of the cost of this import

if TYPE_CHECKING:
    from . import errors as errors
    from . import explain as explain
    from . import files as files
    from . import optimization as optimization
    from . import source as source
    from . import testing as testing
    from .comparing.session import compare
    from .decompiler import Decompiler, decompile
    from .decompiler.bytecode.reading.pyc import read_pyc
    from .decompiler.pipeline import analyze
    from .decompiler.proof import verify
    from .decompiler.recompile import recompile
    from .errors import DecompilationError, DepyfError
    from .explain.after_the_fact.pages import inspect
    from .explain.enable_debugging import debug, prepare_debug
    from .explain.enhance_logging import install, uninstall
    from .source import getsource
    from .verification.check import verify_file, verify_tree

__version__ = "1.0.0.dev0"

__all__ = [
    "decompile",
    "analyze",
    "recompile",
    "verify",
    "verify_file",
    "verify_tree",
    "read_pyc",
    "getsource",
    "Decompiler",
    "DepyfError",
    "DecompilationError",
    "prepare_debug",
    "compare",
    "debug",
    "inspect",
    "install",
    "uninstall",
    "__version__",
]

_HOME = {
    # Public name -> module that defines it. No module of this package may have the name of a public function.
    "decompile": ".decompiler",
    "verify_file": ".verification.check",
    "verify_tree": ".verification.check",
    "read_pyc": ".decompiler.bytecode.reading.pyc",
    "getsource": ".source",
    "Decompiler": ".decompiler",
    "analyze": ".decompiler.pipeline",
    "recompile": ".decompiler.recompile",
    "verify": ".decompiler.proof",
    "DepyfError": ".errors",
    "DecompilationError": ".errors",
    "prepare_debug": ".explain.enable_debugging",
    "compare": ".comparing.session",
    "debug": ".explain.enable_debugging",
    "inspect": ".explain.after_the_fact.pages",
    "install": ".explain.enhance_logging",
    "uninstall": ".explain.enhance_logging",
    # What IPython looks for, not for programs.
    "load_ipython_extension": ".notebook",
    "unload_ipython_extension": ".notebook",
}


if not TYPE_CHECKING:  # a type checker would take every name for one that this gives

    def __getattr__(name: str) -> object:
        """Import the public name or module ``name`` on first use.

        Raises AttributeError for a name that depyf does not have, and ImportError, never AttributeError, for one that
        it has but whose import fails: a broken PyTorch must not look like a depyf without ``prepare_debug``.
        """
        import importlib

        from .lazy import submodule

        home = _HOME.get(name)
        try:
            if home is None:
                value = submodule(__name__, name)
            else:
                value = getattr(importlib.import_module(home, __name__), name)
        except Exception as error:
            from .errors import explain_failed_import

            raise explain_failed_import(name, error) from error
        if value is None:
            raise AttributeError(f"module 'depyf' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> "list[str]":
    return sorted(set(globals()) | set(__all__))
