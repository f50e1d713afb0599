"""Fixes are worked out for reports that need them, and no report tells whether others came before it."""

from itertools import permutations
from pathlib import Path

import pytest

import trialrun.fix
from tests.cases import share_of
from tests.program import Run, view
from trialrun.report.interface import FORMATS, WITHOUT_FIXES

MISSPELT = view(cron="0 3 * * *").replace("syncConfig", "sync_config").replace("entityIdColumns", "entityIdColumsn")


@pytest.fixture(autouse=True)
def misspelt_file(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(MISSPELT)


@pytest.mark.parametrize("name", sorted(WITHOUT_FIXES))
def test_no_fix_is_worked_out_for_a_format_without_fixes(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = run("check", "--no-cache", "--output-format", name)
    monkeypatch.delattr(trialrun.fix, "resolve_fix")
    assert run("check", "--no-cache", "--output-format", name) == wanted
    assert "sync_config" in wanted.out


@pytest.mark.parametrize("name", sorted(set(FORMATS) - WITHOUT_FIXES))
def test_a_format_with_fixes_says_them_after_one_without(name: str, run: Run) -> None:
    cold = run("check", "--no-cache", "--output-format", name)
    run("check", "--output-format", "gitlab")
    assert run("check", "--output-format", name) == cold
    assert run("check", "--output-format", name) == cold
    assert "entityIdColumns" in cold.out


@pytest.mark.generated
def test_formats_in_any_order_say_the_same(run: Run, tmp_path: Path) -> None:
    names = ("json", "gitlab", "concise", "junit")
    cold = {name: run("check", "--no-cache", "--output-format", name) for name in names}
    for number, order in enumerate(share_of([*permutations(names)])):
        (tmp_path / "view.yaml").write_text(MISSPELT + "#" * number)  # no verdict of this text is known
        assert {name: run("check", "--output-format", name).out for name in order} == {
            name: cold[name].out for name in order
        }


def test_a_fix_is_made_after_a_check_without_fixes(run: Run, tmp_path: Path) -> None:
    run("check", "--output-format", "github")
    run("check", "--fix", "--output-format", "github")
    assert "syncConfig" in (tmp_path / "view.yaml").read_text()


def test_one_report_with_fixes_among_several_has_them(run: Run, tmp_path: Path) -> None:
    run("check", "--output-format", "gitlab", "--output-format", "json=found.json")
    assert '"safe"' in (tmp_path / "found.json").read_text()
