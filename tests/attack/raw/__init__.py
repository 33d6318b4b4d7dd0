"""The raw attack: bytes and fields of code objects are changed, and nothing of depyf reads them before it is asked."""
