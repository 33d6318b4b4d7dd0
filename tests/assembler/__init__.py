"""Bytecode written by hand: a notation of instructions, how each CPython spells them, and random programs in it."""
