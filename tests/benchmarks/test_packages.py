"""The second corpus: which packages a seed chooses, and which of their files are measured."""

from __future__ import annotations

import new_packages
import packages


def test_a_seed_chooses_ten_different_packages():
    assert len(set(packages.NAMES)) == len(packages.NAMES) >= 60
    first = packages.chosen(1)
    assert len(set(first)) == packages.COUNT and set(first) <= set(packages.NAMES)
    assert packages.chosen(1) == first != packages.chosen(2)


def test_each_package_has_its_share_of_the_sample(tmp_path):
    for name, count in (("large", 9), ("small", 2)):
        (tmp_path / name / "inside").mkdir(parents=True)
        for number in range(count):
            (tmp_path / name / "inside" / f"m{number}.py").write_text("")
    names = ["large", "small"]
    assert len(packages.files_of(names, tmp_path, None, 1)) == 11
    found = packages.files_of(names, tmp_path, 8, 1)
    assert [sum(f"/{name}/" in one.replace("\\", "/") for one in found) for name in names] == [4, 2]
    assert packages.files_of(names, tmp_path, 8, 1) == found
    assert any(packages.files_of(names, tmp_path, 8, seed) != found for seed in range(2, 9))


def test_what_is_there_is_not_downloaded_again(tmp_path, monkeypatch):
    monkeypatch.setattr(packages.subprocess, "run", lambda *args, **options: 1 / 0)
    (tmp_path / "click").mkdir()
    packages.download(["click"], tmp_path)


def test_new_packages_leave_out_older_pythons():
    asks = new_packages.asks_for_new
    assert asks(">=3.12") and asks("!=3.14.1,>=3.13.2") and asks("<4.0, >=3.14")
    assert not any(map(asks, [">=3.11", "", "<4", ">=3.8,<3.15"]))
    assert len(set(packages.NEW)) == len(packages.NEW) == 20
