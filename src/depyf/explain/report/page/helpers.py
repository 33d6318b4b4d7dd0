"""Functions at the end of a page that let it run: the checks that guards use, and what replaces Dynamo."""

from __future__ import annotations

import textwrap

from ...torch_facts.torch_state import EXPRESSIONS, USUAL, is_checked

__all__ = ["HELPERS", "helpers_used"]


def _state_is() -> str:
    usual = ", ".join(f"{name}={value}" for name, value in USUAL.items() if is_checked(name))
    usual = "\n".join(textwrap.wrap(usual, 108, initial_indent=" " * 8, subsequent_indent=" " * 8))
    now = "\n".join("{:12}{}: lambda: {},".format("", repr(name), value) for name, value in EXPRESSIONS.items())
    return f'''
def state_is(**asked):
    """Torch's global state; what is not named is as torch begins with, ... stands for what is not known."""
    import torch.utils._device

    now = {{
{now}
    }}
    usual = dict(
{usual},
    )
    return all(value is ... or now[name]() == value for name, value in {{**usual, **asked}}.items())
'''


HELPERS = {
    "tensor_is": '''
def tensor_is(tensor, cls, device, dtype, requires_grad, size, stride, keys=""):
    """Dynamo's check of a tensor; None in a size or stride stands for any number. `keys` are those by which operators
    are dispatched, where they are not the usual ones: inference mode, autocast and the like change them."""
    if not isinstance(tensor, torch.Tensor):
        return False
    have = torch._C._dispatch_keys(tensor) | torch._C._dispatch_tls_local_include_set()
    have = str(have - torch._C._dispatch_tls_local_exclude_set())[15:-1]
    usual = "{0}, BackendSelect, ADInplaceOrView, Autograd{0}".format(have.partition(",")[0])

    def fits(have, want):
        return len(have) == len(want) and all(w is None or h == w for h, w in zip(have, want))

    return (
        type(tensor).__name__ == cls
        and str(tensor.device) == device
        and tensor.dtype == dtype
        and tensor.requires_grad == requires_grad
        and have == (keys or usual)
        and fits(tensor.shape, size)
        and fits(tensor.stride(), stride)
    )
''',
    "state_is": "",  # made for the torch that is there
    "all_different": '''
def all_different(*objects):
    """No two arguments are one object."""
    return len({id(one) for one in objects}) == len(objects)
''',
    "as_module": '''
def as_module(function):
    """A function as the graph module that torch's operator asks for."""
    with torch.enable_grad():  # tracing it carries out what it does to the grad mode
        return torch.fx.symbolic_trace(function)
''',
    "of_program": '''
def of_program(name):
    """The module, parameter or buffer which Dynamo calls so: L__self___layers_0 is L['self'].layers[0]."""
    import re

    for start, owner in list((of_program.L if name[0] == "L" else globals()).items()):
        start = name[:3] + re.sub(r"\\W", "_", start) + "___"
        if name.startswith(start) and isinstance(owner, torch.nn.Module):
            for walk in (owner.named_modules, owner.named_parameters, owner.named_buffers):
                for path, found in walk(remove_duplicate=False):
                    if re.sub(r"\\W", "_", path) == name[len(start) :]:
                        return found
    raise NameError(name)
''',
    "whole": '''
def whole(file, *free):
    """The function in a file beside this page, on which it is shortened; `free`: what it closes over."""
    import os

    def run(*args, **kwargs):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), file)
        names = dict(globals())
        names.pop("GraphModule", None)
        with open(path, encoding="utf-8") as text:
            exec(compile(text.read(), path, "exec"), names)
        if "GraphModule" in names:
            return names["GraphModule"].forward(None, *args)
        codes = ((one, getattr(one, "__code__", None)) for one in names.values())
        found = next(one for one, code in codes if code and code.co_filename == path)
        if free:  # the file has it in a function of these
            found = found(*[names[name] for name in free])
        return found(*args, **kwargs)

    return run
''',
    "compile_again": '''
def compile_again(name):
    """Where Dynamo would compile once more, this page can only stop."""
    raise NotImplementedError("Dynamo would compile %s for these inputs; the page has only what was compiled" % name)
''',
    "closed_over": '''
def closed_over(function, **values):
    """Gives the page the variables which a resume function closes over."""
    globals().update(values)
    return function
''',
    "use": '''
def use(names):
    """Gives the page the globals, or closed over variables, of the program; what the page defines stays."""
    globals().update({name: value for name, value in names.items() if name not in globals()})
''',
}


def helpers_used(page: str) -> str:
    """The helpers which the text of `page` mentions."""
    used = {name: text for name, text in HELPERS.items() if name + "(" in page}
    return "\n".join(text or _state_is() for text in used.values())
