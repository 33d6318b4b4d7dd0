"""Calling compiled code without guards: a dispatcher of your own in front of what `torch.compile` has made."""

from __future__ import annotations

import threading
import weakref
from abc import abstractmethod
from types import CodeType, FunctionType, MethodType
from typing import Any, Callable, ContextManager

from .explain.torch_facts import torch_behavior

__all__ = ["TorchCompileWrapperWithCustomDispatcher"]


class TorchCompileWrapperWithCustomDispatcher:
    """Base class for a compiled method whose dispatch is written by hand.

    A subclass writes `forward`, calls `torch.compile` on it in ``__init__`` and passes the result here, and chooses
    in ``__call__``.

    Args:
        compiled_callable: what `torch.compile` returned for `forward`.
        use_custom_dispatcher: for the subclass to consult.

    Raises:
        ImportError: torch cannot be imported.

    Example:
        >>> class Model(depyf.optimization.TorchCompileWrapperWithCustomDispatcher):
        ...     def __init__(self):
        ...         super().__init__(torch.compile(self.forward, backend="eager"))
        ...     def forward(self, x):
        ...         return x + 1
        ...     def __call__(self, x):
        ...         if not self.compiled_codes:
        ...             return self.compiled_callable(x)  # Dynamo's dispatch, which compiles
        ...         with self.dispatch_to_code(0):
        ...             return self.forward(x)  # no guards are checked
        >>> model = Model()
        >>> model(torch.ones(2)), model(torch.ones(2))
        (tensor([2., 2.]), tensor([2., 2.]))

    Attributes:
        compiled_callable: what `torch.compile` returned.
        compiled_codes: code objects made for this instance's `forward`, in order of compilation.
        use_custom_dispatcher: for the subclass to consult.
        original_code_object: the code of `forward` as it was written.
    """

    def __init__(self, compiled_callable: Callable[..., Any], use_custom_dispatcher: bool = True) -> None:
        """Begins to collect compiled code, as long as this instance lives."""
        self.compiled_callable = compiled_callable
        self.original_code_object: CodeType = type(self).forward.__code__
        self.compiled_codes: list[CodeType] = []
        self.use_custom_dispatcher = use_custom_dispatcher
        this = weakref.ref(self)  # torch keeps the hook, which must not keep the model

        def hook(old_code: CodeType, new_code: CodeType) -> None:
            wrapper = this()
            if wrapper is not None:
                wrapper.bytecode_hook(old_code, new_code)

        weakref.finalize(self, torch_behavior.register_bytecode_hook(hook).remove).atexit = False

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
        if frame is not None and frame.f_locals.get(old_code.co_varnames[0]) is self:
            self.compiled_codes.append(new_code)

    def dispatch_to_code(self, index: int) -> ContextManager[None]:
        """In the block, ``self.forward`` runs ``compiled_codes[index]``, whose guards are not checked.

        That holds for this instance and this thread, and ends with the block, by an exception as well; blocks may be
        nested. Dynamo gives its code the same parameters, cells and free variables as the original, so it can stand in
        the function's place.

        Raises IndexError when there is no such code.
        """
        written = type(self).forward
        function = FunctionType(
            self.compiled_codes[index], written.__globals__, written.__name__, written.__defaults__, written.__closure__
        )
        function.__kwdefaults__ = written.__kwdefaults__
        return _Dispatch(self, function)


class _Dispatch:
    """One block of `dispatch_to_code`."""

    __slots__ = ("_function", "_wrapper")

    def __init__(self, wrapper: Any, function: FunctionType) -> None:
        self._wrapper, self._function = wrapper, function

    def __enter__(self) -> None:
        attributes = vars(self._wrapper)
        with _LOCK:
            forward = attributes.get("forward")
            if not isinstance(forward, _Forward):
                forward = attributes["forward"] = _Forward(self._wrapper, forward)
            forward.blocks += 1
        forward.of_thread().append(MethodType(self._function, self._wrapper))

    def __exit__(self, *_: Any) -> None:
        attributes = vars(self._wrapper)
        forward = attributes["forward"]
        forward.of_thread().pop()
        with _LOCK:
            forward.blocks -= 1
            if not forward.blocks:
                if forward.before is None:
                    del attributes["forward"]
                else:
                    attributes["forward"] = forward.before


_LOCK = threading.Lock()  # one for all: it is held for an instant, and a lock in an instance could not be copied


class _Forward:
    """What ``self.forward`` is while a block of any thread lasts: for a thread in a block its code, else the method."""

    def __init__(self, wrapper: Any, before: Callable[..., Any] | None) -> None:
        self.blocks = 0
        self.before = before  # an instance may have had a `forward` of its own
        self._method = before or type(wrapper).forward.__get__(wrapper)
        self._threads = threading.local()

    def of_thread(self) -> list[Callable[..., Any]]:
        """What this thread dispatches to, the innermost block last."""
        try:
            found: list[Callable[..., Any]] = self._threads.blocks
        except AttributeError:
            found = self._threads.blocks = []
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        blocks = self.of_thread()
        return (blocks[-1] if blocks else self._method)(*args, **kwargs)
