"""Evidence goes with the block that it tells about, and what is put between blocks sorts between them."""

from __future__ import annotations

from depyf.decompiler.lift import Evidence, LiftedBlock, Terminator, block_order
from depyf.decompiler.lift.folding.fold import fold
from depyf.decompiler.syntax import nodes

FIRST = Evidence(**{name: f"first {name}" for name in Evidence._fields})
LAST = Evidence(**{name: f"last {name}" for name in Evidence._fields})


def from_first(evidence):
    return {name for name in Evidence._fields if getattr(evidence, name) == f"first {name}"}


def from_last(evidence):
    return {name for name in Evidence._fields if getattr(evidence, name) == f"last {name}"}


def test_a_block_of_two_keeps_all_that_is_known_of_its_end():
    both = FIRST.ending_as(LAST)
    assert from_first(both) == {"line", "left_from", "left_line", "is_repeated", "is_behind_finally"}
    assert len(from_first(both) | from_last(both)) == len(Evidence._fields)
    assert Evidence().ending_as(LAST).line == LAST.line


def test_a_test_that_is_cut_off_keeps_all_but_the_line():
    test = FIRST.of_test()
    assert test.line == FIRST.exit_line
    assert from_first(test) == set(Evidence._fields) - {"line"}


def test_blocks_are_merged_with_their_evidence():
    first, last = LiftedBlock(0, None, []), LiftedBlock(2, None, [])
    first.evidence = Evidence(line=1, keyword="")
    last.evidence = Evidence(line=2, exit_line=3, is_implicit_return=None, is_uncopied=True, loads_last=True)
    first.become(Terminator("goto", next=last, fall=last))
    last.become(Terminator("return", test=nodes.Constant(None)))
    (block,) = fold([first, last])
    assert block.kind == "return"
    assert block.evidence == Evidence(1, 3, is_implicit_return=None, is_uncopied=True, loads_last=True)


def test_the_layout_of_what_is_put_around_blocks_or_cut_from_them():
    key = block_order.at(8)
    in_order = [
        block_order.end(block_order.at(7)),
        block_order.statement_before(key, 1),
        block_order.loop_before(block_order.statement_before(key, 2)),
        block_order.statement_before(key, 2),
        block_order.loop_before(key),
        key,
        block_order.loop_inside(key),
        block_order.rest(key),
        block_order.rest(block_order.rest(key)),
        block_order.statement_before(block_order.end(key), 1),
        block_order.end(key),
        block_order.end(block_order.end(key)),
        block_order.at(9),
        block_order.at(10),
    ]
    assert sorted(in_order) == in_order
    assert len(set(in_order)) == len(in_order)
