"""What docs/session.md says of the voice is so."""

from __future__ import annotations

import re
from pathlib import Path

from tests.runtime.channel_config.dialogue.understanding_fixture import ears, in_short
from trialrun.model.channel_config import FeaturesConfig
from trialrun.runtime.channel_config.dialogue.instructions import FEATURES

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "session.md").read_text(encoding="utf-8")


def test_the_table_has_every_feature() -> None:
    table = re.findall(r"^\| (\w+) \| (.+) \| (.*) \| (?:`(\w+)`)? ?\|$", PAGE, re.MULTILINE)
    told = [(field, one.on, one.off, one.tool[0] if one.tool else "") for field, one in FEATURES.items()]
    assert [row for row in table if row[0] in FEATURES] == told


def test_every_feature_of_the_specification_is_told() -> None:
    assert set(FEATURES) == set(FeaturesConfig.model_fields)


def test_the_question_is_answered_as_it_says() -> None:
    hears = ears("""
        - type: DISAMBIGUATION
          customerTerms: [shake]
          targets: [{itemName: Vanilla Shake}, {itemName: Chocolate Shake}, {itemName: Malted Chocolate Shake}]
    """)
    questions = hears.understand("a shake")
    assert hears.replies(questions[0])[0].text in " ".join(PAGE.split())
    answers = ["vanilla", "the malted one", "a chocolate shake", "vanilla and malted", "chocolate"]
    assert all(f'"{answer}"' in " ".join(PAGE.split()) for answer in answers)
    assert [[in_short(term) for term in hears.understand(answer, pending=questions)] for answer in answers] == [
        ["shake: 1 Vanilla Shake"],
        ["shake: 1 Malted Chocolate Shake"],
        ["shake: 1 Chocolate Shake"],
        ["shake: 1 Vanilla Shake", "shake: 1 Malted Chocolate Shake"],
        [],
    ]


def test_each_assumption_that_it_names_has_a_row() -> None:
    rows = set(re.findall(r"^\| ([a-z-]+) \|", (ROOT / "docs" / "assumptions.md").read_text("utf-8"), re.MULTILINE))
    named = {name for names in re.findall(r"\(([a-z, -]+)\)", PAGE) for name in names.split(", ")}
    ours = {name for name in named if re.match(r"(say|hear|suggest)-", name)}
    assert len(ours) > 10
    assert ours - rows == set()
