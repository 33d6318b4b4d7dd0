"""Dynamo's tree of guards, as text: subtrees that differ in one number alone, as those of layers do, appear once."""

from __future__ import annotations

import re

from .repeats import Alike, alike, numbers_in_words

__all__ = ["folded_tree"]

_BRANCH = re.compile(r"^((?:\| )*)\+- ")
_PADDING = re.compile(r" {3,}# ")  # its width depends on the number of digits
_MARK = "{n}"


def folded_tree(tree: str) -> str:
    """The tree with alike neighbours as one, the number in which they differ as ``{n}``; text of another form as it is.

    Nothing is lost: each of the folded subtrees is the one shown, with its number for ``{n}``.
    """
    lines = _PADDING.sub("  # ", tree).splitlines()
    depths = [_depth(line) for line in lines]
    if not lines or _MARK in tree or sum(depth > 0 for depth in depths) < len(lines) // 2:
        return tree
    return "\n".join(_folded(lines, depths))


def _depth(line: str) -> int:
    match = _BRANCH.match(line)
    return 0 if match is None else len(match.group(1)) // 2 + 1


def _folded(lines: list[str], depths: list[int]) -> list[str]:
    """The forest of these lines, its neighbouring trees folded, then what is in them."""
    spans = _trees(depths)
    if len(spans) == 1:
        return lines[:1] + (_folded(lines[1:], depths[1:]) if len(lines) > 1 else [])
    shown: list[str] = []
    for one, own in _neighbours([lines[start:end] for start, end in spans]):
        start, end = spans[one.first]
        if one.places:
            words = f"for n in {numbers_in_words(one.numbers)}, {len(one.numbers)} times:"
            shown.append("{}+- {}".format("| " * (depths[start] - 1), words))
        shown += own[:1] + (_folded(own[1:], depths[start + 1 : end]) if len(own) > 1 else [])
    return shown


def _trees(depths: list[int]) -> list[tuple[int, int]]:
    """Where each tree of a forest begins and ends: at its first line, and where the next of no greater depth is."""
    starts: list[int] = []
    for at, depth in enumerate(depths):
        if not starts or depth <= depths[starts[-1]]:
            starts.append(at)
    return list(zip(starts, [*starts[1:], len(depths)]))


def _neighbours(trees: list[list[str]]) -> list[tuple[Alike, list[str]]]:
    """Trees in their order, alike ones that follow each other as one."""
    found: list[tuple[Alike, list[str]]] = []
    for one in alike([tree[0] for tree in trees]):
        indices = sorted(one.members.values())
        if one.places and indices == list(range(indices[0], indices[-1] + 1)):
            found += _alike_trees(trees, indices)
    known = {index for one, _ in found for index in one.members.values()}
    found += [(Alike((), (), (), {0: at}), tree) for at, tree in enumerate(trees) if at not in known]
    return sorted(found, key=lambda pair: pair[0].first)


def _alike_trees(trees: list[list[str]], indices: list[int]) -> list[tuple[Alike, list[str]]]:
    """Those of these neighbours that are alike in full, and follow each other."""
    found: list[tuple[Alike, list[str]]] = []
    for one in alike(["\n".join(trees[index]) for index in indices]):
        members = {number: indices[at] for number, at in one.members.items()}
        places = list(members.values())
        if one.places and places == list(range(places[0], places[0] + len(places))):
            folded = Alike(one.parts, one.values, one.places, members)
            found.append((folded, one.written(lambda place: _MARK).split("\n")))
    return found
