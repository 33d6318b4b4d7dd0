"""Calling compiled code without guards: a dispatcher of your own in front of what `torch.compile` has made."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from types import CodeType
from typing import Any, Callable, Iterator, List

from depyf.explain import torch_behavior

__all__ = ["TorchCompileWrapperWithCustomDispatcher"]


class TorchCompileWrapperWithCustomDispatcher:
    """Base class for a compiled method whose dispatch is written by hand.

    A subclass writes `forward`, calls `torch.compile` on it in ``__init__`` and passes the result here, and chooses
    in ``__call__``::

        def __call__(self, x):
            if not self.compiled_codes:
                return self.compiled_callable(x)          # Dynamo's dispatch, which compiles
            with self.dispatch_to_code(0):
                return self.forward(x)                    # no guards are checked

    Attributes:
        compiled_callable: what `torch.compile` returned.
        compiled_codes: code objects made for this instance's `forward`, in order of compilation.
        use_custom_dispatcher: for the subclass to consult.
        original_code_object: the code of `forward` as it was written.
    """

    def __init__(self, compiled_callable: Callable[..., Any], use_custom_dispatcher: bool = True) -> None:
        """Begins to collect compiled code. Raises ImportError when torch cannot be imported."""
        self.compiled_callable = compiled_callable
        self.original_code_object: CodeType = type(self).forward.__code__
        self.compiled_codes: List[CodeType] = []
        self.use_custom_dispatcher = use_custom_dispatcher
        self._bytecode_hook_handle = torch_behavior.register_bytecode_hook(self.bytecode_hook)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the compiled callable. A subclass puts its dispatch here; it may take more arguments than `forward`."""
        return self.compiled_callable(*args, **kwargs)

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The computation."""

    def bytecode_hook(self, old_code: CodeType, new_code: CodeType) -> None:
        """Dynamo's hook: keeps the code made for this instance. Other instances and other functions are ignored."""
        if old_code is not self.original_code_object:
            return
        frame = torch_behavior.compiling_frame(old_code).get("frame")
        if frame is not None and frame.f_locals.get("self") is self:
            self.compiled_codes.append(new_code)

    @contextlib.contextmanager
    def dispatch_to_code(self, index: int) -> Iterator[None]:
        """In the block, `forward` runs ``compiled_codes[index]``, whose guards are not checked.

        Dynamo gives its code the same parameters, cells and free variables as the original, so it can stand in the
        function's place. The original comes back when the block ends, by an exception as well. Not for use by several
        threads at once: the function belongs to the class.

        Raises IndexError when there is no such code.
        """
        function = type(self).forward
        code, before = self.compiled_codes[index], function.__code__
        function.__code__ = code
        try:
            yield
        finally:
            function.__code__ = before
