"""The member of a wheel -> where installers put it.

PyPA's specification of wheels has ``NAME-VERSION.data/SCHEME/...`` for what goes elsewhere than next to the rest: pip
takes any folder with the suffix ``.data``, uv only the one of its ``.dist-info``. The schemes are those of sysconfig;
``data`` is the prefix of the environment, or what is given with ``pip install --target``.
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator, NamedTuple

from .names import is_compiled, spelling

_SITE = re.compile(r"(?:local/)?[Ll]ib(?:64)?/(?:(?:python|pypy)[^/]*/)?(?:site|dist)-packages/")
_ANY_SITE = re.compile(r"(?:site|dist)-packages/|(?:\A|/)lib/python/", re.IGNORECASE)
"""With the home scheme, that of ``pip install --target``, packages are in lib/python."""

ELSEWHERE = "is installed outside of the folder of packages: what imports it there is not known"


class Installed(NamedTuple):
    """Where a member lands, relative to the folder of packages. ``place`` is None for a compiled file that lands
    elsewhere; some installer may write the member to each of ``others``, too."""

    place: str | None
    others: tuple[str, ...] = ()


class WheelLayout:
    """Of one wheel."""

    def __init__(self, path: str, names: Iterable[str]) -> None:
        found = {name.partition("/")[0] for name in names if name.partition("/")[0].endswith(".dist-info")}
        stems = {name[: -len(".dist-info")] for name in found}
        stems = stems or {"-".join(re.split(r"[/\\]", path)[-1].split("-")[:2])}
        self.data = stems.pop() + ".data" if len(stems) == 1 else None

    def installed(self, name: str) -> Installed:
        """Where the member lands."""
        top, _, rest = name.partition("/")
        scheme, _, inner = rest.partition("/")
        if not spelling(top).endswith(".data") or not rest:
            return Installed(name)
        if inner and top == self.data and scheme in ("purelib", "platlib"):
            return Installed(inner)
        site = _SITE.match(inner) if top == self.data and scheme == "data" else None
        if site is not None:
            return Installed(inner[site.end() :])
        if is_compiled(spelling(name)):
            return Installed(None)
        return Installed(name, tuple(_tails(scheme, inner)))


def _tails(scheme: str, inner: str) -> Iterator[str]:
    if scheme not in ("scripts", "headers"):
        yield inner
    yield from (inner[found.end() :] for found in _ANY_SITE.finditer(inner))
