"""The page about other programs says of trialrun, and of the engine that trialrun runs, what they do."""

from __future__ import annotations

import pytest

from scripts.engines_and_readers import PAGE, PYTHON_PACKAGES, TABLES, cel_expr_python, own_answer, tried

CELLS = [
    [cell.strip() for cell in line.replace("\\|", "¦").strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ")
]
ROWS = {cells[0]: cells for cells in CELLS}


@pytest.mark.parametrize("table", TABLES)
def test_where_trialrun_stands(table: str) -> None:
    _, cases, programs = TABLES[table]
    expected = {words: own_answer(table, case) for words, case in cases}
    assert {words: ROWS[words][-1] for words in expected} == expected
    assert {len(ROWS[words]) for words in expected} == {len(programs) + 3}


def test_what_the_reference_engine_answers() -> None:
    _, cases, _ = TABLES["conditions"]
    answers = {words: tried(cel_expr_python, case) for words, case in cases}
    assert {words: ROWS[words][2].strip("`") for words in answers} == answers


def test_the_heads_name_the_versions() -> None:
    heads = " ".join(cell for cells in CELLS if cells[0] == "what" for cell in cells)
    assert [name for name, version in PYTHON_PACKAGES.items() if f"{name} {version}" not in heads] == []
