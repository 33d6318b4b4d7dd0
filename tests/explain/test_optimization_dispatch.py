"""`TorchCompileWrapperWithCustomDispatcher`: compiled code called without guards, the class left as it was."""

import gc
import inspect
import threading
import weakref

import pytest
import torch

from depyf.optimization import TorchCompileWrapperWithCustomDispatcher

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


class Model(TorchCompileWrapperWithCustomDispatcher):
    def __init__(self, add):
        self.add = add
        super().__init__(torch.compile(self.forward, backend="eager"))

    def forward(self, x, *, scale=1):
        return x.abs() * scale + self.add

    def __call__(self, x, index=None):
        if index is None:
            return super().__call__(x)
        with self.dispatch_to_code(index):
            return self.forward(x)


def test_the_signatures_are_those_of_earlier_releases():
    cls = TorchCompileWrapperWithCustomDispatcher
    assert list(inspect.signature(cls).parameters) == ["compiled_callable", "use_custom_dispatcher"]
    assert list(inspect.signature(cls.bytecode_hook).parameters) == ["self", "old_code", "new_code"]
    assert list(inspect.signature(cls.dispatch_to_code).parameters) == ["self", "index"]
    model = Model(1)
    assert model.use_custom_dispatcher is True and model.original_code_object is Model.forward.__code__
    assert callable(model.compiled_callable) and model.compiled_codes == []


def test_runs_the_code_that_was_asked_for_and_compiles_nothing():
    model, other = Model(1), Model(10)
    assert model(-torch.ones(2)).tolist() == [2.0, 2.0]
    assert other(-torch.ones(2)).tolist() == [11.0, 11.0]
    assert len(model.compiled_codes) == len(other.compiled_codes) == 1
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    assert model(-2 * torch.ones(5, 5), index=0).sum().item() == 75.0
    assert other(torch.ones(3), index=0).tolist() == [11.0] * 3
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == graphs


def test_guards_are_not_checked():
    model = Model(1)
    model(torch.ones(2))
    model.add = 5
    assert model(torch.ones(2), index=0).tolist() == [2.0, 2.0]  # compiled for 1
    assert model.forward(torch.ones(2)).tolist() == [6.0, 6.0]


def test_the_method_comes_back_after_an_exception():
    model = Model(1)
    model(torch.ones(2))
    written = Model.forward.__code__
    with pytest.raises(AttributeError):
        model("no tensor", index=0)
    with pytest.raises(IndexError):
        model(torch.ones(2), index=7)
    with pytest.raises(KeyError), model.dispatch_to_code(0), model.dispatch_to_code(0):
        raise KeyError
    assert Model.forward.__code__ is written and "forward" not in vars(model)
    assert model.forward(-torch.ones(1)).tolist() == [2.0]


def test_a_forward_of_the_instance_comes_back():
    model = Model(1)
    model(torch.ones(2))
    mine = model.forward = lambda x: x * 100
    with model.dispatch_to_code(0):
        assert model.forward(torch.ones(1)).tolist() == [2.0]
    assert model.forward is mine


def test_threads_and_instances_do_not_see_each_others_dispatch():
    model, other = Model(1), Model(1)
    model(torch.ones(2))
    model.add = other.add = 5  # the code that was compiled for 1 shows itself
    inside, leave, seen = threading.Event(), threading.Event(), {}

    def dispatching():
        with model.dispatch_to_code(0):
            inside.set()
            leave.wait(60)
            seen["compiled"] = model.forward(torch.ones(1)).item()

    thread = threading.Thread(target=dispatching)
    thread.start()
    assert inside.wait(60)
    assert model.forward(torch.ones(1)).item() == 6.0 and other.forward(torch.ones(1)).item() == 6.0
    with model.dispatch_to_code(0):
        assert model.forward(torch.ones(1)).item() == 2.0
    leave.set()
    thread.join()
    assert seen == {"compiled": 2.0} and "forward" not in vars(model)


def test_a_module_of_torch_can_be_wrapped():
    class Wrapped(torch.nn.Module, TorchCompileWrapperWithCustomDispatcher):
        def __init__(self):
            torch.nn.Module.__init__(self)
            self.linear = torch.nn.Linear(3, 3)
            compiled = torch.compile(self.forward, backend="eager")
            TorchCompileWrapperWithCustomDispatcher.__init__(self, compiled)

        def forward(self, x):
            return self.linear(x)

        def __call__(self, x):
            if not self.compiled_codes:
                return TorchCompileWrapperWithCustomDispatcher.__call__(self, x)
            with self.dispatch_to_code(0):
                return self.forward(x)

    model = Wrapped()
    x = torch.ones(2, 3)
    assert torch.equal(model(x), model(x)) and torch.equal(model(x), model.linear(x))
    assert len(model.compiled_codes) == 1


def test_an_instance_is_freed_and_its_hook_goes():
    from torch._dynamo.convert_frame import _bytecode_hooks

    gc.collect()
    hooks = len(_bytecode_hooks)
    model = Model(1)
    assert len(_bytecode_hooks) == hooks + 1
    gone = weakref.ref(model)
    model.compiled_callable = None
    del model
    gc.collect()
    assert gone() is None and len(_bytecode_hooks) == hooks
