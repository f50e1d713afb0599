"""The hostile files of the benchmarks: each can be made, and has more of what is hostile the larger it is."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks.hostile import SORTS
from benchmarks.hostile_pages import Case
from tests.cases import each_of

HAND_MADE = [case for sort in ("texts", "workspaces") for case in SORTS[sort]()]


def length(case: Case, size: int) -> int:
    return sum(map(len, case.make(size).values()))


@each_of({case.name: case for case in HAND_MADE})
def test_a_file_grows_with_its_size(case: Case) -> None:
    assert length(case, 2000) > 1.5 * length(case, 1000)


def test_every_rule_and_every_list_and_text_of_the_models_has_files() -> None:
    names = {sort: [case.name for case in SORTS[sort]()] for sort in ("pages", "many", "long")}
    assert any(name.startswith("cron-syntax/") for name in names["pages"])
    assert "many Greetings.greetingPhrases equal" in names["many"]
    assert "long CelUpsell.conditionExpression .json" in names["long"]
