"""`TorchCompileWrapperWithCustomDispatcher`: compiled code called without guards, the class left as it was."""

import pytest
import torch

from depyf.optimization import TorchCompileWrapperWithCustomDispatcher


class Model(TorchCompileWrapperWithCustomDispatcher):
    def __init__(self, add):
        self.add = add
        super().__init__(torch.compile(self.forward, backend="eager"))

    def forward(self, x):
        return x.abs() + self.add

    def __call__(self, x, index=None):
        if index is None:
            return super().__call__(x)
        with self.dispatch_to_code(index):
            return self.forward(x)


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_runs_the_code_that_was_asked_for_and_compiles_nothing():
    model, other = Model(1), Model(10)
    assert model(-torch.ones(2)).tolist() == [2.0, 2.0]
    assert other(-torch.ones(2)).tolist() == [11.0, 11.0]
    assert len(model.compiled_codes) == len(other.compiled_codes) == 1
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    assert model(-2 * torch.ones(5, 5), index=0).sum().item() == 75.0
    assert other(torch.ones(3), index=0).tolist() == [11.0] * 3
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == graphs


def test_the_class_gets_its_code_back_after_an_exception():
    model = Model(1)
    model(torch.ones(2))
    written = Model.forward.__code__
    with pytest.raises(AttributeError):
        model("no tensor", index=0)
    assert Model.forward.__code__ is written
    with pytest.raises(IndexError):
        model(torch.ones(2), index=7)
    assert Model.forward.__code__ is written
