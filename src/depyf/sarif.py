"""Logs of SARIF 2.1.0 (OASIS), which code hosts and editors show beside the source."""

from __future__ import annotations

import json
from typing import Any, Mapping, Sequence

__all__ = ["sarif_log"]


def sarif_log(rules: Mapping[str, str], results: Sequence[dict[str, Any]], version: str) -> str:
    """The text of a log with one run of depyf ``version``; ``rules`` says in words what each id is about."""
    driver = {
        "name": "depyf", "version": version,
        "rules": [{"id": name, "shortDescription": {"text": words}} for name, words in rules.items()],
    }  # fmt: skip
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": list(results)}],
    }  # fmt: skip
    return json.dumps(log, indent=1) + "\n"
