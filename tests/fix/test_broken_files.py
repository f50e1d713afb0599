"""Files broken at random: no line of a person is lost, no finding is brought, and a second run changes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks.broken_files import BrokenFile, complaints, judged
from tests.cases import number_of_cases

FILES, SEED = number_of_cases(250, 4), 2


@pytest.mark.generated
def test_nothing_is_lost_and_nothing_is_brought() -> None:
    files, findings, told = judged((0, FILES, SEED))
    assert told == []
    assert (files > FILES / 6, findings > FILES / 3) == (True, True)


def test_what_stood_below_an_open_message_is_kept() -> None:
    text = (
        "kind: ChannelConfig\nname: c\ntype: UPSELL_STRATEGY\nconfigApplicationRules:\n  closingOffer: {skipTerms: a}\n"
    )
    assert complaints(BrokenFile("a.yaml", text, ()))[1] == []
