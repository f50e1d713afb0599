"""Sessions of the same customers on both sides of a plan: the shares that a change alters, and no others."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.changes.git_workspace import BRAND, UPSELLS, change_example, commit, ordered, plan, upsell, write_burgers
from tests.changes.test_plan_reports import HOSTILE
from tests.cli.example_workspace import NOON
from tests.program import Run, own_environment, run_process
from trialrun.changes import played, session_differences

FRIES, COLA, PIE = UPSELLS
NAMES = [one["displayName"] for one in UPSELLS]
SESSIONS = ("--sessions", "25")
CLOSING = {
    "displayName": "Pie at the end",
    "priority": 9,
    "closingOffer": {
        "closingMessages": [
            {
                "offerMessage": {
                    "upsoldItems": ["Pie"],
                    "messageConfigs": [{"languageCode": "en-US", "messageText": "A pie?"}],
                }
            }
        ]
    },
}


def change_burgers(folder: Path) -> None:
    """Commit the small workspace into a folder, and let the agent make one offer alone."""
    write_burgers(folder)
    commit(folder)
    write_burgers(folder, maxUpsellOffers=1)


def changed(
    run: Run, folder: Path, before: dict[str, Any], after: dict[str, Any], *options: str
) -> list[dict[str, Any]]:
    """The differences of sessions between two workspaces."""
    write_burgers(folder, **before)
    commit(folder)
    write_burgers(folder, **after)
    return sessions(plan(run, "HEAD", *NOON, *(options or SESSIONS)))


def sessions(found: Any) -> list[dict[str, Any]]:
    """The differences of sessions in a plan, each once."""
    return list({json.dumps(one): one for change in found["changes"] for one in change["reach"]["sessions"]}.values())


def shares(difference: dict[str, Any]) -> dict[str, list[int | None]]:
    """By upsell in how many sessions it is offered before and after."""
    return {
        one["upsell"]: [side and side["offered"] for side in (one["before"], one["after"])]
        for one in difference["upsells"]
    }


def test_another_priority_changes_the_shares_of_the_upsells_that_compete(run: Run, tmp_path: Path) -> None:
    swapped = [{**FRIES, "priority": 2}, {**COLA, "priority": 1}, PIE]
    limit = {"maxUpsellOffers": 1}
    (difference,) = changed(run, tmp_path, limit, {"upsells": swapped, **limit})
    found = shares(difference)
    assert PIE["displayName"] not in found
    (fries_before, fries_after), (cola_before, cola_after) = (found[name] for name in NAMES[:2])
    assert fries_before is not None
    assert cola_before is not None
    assert (fries_before, cola_before) == (cola_after, fries_after) == (fries_before, 0)
    assert difference["stores"] == [f"{BRAND}/stores/austin", f"{BRAND}/stores/boston"]
    assert (difference["count"], difference["sessions"]) == (2, 25)


def test_another_condition_changes_the_shares_of_its_upsell(run: Run, tmp_path: Path) -> None:
    pie = upsell("Pie with shakes", 3, f"{ordered('Shake')} && order.items.size() >= 2", "Pie")
    (difference,) = changed(run, tmp_path, {}, {"upsells": [FRIES, COLA, pie]})
    assert list(shares(difference)) == ["Pie with shakes"]
    before, after = shares(difference)["Pie with shakes"]
    assert before is not None
    assert after is not None
    assert before > after > 0


def test_an_upsell_that_only_one_side_has(run: Run, tmp_path: Path) -> None:
    salad = upsell("Salad", 9, "session.laneId == '7'", "Pie")
    (difference,) = changed(run, tmp_path, {}, {"upsells": [*UPSELLS, salad]})
    assert shares(difference)["Salad"][0] is None
    assert set(shares(difference)) - {"Salad"} <= {"Pie with shakes"}  # of which a customer may order another item


def test_a_name_alone_changes_nothing_else(run: Run, tmp_path: Path) -> None:
    (difference,) = changed(run, tmp_path, {}, {"upsells": [{**FRIES, "displayName": "Fries"}, COLA, PIE]})
    found = shares(difference)
    assert set(found) == {"Fries", "Fries with burgers"}
    assert found["Fries"] == found["Fries with burgers"][::-1]


@pytest.mark.parametrize(
    "after",
    [{}, {"upsells": [{**FRIES, "celUpsell": {**FRIES["celUpsell"], "triggerReason": "Say it nicely."}}, COLA, PIE]}],
    ids=["nothing", "what only the agent is told"],
)
def test_nothing_is_played_where_sessions_do_not_differ(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: dict[str, Any]
) -> None:
    monkeypatch.setattr(played, "PairedSearch", lambda *arguments: pytest.fail("played"))
    assert changed(run, tmp_path, {}, after) == []


def test_a_change_without_effect_in_sessions_has_no_difference(run: Run, tmp_path: Path) -> None:
    same = upsell("Fries with burgers", 1, f"{ordered('Burger')} && true", "Fries")
    write_burgers(tmp_path)
    commit(tmp_path)
    write_burgers(tmp_path, [same, COLA, PIE])
    assert sessions(plan(run, "HEAD", *NOON, *SESSIONS)) == []
    assert "played: 25 sessions on each side, no difference\n" in run("plan", "HEAD", *NOON, *SESSIONS).out


@pytest.mark.parametrize("name", ["text", "markdown", "github"])
def test_the_summary_says_what_differs(run: Run, tmp_path: Path, name: str) -> None:
    change_burgers(tmp_path)
    out = run("plan", "HEAD", *NOON, *SESSIONS, "--output-format", name).out
    assert "25 sessions on each side, sessions differ at 2 stores\n" in out


def test_without_sessions_the_plan_says_so(run: Run, tmp_path: Path) -> None:
    assert changed(run, tmp_path, {}, {"maxUpsellOffers": 1}, "--no-scenarios") == []
    (left,) = plan(run, "HEAD", *NOON)["not_compared"]
    assert left == {
        "what": "sessions",
        "why": "not played at the 2 stores where they may differ; --sessions N plays them",
    }


@pytest.mark.parametrize("change", first_of([change_burgers, change_example]))
def test_the_same_bytes_every_time(run: Run, tmp_path: Path, change: Callable[[Path], None]) -> None:
    change(tmp_path)
    words = ("plan", "HEAD", *NOON, "--sessions", "4", "--no-scenarios", "--output-format", "json")
    environment = own_environment(tmp_path) | {"PYTHONHASHSEED": "1"}
    printed = {run_process(words, tmp_path, environment).out, run(*words).out}
    assert len(printed) == 1
    assert '"differing": ' in printed.pop()


@pytest.mark.parametrize(("change", "least"), first_of([(change_burgers, 1), (change_example, 3)]))
def test_backwards_everything_is_exchanged(
    run: Run, tmp_path: Path, change: Callable[[Path], None], least: int
) -> None:
    change(tmp_path)
    commit(tmp_path)
    words = (*NOON, "--sessions", "12", "--no-scenarios")
    there, back = (sessions(plan(run, *sides, *words)) for sides in (("HEAD~1", "HEAD"), ("HEAD", "HEAD~1")))
    assert len(there) >= least
    key = lambda one: one["stores"]  # noqa: E731
    assert sorted(map(_mirror, there), key=key) == sorted(back, key=key)


def _mirror(difference: dict[str, Any]) -> dict[str, Any]:
    upsells = [{**one, "before": one["after"], "after": one["before"]} for one in difference["upsells"]]
    example = difference["example"]
    example = example and {**example, "before": example["after"], "after": example["before"]}
    return {**difference, "upsells": upsells, "example": example}


def test_the_example_is_short_and_can_be_played_again(run: Run, tmp_path: Path) -> None:
    swapped = [{**FRIES, "priority": 2}, {**COLA, "priority": 1}, PIE]
    (difference,) = changed(run, tmp_path, {}, {"upsells": swapped})
    example = difference["example"]
    assert example["lines"] == ["add Burger"]
    assert (example["before"], example["after"]) == (
        [
            'offers "Fries with burgers": Fries',
            'skips "Cola with burgers": "Fries with burgers" is favored: priority 1 before 2',
        ],
        [
            'offers "Cola with burgers": Cola',
            'skips "Fries with burgers": "Cola with burgers" is favored: priority 1 before 2',
        ],
    )
    script, _, command = example["command"].partition(" | ")
    assert script == "printf '%s\\n' 'add Burger'"
    ran = run(*shlex.split(command)[1:], "--output-format", "json", stdin=b"add Burger\n")
    (offer,) = json.loads(ran.out)["turns"][-1]["offered"]
    assert offer["items"] == ["Cola"]


def test_each_store_is_played_where_a_condition_asks_for_it(run: Run, tmp_path: Path) -> None:
    before = upsell("Pie with shakes", 3, "session.store == 'x' || order.items.size() > 5", "Pie")
    after = upsell("Pie with shakes", 3, "session.store == 'x' || order.items.size() > 1", "Pie")
    found = changed(run, tmp_path, {"upsells": [before]}, {"upsells": [after]})
    assert [one["stores"] for one in found] == [[f"{BRAND}/stores/austin"], [f"{BRAND}/stores/boston"]]


def test_stores_with_errors_are_listed(run: Run, tmp_path: Path) -> None:
    broken = upsell("Fries with burgers", 1, "order.(", "Fries")
    assert changed(run, tmp_path, {}, {"upsells": [broken, COLA, PIE]}) == []
    (left,) = [one for one in plan(run, "HEAD", *NOON, *SESSIONS)["not_compared"] if "austin" in one["what"]]
    assert left["what"] == "sessions at austin"
    assert left["why"].startswith("config.yaml:")
    assert left["why"].endswith("; run trialrun check to see what is wrong")


def test_only_so_many_configurations_are_played(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(played, "MAX_CONFIGURATIONS", 2)
    change_example(tmp_path)
    found = plan(run, "HEAD", *NOON, "--sessions", "1", "--no-scenarios")
    left = [one for one in found["not_compared"] if one["what"].startswith("sessions at ")]
    assert len(left) == 3
    assert {one["why"] for one in left} == {"only the 2 configurations of the most stores are played"}


def test_another_menu(run: Run, tmp_path: Path) -> None:
    change_burgers(tmp_path)
    menu = tmp_path / "menu.yaml"
    menu.write_text(menu.read_text().replace("- name: Cola\n", "- name: Water\n- name: Cola\n"))
    menu.write_text(menu.read_text().replace("- name: Burger\n", "- name: Burger\n  price: 9.5\n"))
    found = sessions(plan(run, "HEAD", *NOON, *SESSIONS))
    assert found[0]["differing"] > 0
    assert sessions(plan(run, "HEAD", *NOON, *SESSIONS)) == found


def test_a_menu_alone(run: Run, tmp_path: Path) -> None:
    dear = "order.subtotal > 5.0"
    write_burgers(tmp_path, [upsell("Fries", 1, dear, "Fries"), CLOSING])
    menu = tmp_path / "menu.yaml"
    menu.write_text(menu.read_text().replace("- name: Burger\n", "- name: Burger\n  id: b\n  price: 2.0\n"))
    commit(tmp_path)
    menu.write_text(menu.read_text().replace("  id: b\n  price: 2.0\n", "  id: c\n  price: 9.0\n"))
    assert "not played at the 2 stores" in str(plan(run, "HEAD", *NOON)["not_compared"])
    found = plan(run, "HEAD", *NOON, *SESSIONS)
    (difference,) = sessions(found)
    assert (difference["count"], difference["example"]["lines"]) == (2, ["add Burger"])
    assert difference["example"]["after"] == ['offers "Fries": Fries']
    assert [len(one["reach"]["sessions"]) for one in found["changes"]] == [1, 1]


def test_a_customer_leaves_out_only_what_the_other_menu_lacks(run: Run, tmp_path: Path) -> None:
    write_burgers(tmp_path, [upsell("Fries", 1, "session.turn > 0", "Fries"), CLOSING])
    commit(tmp_path)
    menu = tmp_path / "menu.yaml"
    menu.write_text(menu.read_text().replace("- name: Cola\n", "- name: Cola\n  availability: {soldOut: true}\n"))
    (difference,) = sessions(plan(run, "HEAD", *NOON, "--sessions", "100"))
    assert shares(difference) == {"Fries": [100, 96], "Pie at the end": [20, 17]}  # the others ordered Cola alone


@pytest.mark.parametrize(
    "is_late",
    [pytest.param(False, id="in the sessions"), pytest.param(True, id="in the example", marks=pytest.mark.exhaustive)],
)
def test_an_interrupt_ends_the_play(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
) -> None:
    change_example(tmp_path)

    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    if is_late:
        monkeypatch.setattr(session_differences, "shrink", interrupted)
    else:
        play_batch = session_differences.PairedSearch.play_batch

        def stop_at(self: session_differences.PairedSearch, numbers: range) -> session_differences.PairedBatch:
            if numbers.start == 3:
                raise KeyboardInterrupt
            return play_batch(self, numbers)

        monkeypatch.setattr(session_differences.PairedSearch, "play_batch", stop_at)
    with pytest.raises(KeyboardInterrupt):  # the exit code is 130
        run("plan", "HEAD", *NOON, "--sessions", "10", "--no-scenarios", "--output-format", "json=plan.json")
    found = json.loads((tmp_path / "plan.json").read_text())
    left = [one["why"] for one in found["not_compared"] if one["what"].startswith("sessions at ")]
    first = "before the session that differs was made short" if is_late else "after 3 of 10 sessions"
    assert left.count(f"interrupted {first}") == 1
    assert left.count("interrupted before they were played") == len(left) - 1 >= 3
    assert is_late == any(not one["example"]["shortest"] for one in sessions(found) if one["example"])


@pytest.mark.parametrize("output", first_of(["markdown", "github", "text"], 2))
def test_hostile_names(run: Run, tmp_path: Path, output: str) -> None:
    hostile = [upsell(text, number, ordered("Burger"), "Pie") for number, text in enumerate(HOSTILE, start=1)]
    write_burgers(tmp_path, hostile)
    commit(tmp_path)
    write_burgers(tmp_path, hostile, maxUpsellOffers=1)
    ran = run("plan", "HEAD", *NOON, "--sessions", "10", "--output-format", output)
    part = ran.out[ran.out.lower().index("played:") :]
    assert "\u202e" not in part
    assert "\n::" not in ran.out.replace("\n::warning file=", "")
    if output == "markdown":
        inside = part.replace("<code>", "").replace("</code>", "")
        assert "Played" in ran.out
        for text in ("@everyone", "https://", "![", "<img", "<script", "`", "<!--", "](", "**bold"):
            assert text not in inside.removeprefix("Played:**").split("</details>")[0]


@pytest.mark.parametrize(("columns", "options"), first_of([("60", ("--no-scenarios",)), ("60", ()), ("100", ())]))
def test_pages_are_as_wide_as_the_terminal(run: Run, tmp_path: Path, columns: str, options: tuple[str, ...]) -> None:
    change_example(tmp_path)
    ran = run("plan", "HEAD", *NOON, "--sessions", "4", *options, COLUMNS=columns)
    lines = ran.out[ran.out.index("\nplayed:") :].partition("\nfindings")[0].splitlines()
    wide = [line for line in lines if len(line) > int(columns) and "/" not in line and not line.endswith(" \\")]
    assert wide == []


def test_every_format_has_what_was_played(run: Run, tmp_path: Path) -> None:
    change_example(tmp_path)
    outputs = [word for name in ("text", "markdown", "github") for word in ("--output-format", f"{name}={name}.out")]
    run("plan", "HEAD", *NOON, "--sessions", "25", *outputs)
    text, markdown, github = ((tmp_path / f"{name}.out").read_text() for name in ("text", "markdown", "github"))
    assert "  Two offers a session, and none after a first no: passed -> failed\n" in text
    assert "Shake instead of soda offered in " in " ".join(text.split())
    assert "Shake instead of soda offered in " in markdown
    assert "<summary>The first session that differs at each of them</summary>" in markdown
    assert "played: miami-calle-ocho: Shake instead of soda offered in " in github


@pytest.mark.parametrize(
    "after",
    first_of(
        [{"maxUpsellOffers": 1}, {"upsells": [FRIES, COLA, PIE, CLOSING]}, {"upsells": [{**COLA, "priority": 1}, PIE]}]
    ),
)
def test_following_a_customer_is_playing_the_session(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: dict[str, Any]
) -> None:
    followed = changed(run, tmp_path, {}, after)
    assert followed
    monkeypatch.setattr(session_differences.PairedSearch, "_can_follow", False)
    assert sessions(plan(run, "HEAD", *NOON, *SESSIONS)) == followed


def test_stores_that_sell_other_items_are_played_apart(run: Run, tmp_path: Path) -> None:
    write_burgers(tmp_path)
    menu = tmp_path / "menu.yaml"
    excepted = f"  availability: {{exceptStores: [{BRAND}/stores/boston]}}\n"
    menu.write_text(menu.read_text().replace("- name: Fries\n", f"- name: Fries\n{excepted}"))
    commit(tmp_path)
    config = tmp_path / "config.yaml"
    config.write_text(config.read_text().replace("upsellStrategy:\n", "upsellStrategy:\n    maxUpsellOffers: 1\n"))
    found = sessions(plan(run, "HEAD", *NOON, *SESSIONS))
    assert [one["stores"] for one in found] == [[f"{BRAND}/stores/austin"], [f"{BRAND}/stores/boston"]]
