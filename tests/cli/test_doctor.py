"""`depyf doctor`: what it says of GPUs, from the files of a driver."""

from depyf.cli.doctor import gpus

VERSION = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version:  gcc 15\n"
INFORMATION = "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 41\n"


def test_gpus_are_named_with_their_driver(tmp_path):
    (tmp_path / "version").write_text(VERSION)
    for number in ("0000:00:06.0", "0000:00:07.0"):
        (tmp_path / "gpus" / number).mkdir(parents=True)
        (tmp_path / "gpus" / number / "information").write_text(INFORMATION)
    assert gpus(str(tmp_path)) == ["NVIDIA H100 80GB HBM3, driver 580.159.04"] * 2


def test_without_a_driver_there_is_none(tmp_path):
    assert gpus(str(tmp_path)) == []
