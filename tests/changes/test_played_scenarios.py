"""Scenarios of both revisions on the documents of both: what ends in another way, and what is behind it."""

from pathlib import Path
from typing import Any

import pytest

from tests.changes.git_workspace import UPSELLS, commit, git, plan, scenario, write_burgers
from tests.cli.example_workspace import NOON, copied
from tests.program import Run
from trialrun import extras
from trialrun.changes import played

SWAPPED = ({**UPSELLS[0], "priority": 2}, {**UPSELLS[1], "priority": 1}, UPSELLS[2])
FRIES, COLA = "Fries with burgers", "Cola with burgers"


def swap_upsells(folder: Path, *names: str, old: str = "", new: str = "") -> None:
    """Commit scenarios that expect the first upsell, with a word replaced, and let it come after the second one."""
    write_burgers(folder)
    texts = (scenario(name, FRIES) for name in names or ("Fries first",))
    (folder / "fries.yaml").write_text("---\n".join(texts).replace(old, new))
    commit(folder)
    write_burgers(folder, SWAPPED)


def outcomes(run: Run, *arguments: str) -> list[str]:
    """The change, the scenario, its version and its outcomes."""
    return [
        f"{change['id']}: {one['name']} ({one['version']}) {one['before']} {one['after']}"
        for change in plan(run, *(arguments or ("HEAD",)), *NOON)["changes"]
        for one in change["reach"]["scenarios"]
    ]


def test_a_scenario_that_fails_after_a_change(run: Run, tmp_path: Path) -> None:
    write_burgers(tmp_path)
    (tmp_path / "fries.yaml").write_text(scenario("Fries first", FRIES))
    (tmp_path / "pie.yaml").write_text(scenario("Pie", "Pie with shakes", "add Shake"))
    commit(tmp_path)
    write_burgers(tmp_path, SWAPPED)
    assert outcomes(run) == ["upsell-reordered: Fries first (both) passed failed"]
    found = next(change for change in plan(run, "HEAD", *NOON)["changes"] if change["reach"]["scenarios"])
    assert found["reach"]["scenarios"][0] | {"reason": ""} == {
        "name": "Fries first",
        "path": "fries.yaml",
        "line": 2,
        "version": "both",
        "before": "passed",
        "after": "failed",
        "reason": "",
    }


def test_the_summary_says_what_ends_differently_and_where(run: Run, tmp_path: Path) -> None:
    swap_upsells(tmp_path)
    text = " ".join(run("plan", "HEAD", "--sessions", "25", *NOON).out.split())
    assert "on each side, 1 scenario ends differently, sessions differ at 2 stores " in text


def test_backwards_it_is_the_other_way_round(run: Run, tmp_path: Path) -> None:
    swap_upsells(tmp_path)
    (tmp_path / "fries.yaml").write_text(scenario("Cola first", COLA))
    commit(tmp_path)
    there, back = outcomes(run, "HEAD~1", "HEAD"), outcomes(run, "HEAD", "HEAD~1")
    assert sorted(there) == [
        "scenario-added: Cola first (head) failed passed",
        "scenario-removed: Fries first (base) passed failed",
        "upsell-reordered: Cola first (head) failed passed",
        "upsell-reordered: Fries first (base) passed failed",
    ]
    swap = {"head": "base", "base": "head", "failed": "passed", "passed": "failed", "added": "removed"}
    swap["removed"] = "added"
    assert sorted([_swap_words(one, swap) for one in there]) == sorted(back)


def _swap_words(text: str, swap: dict[str, str]) -> str:
    for separator in (" ", "(", ")", "-", ":"):
        text = text.replace(separator, f"\0{separator}\0")
    return "".join(swap.get(word, word) for word in text.split("\0"))


def test_an_earlier_scenario_that_is_edited_with_its_config(run: Run, tmp_path: Path) -> None:
    write_burgers(tmp_path)
    (tmp_path / "first.yaml").write_text(scenario("First", FRIES))
    commit(tmp_path)
    write_burgers(tmp_path, SWAPPED)
    (tmp_path / "first.yaml").write_text(scenario("First", COLA))
    found = [one for one in outcomes(run) if one.startswith("upsell-reordered")]
    assert found == ["upsell-reordered: First (base) passed failed", "upsell-reordered: First (head) failed passed"]


def test_nothing_is_played_where_nothing_behind_it_differs(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_burgers(tmp_path)
    (tmp_path / "fries.yaml").write_text(scenario("Fries first", FRIES))
    commit(tmp_path)
    monkeypatch.setattr(played, "_play", lambda *arguments: pytest.fail("played"))
    text = (tmp_path / "config.yaml").read_text()
    (tmp_path / "config.yaml").write_text(f"# as before\n{text}")
    (tmp_path / "fries.yaml").rename(tmp_path / "moved.yaml")
    assert plan(run, "HEAD", *NOON)["changes"] == []
    (tmp_path / "other.yaml").write_text(text.replace("channelConfigs/upsells", "channelConfigs/other"))
    assert outcomes(run) == []


def test_no_scenarios(run: Run, tmp_path: Path) -> None:
    swap_upsells(tmp_path)
    assert outcomes(run, "HEAD", "--no-scenarios") == []


def test_a_change_of_another_store_is_not_the_cause(run: Run, tmp_path: Path) -> None:
    swap_upsells(tmp_path)
    write_burgers(tmp_path, SWAPPED, stores=3)
    assert outcomes(run) == ["upsell-reordered: Fries first (both) passed failed"]


def test_an_error_of_check_on_one_side(run: Run, tmp_path: Path) -> None:
    swap_upsells(tmp_path)
    broken = {**UPSELLS[0], "celUpsell": {"conditionExpression": "order.(", "suggestedMenuItems": ["Fries"]}}
    write_burgers(tmp_path, [broken, *UPSELLS[1:]])
    assert outcomes(run)[0].endswith("Fries first (both) passed error")


def test_a_scenario_with_an_error_of_its_own_is_not_compared(run: Run, tmp_path: Path) -> None:
    swap_upsells(tmp_path, old="turns:", new="turn:")
    found = plan(run, "HEAD", *NOON)["not_compared"]
    assert [one["what"] for one in found if one["what"].startswith("scenario")] == ["scenario Fries first"]


def test_rows_that_differ_are_not_compared(run: Run, tmp_path: Path) -> None:
    copied(tmp_path)
    commit(tmp_path)
    view = tmp_path / "feature-views" / "menu-search.yaml"
    view.write_text(view.read_text().replace("labels:\n", "labels:\n  owner: menu\n", 1))
    data = tmp_path / "feature-store" / "data" / "menu_embeddings.parquet"
    data.write_bytes(data.read_bytes() + b"\n")
    found = plan(run, "HEAD", *NOON)["not_compared"]
    assert any(f"{data.name} differs; it is played with the rows of the working tree" in one["why"] for one in found)


def test_more_scenarios_than_are_played(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swap_upsells(tmp_path, *(f"Fries {number}" for number in range(4)))
    monkeypatch.setattr(played, "MAX_SCENARIOS", 2)
    assert len(outcomes(run)) == 2
    left = [one for one in plan(run, "HEAD", *NOON)["not_compared"] if one["what"].startswith("scenario")]
    assert [one["what"] for one in left] == ["scenario Fries 2", "scenario Fries 3"]


def test_without_the_libraries_of_the_extra(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied(tmp_path)
    commit(tmp_path)
    view = tmp_path / "feature-views" / "guest-profile.yaml"
    view.write_text(view.read_text().replace("America/Chicago 15", "America/New_York 15"))
    monkeypatch.setattr(extras, "find_spec", lambda library: None)
    found = plan(run, "HEAD", *NOON)["not_compared"]
    assert any(
        "it needs duckdb and numpy, which are not installed; run pip install 'trialrun[runtime]'" in one["why"]
        for one in found
    )


def test_an_interrupt_ends_the_play(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    swap_upsells(tmp_path, *(f"Fries {number}" for number in range(3)))
    calls: list[Any] = []
    play = played._play_both

    def interrupted(*arguments: Any) -> None:
        if calls:
            raise KeyboardInterrupt
        calls.append(arguments)
        play(*arguments)

    monkeypatch.setattr(played, "_play_both", interrupted)
    with pytest.raises(KeyboardInterrupt):  # the exit code is 130
        run("plan", "HEAD", *NOON, "--output-format", "json=plan.json")
    text = (tmp_path / "plan.json").read_text()
    assert text.count("interrupted before it was played") == 2
    assert text.count('"name": "Fries 0"') == 1


def test_both_revisions_of_git(run: Run, tmp_path: Path) -> None:
    write_burgers(tmp_path)
    (tmp_path / "fries.yaml").write_text(scenario("Fries first", FRIES))
    commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "topic")
    write_burgers(tmp_path, SWAPPED)
    commit(tmp_path)
    git(tmp_path, "checkout", "-q", "main")
    assert outcomes(run, "main", "topic") == ["upsell-reordered: Fries first (both) passed failed"]
    assert outcomes(run, "main...topic") == ["upsell-reordered: Fries first (both) passed failed"]
