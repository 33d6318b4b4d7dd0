"""Random programs: valid, the same on every version, and what depyf makes of them."""

from __future__ import annotations

from collections import Counter
from typing import Set

from assembler.assemble import assemble
from assembler.examine import PATTERNS, examine_seed, outcomes
from assembler.flow import states
from assembler.generate import OF_PATTERNS, generate
from assembler.notation import JUMPS, Program, listing, program
from assembler.shrink import shrunk
from assembler.spellings import SPELLING
from depyf.decompiler.bytecode import load
from depyf.decompiler.bytecode.decoding.decode import Decoder

SEEDS = range(240)


def test_a_seed_gives_one_program_and_the_text_reads_back() -> None:
    for seed in SEEDS[:60]:
        made = generate(seed)
        assert made == generate(seed)
        assert assemble(program(listing(_without_functions(made)))).co_code


def _without_functions(made: Program) -> Program:
    items = [item._replace(op="CONST", arg=1) if item[0] == "MAKE_FUNCTION" else item for item in made.items]  # type: ignore[union-attr]
    return made._replace(items=tuple(items))  # type: ignore[arg-type]


def shapes(made: Program) -> Set[str]:
    """What the control flow of a program has, of all that programs should have."""
    before, labels, ops = states(made), made.labels, made.ops
    found = set()
    setups = Counter(op.target for op in ops if op.op == "SETUP_FINALLY")
    for index, op in enumerate(ops):
        state = before[index]
        assert state is not None
        if op.target and labels[op.target] <= index:
            found.add("loop")
        if op.op in JUMPS and "c" in state.stack:
            found.add("unfinished call across an edge")
        if op.op in JUMPS and "v" in state.stack[:-1]:
            found.add("values across an edge")
        if op.op == "YIELD_VALUE" and state.blocks:
            found.add("yield in a handler's range")
        if len(state.blocks) > 1:
            found.add("nested handlers")
        if op.op == "RERAISE" or (op.op == "RAISE_VARARGS" and not op.arg and "p" in state.stack):
            found.add("exception raised again")
        if op.op == "WITH_EXCEPT":
            found.add("with")
    if any(count > 1 for count in setups.values()):
        found.add("handler of several ranges")
    if irreducible(made):
        found.add("irreducible loop")
    return found


def irreducible(made: Program) -> bool:
    """Whether folding edges and loops onto themselves does not end in a single node."""
    ops, labels = made.ops, made.labels
    following = {n: set() for n in range(len(ops))}  # type: ignore[var-annotated]
    for n, op in enumerate(ops):
        if op.op in JUMPS:
            following[n].add(labels[op.target])
        if op.op not in ("JUMP", "RETURN_VALUE", "RAISE_VARARGS", "RERAISE"):
            following[n].add(n + 1)
    reached, todo = set(), [0]
    while todo:
        n = todo.pop()
        if n not in reached:
            reached.add(n)
            todo.extend(following[n])
    graph = {n: following[n] for n in reached}
    changed = True
    while changed:
        changed = False
        for n in list(graph):
            graph[n].discard(n)
            sources = [m for m in graph if n in graph[m]]
            if n != 0 and len(sources) == 1:
                graph[sources[0]] |= graph.pop(n)
                graph[sources[0]].discard(n)
                changed = True
    return len(graph) > 1


def test_programs_have_every_shape() -> None:
    found = [shapes(generate(seed)) for seed in SEEDS]
    counts = Counter(shape for each in found for shape in each)
    assert min(counts.values()) >= 5, counts
    assert set(counts) == {
        "loop", "irreducible loop", "values across an edge", "unfinished call across an edge", "nested handlers",
        "handler of several ranges", "yield in a handler's range", "exception raised again", "with",
    }  # fmt: skip


def test_every_program_is_read_as_it_was_written() -> None:
    for seed in SEEDS:
        made = generate(seed)
        read = [i.arg for i in Decoder(load(assemble(made))).run() if i.op in ("LOAD_ATTR", "STORE_ATTR")]
        assert read == [op.arg for op in made.ops if op.op in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD")]


def test_programs_are_proven_or_refused() -> None:
    seeds = SEEDS[:60]
    kinds = outcomes([lambda seed=seed: examine_seed(seed, 5) for seed in seeds])  # type: ignore[misc]
    bad = [(seed, kind) for seed, kind in zip(seeds, kinds) if kind.kind not in ("proven", "refused")]
    assert not bad, bad[:3]
    refused = [(seed, kind.reason) for seed, kind in zip(seeds, kinds) if kind.kind == "refused"]
    assert len(refused) <= 2, refused[:3]


def test_programs_of_patterns_are_proven_or_refused() -> None:
    seeds = range(25 if "GET_LEN" in SPELLING else 0)
    kinds = outcomes([lambda seed=seed: examine_seed(seed, 5, patterns=True) for seed in seeds])  # type: ignore[misc]
    used = {op.op for seed in seeds for op in generate(seed, patterns=PATTERNS).ops}
    assert set(OF_PATTERNS) <= used or not seeds
    assert [(seed, kind) for seed, kind in zip(seeds, kinds) if kind.kind != "proven"] == []


def test_the_shrinker_keeps_what_fails() -> None:
    made = next(p for p in map(generate, range(100)) if len(p.ops) > 60 and any(o.op == "UNARY_OP" for o in p.ops))

    def fails(candidate: Program) -> bool:
        try:
            states(candidate)
        except Exception:
            return False
        return any(op.op == "UNARY_OP" for op in candidate.ops)

    small = shrunk(made, fails)
    assert fails(small)
    assert len(small.ops) <= 12
