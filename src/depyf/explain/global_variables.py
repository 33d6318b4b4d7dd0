"""Upstream's place of `data`: imports only."""

from depyf.explain.compatibility import data

__all__ = ["data"]
