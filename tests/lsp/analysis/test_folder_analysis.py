"""The analysis of a folder alone: what it does first, what it leaves, and what it reports when something goes wrong."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.program import view, write_files
from trialrun import guarded_path
from trialrun.diagnostic import Diagnostic
from trialrun.errors import UsageError
from trialrun.lint.baseline import Baseline, create_baseline, format_baseline
from trialrun.lsp.analysis.folder_analysis import PRIMING_PAUSE, FolderAnalysis, MessageSeverity
from trialrun.lsp.analysis.options import Options, workspace_request
from trialrun.workspace.open_workspace import Interrupted

VIEW = view().encode()
WRONG = view("w", cron="0 66 * * *").encode()
BRAND = b"kind: Brand\nname: north\nstores:\n  - {name: pier, timeZone: Europe/Nowhere}\n"
FAILS = "id: fails\non: SyncConfig\ncheck: self.cron.split(' ')[7] == ''\nmessage: m\n"


class AnalysisHarness:
    """An analysis with what it said; the files of which a newer text waits, and whether its request is cancelled."""

    def __init__(self, folder: Path, options: Options | None = None, **clock: Any) -> None:
        self.folder = folder
        self.published: list[tuple[str, int, list[Diagnostic]]] = []
        self.shown: list[str] = []
        self.worked_on: list[str] = []
        self.left: list[int] = []
        self.newer: set[str] = set()
        self.cancelled = False
        self.server = FolderAnalysis(str(folder), options or Options(cache=False), self, **clock)

    def publish(self, analysis: FolderAnalysis, file: str, revision: int, found: Sequence[Diagnostic]) -> None:
        self.published.append((file, revision, [*found]))

    def show_message(self, severity: MessageSeverity | None, message: str) -> None:
        self.shown += [message] if severity else []

    def report_progress(self, analysis: FolderAnalysis, remaining_files: int) -> None:
        self.left.append(remaining_files)

    def report_work(self, folder: str, file: str | None, revision: int | None, rule: str | None) -> None:
        self.worked_on += [Path(file).name] if file else []

    def is_waiting(self) -> bool:
        return bool(self.newer)

    def has_newer_text(self, file: str) -> bool:
        return file in self.newer

    def is_cancelled(self) -> bool:
        return self.cancelled

    def put(self, name: str, data: Any, version: int = 1) -> None:
        self.server.set_text(str(self.folder / name), data, version)

    def changed(self, *names: str) -> None:
        """Files changed on disk."""
        self.server.files_changed([str(self.folder / name) for name in names])
        self.server.enter()
        self.server.apply_changes()

    def finish(self) -> None:
        """Do all that is left."""
        while self.server.run_next_task() == 0:
            continue

    def of(self, name: str) -> list[list[str]]:
        """The rules of the findings of a file, each time they were told."""
        file = str(self.folder / name)
        return [sorted(each.rule for each in found) for of, _, found in self.published if of == file]


Opened = Callable[[], AnalysisHarness]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    monkeypatch.chdir(tmp_path)
    return lambda: AnalysisHarness(tmp_path)


def test_linting_is_left_for_a_newer_text(opened: Opened, tmp_path: Path) -> None:
    harness = opened()
    harness.put("brand.yaml", BRAND)
    harness.newer.add(str(tmp_path / "brand.yaml"))
    harness.server.run_next_task()
    assert harness.of("brand.yaml") == []
    harness.newer.clear()
    harness.put("brand.yaml", VIEW, 2)
    harness.finish()
    assert harness.of("brand.yaml") == [[]]


def test_a_question_about_a_text_that_is_linted_for_it_ends_with_the_text(opened: Opened, tmp_path: Path) -> None:
    harness = opened()
    file = str(tmp_path / "brand.yaml")
    harness.put("brand.yaml", BRAND)
    harness.newer.add(file)
    with pytest.raises(Interrupted):
        harness.server.answer("code_action", file, 0, 10)


def test_of_texts_of_a_file_that_wait_the_last_one_is_taken_in(opened: Opened) -> None:
    harness = opened()
    for version, data in enumerate((BRAND, WRONG, VIEW)):
        harness.put("view.yaml", data, version)
    harness.server.apply_changes()
    assert harness.worked_on == ["view.yaml"]
    harness.finish()
    assert [(revision, found) for _, revision, found in harness.published] == [(2, [])]


def test_a_question_that_there_is_not_is_a_fault_and_told(opened: Opened, tmp_path: Path) -> None:
    harness = opened()
    assert harness.server.answer("horoscope", str(tmp_path / "view.yaml")) is None
    assert ["horoscope" in message for message in harness.shown] == [True]


def test_how_much_is_left_is_told_until_all_is_done(opened: Opened, tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.yaml").write_bytes(VIEW.replace(b"/v", b"/v%d" % number))
    harness = opened()
    harness.finish()
    assert 0 < harness.left[0] <= 30
    assert harness.left == sorted(harness.left, reverse=True)
    assert harness.left.pop() == 0
    harness.changed("3.yaml")
    harness.finish()
    assert harness.left.pop() == 0


def test_a_fault_of_ours_with_a_text_is_reported_once_and_the_findings_of_others_stay(opened: Opened) -> None:
    harness = opened()
    harness.put("view.yaml", WRONG)
    harness.finish()
    for version in (1, 2):
        harness.put("fault.yaml", "this is no text of bytes", version)
        harness.finish()
    assert ["fault.yaml" in message for message in harness.shown] == [True]
    assert harness.of("fault.yaml") == [["internal-error"], ["internal-error"]]
    assert harness.of("view.yaml") == [["cron-syntax"]]


def test_a_file_with_a_fault_is_looked_at_again_once_it_changes(opened: Opened) -> None:
    harness = opened()
    harness.put("view.yaml", "this is no text of bytes", 1)
    harness.finish()
    harness.put("view.yaml", WRONG, 2)
    harness.finish()
    assert harness.of("view.yaml")[-1] == ["cron-syntax"]


def test_a_check_that_fails_in_many_files_is_reported_once(opened: Opened, tmp_path: Path) -> None:
    write_files(tmp_path, {"trialrun.toml": 'policies = ["policy.yaml"]\n', "policy.yaml": FAILS})
    harness = opened()
    for name in ("one.yaml", "two.yaml"):
        harness.put(name, view(name[0]).encode())
    harness.finish()
    assert [harness.of("one.yaml"), harness.of("two.yaml")] == [[["internal-error"]], [["internal-error"]]]
    assert len(harness.shown) == 1


def test_what_is_left_out_is_told_in_place_of_its_findings(opened: Opened, tmp_path: Path) -> None:
    harness = opened()
    harness.server.exclude(str(tmp_path / "view.yaml"), "it ended the process", will_open=True)
    harness.put("view.yaml", VIEW, 3)
    harness.finish()
    ((_, revision, found),) = harness.published
    assert (revision, [diagnostic.message for diagnostic in found]) == (3, ["it ended the process"])
    harness.put("view.yaml", WRONG, 4)
    harness.finish()
    assert harness.of("view.yaml")[-1] == ["cron-syntax"]


def test_a_file_that_is_left_out_while_it_is_closed_is_looked_at_when_it_is_opened(
    opened: Opened, tmp_path: Path
) -> None:
    harness = opened()
    harness.server.exclude(str(tmp_path / "view.yaml"), "it ended the process", will_open=False)
    harness.put("view.yaml", WRONG)
    harness.finish()
    assert harness.of("view.yaml") == [["cron-syntax"]]


def test_what_is_allowed_in_one_folder_is_not_in_another(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = (AnalysisHarness(tmp_path / name) for name in ("one", "two"))
    for harness in (one, two, one):
        harness.put("view.yaml", WRONG)
        harness.finish()
        assert guarded_path.allowed_folders() == (str(harness.folder),)
    assert one.of("view.yaml") == two.of("view.yaml") == [["cron-syntax"]]


def test_a_rule_that_is_left_out_is_judged_by_under_other_settings(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_bytes(VIEW)
    harness = opened()
    harness.server.disable_rule("duplicate-resource-name")
    harness.put("two.yaml", VIEW)
    harness.finish()
    assert harness.of("two.yaml") == [[]]
    harness.server.reload(Options(cache=False))
    harness.finish()
    assert harness.of("two.yaml")[-1] == ["duplicate-resource-name"]


def test_findings_across_files_do_not_vanish_while_the_settings_change(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_bytes(VIEW)
    harness = opened()
    harness.put("two.yaml", VIEW)
    harness.finish()
    (tmp_path / "trialrun.toml").write_text('[severity]\ncron-syntax = "off"\n')
    before = len(harness.of("two.yaml"))
    harness.changed("trialrun.toml")
    harness.finish()
    assert {*map(tuple, harness.of("two.yaml")[before:])} <= {("duplicate-resource-name",)}


def test_wrong_settings_are_reported_once_with_their_line_and_again_once_they_were_right(
    opened: Opened, tmp_path: Path
) -> None:
    settings = tmp_path / "trialrun.toml"
    harness = opened()
    for text in ("[severity\n", "[severity\n", "", "[severity\n"):
        settings.write_text(text)
        harness.changed("trialrun.toml")
    assert ["line 1" in message for message in harness.shown] == [True, True]


def test_a_policy_that_is_mended_counts(opened: Opened, tmp_path: Path) -> None:
    write_files(tmp_path, {"trialrun.toml": 'policies = ["policy.yaml"]\n', "policy.yaml": "id: owner\n"})
    harness = opened()
    harness.put("view.yaml", VIEW)
    harness.finish()
    (tmp_path / "policy.yaml").write_text(FAILS.replace("[7]", "[0]"))
    harness.changed("policy.yaml")
    harness.finish()
    assert harness.of("view.yaml") == [[], ["fails"]]


def test_open_settings_are_told_what_they_silence_no_more(opened: Opened, tmp_path: Path) -> None:
    text = '[[suppress]]\npath = "view.yaml"\nrule = "cron-syntax"\nreason = "for now"\n'
    (tmp_path / "trialrun.toml").write_text(text)
    harness = opened()
    harness.put("trialrun.toml", text.encode())
    for version, data in enumerate((WRONG, VIEW, WRONG)):
        harness.put("view.yaml", data, version)
        harness.finish()
    assert harness.of("trialrun.toml") == [[], ["unused-suppression"], []]


def test_a_baseline_that_changes_counts(opened: Opened, tmp_path: Path) -> None:
    write_files(tmp_path, {"trialrun.toml": 'baseline = "./known.json"\n', "known.json": format_baseline(Baseline())})
    harness = opened()
    harness.put("view.yaml", WRONG)
    harness.finish()
    (tmp_path / "known.json").write_text(
        format_baseline(create_baseline(harness.server.workspace.diagnostics("view.yaml")))
    )
    harness.changed("known.json")
    harness.finish()
    assert harness.of("view.yaml") == [["cron-syntax"], []]


def test_a_file_that_is_opened_again_has_its_findings_told_again(opened: Opened, tmp_path: Path) -> None:
    harness = opened()
    for _ in range(2):
        harness.put("view.yaml", WRONG)
        harness.finish()
        harness.server.close(str(tmp_path / "view.yaml"))
    assert harness.of("view.yaml") == [["cron-syntax"], ["cron-syntax"]]


def test_a_question_about_a_file_that_is_gone_is_answered(opened: Opened, tmp_path: Path) -> None:
    assert opened().server.answer("document_symbols", str(tmp_path / "nowhere.yaml")) == []


def test_changed_texts_are_read_ahead_after_a_pause(opened: Opened) -> None:
    harness = opened()
    harness.put("view.yaml", VIEW)
    harness.finish()
    assert harness.server.run_next_task() > PRIMING_PAUSE
    harness.put("view.yaml", BRAND, 2)
    harness.finish()
    assert 0 < harness.server.run_next_task() <= PRIMING_PAUSE


def test_another_day_has_other_findings_though_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    today = [datetime(2026, 11, 20, 23, 59, 30, tzinfo=UTC)]
    harness = AnalysisHarness(tmp_path, clock=lambda: today[0])
    comment = b"# trialrun: ignore-file[cron-syntax] until=2026-11-20 it is mended tomorrow\n"
    harness.put("view.yaml", comment + WRONG)
    harness.finish()
    assert (harness.of("view.yaml"), harness.server.run_next_task()) == ([[]], 30)
    today[0] += timedelta(minutes=1)
    harness.finish()
    assert "cron-syntax" in harness.of("view.yaml")[-1]


def test_open_files_are_linted_first_when_what_all_go_by_changes(opened: Opened, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(view(name))
    harness = opened()
    harness.put("c.yaml", view("c").encode())
    harness.finish()
    harness.put("types.yaml", b"kind: SessionSchema\nname: types\n")
    harness.server.apply_changes()
    assert harness.server.workspace.next_path == "c.yaml"


def ask_for_names(harness: AnalysisHarness) -> object:
    """Ask about a text what takes all others, too, nothing of which has been read yet."""
    for number in range(3):
        (harness.folder / f"{number}.yaml").write_bytes(BRAND.replace(b"north", b"n%d" % number))
    harness.changed(*(f"{number}.yaml" for number in range(3)))
    harness.put("brand.yaml", BRAND)
    harness.server.apply_changes()
    harness.worked_on.clear()
    return harness.server.answer("references", str(harness.folder / "brand.yaml"), BRAND.index(b"pier"))


def test_of_a_question_about_many_texts_the_one_that_is_read_may_take_too_long(opened: Opened) -> None:
    harness = opened()
    ask_for_names(harness)
    assert {"0.yaml", "1.yaml", "2.yaml"} <= {*harness.worked_on}
    assert harness.worked_on[0] == harness.worked_on[-1] == "brand.yaml"


def test_a_question_that_is_cancelled_goes_on_to_no_other_text(opened: Opened) -> None:
    harness = opened()
    harness.cancelled = True
    with pytest.raises(Interrupted):
        ask_for_names(harness)


def test_the_owner_of_a_repository_is_named_once(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("objects", "refs"):
        (tmp_path / ".git" / folder).mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert opened().shown == []
    monkeypatch.setattr("trialrun.repository.is_owned", lambda path: False)
    harness = opened()
    harness.put("view.yaml", WRONG)
    harness.finish()
    assert [f"the git repository {tmp_path} belongs to another user" in message for message in harness.shown] == [True]


OVERRIDES = '[[overrides]]\npaths = ["legacy/**"]\nignore = ["missing-name"]\n'


def test_settings_for_some_paths_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trialrun.toml").write_text(OVERRIDES)
    profiles = workspace_request(str(tmp_path), Options()).profiles
    assert "missing-name" in profiles.of("view.yaml").rules
    assert "missing-name" not in profiles.of("legacy/view.yaml").rules


def test_a_rule_that_there_is_not_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trialrun.toml").write_text('select = ["mising-name"]\n')
    with pytest.raises(UsageError, match='there is no rule "mising-name"'):
        workspace_request(str(tmp_path), Options())
