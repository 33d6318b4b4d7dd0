"""Remarks in the forms that services show beside the source: SARIF, and GitHub's annotations."""

from __future__ import annotations

from typing import Any, Sequence

from ....sarif import reference, sarif_log
from .answer import short
from .remark import Remark

__all__ = ["github", "sarif"]

_LEVEL = "warning"

_RULES = {
    "wrong": "torch.compile computes something else here",
    "raised": "torch.compile raises here",
    "break": "torch.compile ends a graph here",
    "recompile": "torch.compile compiles this again",
    "uncompiled": "torch.compile does not compile this",
}


def sarif(remarks: Sequence[Remark], base: str, version: str) -> str:
    """A log of SARIF 2.1.0 (OASIS), files relative to `base`."""
    results: list[dict[str, Any]] = []
    for one in (one for one in remarks if one.is_finding):
        place = {
            "artifactLocation": {"uri": reference(short(one.file, base))},
            "region": {"startLine": max(one.line, 1)},
        }
        results.append({
            "ruleId": one.kind, "level": _LEVEL, "message": {"text": _message(one)},
            "locations": [{"physicalLocation": place}],
        })  # fmt: skip
    return sarif_log(_RULES, results, version)


def github(remarks: Sequence[Remark], base: str) -> list[str]:
    """Lines that GitHub's runners read from a step's output."""
    return [
        f"::{_LEVEL} file={_property(short(one.file, base))},line={one.line},"
        f"title={_property(_RULES[one.kind])}::{_data(_message(one))}"
        for one in remarks
        if one.is_finding
    ]


def _message(one: Remark) -> str:
    number = f" ({one.gb_id})" if one.gb_id else ""
    lines = [one.words + number, *one.details, *one.advice]
    return "\n".join(lines + ([one.link] if one.link else []))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
