"""Which opcodes of which Python are decompiled, and how far: ``python -m depyf coverage``."""
