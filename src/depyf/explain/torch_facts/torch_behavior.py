"""Differences between PyTorch versions, each a named fact, probed, with its evidence.

The logic elsewhere asks these functions and never looks at a version number. Every function raises
`MissingHook`, or gives what its text says, when this torch has no such thing; the caller records what that costs.
Importing this module imports no torch: the functions do.
"""

from __future__ import annotations

import contextlib
import sys
import types
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Callable, Iterator

from ..code_objects import cell_contents

__all__ = [
    "MissingHook",
    "ahead_of_time",
    "backend_name",
    "cache_entries",
    "collects_guard_lines",
    "compilation_metrics",
    "compiles_ahead_of_time",
    "compiling_frame",
    "continued_code",
    "current_compile_id",
    "entry_about_to_go",
    "find",
    "graph_formatter",
    "guard_manager_of",
    "input_source",
    "is_generating_backward",
    "is_lazy_and_pending",
    "is_there",
    "loaded_from_packages",
    "never_compile",
    "nothing_compiles",
    "print_graph",
    "recompile_reasons",
    "register_bytecode_hook",
    "registered_imports",
    "resume_code",
    "run_only",
    "side_effects",
    "torch_version",
    "traced_instructions",
    "user_stack",
    "with_dynamo_off",
]


class MissingHook(Exception):
    """This torch does not have what one of our hooks needs."""


def find(module: str, attribute: str) -> Any:
    """The object at ``module.attribute`` (dots allowed). Raises MissingHook when it does not exist."""
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise MissingHook(f"this torch has no {module}.{attribute}") from error
    return found


def is_there(probe: Callable[..., Any], *args: Any) -> bool:
    """Whether ``probe(*args)`` finds what it looks for: whether it raises no MissingHook."""
    try:
        probe(*args)
    except MissingHook:
        return False
    return True


def torch_version() -> str:
    """For readers of the index only."""
    return str(find("torch", "__version__"))


# ---- Dynamo


def register_bytecode_hook(hook: Callable[..., Any]) -> Any:
    """Registers a hook on Dynamo's new code; returns the handle. There with the same signature in 2.2 to 2.15."""
    return find("torch._dynamo.convert_frame", "register_bytecode_hook")(hook)


_LONGEST_WAIT = 60.0
_FARTHEST_CALLER = 8


@contextlib.contextmanager
def nothing_compiles() -> Iterator[None]:
    """Other threads compile nothing in the block: Dynamo goes through its hooks while we add and remove ours.

    Its lock is `compile_lock`, in convert_frame.py from 2.4, in eval_frame.py in 2.2. Nobody waits longer than a
    minute for it, as a compilation may itself wait for this thread.
    """
    lock: Any = None
    for module in ("torch._dynamo.convert_frame", "torch._dynamo.eval_frame"):
        lock = lock or getattr(sys.modules.get(module), "compile_lock", None)
    held = lock.acquire(timeout=_LONGEST_WAIT) if lock is not None else False
    try:
        yield
    finally:
        if held:
            lock.release()


def with_dynamo_off(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, with nothing of it compiled in this thread.

    While Dynamo compiles, it is off already. It is on where torch calls us as the program runs: compiled autograd
    formats its graph while `backward()` is called from a compiled frame. `set_eval_frame` is there in 2.2 to 2.15.
    Dynamo itself must pass over this function (`never_compile`): 2.2 compiled what stood after the line that switches
    it off.
    """
    try:
        set_eval_frame = sys.modules["torch"]._C._dynamo.eval_frame.set_eval_frame
    except (KeyError, AttributeError):
        return function(*args, **kwargs)
    before = set_eval_frame(None)
    try:
        return function(*args, **kwargs)
    finally:
        set_eval_frame(before)


def never_compile(code: types.CodeType) -> None:
    """Dynamo runs frames of `code` as they are, and compiles what they call.

    `skip_code`: in C up to 2.4 or so, then in eval_frame.py too.
    """
    try:
        sys.modules["torch"]._C._dynamo.eval_frame.skip_code(code)
    except (KeyError, AttributeError):
        module = sys.modules.get("torch._dynamo.eval_frame")
        if hasattr(module, "skip_code"):
            module.skip_code(code)  # type: ignore[union-attr]


def compiling_frame(code: types.CodeType) -> dict[str, Any]:
    """What Dynamo knows about the frame it is compiling; to be called from a bytecode hook.

    The hook is given code objects only. Its caller `_compile` in convert_frame.py has the frame and, in later
    versions, `globals`, `locals`, `compiler_fn` and `recompile_reason` as locals (walk measured on 2.2 to 2.15). In
    2.2 the caller of that one, `_convert_frame_assert`, has `recompile_reasons`.

    Returns the local variables of `_compile` and "globals"; an empty dict when it is not on the stack.
    """
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename.replace("\\", "/")
        if frame.f_code.co_name == "_compile" and file.endswith("/convert_frame.py"):
            found = dict(frame.f_locals)
            compiled: Any = found.get("frame")
            if compiled is not None and getattr(compiled, "f_code", None) is code:
                found["globals"] = compiled.f_globals
            caller, steps = frame.f_back, 0
            while caller is not None and caller.f_code.co_name != "_convert_frame_assert":
                steps += 1  # our own hook may be between them
                caller = caller.f_back if steps < _FARTHEST_CALLER else None
            if caller is not None:
                found.setdefault("recompile_reasons", caller.f_locals.get("recompile_reasons"))
            return found
        frame = frame.f_back
    return {}


def current_compile_id() -> str:
    """Dynamo's number of the compilation going on ("0/0"), "" outside of one.

    `torch._guards.CompileContext` is there from 2.2; AOTAutograd restores it when it compiles a backward graph later.
    """
    try:
        number = find("torch._guards", "CompileContext").current_compile_id()
    except (MissingHook, AttributeError):
        return ""
    return "" if number is None else str(number)


def recompile_reasons(known: dict[str, Any]) -> list[str]:
    """Why the earlier compilations of a frame did not fit, from the locals of `_compile` (`compiling_frame`).

    `recompile_reason`, a text, in 2.13 and later; `recompile_reasons`, a list, in 2.2 to 2.6. Each entry's reason
    begins with its compile id from 2.6 on, and is the failed guard alone before, in the order of
    `_debug_get_cache_entry_list`.
    """
    found = known.get("recompile_reason") or known.get("recompile_reasons") or ()
    texts = [found] if isinstance(found, str) else [str(reason) for reason in found]
    lines = []
    for text in texts:
        for line in text.splitlines():  # 2.13 and later put the user's stack after each
            if line.strip() and not line.startswith((" ", "User stack trace")):
                lines.append(line)
    return lines


def compilation_metrics() -> list[Any]:
    """Dynamo's records of its last compilations: `get_compilation_metrics`, there from 2.4, empty before.

    Those which failed have `fail_type`, `fail_reason`, and the user's line; the recompile limit is one of them, with
    no more than its compile id (2.13). Asks only a Dynamo which is imported already.
    """
    utils = sys.modules.get("torch._dynamo.utils")
    found = getattr(utils, "get_compilation_metrics", None)
    return list(found()) if callable(found) else []


class _GuardToAsk:
    stack: Any = None
    user_stack: Any = None


@lru_cache(maxsize=1)
def collects_guard_lines() -> bool:
    """Whether Dynamo notes the user's line with each guard. Asked by adding one, as `install_guard` does.

    2.2 and 2.9 and later do; 2.4 to 2.6 only while guards are logged: `collect_debug_stack` of `GuardsSet.add`.
    """
    guard = _GuardToAsk()
    try:
        find("torch._guards", "GuardsSet")().add(guard, collect_debug_stack=False)
    except (TypeError, AttributeError):  # 2.2 has no such parameter
        return True
    return guard.user_stack is not None


def user_stack() -> Any:
    """The user's frames which Dynamo is tracing: `TracingContext.extract_stack`, there from 2.2."""
    return find("torch._guards", "TracingContext").extract_stack()


def side_effects(code: types.CodeType) -> list[str]:
    """Sources of the Python side effects which `code` replays: a query of 2.12 and later, empty before."""
    try:
        found = find("torch._dynamo.convert_frame", "get_compiled_code_side_effects")(code)
    except MissingHook:
        return []
    return [str(effect) for effect in found or ()]


def backend_name(compiler_fn: Any) -> str:
    """The name by which a user knows a backend.

    Dynamo wraps it (`WrapBackendDebug` has `_compiler_name`; `torch.compile`'s Inductor wrapper has
    `compiler_name`), and keeps the function as `_torchdynamo_orig_backend` or `_torchdynamo_orig_callable`.
    """
    seen = 0
    while compiler_fn is not None and seen < 20:
        for attribute in ("_compiler_name", "compiler_name"):
            name = getattr(compiler_fn, attribute, None)
            if isinstance(name, str) and name:
                return name
        inner = getattr(compiler_fn, "_torchdynamo_orig_backend", None)
        inner = inner or getattr(compiler_fn, "_torchdynamo_orig_callable", None)
        if inner is None:
            return str(getattr(compiler_fn, "__name__", type(compiler_fn).__name__))
        compiler_fn, seen = inner, seen + 1
    return ""


def cache_entries(code: types.CodeType) -> list[Any]:
    """The cache entries of a code object, oldest first.

    `_debug_get_cache_entry_list` is in all versions; it lists the entry to be tried first at the front, which is
    the one used last. 2.2 and 2.4 have the whole list too (`next` links are ignored).
    """
    entries = list(find("torch._dynamo.eval_frame", "_debug_get_cache_entry_list")(code))
    return entries[::-1]


def guard_manager_of(entry: Any) -> Any:
    """The guards of a cache entry: `guard_manager` from 2.6, `check_fn` before."""
    found = getattr(entry, "guard_manager", None)
    return found if found is not None else getattr(entry, "check_fn", None)


def loaded_from_packages(code: types.CodeType) -> int:
    """How many compilations of `code` were installed from a `CompilePackage` (precompilation, 2.8 and later).

    They are no cache entries; `_debug_get_precompile_entries` lists them, and an entry has `guard_manager` alone.
    """
    try:
        return len(find("torch._C._dynamo.eval_frame", "_debug_get_precompile_entries")(code))
    except MissingHook:
        return 0


def compiles_ahead_of_time() -> bool:
    """Whether `torch.compile(...)` has an `aot_compile`: 2.9 and later (there it fails before it is through)."""
    return find_spec("torch._dynamo.aot_compile") is not None


def ahead_of_time(function: Any) -> Any:
    """What `torch.compile(f, fullgraph=True).aot_compile(inputs)` returned, in the form of a cache entry, or None.

    Such a function has no cache entry: `AOTCompiledFunction._artifacts` (torch/_dynamo/aot_compile.py, 2.9 and later)
    has the code, from 2.11 inside `runtime_env` with the globals which it reads, and the guards, unless it was loaded.
    """
    if type(function).__module__ != "torch._dynamo.aot_compile":
        return None
    made = getattr(function, "_artifacts", None)
    environment = getattr(made, "runtime_env", made)
    code = getattr(environment, "bytecode", None)
    if made is None or not isinstance(code, types.CodeType):
        return None
    return types.SimpleNamespace(
        compile_id="ahead of time",
        code=code,
        original_code=made.original_code,
        globals={**(getattr(environment, "used_globals", None) or {}), made.backend_id: made.compiled_fn},
        guard_manager=made.guard_manager,
        backend=types.SimpleNamespace(compiler_name=getattr(made, "backend_name", "")),
    )


def resume_code(value: Any) -> types.CodeType | None:
    """The code of a resume function, from the global which Dynamo has set for it; None when it is no such thing.

    The global is the function where the code has no free variables. Where it has some, the compiled code makes the
    function itself (``MAKE_FUNCTION``) and the global, from 2.4 to 2.11, is the code object ("expose code object for
    debugging purposes", symbolic_convert.py); from 2.13 the global is a function which takes the cells and makes it,
    and has the code in a cell of its own (`install_resume_function_global`, output_graph.py).
    """
    if isinstance(value, types.FunctionType):
        inside = (one for one in cell_contents(value).values() if isinstance(one, types.CodeType))
        return next(inside, value.__code__)
    return value if isinstance(value, types.CodeType) else None


def continued_code(code: types.CodeType) -> types.CodeType:
    """The code as the program has it of the function that a resume function continues; any other code itself.

    `ContinueExecutionCache.generated_code_metadata` (resume_execution.py, 2.2 to 2.15), by identity of code objects.
    """
    try:
        known = find("torch._dynamo.resume_execution", "ContinueExecutionCache.generated_code_metadata")
        return known[code].code if code in known else code
    except (MissingHook, AttributeError, KeyError):
        return code


def traced_instructions(code: types.CodeType) -> list[Any]:
    """The instructions as Dynamo traces them: offsets in the names of resume functions are of these. They are not
    CPython's where Dynamo has split some, as it does methods' from 2.12 or so on for CPython 3.12."""
    found: list[Any] = find("torch._dynamo.bytecode_transformation", "cleaned_instructions")(code)
    return found


def entry_about_to_go(check_manager: Any) -> Any:
    """The cache entry which `CheckFunctionManager.invalidate` is about to drop, None when it has done so already.

    Its guards know it: they are `check_fn` up to 2.4, `guard_manager` from 2.6 (a `DeletedGuardManagerWrapper`, whose
    entry is None, once that has happened). In 2.2 they are a function, know no entry, and the entry stays.
    """
    found = getattr(check_manager, "guard_manager", None)
    found = found if found is not None else getattr(check_manager, "check_fn", None)
    return getattr(found, "cache_entry", None)


def run_only() -> Callable[[], None]:
    """Makes Dynamo run what it has compiled and compile nothing; returns the function that ends it.

    `torch.compiler.set_stance("eager_on_recompile")` says exactly this (2.6 and later) and also holds for functions
    that `torch.compile` has wrapped, which set their own callback on entry. Before, these call `set_eval_frame` by its
    name in eval_frame.py (2.2, 2.4): while this lasts it takes False, which means "run only", for any callback.
    """
    try:
        stance = find("torch.compiler", "set_stance")("eager_on_recompile")
    except MissingHook:
        module = find("torch._dynamo", "eval_frame")
        set_eval_frame = find("torch._dynamo.eval_frame", "set_eval_frame")
        module.set_eval_frame = lambda callback: set_eval_frame(False if callable(callback) else callback)
        before = set_eval_frame(False)

        def restore() -> None:
            set_eval_frame(before)
            module.set_eval_frame = set_eval_frame

        return restore
    stance.__enter__()
    return lambda: stance.__exit__(None, None, None)


def is_generating_backward() -> bool:
    """Whether Inductor is generating code for a backward graph: `V.graph.is_backward`, while it lowers one; before 2.6,
    that AOTAutograd has called an input ``tangents_1``.
    """
    try:
        graph = find("torch._inductor.virtualized", "V").graph
    except (MissingHook, AttributeError):
        return False
    known = getattr(graph, "is_backward", None)
    return known is True or known is None and any(
        str(name).startswith("tangents_") for name in getattr(graph, "graph_inputs", ())
    )


# ---- torch.fx


def input_source(node: Any) -> str:
    """Where an input of Dynamo's graph comes from (``L['x'].size()[0]``), "" when that is not known any more.

    `grapharg` in a placeholder's `meta`, whose `source` has the name: a method up to 2.9 or so, then a property.
    """
    source = getattr(node.meta.get("grapharg"), "source", None)
    name = getattr(source, "name", None)
    try:
        return str(name() if callable(name) else name or "")
    except (AttributeError, NotImplementedError):
        return ""


@lru_cache(maxsize=1)
def graph_formatter() -> Any:
    """`lazy_format_graph_code`, which every stage of the compiler calls with its graph.

    In torch/fx/_utils.py from 2.4, imported by name everywhere; in torch/_dynamo/utils.py in 2.2.
    """
    try:
        return find("torch.fx._utils", "lazy_format_graph_code")
    except MissingHook:
        return find("torch._dynamo.utils", "lazy_format_graph_code")


def is_lazy_and_pending(graph_module: Any) -> bool:
    """Whether a graph module has yet to generate its `forward`: `_LazyGraphModule` (2.3 and later), on first use."""
    pending = getattr(type(graph_module), "_needs_recompile", None)
    return bool(pending()) if callable(pending) else False


def print_graph(graph_module: Any, options: dict[str, Any]) -> str:
    """The readable text of a graph module: `print_readable`, whose options grew with the versions (`include_stride`
    and others come from the caller of the hook, so they are this version's own; 2.2 has `print_output` alone)."""
    options = {key: value for key, value in options.items() if key.startswith(("include_", "expanded_"))}
    try:
        return str(graph_module.print_readable(print_output=False, **options))
    except TypeError:
        return str(graph_module.print_readable(print_output=False))


def registered_imports() -> dict[str, str]:
    """Names that generated graph code may use, with the import that gives each: `torch.fx.graph._custom_builtins`."""
    try:
        table = find("torch.fx.graph", "_custom_builtins")
    except MissingHook:
        return {"torch": "import torch", "device": "from torch import device"}
    return {str(name): str(entry.import_str) for name, entry in table.items()}
