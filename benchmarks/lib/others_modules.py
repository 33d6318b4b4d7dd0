"""Modules that other people's generators make, saved as files; `others_generators.py` runs this in an environment.

    python benchmarks/lib/others_modules.py pysource-codegen 3.13 0 2000 FOLDER    number 0 to 1999, the same each time

Nothing of depyf is imported: an environment has the generator alone.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import random
import runpy
import sys
import sysconfig
import tempfile
import warnings
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

Version = Tuple[int, int]
BATCH = 100
"""Modules of hypothesmith for one seed: it takes ever longer for the next one."""


def by_pyfuzz(numbers: range, version: Version) -> Iterator[str]:
    """Functions and classes of what the version has, by scope."""
    fuzzer = importlib.import_module("pychd_pyfuzz").Fuzzer
    return (fuzzer(min(version, (3, 14)), seed=number).generate().source for number in numbers)


def by_pysource_codegen(numbers: range, version: Version) -> Iterator[str]:
    """Syntax nodes of the Python that runs this, in any mixture that compiles."""
    generate = importlib.import_module("pysource_codegen").generate
    for number in range(numbers.start, numbers.start + 2 * len(numbers)):
        try:
            text = generate(number, node_limit=300, depth_limit=8)
        except ValueError:  # a backslash in an f-string, before 3.12
            continue
        yield text


def by_hypothesmith(numbers: range, version: Version) -> Iterator[str]:
    """Texts of the grammar, and of the nodes of a concrete syntax tree."""
    hypothesis, hypothesmith = map(importlib.import_module, ("hypothesis", "hypothesmith"))
    texts: Dict[str, None] = {}

    def gather(text: str) -> None:
        if len(texts) < BATCH:
            texts[text] = None

    for number in range(numbers.start // BATCH, -(-numbers.stop // BATCH)):
        texts.clear()
        texts_of = hypothesis.given(hypothesmith.from_grammar() | hypothesmith.from_node())
        settings = hypothesis.settings(
            max_examples=2 * BATCH, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck)
        )
        hypothesis.seed(number)(settings(texts_of(gather)))()
        yield from texts


def by_astcd(numbers: range, version: Version) -> Iterator[str]:
    """Functions decoded token by token, of those tokens that keep the program valid."""
    parts = [importlib.import_module(f"astcd.{name}") for name in ("vocab", "types", "decoder", "codec")]
    vocabulary, types, decoder, codec = parts
    config = types.DecodeConfig()
    tokens = vocabulary.Vocabulary(config)
    for number in numbers:
        dice = random.Random(number)
        policy = decoder.weighted_policy(decoder.PolicyConfig(), tokens, dice)
        found = decoder.sample_tokens(types.Start.FUNCTION, dice, config, tokens, max_len=200, policy=policy)
        yield codec.ast_to_source(codec.tokens_to_ast(found, tokens))


def by_grafting(numbers: range, version: Version) -> Iterator[str]:
    """Functions of the library of the Python that runs this, with statements of others put in (our own)."""
    yield from importlib.import_module("grafts").grafts(len(numbers), numbers.start, Path(sysconfig.get_path("stdlib")))


def rewriting(rewrite: Callable[[str], str]) -> Callable[[range, Version], Iterator[str]]:
    """What makes ``rewrite`` a generator: functions of the library, rewritten; what can't be is left out."""

    def rewritten(numbers: range, version: Version) -> Iterator[str]:
        library = Path(sysconfig.get_path("stdlib"))
        for text in importlib.import_module("grafts").functions(2 * len(numbers), numbers.start, library):
            random.seed(0)
            try:
                yield rewrite(text)
            except (Exception, SystemExit):
                continue

    return rewritten


def command(module: str, *arguments: str) -> Callable[[str], str]:
    """A rewriter: ``python -m module``, of the file FILE to OUT."""

    def rewrite(text: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder, "module.py"), Path(folder, "out.py")
            file.write_text(text, encoding="utf-8")
            sys.argv[:] = [module, *(str({"FILE": file, "OUT": out}.get(one, one)) for one in arguments)]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                runpy.run_module(module, run_name="__main__")
            return out.read_text(encoding="utf-8")

    return rewrite


def call(module: str, name: str) -> Callable[[str], str]:
    """A rewriter: a function of a module."""
    return lambda text: str(getattr(importlib.import_module(module), name)(text))


def by_mutmut(text: str) -> str:
    """All mutants of a function in one module, with what chooses one."""
    mutate = importlib.import_module("mutmut.mutation.file_mutation").mutate_file_contents
    return str(mutate("module.py", text).code)


def by_cosmic_ray(text: str) -> str:
    """The first mutant of each operator that has one."""
    plugins, mutating = map(importlib.import_module, ("cosmic_ray.plugins", "cosmic_ray.mutating"))
    mutants = []
    for name in sorted(plugins.operator_names()):
        with contextlib.suppress(TypeError):  # an operator that needs to be told more
            mutants.append(mutating.mutate_code(text, plugins.get_operator(name)(), 0))
    return "\n".join(filter(None, mutants))


def by_python_obfuscator(text: str) -> str:
    """What it makes, out of the call of ``exec`` around it."""
    (statement,) = ast.parse(call("python_obfuscator", "obfuscate")(text)).body
    return str(ast.literal_eval(statement.value.args[0]))  # type: ignore[attr-defined]


def by_ghostwriter(numbers: range, version: Version) -> Iterator[str]:
    """Tests that Hypothesis writes for functions of the library."""
    magic = importlib.import_module("hypothesis.extra.ghostwriter").magic
    for name in sorted(sys.stdlib_module_names):
        if name.startswith("_") or name in ("antigravity", "this", "idlelib"):
            continue
        try:
            text = magic(importlib.import_module(name))
        except Exception:  # of another system, or without a function that it understands
            continue
        yield text


class Generator(NamedTuple):
    """What makes modules: ``packages`` to install, on Python ``oldest`` or later."""

    make: Callable[[range, Version], Iterator[str]]
    packages: List[str]
    oldest: Version


GENERATORS = {
    "pychd-pyfuzz": Generator(by_pyfuzz, ["pychd-pyfuzz"], (3, 14)),
    "pysource-codegen": Generator(by_pysource_codegen, ["pysource-codegen"], (3, 8)),
    "hypothesmith": Generator(by_hypothesmith, ["hypothesmith"], (3, 9)),
    "grafts": Generator(by_grafting, [], (3, 9)),
    "astcd": Generator(by_astcd, ["astcd"], (3, 10)),
    "ghostwriter": Generator(by_ghostwriter, ["hypothesis", "black"], (3, 10)),
    "oneliner-py": Generator(rewriting(call("oneliner", "convert_code_string")), ["oneliner-py"], (3, 10)),
    "python-minifier": Generator(rewriting(call("python_minifier", "minify")), ["python-minifier"], (3, 8)),
    "python-obfuscator": Generator(rewriting(by_python_obfuscator), ["python-obfuscator"], (3, 10)),
    "pof": Generator(
        rewriting(command("pof", "FILE", "-f", "advanced", "-o", "OUT")), ["python-obfuscation-framework"], (3, 10)
    ),
    "pyobfus": Generator(rewriting(command("pyobfus", "FILE", "-o", "OUT")), ["pyobfus"], (3, 10)),
    "mutmut": Generator(rewriting(by_mutmut), ["mutmut"], (3, 10)),
    "cosmic-ray": Generator(rewriting(by_cosmic_ray), ["cosmic-ray"], (3, 10)),
}


def main() -> int:
    name, version, first, count, folder = sys.argv[1:]
    warnings.simplefilter("ignore")
    major, _, minor = version.partition(".")
    Path(folder).mkdir(parents=True, exist_ok=True)
    numbers = range(int(first), int(first) + int(count))
    for number, text in zip(numbers, GENERATORS[name].make(numbers, (int(major), int(minor)))):
        Path(folder, f"{number:05}.py").write_text(text, encoding="utf-8", errors="surrogatepass")
    return 0


if __name__ == "__main__":
    sys.exit(main())
