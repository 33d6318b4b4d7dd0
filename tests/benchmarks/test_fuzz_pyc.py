"""The fuzzer of the .pyc reader: a short run finds nothing, and what it is made to find it does find."""

from __future__ import annotations

import random
import signal
import time

import pytest

import fuzz_inputs
import fuzz_pyc
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.errors import PycError


@pytest.fixture(scope="module")
def files():
    return fuzz_pyc.seeds()


@pytest.fixture
def fuzzer(tmp_path, monkeypatch):
    """Makes a fuzzer for a function that stands for the readers."""
    before = signal.signal(signal.SIGVTALRM, fuzz_pyc._too_slow)
    monkeypatch.setattr(fuzz_pyc, "SECONDS", 0.2)
    yield lambda examine: fuzz_pyc.Fuzzer(examine, tmp_path / "saved")
    signal.signal(signal.SIGVTALRM, before)


def test_every_interpreter_gives_files(files):
    assert set(files) == {version for version in FORMATS if find_interpreter(version)} and HOST_VERSION in files
    for version, seeds in files.items():
        assert len(seeds) > 100
        assert {fuzz_pyc.outcome(data) for data in seeds[:40]} == {"read"}, version


def test_a_short_run(files, fuzzer, monkeypatch):
    monkeypatch.setattr(fuzz_pyc, "SECONDS", 2.0)
    run = fuzzer(fuzz_pyc.outcome)
    for number, data in zip(range(400), fuzz_pyc.inputs(files, 7)):
        run.run(number, data)
    assert not run.failures
    seen = sum(run.outcomes.values(), type(run.failures)())
    assert {"read", "read, some code refused", "read, all code refused", "refused by the reader"} <= set(seen)
    assert "400 inputs" in run.report(1.0) and " 0 failures" in run.report(1.0)


def test_inputs_depend_on_the_seed_alone(files):
    first = [data for _, data in zip(range(30), fuzz_pyc.inputs(files, 3))]
    assert first == [data for _, data in zip(range(30), fuzz_pyc.inputs(files, 3))]
    assert first != [data for _, data in zip(range(30), fuzz_pyc.inputs(files, 4))]


@pytest.mark.parametrize("make", [fuzz_inputs._tower, fuzz_inputs._nest, fuzz_inputs._huge, fuzz_inputs._patterns])
def test_hostile_inputs_end_in_code_or_in_an_error(make):
    for version in FORMATS:
        data = make(random.Random(str(version)), version)
        header = max(FORMATS[version].magic_numbers).to_bytes(2, "little") + b"\r\n" + bytes(12)
        assert fuzz_pyc.outcome(header + data)


def boom(data):
    raise ZeroDivisionError("planted")


def hang(data):
    while True:
        time.process_time()


def hoard(data):
    return str(len(bytearray(fuzz_pyc.BYTES + (fuzz_pyc.BYTES_PER_BYTE + 1) * len(data))))


@pytest.mark.parametrize("examine, reason", [(boom, "ZeroDivisionError"), (hang, "took more"), (hoard, "of memory")])
def test_planted_failures_are_found_and_saved(fuzzer, tmp_path, capsys, examine, reason):
    run = fuzzer(examine)
    run.run(0, b"input")
    assert [reason in text for text in run.failures] == [True]
    assert (tmp_path / "saved" / "0.pyc").read_bytes() == b"input"
    assert "FAILURE at input 0" in capsys.readouterr().out


def test_own_errors_are_no_failures(fuzzer):
    run = fuzzer(fuzz_pyc.outcome)
    run.run(0, b"no .pyc file")
    assert not run.failures
    with pytest.raises(PycError):
        fuzz_pyc.pyc_version(b"no .pyc file")
