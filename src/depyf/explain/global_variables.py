"""Upstream's place of `data`: imports only."""

from depyf.explain.compat.compatibility import data

__all__ = ["data"]
