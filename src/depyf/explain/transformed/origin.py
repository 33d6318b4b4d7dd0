"""What the torch side knows of the code that it shows: Dynamo made it, and named variables of its own."""

from __future__ import annotations

from ...decompiler.driver.settings import Origin
from ...decompiler.names.dynamo import DYNAMO_HINTS

__all__ = ["DYNAMO"]

DYNAMO = Origin(DYNAMO_HINTS.is_made_up, DYNAMO_HINTS)
"""For ``Settings.origin``, wherever code of Dynamo's is decompiled."""
