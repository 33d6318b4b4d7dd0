"""Upstream's place of `data`: imports only."""

from .compat.compatibility import data

__all__ = ["data"]
