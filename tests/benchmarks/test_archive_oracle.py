"""The oracle of archives: a short run finds nothing, and what it is made to find it does find."""

from __future__ import annotations

import pytest

import archive_oracle
from depyf.files import archives
from depyf.verification import check


def test_a_short_run():
    counts = archive_oracle.run(120, seed=7)
    assert counts["archives"] == 120 and counts["failures"] == 0
    assert counts["status 0"] and counts["status 1"] and counts["status 2"] and counts["deceiving, of one in ten"]


def test_an_archive_is_always_the_same():
    assert [archive_oracle.archive(7, number, False) for number in range(30)] == [
        archive_oracle.archive(7, number, False) for number in range(30)
    ]


BLIND = {
    "links": (archives.Archive, "add_link", lambda *arguments: None),
    "two names": (archives.Archive, "_is_alone", lambda *arguments: True),
    "archives inside": (check, "open_inner", lambda *arguments: None),
}


@pytest.mark.parametrize("kind", BLIND)
def test_it_finds_what_verify_does_not_look_at(kind, monkeypatch, capsys):
    monkeypatch.setattr(*BLIND[kind])
    assert archive_oracle.run(120, seed=1, first=100)["failures"]
    assert "status 0, and " in capsys.readouterr().out
