"""The office by itself: what it does first, what it leaves, and what it tells when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.program import view
from trialrun.lint.baseline import Baseline, baseline_of, written
from trialrun.lsp.analysis.analysis_server import Office
from trialrun.lsp.ipc.coalescing_queue import Tray
from trialrun.lsp.ipc.messages import (
    Answer,
    Ask,
    Begin,
    Cancel,
    Choices,
    Doing,
    Drop,
    Findings,
    FromOffice,
    LeaveOut,
    LeaveOutRule,
    Put,
    Refusal,
    Reread,
    Told,
    Touch,
)

VIEW = view().encode()
WRONG = view("w", cron="0 66 * * *").encode()
BRAND = b"kind: Brand\nname: north\nstores:\n  - {name: pier, timeZone: Europe/Nowhere}\n"
FAILS = "id: fails\non: SyncConfig\ncheck: self.cron.split(' ')[7] == ''\nmessage: m\n"


class Desktop:
    """An office with what it tells, and what waits for it."""

    def __init__(self, folder: Path, **clock: Any) -> None:
        self.folder = folder
        self.said: list[FromOffice] = []
        self.tray = Tray(lambda _: None)
        self.office = Office(Begin(str(folder), Choices(cache=False)), self.said.append, self.tray, **clock)

    def put(self, name: str, data: Any, version: int = 1) -> None:
        self.office.take(Put(str(self.folder / name), data, version))

    def finish(self) -> None:
        """Do all that is left."""
        while self.office.work() == 0:
            continue

    def of(self, name: str) -> list[list[str]]:
        """The rules of the findings of a file, each time they were told."""
        found = [one for one in self.said if isinstance(one, Findings) and one.file == str(self.folder / name)]
        return [sorted(each.rule for each in one.diagnostics) for one in found]

    def told(self) -> list[str]:
        """The messages for a person."""
        return [one.message for one in self.said if isinstance(one, Told)]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Desktop]:
    monkeypatch.chdir(tmp_path)
    return lambda: Desktop(tmp_path)


def test_linting_is_left_for_a_newer_text(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    desktop = opened()
    desktop.put("brand.yaml", BRAND)
    desktop.tray.put(Put(str(tmp_path / "brand.yaml"), VIEW, 2))
    desktop.office.work()
    assert desktop.of("brand.yaml") == []
    newer = desktop.tray.take()
    assert newer is not None
    desktop.office.take(newer)
    desktop.finish()
    assert desktop.of("brand.yaml") == [[]]


def test_a_question_about_a_text_that_is_linted_for_it_ends_with_the_text(
    opened: Callable[[], Desktop], tmp_path: Path
) -> None:
    desktop = opened()
    file = str(tmp_path / "brand.yaml")
    desktop.put("brand.yaml", BRAND)
    desktop.tray.put(Put(file, VIEW, 2))
    desktop.office.take(Ask(1, "code_actions", file, (0, 10)))
    assert [type(one.error).__name__ for one in desktop.said if isinstance(one, Refusal)] == ["Outdated"]


def test_a_fault_of_ours_with_a_text_is_told_once_and_the_findings_of_others_stay(
    opened: Callable[[], Desktop],
) -> None:
    desktop = opened()
    desktop.put("view.yaml", WRONG)
    desktop.finish()
    for version in (1, 2):
        desktop.put("fault.yaml", "this is no text of bytes", version)
        desktop.finish()
    assert ["fault.yaml" in one for one in desktop.told()] == [True]
    assert desktop.of("fault.yaml") == [["internal-error"], ["internal-error"]]
    assert desktop.of("view.yaml") == [["cron-syntax"]]


def test_a_file_with_a_fault_is_looked_at_again_once_it_changes(opened: Callable[[], Desktop]) -> None:
    desktop = opened()
    desktop.put("view.yaml", "this is no text of bytes", 1)
    desktop.finish()
    desktop.put("view.yaml", WRONG, 2)
    desktop.finish()
    assert desktop.of("view.yaml")[-1] == ["cron-syntax"]


def test_a_check_that_fails_in_many_files_is_told_once(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('policies = ["policy.yaml"]\n')
    (tmp_path / "policy.yaml").write_text(FAILS)
    desktop = opened()
    for name in ("one.yaml", "two.yaml"):
        desktop.put(name, view(name[0]).encode())
    desktop.finish()
    assert [desktop.of("one.yaml"), desktop.of("two.yaml")] == [[["internal-error"]], [["internal-error"]]]
    assert len(desktop.told()) == 1


def test_what_is_left_out_is_told_in_place_of_its_findings(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    desktop = opened()
    desktop.office.take(LeaveOut(str(tmp_path / "view.yaml"), "it ended the process", 3))
    desktop.finish()
    (told,) = [one for one in desktop.said if isinstance(one, Findings)]
    assert (told.version, [one.message for one in told.diagnostics]) == (3, ["it ended the process"])


def test_a_rule_that_is_left_out_is_judged_by_under_other_settings(
    opened: Callable[[], Desktop], tmp_path: Path
) -> None:
    (tmp_path / "one.yaml").write_bytes(VIEW)
    desktop = opened()
    desktop.office.take(LeaveOutRule("duplicate-resource-name"))
    desktop.put("two.yaml", VIEW)
    desktop.finish()
    assert desktop.of("two.yaml") == [[]]
    desktop.office.take(Reread())
    desktop.finish()
    assert desktop.of("two.yaml")[-1] == ["duplicate-resource-name"]


def test_findings_across_files_do_not_vanish_while_the_settings_change(
    opened: Callable[[], Desktop], tmp_path: Path
) -> None:
    (tmp_path / "one.yaml").write_bytes(VIEW)
    desktop = opened()
    desktop.put("two.yaml", VIEW)
    desktop.finish()
    (tmp_path / "trialrun.toml").write_text('[severity]\ncron-syntax = "off"\n')
    before = len(desktop.of("two.yaml"))
    desktop.office.take(Touch((str(tmp_path / "trialrun.toml"),)))
    desktop.finish()
    assert {*map(tuple, desktop.of("two.yaml")[before:])} <= {("duplicate-resource-name",)}


def test_wrong_settings_are_told_once_with_their_line_and_again_once_they_were_right(
    opened: Callable[[], Desktop], tmp_path: Path
) -> None:
    settings = tmp_path / "trialrun.toml"
    desktop = opened()
    for text in ("[severity\n", "[severity\n", "", "[severity\n"):
        settings.write_text(text)
        desktop.office.take(Touch((str(settings),)))
    assert ["line 1" in one for one in desktop.told()] == [True, True]


def test_a_policy_that_is_mended_counts(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('policies = ["policy.yaml"]\n')
    (tmp_path / "policy.yaml").write_text("id: owner\n")
    desktop = opened()
    desktop.put("view.yaml", VIEW)
    desktop.finish()
    (tmp_path / "policy.yaml").write_text(FAILS.replace("[7]", "[0]"))
    desktop.office.take(Touch((str(tmp_path / "policy.yaml"),)))
    desktop.finish()
    assert desktop.of("view.yaml") == [[], ["fails"]]


def test_open_settings_are_told_what_they_silence_no_more(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    text = '[[suppress]]\npath = "view.yaml"\nrule = "cron-syntax"\nreason = "for now"\n'
    (tmp_path / "trialrun.toml").write_text(text)
    desktop = opened()
    desktop.put("trialrun.toml", text.encode())
    for version, data in enumerate((WRONG, VIEW, WRONG)):
        desktop.put("view.yaml", data, version)
        desktop.finish()
    assert desktop.of("trialrun.toml") == [[], ["unused-suppression"], []]


def test_a_baseline_that_changes_counts(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('baseline = "./known.json"\n')
    (tmp_path / "known.json").write_text(written(Baseline()))
    desktop = opened()
    desktop.put("view.yaml", WRONG)
    desktop.finish()
    (tmp_path / "known.json").write_text(written(baseline_of(desktop.office.live.diagnostics("view.yaml"))))
    desktop.office.take(Touch((str(tmp_path / "known.json"),)))
    desktop.finish()
    assert desktop.of("view.yaml") == [["cron-syntax"], []]


def test_a_file_that_is_opened_again_has_its_findings_told_again(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    desktop = opened()
    for _ in range(2):
        desktop.put("view.yaml", WRONG)
        desktop.finish()
        desktop.office.take(Drop(str(tmp_path / "view.yaml")))
    assert desktop.of("view.yaml") == [["cron-syntax"], ["cron-syntax"]]


def test_a_question_about_a_file_that_is_gone_is_answered(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    desktop = opened()
    desktop.office.take(Ask(1, "symbols", str(tmp_path / "nowhere.yaml")))
    assert [one.value for one in desktop.said if isinstance(one, Answer)] == [()]


def test_another_day_has_other_findings_though_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    today = [datetime(2026, 11, 20, 23, 59, 30, tzinfo=UTC)]
    desktop = Desktop(tmp_path, clock=lambda: today[0])
    comment = b"# trialrun: ignore-file[cron-syntax] until=2026-11-20 it is mended tomorrow\n"
    desktop.put("view.yaml", comment + WRONG)
    desktop.finish()
    assert (desktop.of("view.yaml"), desktop.office.work()) == ([[]], 30)
    today[0] += timedelta(minutes=1)
    desktop.finish()
    assert "cron-syntax" in desktop.of("view.yaml")[-1]


def test_open_files_are_linted_first_when_what_all_go_by_changes(opened: Callable[[], Desktop], tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(view(name))
    desktop = opened()
    desktop.put("c.yaml", view("c").encode())
    desktop.finish()
    desktop.put("types.yaml", b"kind: SessionSchema\nname: types\n")
    assert desktop.office.live.next_path == "c.yaml"


def ask_for_names(desktop: Desktop) -> Ask:
    """A question of a text that takes all others, too, nothing of which has been read yet."""
    for number in range(3):
        (desktop.folder / f"{number}.yaml").write_bytes(BRAND.replace(b"north", b"n%d" % number))
    desktop.office.take(Touch(tuple(str(desktop.folder / f"{number}.yaml") for number in range(3))))
    desktop.put("brand.yaml", BRAND)
    desktop.said.clear()
    return Ask(1, "references", str(desktop.folder / "brand.yaml"), (BRAND.index(b"pier"),))


def test_of_a_question_about_many_texts_the_one_that_is_read_may_take_too_long(opened: Callable[[], Desktop]) -> None:
    desktop = opened()
    desktop.office.take(ask_for_names(desktop))
    doing = [Path(one.file).name for one in desktop.said if isinstance(one, Doing) and one.file]
    assert {"0.yaml", "1.yaml", "2.yaml"} <= {*doing}
    assert doing[0] == doing[-1] == "brand.yaml"


def test_a_question_that_is_cancelled_goes_on_to_no_other_text(opened: Callable[[], Desktop]) -> None:
    desktop = opened()
    question = ask_for_names(desktop)
    desktop.tray.put(Cancel(question.number))
    desktop.office.take(question)
    assert [type(one) for one in desktop.said if isinstance(one, Answer | Refusal)] == [Refusal]


def test_the_owner_of_a_repository_is_named_once(
    opened: Callable[[], Desktop], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("objects", "refs"):
        (tmp_path / ".git" / folder).mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert opened().told() == []
    monkeypatch.setattr("trialrun.repository.is_owned", lambda path: False)
    desktop = opened()
    desktop.put("view.yaml", WRONG)
    desktop.finish()
    assert [f"the git repository {tmp_path} belongs to another user" in one for one in desktop.told()] == [True]
