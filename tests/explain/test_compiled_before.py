"""`prepare_debug` around calls of what was compiled before: the dump says so and describes it all the same."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch

import depyf

pytestmark = pytest.mark.usefixtures("fresh_dynamo")


def early(x: Any) -> Any:
    if x.sum() > 0:
        return x.cos()
    return x.sin()


def late(x: Any) -> Any:
    return x.tan()


def test_only_earlier_compilations(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    compiled = torch.compile(early, backend="eager")
    x = torch.ones(3)
    expected = compiled(x)
    with caplog.at_level(logging.WARNING, "depyf"), depyf.prepare_debug(str(tmp_path)):
        assert torch.equal(compiled(x), expected)
    assert "nothing was compiled while this was recorded" in caplog.text and "compiled before" in caplog.text
    index = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "Nothing was compiled while this was recorded. What follows was compiled before that" in index
    page = (tmp_path / "full_code_for_early_0.py").read_text(encoding="utf-8")
    compile(page, "page", "exec", dont_inherit=True)
    assert "L_x_.sum()" in page and "def __resume_at_" in page
    assert not list(tmp_path.glob("__transformed_code*"))


def test_earlier_and_new_ones(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    compiled = torch.compile(early, backend="eager")
    compiled(torch.ones(3))
    with caplog.at_level(logging.WARNING, "depyf"), depyf.prepare_debug(str(tmp_path)):
        compiled(torch.ones(3))
        torch.compile(late, backend="eager")(torch.ones(3))
    assert "nothing was compiled" not in caplog.text
    index = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "## What was compiled before this recording began" in index
    assert "- `early` (test_compiled_before.py:{})".format(early.__code__.co_firstlineno) in index
    assert not list(tmp_path.glob("full_code_for_early*")) and list(tmp_path.glob("full_code_for_late*"))


def test_nothing_at_all(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "depyf"), depyf.prepare_debug(str(tmp_path)):
        late(torch.ones(3))
    assert "was what torch.compile returned called?" in caplog.text
    assert "so there is no page" in (tmp_path / "README.md").read_text(encoding="utf-8")
