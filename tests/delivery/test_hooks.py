"""The hooks, as pre-commit runs them in another repository: installed from a clone of this one, without a network."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.delivery.other_tools import AUTHOR, ROOT, command
from tests.program import view, write_files

README = ROOT / "README.md"
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
PRE_COMMIT = (sys.executable, "-m", "pre_commit")
CONFIG = """\
repos:
  - repo: {clone}
    rev: {rev}
    hooks: [{{id: trialrun}}, {{id: trialrun-tofu}}, {{id: trialrun-fix}}, {{id: trialrun-workspace}}]
"""
FOREIGN = "apiVersion: apps/v1\nkind: Deployment\n"
BINDING = """\
kind: Brand
name: b
bindings:
  - rule: weekends
    channelConfig: projects/p/locations/l/brands/b/channelConfigs/c
"""
CONFIGURATION = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig: {upsellStrategy: {maxUpsellOffers: 2}}
"""
Hook = Callable[..., subprocess.CompletedProcess[str]]


def stage(folder: Path, **texts: str) -> None:
    """Write files and put them into the next commit."""
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
        command("git", "add", f"{name}.yaml", cwd=folder)


@pytest.fixture
def hook(clone: Path, offline: dict[str, str], tmp_path: Path) -> Hook:
    """Run a hook on what is staged, in a repository that names our clone; all tests share the hook's environment."""
    rev = command("git", "rev-parse", "HEAD", cwd=clone).stdout.strip()
    command("git", "init", "-q", cwd=tmp_path)
    (tmp_path / ".pre-commit-config.yaml").write_text(CONFIG.format(clone=clone, rev=rev))
    command("git", "add", ".pre-commit-config.yaml", cwd=tmp_path)

    def ran(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return command(*PRE_COMMIT, "run", name, *arguments, cwd=tmp_path, env=offline)

    return ran


def test_the_manifest_is_one() -> None:
    done = command(*PRE_COMMIT, "validate-manifest", MANIFEST, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_the_readme_shows_is_a_configuration_with_hooks_of_the_manifest(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```yaml\n(repos:.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "config.yaml").write_text(shown)
    done = command(*PRE_COMMIT, "validate-config", "config.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    there = {one["id"] for one in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}
    assert (
        {*re.findall(r"id: ([\w-]+)", shown)}
        < there
        == {"trialrun", "trialrun-tofu", "trialrun-fix", "trialrun-workspace"}
    )


@pytest.mark.parametrize("name", ["trialrun", "trialrun-workspace"])
def test_sound_files_and_files_of_others_pass(hook: Hook, tmp_path: Path, name: str) -> None:
    stage(tmp_path, view=view(), deployment=FOREIGN, broken="a: [\n")
    ran = hook(name, "--verbose")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 file checked, nothing found" in ran.stdout


@pytest.mark.parametrize("name", ["trialrun", "trialrun-workspace"])
def test_a_commit_without_yaml_and_json_starts_nothing(hook: Hook, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.txt").write_text("x\n")
    assert "(no files to check)Skipped" in hook(name, "--files", "notes.txt").stdout


def test_a_broken_file_is_told_with_its_place_unless_the_settings_exclude_it(hook: Hook, tmp_path: Path) -> None:
    stage(tmp_path, view=view(cron="0 25 * * *"))
    ran = hook("trialrun")
    assert (ran.returncode, "--> view.yaml:4:11\n" in ran.stdout) == (1, True)
    (tmp_path / "trialrun.toml").write_text('exclude = ["view.yaml"]\n')
    assert hook("trialrun").returncode == 0


TERRAFORM = """\
resource "google_vertex_ai_feature_online_store_featureview" "guests" {
  sync_config {
    cron = "1/5 25 * * *"
  }
}
"""


@pytest.mark.parametrize(("name", "file"), [("trialrun", "main.tf"), ("trialrun-tofu", "main.tofu")])
def test_each_sort_of_terraform_has_its_hook(hook: Hook, tmp_path: Path, name: str, file: str) -> None:
    for written in ("main.tf", "main.tofu"):
        (tmp_path / written).write_text(TERRAFORM)
    command("git", "add", "--all", cwd=tmp_path)
    ran = hook(name)
    assert ran.returncode == 1
    assert set(re.findall(r"--> (.*?):", ran.stdout)) == {file}


def test_a_clash_with_a_file_outside_of_the_commit_is_found_by_the_hook_of_the_workspace(
    hook: Hook, tmp_path: Path
) -> None:
    stage(tmp_path, first=view("same"))
    command("git", *AUTHOR, "commit", "-q", "-m", "first", cwd=tmp_path)
    stage(tmp_path, second=view("same"))
    ran = hook("trialrun-workspace")
    assert ran.returncode == 1
    assert "error[duplicate-resource-name]" in ran.stdout
    assert "second.yaml" in ran.stdout


def test_together_the_hooks_report_each_finding_once(hook: Hook, tmp_path: Path) -> None:
    stage(tmp_path, first=view("same", cron="0 25 * * *"), second=view("same"))
    reports = [hook(name).stdout for name in ("trialrun", "trialrun-workspace")]
    assert ["error[cron-syntax]" in report for report in reports] == [True, False]
    assert ["error[duplicate-resource-name]" in report for report in reports] == [False, True]


def test_a_clash_is_left_to_the_hook_of_the_workspace_also_within_a_commit(hook: Hook, tmp_path: Path) -> None:
    stage(tmp_path, first=view("same"), second=view("same"))
    assert hook("trialrun").returncode == 0
    assert hook("trialrun-workspace").returncode == 1


def test_a_suppression_of_what_the_hook_leaves_out_is_not_called_unused(hook: Hook, tmp_path: Path) -> None:
    comment = "# trialrun: ignore[duplicate-resource-name] both serve until the old store is gone\n"
    stage(tmp_path, first=comment + view("same"), second=view("same"))
    assert "2 files checked, nothing found" in hook("trialrun", "--verbose").stdout


def test_a_long_list_that_is_split_gives_no_finding_across_its_parts(hook: Hook, tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 50) / ("name" * 50)  # 300 such paths are more than a command line takes
    folder.mkdir(parents=True)
    for number in range(300):
        (folder / f"{number}.yaml").write_text(view(f"v{number}"))
    write_files(folder, {"0.yaml": BINDING, "299.yaml": CONFIGURATION})
    command("git", "add", "--all", cwd=tmp_path)
    ran = hook("trialrun", "--verbose")
    assert ran.returncode == 0, ran.stdout
    parts = [int(number) for number in re.findall(r"(\d+) files checked, nothing found", ran.stdout)]
    assert len(parts) > 1
    assert sum(parts) == 300
    assert hook("trialrun-workspace").returncode == 0


def test_what_is_safe_to_mend_is_mended_and_the_commit_stopped_until_it_is_in(hook: Hook, tmp_path: Path) -> None:
    stage(tmp_path, view=view().replace("[id]", "id  # one"), foreign=FOREIGN)
    ran = hook("trialrun-fix")
    assert ran.returncode == 1
    assert "files were modified by this hook" in ran.stdout
    assert (tmp_path / "view.yaml").read_text() == view().replace("[id]", "[id]  # one")
    command("git", "add", "view.yaml", cwd=tmp_path)
    assert hook("trialrun-fix").returncode == 0


def test_what_cannot_be_mended_is_told(hook: Hook, tmp_path: Path) -> None:
    stage(tmp_path, view=view(cron="0 25 * * *"))
    ran = hook("trialrun-fix")
    assert ran.returncode == 1
    assert "error[cron-syntax]" in ran.stdout
    assert (tmp_path / "view.yaml").read_text() == view(cron="0 25 * * *")


def test_a_hook_can_be_tried_from_the_clone_alone(clone: Path, offline: dict[str, str], tmp_path: Path) -> None:
    command("git", "init", "-q", cwd=tmp_path)
    stage(tmp_path, view=view(cron="0 25 * * *"))
    words = ("try-repo", str(clone), "trialrun", "--files", "view.yaml")
    ran = command(*PRE_COMMIT, *words, cwd=tmp_path, env=offline)
    assert ran.returncode == 1
    assert "error[cron-syntax]" in ran.stdout


def test_each_team_has_its_own_settings_whatever_the_order_of_files(hook: Hook, tmp_path: Path) -> None:
    for number, ignoring in enumerate(("a-team", "z-team")):
        strict = "z-team" if ignoring == "a-team" else "a-team"
        for team, settings in {ignoring: 'ignore = ["cron-syntax"]\n', strict: ""}.items():
            (tmp_path / team).mkdir(exist_ok=True)
            (tmp_path / team / "trialrun.toml").write_text(settings)
            stage(tmp_path, **{f"{team}/view{number}": view(f"v{number}", cron="0 25 * * *")})
        ran = hook("trialrun", "--all-files")
        assert ran.returncode == 1
        assert f"{strict}/view{number}.yaml" in ran.stdout
        assert f"{ignoring}/view" not in ran.stdout


SECRET = "the-secret-outside"
LOOKS_LIKE_OPTIONS = ("--fix.yaml", "-x.yaml", "--output-format=json=stolen.json", "--allow-path=/etc.yaml")
FIXABLE = view().replace("[id]", "id  # one")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository in which everything tries to lead a hook astray; what is outside of it nobody may print or run."""
    folder, outside = tmp_path / "repository", tmp_path / "outside"
    outside.mkdir()
    for name in ("secret.yaml", "secret.csv", "secret.toml"):
        (outside / name).write_text(f"{SECRET}: [\n")
    canary = tmp_path / "canary.sh"
    canary.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'executed'}'\n")
    canary.chmod(0o755)
    for name in (*LOOKS_LIKE_OPTIONS, "two\nlines.yaml", "::error::title.yaml", "bare/view.yaml", "inner/view.yaml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FIXABLE)
    (folder / "link.yaml").symlink_to(outside / "secret.yaml")
    (folder / "links").symlink_to(outside)
    (folder / "source.yaml").write_text("kind: Source\nuri: bq://p.d.t\nfiles: [../outside/secret.csv]\n")
    settings = f'policies = ["../../outside/secret.toml"]\nsession-schema = "{outside}/secret.yaml"\n'
    write_files(folder, {"nested/trialrun.toml": settings, "inner/trialrun.toml": 'ignore = ["all"]\n'})
    for name in ("objects", "refs"):
        (folder / "bare" / name).mkdir()
        (folder / "bare" / name / "kept").write_text("")
    (folder / "bare" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "bare" / "config").write_text(f"[core]\nbare = false\nworktree = {outside}\nfsmonitor = {canary}\n")
    return folder


@pytest.mark.parametrize("arguments", ["", ", args: [--fix, --]", ", args: [--fix]"])
def test_a_hostile_repository_leads_no_hook_astray(
    hook: Hook, clone: Path, offline: dict[str, str], hostile: Path, arguments: str
) -> None:
    config = (hostile.parent / ".pre-commit-config.yaml").read_text()
    command("git", "init", "-q", cwd=hostile)
    (hostile / ".pre-commit-config.yaml").write_text(
        config.replace("{id: trialrun}", "{id: trialrun" + arguments + "}")
    )
    command("git", "add", "--all", cwd=hostile)
    reports = ""
    for name in ("trialrun", "trialrun-workspace"):
        ran = command(*PRE_COMMIT, "run", name, "--all-files", "--verbose", cwd=hostile, env=offline)
        reports += ran.stdout + ran.stderr
        assert "exit code: 3" not in ran.stdout
    assert SECRET not in reports
    assert "\n::error" not in reports
    assert not (hostile.parent / "executed").exists()
    assert not (hostile / "stolen.json").exists()
    assert ("is a file that looks like an option" in reports) == arguments.endswith("[--fix]")
    is_fixed = arguments.endswith("--]")
    assert [(hostile / name).read_text() == FIXABLE for name in ("-x.yaml", "--fix.yaml")] == [not is_fixed] * 2
    assert arguments or all(f"--> {name}:" in reports for name in ("-x.yaml", "--fix.yaml", "::error::title.yaml"))
