"""`--watch` checks again on every change, whatever a change is, and ends with Ctrl-C."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from tests.program import Run, view, watched
from trialrun.cli.watch import _wait_for_change, signature
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest

BROKEN = view(cron="0 25 * * *")
Step = Callable[..., str]


@pytest.fixture
def step(tmp_path: Path) -> Iterator[Step]:
    """The output of a watched check of `view.yaml` up to where it waits for the next change."""
    (tmp_path / "view.yaml").write_text(BROKEN)
    with watched(tmp_path, "check", "--watch", "--output-format", "concise", "view.yaml") as output:
        yield output


def test_a_change_is_checked(step: Step, tmp_path: Path) -> None:
    assert "cron-syntax" in step()
    (tmp_path / "view.yaml").write_text(view())
    assert step() == "1 file checked, nothing found\n"


def test_new_settings_hold(step: Step, tmp_path: Path) -> None:
    assert "cron-syntax" in step()
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-syntax"]')
    assert step() == "1 file checked, nothing found\n"
    (tmp_path / "trialrun.toml").unlink()
    assert "cron-syntax" in step()


def test_wrong_settings_are_told_and_waited_for(step: Step, tmp_path: Path) -> None:
    step()
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-sintax"]')
    assert 'did you mean "cron-syntax"?' in step(until='did you mean "cron-syntax"?')
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-syntax"]')
    assert step() == "1 file checked, nothing found\n"


def test_its_own_report_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    request = CheckRequest(str(tmp_path), datetime.now(UTC), Profiles(Settings()))
    seen = signature(request, {str(tmp_path / "out.json")})
    (tmp_path / "out.json").write_text("{}")
    assert signature(request, {str(tmp_path / "out.json")}) == seen != signature(request, set())


def test_a_changed_policy_is_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "view.yaml").write_text(BROKEN)
    policy = tmp_path / "policies" / "a.yaml"
    policy.parent.mkdir()
    policy.write_text("id: a\non: FeatureView\ncheck: has(self.etag)\nmessage: m\n")
    profiles = Profiles(Settings(), policies=[str(policy)])
    request = CheckRequest(str(tmp_path), datetime.now(UTC), profiles, paths=[str(tmp_path / "view.yaml")])
    seen = signature(request, set())
    policy.write_text("id: a\non: FeatureView\ncheck: has(self.labels)\nmessage: m\n")
    assert signature(request, set()) != seen


def test_a_value_of_a_variable_is_a_change(tmp_path: Path) -> None:
    (tmp_path / "main.tf").touch()
    request = CheckRequest(str(tmp_path), datetime.now(UTC), Profiles(Settings()), paths=[str(tmp_path / "main.tf")])
    seen = signature(request)
    (tmp_path / "terraform.tfvars").touch()
    assert signature(request) != seen


def test_a_file_that_is_gone_for_a_moment(step: Step, tmp_path: Path) -> None:
    assert "cron-syntax" in step()
    (tmp_path / "view.yaml").unlink()
    assert step() == "error: there is no file or folder view.yaml\n"
    (tmp_path / "view.yaml").write_text(BROKEN)
    assert "cron-syntax" in step()


def test_files_that_are_just_written_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = CheckRequest(str(tmp_path), datetime.now(UTC), Profiles(Settings()))
    before, empty, part, whole = ([("view.yaml", size, 0)] for size in (9, 0, 3, 8))
    looks = iter((before, empty, part, whole, whole))
    monkeypatch.setattr("trialrun.cli.watch.signature", lambda request, own: next(looks))
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert _wait_for_change(request, before, lambda: request, set()) is request
    assert next(looks, None) is None


def test_files_that_never_stop_changing_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = CheckRequest(str(tmp_path), datetime.now(UTC), Profiles(Settings()))
    sizes = count()
    monkeypatch.setattr("trialrun.cli.watch.signature", lambda request, own: [("view.yaml", next(sizes), 0)])
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    assert _wait_for_change(request, [], lambda: request, set()) is request


@pytest.mark.parametrize(
    ("path", "says"),
    [("-", "--watch needs files; standard input does not change"), ("nowhere", "there is no file or folder nowhere")],
)
def test_what_cannot_be_watched(run: Run, path: str, says: str) -> None:
    ran = run("check", "--watch", path, stdin=b"")
    assert (ran.code, ran.err) == (2, f"error: {says}\n")


def test_settings_of_a_workspace_inside_are_watched(tmp_path: Path) -> None:
    for team in ("team-a", "team-b"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "trialrun.toml").write_text("")
        (tmp_path / team / "view.yaml").write_text(BROKEN)
    with watched(tmp_path, "check", "--watch", "--output-format", "concise") as step:
        assert step().count("cron-syntax") == 2
        (tmp_path / "team-b" / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n')
        text = step()
        assert ("team-a/view.yaml" in text, "team-b/view.yaml" in text) == (True, False)
        (tmp_path / "team-b" / "trialrun.toml").unlink()
        assert step().count("cron-syntax") == 2
