"""Logs of SARIF 2.1.0 (OASIS), which code hosts and editors show beside the source.

Names and messages come from what was looked at: a name becomes a reference without a scheme of its own, a message holds
no link, and nothing in the text is a command to a CI runner that prints it.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from typing import Any, Mapping, Sequence

__all__ = ["COMMAND_MARK", "plain_json", "reference", "sarif_log"]

COMMAND_MARK = re.compile(r"##(?=\[|vso\[)")
"""What runners of GitHub and Azure take for a command wherever it stands in a line."""

_DRIVE = re.compile(r"[A-Za-z]:/")


def sarif_log(rules: Mapping[str, str], results: Sequence[dict[str, Any]], version: str) -> str:
    """The text of a log with one run of depyf ``version``; ``rules`` says in words what each id is about."""
    driver = {
        "name": "depyf", "version": version,
        "rules": [{"id": name, "shortDescription": {"text": words}} for name, words in rules.items()],
    }  # fmt: skip
    for one in results:
        one["message"]["text"] = one["message"]["text"].replace("](", "] (")
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": list(results)}],
    }  # fmt: skip
    return plain_json(json.dumps(log, indent=1)) + "\n"


def plain_json(text: str) -> str:
    """The same JSON without a character or a mark that a terminal or a runner acts on."""
    return COMMAND_MARK.sub(r"#\\u0023", text).replace("\x7f", r"\u007f")


def reference(name: str) -> str:
    """The name of a file as a URI: relative, or of the scheme ``file``."""
    name = name.replace("\\", "/")
    quoted = urllib.parse.quote(name, safe="/", errors="backslashreplace")
    if name.startswith("/"):
        return "file://" + quoted
    return "file:///" + quoted.replace("%3A", ":", 1) if _DRIVE.match(name) else quoted
