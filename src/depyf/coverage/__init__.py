"""Which opcodes of which Python are decompiled, and how far: ``depyf coverage``."""
