"""Where the structurer stands: the loop that break and continue mean, and the nodes that may be written here."""

from __future__ import annotations

from ...errors import DecompilationError
from ..lift import LiftedBlock


class Context:
    """``inside`` holds the nodes of the statement being written; ``break_to`` and ``continue_to`` are the loop's."""

    __slots__ = ("inside", "break_to", "continue_to")

    def __init__(
        self,
        inside: set[LiftedBlock],
        break_to: LiftedBlock | None = None,
        continue_to: LiftedBlock | None = None,
    ) -> None:
        self.inside = inside
        self.break_to = break_to
        self.continue_to = continue_to

    def within(self, nodes: set[LiftedBlock]) -> Context:
        """The context of a statement's body made of ``nodes``."""
        return Context(nodes & self.inside, self.break_to, self.continue_to)

    def in_loop(self, nodes: set[LiftedBlock], break_to: LiftedBlock | None, continue_to: LiftedBlock) -> Context:
        """The context of a loop's body."""
        return Context(nodes & self.inside, break_to, continue_to)


def labelled_exit(source: LiftedBlock, target: LiftedBlock) -> DecompilationError:
    """Control leaves several statements at once, in a way that has no word in Python."""
    return DecompilationError(
        f"control goes from block {source.index} to block {target.index}, past the end of a statement around it",
        stage="structure",
    )
