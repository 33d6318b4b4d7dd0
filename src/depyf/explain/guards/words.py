"""One guard in words: what it checks, in the user's spelling, and an expression which checks it, where one can."""

from __future__ import annotations

import ast
import os
import re
import sys
import types
from typing import Any, Callable

from ...decompiler.proof.compile_worker import syntax_tree
from ..model import Guard, SourceLine
from ..torch_facts.torch_keeps import as_tensor_in_guards
from .forms import GUARD_TYPES, words_by_form

__all__ = ["describe", "is_ambient", "is_plain", "is_torch_file", "user_spelling"]

_STRING = r"\[(?:'([^'\\]*)'|\"([^\"\\]*)\")\]"
_SCOPE = re.compile(r"\b[LG]" + _STRING)
_CHILDREN = re.compile(r"(?:\.|\.__dict__\[')(?:_modules|_parameters|_buffers)(?:'\])?" + _STRING)
_KEY_AT = re.compile(r"\blist\(dict\.keys\(([\w.'\"\[\]]+)\)\)(?=\[\d+\])")
_BUILTIN = re.compile(r"\b__builtins_dict___\d+" + _STRING)
_IMPORT = re.compile(r"\b__import_([A-Za-z0-9_]+)")
_ITEM_LEFT = re.compile(r"___tuple_iterator_getitem\((\w+), (\d+)\)")
_LEFT = re.compile(r"^___tuple_iterator_len\((.*)\) == (\d+)$")
_ATTRIBUTE = re.compile(r"\bobject\.__getattribute__\(([\w.'\"\[\]]+), '([A-Za-z_]\w*)'\)")
_MADE_BY_ID = re.compile(r"\bG\['(\w*?(?:_\d{9,})+_c\d+)'\]")  # a global that Dynamo makes for an object
_COMPARED = re.compile(r"^((?:object\.__getattribute__\()*[LG]\[.*?) (?:==|is|!=|in) ")
_IN_CLASS = re.compile(r"\bdict\(type\(([\w.'\"\[\]]+)\)\.__dict__\)\[['\"]([A-Za-z_]\w*)['\"]\]")
_VALUE_AT = re.compile(  # the second up to torch 2.7 or so
    r"\b(?P<of>[\w.'\"\[\]()]+)\[list\((?:dict\.keys\((?P=of)\)|(?P=of)\.keys\(\))\)\[(?P<at>\d+)\]\]"
)
_CLASS_OF = re.compile(r"\b([\w.'\"\[\]]+?)\.__class__\b")
_TWICE = re.compile(r"^(\S+) == \1$")
_SIZE = re.compile(r"\.size\(\)\[(\d+)\]")
_AS_TENSOR = re.compile(r"___from_numpy\(([\w.\[\]]+)\)")
_AT_HAND = {"L", "G", "torch", "len", "type", "isinstance", "hasattr", "str", "int", "float", "complex", "tuple"}
_AT_HAND |= {"list", "dict", "set", "math", "object", "getattr"}
_NUMBER = re.compile(r"___as_tensor\(([^()]*)\)\.item\(\)")
_HELPER = re.compile(r"\b___\w+\(")
_MOST_NAMES = 8
_OWN_CODE = re.compile(
    r"'_dynamo_\w+'|__builtins_dict__|___unnamed_scope_|G\['__import_|_global_(?:forward|backward)_|\.__dict__\)|"
    r"(?:_modules|_parameters|_buffers|_forward_hooks|_forward_pre_hooks|_backward_hooks|_backward_pre_hooks)\b(?!\[)"
)
_STATES = (
    ("top_saved_tensors_hooks", "hooks on saved tensors are as they were"),
    ("forward_ad._current_level", "the level of forward-mode differentiation is as it was"),
    ("compare_functorch_state", "the transforms of torch.func around the call are the same"),
)
NO_CODE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python's parser raises for a text that is no code, or code too deep for it."""

_MARKING = "DIMENSION_DYNAMIC_MARKING_GUARD"
_USUAL_KEYS = ["BackendSelect", "ADInplaceOrView"]  # outside of all modes, beside those of the device
_DEVICE_KEYS = ("CPU", "CUDA", "MPS", "XPU", "HPU", "MTIA", "Meta", "PrivateUse1", "MkldnnCPU", "QuantizedCPU")


def describe(kind: str, code: str, line: SourceLine | None, module_globals: dict[str, Any]) -> Guard:
    """A `Guard` for one leaf of the tree. What is not understood keeps Dynamo's spelling as its words."""
    guard = Guard(code=code, kind=kind, user_line=line)
    if kind == _MARKING or "'_dynamo_" in code:  # more than half of a big model's guards
        guard.words, guard.is_bookkeeping = user_spelling(code), True
        return guard
    writer = _WRITERS.get(kind, _any_expression)
    try:
        writer(guard, module_globals)
    except (*NO_CODE, IndexError, AttributeError, KeyError, TypeError):
        guard.words = guard.words or user_spelling(code)
        guard.runnable = False
    guard.words = guard.words or user_spelling(code)
    if _HELPER.search(guard.words):  # a form that is not known: what its type checks in general, where that is known
        guard.words += "  ({})".format(GUARD_TYPES.get(kind, "a check of Dynamo's"))
    guard.is_bookkeeping = _is_dynamos_own(guard) or _is_of_made_module(guard, module_globals)
    return guard


def user_spelling(source: str) -> str:
    """``L['self']._modules['lin']._parameters['weight']`` as ``self.lin.weight``, ``.size()[0]`` as ``.shape[0]``."""
    text = _SCOPE.sub(lambda m: m.group(1) or m.group(2) or "", source)
    text = _BUILTIN.sub(lambda m: m.group(1) or m.group(2) or "", text)
    while True:
        changed = _ATTRIBUTE.sub(r"\1.\2", _CHILDREN.sub(_child, text))
        if changed == text:
            break
        text = changed
    while text != (text := _VALUE_AT.sub(r"list(\g<of>.values())[\g<at>]", text)):
        pass
    text = _KEY_AT.sub(r"list(\1)", text)
    text = _CLASS_OF.sub(r"type(\1)", _IN_CLASS.sub(r"type(\1).\2", text))
    text = _SIZE.sub(r".shape[\1]", _NUMBER.sub(r"\1", text))
    text = _AS_TENSOR.sub(r"\1 (as a tensor)", _ITEM_LEFT.sub(r"item \2 of \1", text))
    return _IMPORT.sub(lambda m: m.group(1).replace("_dot_", "."), text)


def is_torch_file(path: str) -> bool:
    """Whether a guard's location is one of torch's own files, which are given relative to the torch package."""
    torch = sys.modules.get("torch")
    root = os.path.dirname(getattr(torch, "__file__", None) or "")
    return bool(root) and not os.path.isabs(path) and os.path.exists(os.path.join(root, path))


def _child(match: re.Match[str]) -> str:
    name = match.group(1) if match.group(1) is not None else match.group(2)
    return f"[{name}]" if name.isdigit() else "." + name


def is_ambient(guard: Guard) -> bool:
    """Whether a guard checks what surrounds the call, or the marks of a tensor's dimensions."""
    line = guard.user_line
    is_of_all = line is not None and line.function == "init_ambient_guards"
    return is_of_all or guard.kind in (*_OWN_KINDS, _MARKING) or "'_dynamo_" in guard.code


def _is_dynamos_own(guard: Guard) -> bool:
    return is_ambient(guard) or bool(_OWN_CODE.search(guard.code))


def _is_of_made_module(guard: Guard, module_globals: dict[str, Any]) -> bool:
    """Whether Dynamo looks at torch through a global of its own, as where `type(x)` is a tensor's in a file that does
    not import torch. The words get the module's name. A log has no globals: only torch itself has one whose name
    begins with the id (torch/_dynamo/variables/builtin.py, install_global_by_id)."""
    made = _MADE_BY_ID.search(guard.code)
    if made is None:
        return False
    module = module_globals.get(made.group(1))
    if isinstance(module, types.ModuleType):
        name = module.__name__
    elif module is None and made.group(1)[1:2].isdigit():
        name = "torch"
    else:
        return False
    guard.subject = guard.subject.replace(made.group(1), name)
    guard.words = guard.words.replace(made.group(1), name)
    return name.split(".")[0] == "torch"


# ---- one writer per kind of guard


def _tensor(guard: Guard, module_globals: dict[str, Any]) -> None:
    call = _call(guard.code)
    subject = _text(guard.code, call.args[0])
    keywords = {k.arg: _text(guard.code, k.value) for k in call.keywords}
    cls = _text(guard.code, call.args[1])
    keys = [_text(guard.code, a) for a in call.args[2].args] if isinstance(call.args[2], ast.Call) else []
    device = next((key for key in keys if key in _DEVICE_KEYS), keys[0] if keys else "")
    index = keywords.get("device", "None")
    dtype = _text(guard.code, call.args[3])
    guard.subject = user_spelling(subject)
    noun = "tensor" if cls == "Tensor" else cls
    place = device if index == "None" else f"{device.lower()}:{index}"
    guard.words = "{}: {} {} {} of shape {}, stride {}, {}".format(
        guard.subject,
        place,
        dtype.replace("torch.", ""),
        noun,
        keywords.get("size", "?").replace("None", "any"),
        keywords.get("stride", "?").replace("None", "any"),
        "needs grad" if keywords.get("requires_grad") == "True" else "no grad",
    )
    is_usual = not keys[1:] or keys == [device, *_USUAL_KEYS, "Autograd" + device]
    guard.words += "" if is_usual else ", keys {}".format(", ".join(keys))
    guard.run = "tensor_is({}, {!r}, {!r}, {}, requires_grad={}, size={}, stride={}{})".format(
        subject, cls, place.lower(), dtype, keywords.get("requires_grad"), keywords.get("size"), keywords.get("stride"),
        "" if is_usual else ", keys={!r}".format(", ".join(keys)),
    )  # fmt: skip
    guard.runnable = is_plain(subject) and {"size", "stride", "requires_grad"} <= set(keywords)


def _no_aliasing(guard: Guard, module_globals: dict[str, Any]) -> None:
    subjects = [_text(guard.code, a) for a in _call(guard.code).args]
    names = [user_spelling(one) for one in subjects]
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} more"]
    guard.subject = _and(names)
    guard.words = f"{guard.subject} are different tensors"
    guard.run = "all_different({})".format(", ".join(subjects))
    guard.runnable = all(is_plain(one) for one in subjects)


def _same_object(guard: Guard, module_globals: dict[str, Any]) -> None:
    call, rest = _call_and_rest(guard.code)
    subject = _text(guard.code, call.args[0])
    number = ast.literal_eval(call.args[1])
    guard.subject = user_spelling(subject)
    if subject.endswith(".__code__"):
        guard.subject = user_spelling(subject[: -len(".__code__")])
        guard.words = f"{guard.subject} is still a function with the same code"
        return
    guard.words = f"{guard.subject} is still the same object"
    shown = re.search(r"type=<class '([\w.<>]+)'>", rest)
    if shown and not subject.startswith("G["):
        # the class of the object, or from 2.13 on, where the object is a class, the class itself
        guard.words += " ({})".format(shown.group(1).replace("__main__.", ""))
    single = next((one for one in (True, False, None, ...) if id(one) == number), module_globals)
    if single is not module_globals:  # torch 2.4 to 2.8 check flags like this, and do not say so
        guard.words = f"{guard.subject} is {single!r}"
        guard.run = f"{subject} is {single!r}"
        guard.runnable = is_plain(subject)
        return
    found = _evaluate(subject, module_globals)
    if found is not None and id(found) == number:
        path = _importable(found, subject, module_globals)
        guard.run = f"{subject} is {path}"
        guard.runnable = bool(path)


def _same_type(guard: Guard, module_globals: dict[str, Any]) -> None:
    call, rest = _call_and_rest(guard.code)
    subject = _text(guard.code, call.args[0])
    shown = re.search(r"type=<class '([^']+)'>", rest)
    full = shown.group(1) if shown else _type_name(ast.literal_eval(call.args[1]))
    guard.subject = user_spelling(subject)
    if not full:
        guard.words = f"{guard.subject} has the same type"
        return
    name = full.rsplit(".", 1)[-1]
    guard.words = "{} is exactly of type {}".format(guard.subject, full.replace("__main__.", ""))
    guard.run = f"type({subject}).__name__ == {name!r}"
    guard.runnable = is_plain(subject)


def _length(guard: Guard, module_globals: dict[str, Any]) -> None:
    _any_expression(guard, module_globals)
    match = re.match(r"^len\((.*)\) == (\d+)$", guard.code)
    if match:
        guard.subject = user_spelling(match.group(1))
        guard.words = "{} has {} item{}".format(guard.subject, match.group(2), "" if match.group(2) == "1" else "s")
    elif re.match(r"^not [LG]\[", guard.code):
        guard.subject = user_spelling(guard.code[4:])
        guard.words = f"{guard.subject} is empty"


def _none(guard: Guard, module_globals: dict[str, Any]) -> None:
    _any_expression(guard, module_globals)
    guard.words = user_spelling(guard.code)


_FIXED = {
    "GLOBAL_STATE": "global state: grad mode, autocast, default dtype, determinism and threads are as they were",
    "TORCH_FUNCTION_MODE_STACK": "the same torch function modes are active",
    "DEFAULT_DEVICE": "the default device is as it was",
    "OBJECTS_ALIVE": "every object whose identity is checked still exists",
    "BREAKS_ALLOWED": "graph breaks are allowed",
    "BACKEND_MATCH": "the backend is the same",
    "CONFIG_HASH_MATCH": "Dynamo's configuration is as it was",
}


_OWN_KINDS = {*_FIXED, "AUTOGRAD_SAVED_TENSORS_HOOKS", "NO_TENSOR_ALIASING_MARK", "DETERMINISTIC_ALGORITHMS"}
_OWN_KINDS |= {"GRAD_MODE", "SHAPE_ENV_MARK"}


def _fixed(guard: Guard, module_globals: dict[str, Any]) -> None:
    guard.words = _FIXED[guard.kind]


def _any_expression(guard: Guard, module_globals: dict[str, Any]) -> None:
    guard.words = next((words for mark, words in _STATES if mark in guard.code), "") or user_spelling(guard.code)
    compared = _COMPARED.match(guard.code)
    subjects = sorted({(m.group(1) or m.group(2)) for m in _SCOPE.finditer(guard.code)})
    guard.subject = user_spelling(compared.group(1)) if compared else ", ".join(subjects)
    guard.run = re.sub(r"\bdevice\(type=", "torch.device(type=", guard.code)
    if "___as_tensor(" in guard.run:
        guard.run = guard.run.replace("___as_tensor(", f"torch.{as_tensor_in_guards()}(")
        if _TWICE.match(guard.words):
            guard.words = f"{guard.subject} is a number, not NaN"
    if _TWICE.match(guard.words):  # G['torch'].float16 == torch.float16
        guard.words = f"{guard.subject} has not changed"
    guard.runnable = is_plain(guard.run)
    left = _LEFT.match(guard.words)
    if left:
        guard.words = "{} has {} items left".format(*left.groups())
    in_set = re.match(r"^(not )?set\.__contains__\((.*), (.*?)\)$", guard.code)
    if in_set:
        guard.run = "{} {}in {}".format(in_set.group(3), in_set.group(1) or "", in_set.group(2))
        guard.words, guard.runnable = user_spelling(guard.run), is_plain(guard.run)
    form = words_by_form(guard.code)
    if form is not None:
        words, run, groups = form
        guard.subject = user_spelling(groups[0]) if groups else guard.subject
        guard.words = words.format(*[user_spelling(one) for one in groups])
        guard.run = run.format(*groups)
        guard.runnable = bool(run) and is_plain(guard.run)
    contains = re.match(r"^(not )?___dict_contains\((.*?), (.*)\)$", guard.code)
    if contains:
        guard.subject = user_spelling(contains.group(3))
        guard.words = "{} has {}key {}".format(
            user_spelling(contains.group(3)), "no " if contains.group(1) else "", contains.group(2)
        )
        guard.run = "{} {}in {}".format(contains.group(2), "not " if contains.group(1) else "", contains.group(3))
        guard.runnable = is_plain(guard.run)


_WRITERS: dict[str, Callable[[Guard, dict[str, Any]], None]] = {
    "TENSOR_MATCH": _tensor,
    "NO_TENSOR_ALIASING": _no_aliasing,
    "ID_MATCH": _same_object,
    "CLASS_MATCH": _same_object,
    "FUNCTION_MATCH": _same_object,
    "MODULE_MATCH": _same_object,
    "BUILTIN_MATCH": _same_object,
    "CLOSURE_MATCH": _same_object,
    "TYPE_MATCH": _same_type,
    "LENGTH_CHECK": _length,
    "SEQUENCE_LENGTH": _length,
    "DICT_LENGTH": _length,
    "NONE_MATCH": _none,
    **dict.fromkeys(_FIXED, _fixed),
}


# ---- helpers


def _call(code: str) -> ast.Call:
    return _call_and_rest(code)[0]


def _call_and_rest(code: str) -> tuple[ast.Call, str]:
    """The call at the start of `code`, and the text after it (``, type=<class 'x'>`` is no Python)."""
    depth = 0
    for at, char in enumerate(code):
        depth += (char in "([{") - (char in ")]}")
        if char == ")" and depth == 0:
            tree = syntax_tree(code[: at + 1], mode="eval").body
            if not isinstance(tree, ast.Call):
                raise ValueError(code)
            return tree, code[at + 1 :]
    raise ValueError(code)


_TYPES: dict[int, str] = {}  # by id, filled when a type is looked for that is not in it
_MOST_UNKNOWN = 500  # ids without a type, each of which has all types looked at: those of a log are of another process
_unknown: set[int] = set()


def _type_name(number: int) -> str:
    """Full name of the type with the id `number`, "" when there is none: up to torch 2.8 a guard has the id alone."""
    if number not in _TYPES and number not in _unknown and len(_unknown) < _MOST_UNKNOWN:
        waiting: list[type] = [object]
        _TYPES.clear()
        while waiting:
            one = waiting.pop()
            if id(one) not in _TYPES:
                home = "" if one.__module__ == "builtins" else f"{one.__module__}."
                _TYPES[id(one)] = home + one.__qualname__
                waiting += type.__subclasses__(one)
        if number not in _TYPES:
            _unknown.add(number)
    return _TYPES.get(number, "")


def _text(code: str, node: ast.AST) -> str:
    if code.isascii() and "\n" not in code:
        return code[node.col_offset : node.end_col_offset]  # type: ignore[attr-defined]
    return ast.get_source_segment(code, node) or ""


def is_plain(code: str) -> bool:
    """Whether `code` runs with nothing but L, G, builtins and torch at hand."""
    try:
        tree = syntax_tree(code, mode="eval")
    except NO_CODE:
        return False
    return all(node.id in _AT_HAND for node in ast.walk(tree) if isinstance(node, ast.Name))


def _evaluate(source: str, module_globals: dict[str, Any]) -> Any:
    """The object which ``G['torch'].abs`` names: subscripts by constants and plain attributes only, no calls."""

    def walk(node: ast.AST) -> Any:
        if isinstance(node, ast.Expression):
            return walk(node.body)
        if isinstance(node, ast.Name) and node.id == "G":
            return module_globals
        if isinstance(node, ast.Attribute):
            owner = walk(node.value)
            if isinstance(owner, (types.ModuleType, type, types.FunctionType)):
                return getattr(owner, node.attr, None)
        if isinstance(node, ast.Subscript):
            owner = walk(node.value)
            index = getattr(node.slice, "value", None)
            index = getattr(index, "value", index)
            if type(owner) is dict and isinstance(index, str):
                return owner.get(index)
        return None

    return walk(syntax_tree(source, mode="eval"))


def _importable(found: Any, source: str, module_globals: dict[str, Any]) -> str:
    """A dotted path under an imported module which leads to `found`, or nothing."""
    if isinstance(found, types.ModuleType):
        return found.__name__ if sys.modules.get(found.__name__) is found and found.__name__ != "__main__" else ""
    match = re.match(r"^(G\[[^\]]*\])((?:\.\w+)+)$", source)
    if match:
        root = _evaluate(match.group(1), module_globals)
        if isinstance(root, types.ModuleType) and _importable(root, "", module_globals):
            return root.__name__ + match.group(2)
    return ""


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
