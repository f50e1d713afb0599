"""What a check has to be, for the resident process to be asked."""

from __future__ import annotations

import pytest

from trialrun.resident.address import may_ask


@pytest.mark.parametrize(
    "words", [["a.yaml", "--watch"], ["--watch=1"], ["/dev/fd/63"], ["--output-format=json=/proc/self/fd/3"]]
)
def test_a_check_that_does_not_end_or_names_an_open_file_is_not_asked(words: list[str]) -> None:
    assert may_ask(["a.yaml", "--output-format", "json"])
    assert not may_ask(words)


def test_words_that_a_shell_would_complete_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TRIALRUN_COMPLETE", "bash_complete")
    assert not may_ask(["a.yaml"])
