"""The results of ``verify_file`` and ``verify_tree``."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

__all__ = ["Change", "FileReport", "Loading", "NotLookedAt", "Status", "TreeReport"]

FINE, DIFFERENT, TROUBLE, NOTHING = 0, 1, 2, 3
"""Exit status: all files match their sources; one does not; one was not checked; there was nothing to check."""


ONLY_IN_SOURCE = "module of the source alone"
"""The kind of a `NotLookedAt` that a wheel lacks."""


class Status(enum.Enum):
    """What was found out about one compiled file."""

    IDENTICAL = "identical"
    """The source compiles to the same code; only the name of the source file may differ."""
    OTHER_LINES = "other lines"
    """The same code, with other line numbers or columns."""
    PROVEN = "proven"
    """The source compiles to other code, which was shown to do the same."""
    DIFFERS = "differs"
    """The source compiles to other code, or not at all; or no compiler writes such a file."""
    NO_SOURCE = "no source"
    """There is no source to compare with."""
    NOT_CHECKED = "not checked"
    """Nothing is known; the reasons say why."""


class Loading(enum.Enum):
    """What CPython does with one compiled file when its module is imported."""

    LOADED = "loaded"
    """It is loaded: time and size, or the hash, match the source."""
    UNCHECKED = "loaded unchecked"
    """It is loaded, whatever the source is."""
    STALE = "stale"
    """It is read and rejected: the source is compiled."""
    IGNORED = "ignored"
    """No import reads it."""
    FAILS = "import fails"
    """It is read, and the import fails."""
    DEPENDS = "depends"
    """It depends on the time that the source gets when the archive is unpacked."""
    UNKNOWN = "unknown"
    """No CPython that depyf knows made it."""

    @property
    def possible(self) -> bool:
        """Whether some import may execute it."""
        return self in (Loading.LOADED, Loading.UNCHECKED, Loading.DEPENDS)


@dataclass(frozen=True)
class Change:
    """One difference between a compiled file and its source.

    ``where`` is the qualified name of the code object, ``lines`` are decompiled statements of the compiled file that
    the source lacks, ``source_lines`` those of the source that the compiled file lacks. ``line`` and ``source_line``
    are the line numbers of the first one on either side, None if there is none. ``what`` describes a difference that
    no statement shows.
    """

    where: str
    what: str = ""
    lines: tuple[str, ...] = ()
    source_lines: tuple[str, ...] = ()
    line: int | None = None
    source_line: int | None = None


@dataclass(frozen=True)
class FileReport:
    """What was found out about one compiled file, or one Python file of a wheel that was compared with its source.

    Attributes:
        path: the file; of a member of an archive, ``ARCHIVE/MEMBER``.
        source: its source file, named likewise; None if there is none.
        version: the version of CPython by its magic number, None if unknown.
        optimize: the level of optimisation that the source was compiled with (0, 1, 2).
        status: the result.
        loading: what CPython does with the file.
        loading_reason: the reason, as text.
        reasons: the differences as text, one for each code object; why it was not checked; what needed a proof.
        changes: the differences, as statements.
        notes: further remarks.
        decompiled: the text of a file without source, if requested.
        kind: "compiled file"; of an archive that was compared with another one or with sources, also "Python file",
            "other file", or "RECORD" for what a wheel's list of files says otherwise than the wheel has it.
    """

    path: str
    source: str | None
    version: tuple[int, int] | None
    optimize: int
    status: Status
    loading: Loading = Loading.UNKNOWN
    loading_reason: str = ""
    reasons: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[str, ...] = ()
    decompiled: str | None = None
    kind: str = "compiled file"

    @property
    def fine(self) -> bool:
        """Whether the file does what its source says."""
        return self.status in (Status.IDENTICAL, Status.OTHER_LINES, Status.PROVEN)

    @property
    def exit_status(self) -> int:
        """0 if it is fine, 1 if it differs, 2 if it was not checked."""
        if self.fine:
            return FINE
        return DIFFERENT if self.status is Status.DIFFERS else TROUBLE

    def to_dict(self) -> dict[str, Any]:
        """The report in types that JSON has; keys are only ever added."""
        return {
            "path": self.path,
            "source": self.source,
            "version": "{}.{}".format(*self.version) if self.version else None,
            "optimize": self.optimize,
            "status": self.status.value,
            "loading": self.loading.value,
            "loading_reason": self.loading_reason,
            "reasons": list(self.reasons),
            "changes": [
                {
                    "where": change.where, "what": change.what,
                    "lines": list(change.lines), "line": change.line,
                    "source_lines": list(change.source_lines), "source_line": change.source_line,
                }
                for change in self.changes
            ],
            "notes": list(self.notes),
            "decompiled": self.decompiled,
            "kind": self.kind,
        }  # fmt: skip


@dataclass(frozen=True)
class NotLookedAt:
    """A file that an import may run, and that is nothing to compare: it has no influence on the exit status.

    ``kind`` is "extension module", "path file" (.pth), "package" (in place of a module of that name) or "start-up
    module" (sitecustomize), or "module of the source alone", which the wheel lacks; ``reason`` says what it does.
    """

    path: str
    kind: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """The fields in types that JSON has."""
        return {"path": self.path, "kind": self.kind, "reason": self.reason}


@dataclass(frozen=True)
class TreeReport:
    """What was found out about all compiled files below one path: see `FileReport`.

    ``not_looked_at`` are the other files that an import may run: see `NotLookedAt`.
    """

    path: str
    files: tuple[FileReport, ...]
    not_looked_at: tuple[NotLookedAt, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether every compiled file does what its source says; true also if there is none."""
        return all(file.fine for file in self.files)

    @property
    def counts(self) -> dict[Status, int]:
        """How many files have each status."""
        return {status: sum(file.status is status for file in self.files) for status in Status}

    @property
    def exit_status(self) -> int:
        """0 if all are fine, 1 if one differs, 3 if there is none, else 2."""
        return worst(file.exit_status for file in self.files)

    def to_dict(self) -> dict[str, Any]:
        """The report in types that JSON has; keys are only ever added."""
        return {
            "path": self.path,
            "files": [file.to_dict() for file in self.files],
            "not_looked_at": [one.to_dict() for one in self.not_looked_at],
        }


def worst(statuses: Any) -> int:
    """The exit status of several files: a difference outranks a file that was not checked."""
    found = set(statuses)
    if not found:
        return NOTHING
    return DIFFERENT if DIFFERENT in found else TROUBLE if TROUBLE in found else FINE
