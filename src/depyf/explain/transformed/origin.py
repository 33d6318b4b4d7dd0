"""What the torch side knows of the code that it shows: Dynamo made it, and named variables of its own."""

from __future__ import annotations

from depyf.decompiler.driver.settings import Origin
from depyf.decompiler.names.dynamo import is_made_up

__all__ = ["DYNAMO"]

DYNAMO = Origin(is_made_up)
"""For ``Settings.origin``, wherever code of Dynamo's is decompiled."""
