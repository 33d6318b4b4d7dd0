"""What the torch side knows of the code that it shows: Dynamo made it, and named variables of its own."""

from __future__ import annotations

from ...decompiler.driver.settings import Origin
from ...decompiler.names.dynamo import WORDS

__all__ = ["DYNAMO"]

DYNAMO = Origin(WORDS.is_made_up, WORDS)
"""For ``Settings.origin``, wherever code of Dynamo's is decompiled."""
