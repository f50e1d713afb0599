"""Repositories with settings in several folders: each file is judged by its own nearest ones."""

import itertools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cases import some_of
from tests.program import Run, view, write_files

WRONG = view("wrong", cron="0 25 * * *")
TOP_SETTINGS = 'exclude = ["left-out/"]\n'
SETTINGS = {
    ".": TOP_SETTINGS,
    "team-a": 'ignore = ["cron-syntax"]\n',
    "team-b": "",
    "team-b/inner": 'severity.cron-syntax = "warning"\n',
    "left-out": "",
}
INNER = "team-b/inner/x.yaml"
ERRORS = {"a.yaml": "error", "team-b/x.yaml": "error", INNER: "warning", "team-b/sub/x.yaml": "error"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for folder, text in SETTINGS.items():
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "trialrun.toml").write_text(text)
    for file in (*ERRORS, "team-a/x.yaml", "left-out/x.yaml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(WRONG)
    subprocess.run(["git", "init", "-q", "--template=", str(tmp_path)], check=True)
    return tmp_path


def reported(run: Run, *arguments: str, cwd: Path | None = None) -> dict[str, str]:
    report: dict[str, Any] = json.loads(run("check", "--output-format=json", *arguments, cwd=cwd).out)
    return {
        diagnostic["path"]: diagnostic["severity"]
        for diagnostic in report["diagnostics"]
        if diagnostic["rule"] == "cron-syntax"
    }


def test_a_check_at_the_top_judges_every_file_by_its_own_settings(run: Run, repository: Path) -> None:
    report = json.loads(run("check", "--output-format=json").out)
    paths = [diagnostic["path"] for diagnostic in report["diagnostics"]]
    assert paths == sorted(paths)
    assert report["summary"]["files"] == 5
    assert reported(run) == reported(run, ".") == ERRORS


@pytest.mark.parametrize("order", some_of(map(list, itertools.permutations(["a.yaml", "team-a/x.yaml", INNER])), 3))
@pytest.mark.parametrize("hook", [[], ["--discovered"]])
def test_the_order_of_paths_decides_nothing(run: Run, repository: Path, order: list[str], hook: list[str]) -> None:
    assert reported(run, *hook, *order) == {"a.yaml": "error", "team-b/inner/x.yaml": "warning"}


def test_a_part_of_a_workspace_has_the_settings_of_all_of_it(run: Run, repository: Path) -> None:
    assert reported(run, "team-b/sub", "team-b/inner") == {
        "team-b/sub/x.yaml": "error",
        "team-b/inner/x.yaml": "warning",
    }
    assert reported(run, "team-b", "team-b/inner/x.yaml") == {key: ERRORS[key] for key in ERRORS if "team-b" in key}
    assert reported(run, cwd=repository / "team-b" / "sub") == {
        "../inner/x.yaml": "warning",
        "../x.yaml": "error",
        "x.yaml": "error",
    }


@pytest.mark.parametrize("cached", [["--no-cache"], []])
@pytest.mark.parametrize("folder", [".", "one", "two", "three"])
def test_of_two_files_the_same_one_is_at_fault_in_every_folder(
    run: Run, tmp_path: Path, folder: str, cached: list[str]
) -> None:
    (tmp_path / "three").mkdir()
    write_files(tmp_path, {"trialrun.toml": "", "one/v.yaml": view(), "two/v.yaml": view()})
    for cwd in (tmp_path, tmp_path / folder):  # the second time with what the cache has of the first
        report = json.loads(run("check", "--output-format=json", *cached, cwd=cwd).out)
        (found,) = report["diagnostics"]
        assert (cwd / found["path"]).resolve() == (tmp_path / "two" / "v.yaml").resolve()


def test_an_excluded_workspace_is_checked_where_it_is_named(run: Run, repository: Path) -> None:
    assert reported(run, "left-out") == {"left-out/x.yaml": "error"}


def test_what_settings_exclude_is_left_out_of_their_own_workspace_alone(run: Run, repository: Path) -> None:
    (repository / "trialrun.toml").write_text('exclude = ["**/x.yaml"]\n')
    assert reported(run) == {**ERRORS, "left-out/x.yaml": "error"}
    (repository / "team-b" / "trialrun.toml").write_text('exclude = ["inner/", "sub"]\n')
    assert sorted(reported(run)) == ["a.yaml", "left-out/x.yaml", "team-b/x.yaml"]


def test_rules_across_files_stop_at_the_border_of_a_workspace(run: Run, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "trialrun.toml").write_text("")
        (tmp_path / folder / "view.yaml").write_text(view())
    assert run("check").out == "2 files checked, nothing found\n"
    (tmp_path / "b" / "trialrun.toml").unlink()
    write_files(tmp_path, {"trialrun.toml": "", "view.yaml": view()})
    ran = run("check", "--output-format=concise").out
    assert ran.count("duplicate-resource-name") >= 1
    assert "a/view.yaml" not in ran


def test_a_finding_has_the_same_fingerprint_wherever_the_check_begins(run: Run, repository: Path) -> None:
    (repository / "team-b" / "inner" / "x.yaml").write_text(view("other", cron="0 25 * * *"))
    top = json.loads(run("check", "--output-format=json").out)["diagnostics"]
    inner = json.loads(run("check", "--output-format=json", cwd=repository / "team-b" / "inner").out)["diagnostics"]
    own = {diagnostic["fingerprint"] for diagnostic in top if diagnostic["path"].startswith("team-b/inner")}
    assert own == {diagnostic["fingerprint"] for diagnostic in inner} != set()


def test_equal_findings_of_two_workspaces_are_told_apart(run: Run, repository: Path) -> None:
    found = [load["fingerprint"] for load in json.loads(run("check", "--output-format=json").out)["diagnostics"]]
    assert len(found) == len(set(found)) > 3


def test_wrong_settings_of_an_inner_workspace_are_an_error(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text("ingore = []\n")
    assert run("check").code == 2
    assert run("check", "team-a", "a.yaml").code == 1


def test_each_workspace_has_its_own_baseline(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text('baseline = "known.json"\n')
    assert run("baseline", "write", cwd=repository / "team-b" / "inner").code == 0  # has none of its own
    assert run("baseline", "write", "known.json", cwd=repository / "team-b").code == 0
    assert sorted(reported(run)) == ["a.yaml", "team-b/inner/x.yaml"]


def test_a_repository_inside_is_a_workspace_of_its_own(run: Run, repository: Path) -> None:
    clone = repository / "clone"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    (clone / "v.yaml").write_text(WRONG)
    assert reported(run, cwd=clone) == {"v.yaml": "error"}
    (repository / "trialrun.toml").write_text('severity.cron-syntax = "note"\n')
    assert reported(run, cwd=clone) == {"v.yaml": "note"}


def test_a_pattern_that_matches_nothing_is_a_note_of_the_settings(run: Run, repository: Path) -> None:
    text = 'exclude = [\n  "left-out/",\n  "lfet-out/",\n]\nkinds."b.yaml" = "Menu"\n'
    (repository / "trialrun.toml").write_text(text)
    assert run("settings").err.splitlines() == [
        'note: trialrun.toml:3: exclude: "lfet-out/" matches nothing; the nearest path is left-out/',
        'note: trialrun.toml:5: kinds: "b.yaml" matches nothing; the nearest path is a.yaml',
    ]


@pytest.fixture
def submodule(repository: Path) -> str:
    """A submodule with a wrong file in the folder vendor/."""
    source = repository.parent / f"{repository.name}-source"
    committed(source)
    git = ("git", "-c", "protocol.file.allow=always")
    add = [*git, "submodule", "add", "-q", str(source), "vendor/lib"]
    subprocess.run(add, cwd=repository, check=True, capture_output=True)
    return "vendor/lib"


def committed(folder: Path) -> None:
    """A repository with one commit of a wrong file."""
    folder.mkdir(parents=True)
    (folder / "v.yaml").write_text(WRONG)
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@example.com")
    for words in (["init", "-q"], ["add", "v.yaml"], ["commit", "-qm", "v"]):
        subprocess.run([*git, *words], cwd=folder, check=True)


def not_checked(run: Run, *arguments: str) -> dict[str, str]:
    report: dict[str, Any] = json.loads(run("check", "--output-format=json", *arguments).out)
    return {gap["path"]: gap["why"] for gap in report["not_checked"]}


def test_submodules_are_listed_as_not_checked_or_are_checked(run: Run, repository: Path, submodule: str) -> None:
    listed = {submodule: "it is a submodule; add --recurse-submodules"}
    assert not_checked(run) == not_checked(run, ".") == not_checked(run, "vendor") == listed
    assert "not checked:\n  vendor/lib: all files in it: it is a submodule; add" in run("check", "vendor").out
    sarif = json.loads(run("check", "--output-format=sarif", "vendor").out)
    assert "vendor/lib" in json.dumps(sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"])
    assert not_checked(run, submodule) == not_checked(run, ".", submodule) == {}
    assert not_checked(run, "--recurse-submodules") == {}
    assert reported(run, submodule) == {"vendor/lib/v.yaml": "error"}
    both = {**ERRORS, "vendor/lib/v.yaml": "error"}
    assert reported(run, "--recurse-submodules") == reported(run, ".", submodule) == both


def test_a_submodule_inside_of_another_is_listed_and_checked_as_well(run: Run, repository: Path) -> None:
    committed(repository / "outer")
    committed(repository / "outer" / "inner")
    subprocess.run(["git", "add", "inner"], cwd=repository / "outer", check=True, capture_output=True)
    subprocess.run(["git", "add", "outer"], cwd=repository, check=True, capture_output=True)
    assert sorted(not_checked(run)) == ["outer"]
    assert sorted(not_checked(run, "outer")) == ["outer/inner"]
    assert reported(run, "--recurse-submodules").keys() >= {"outer/v.yaml", "outer/inner/v.yaml"}


def test_what_is_tracked_without_gitmodules_is_a_submodule_and_another_clone_is_not(run: Run, repository: Path) -> None:
    for folder in ("tracked", "a/clone", "tracked.yaml", "ignored"):
        committed(repository / folder)
    (repository / ".gitignore").write_text("ignored\n")
    subprocess.run(["git", "add", "tracked", "tracked.yaml"], cwd=repository, check=True, capture_output=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository / "tracked", check=True, capture_output=True)
    entry = f"160000,{commit.stdout.decode().strip()},absent"
    subprocess.run(["git", "update-index", "--add", "--cacheinfo", entry], cwd=repository, check=True)
    (repository / "absent").mkdir()
    clone = "it is a separate repository; name it to check it"
    absent = "it is a submodule that is not checked out; run git submodule update --init"
    tracked = "it is a submodule; add --recurse-submodules"
    assert not_checked(run) == {"a/clone": clone, "absent": absent, "tracked": tracked, "tracked.yaml": tracked}
    assert not_checked(run, "--recurse-submodules") == {"a/clone": clone, "absent": absent}
    assert not_checked(run, ".", "a/clone").keys() == {"absent", "tracked", "tracked.yaml"}


def test_repositories_inside_are_listed_where_git_is_not_installed(
    run: Run, repository: Path, submodule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(repository / "clone")
    monkeypatch.setenv("PATH", str(repository))
    assert sorted(not_checked(run)) == ["clone", submodule]


def test_an_excluded_submodule_is_not_missed(run: Run, repository: Path, submodule: str) -> None:
    (repository / "trialrun.toml").write_text(TOP_SETTINGS.replace("]", ', "vendor/"]'))
    assert not_checked(run) == not_checked(run, "--recurse-submodules") == {}
    assert "vendor/lib/v.yaml" not in reported(run, "--recurse-submodules")


def test_a_folder_of_which_all_files_are_left_out_is_not_checked(run: Run, repository: Path) -> None:
    write_files(repository, {".gitignore": "ignored/\n", "trialrun.toml": 'exclude = ["excluded/"]\n'})
    for folder in ("ignored", "own", "excluded", "empty"):
        (repository / folder).mkdir()
        (repository / folder / "v.yaml").write_text(view("w"))
    (repository / "own" / ".gitignore").write_text("*\n")
    (repository / "empty" / "v.yaml").unlink()
    ignored = "git ignores them; name a file to check it"
    assert not_checked(run, "ignored", "own", "excluded", "empty") == {
        "ignored": ignored,
        "own": ignored,
        "excluded": "the settings exclude them; name a file to check it",
    }
    assert not_checked(run) == {}


def test_a_change_lists_submodules_too(run: Run, repository: Path, submodule: str) -> None:
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@example.com")
    subprocess.run([*git, "commit", "-qam", "all"], cwd=repository, check=True)
    assert sorted(not_checked(run, "--since", "HEAD")) == [submodule]


def test_what_was_passed_over_or_not_checked_is_counted_in_all_workspaces(run: Run, repository: Path) -> None:
    (repository / "team-b" / "inner" / "other.yaml").write_text("a: 1\n")
    (repository / "team-a" / "other.yaml").write_text("a: 1\n")
    (repository / "team-a" / "broken.yaml").write_text(view("w") + "labels: [a")
    report = json.loads(run("check", "--output-format=json").out)
    assert report["summary"]["passed_over"] == 2
    assert [gap["path"] for gap in report["not_checked"]] == ["team-a/broken.yaml"]


def test_a_baseline_of_the_settings_is_for_its_own_workspace(run: Run, repository: Path) -> None:
    assert run("baseline", "write").out.startswith("5 findings")
    assert run("check", "--baseline", "trialrun-baseline.json").code == 0
    (repository / "trialrun.toml").write_text(TOP_SETTINGS + 'baseline = "known.json"\n')
    assert run("baseline", "write").out == "1 finding written to known.json\n"
    assert "a.yaml" not in reported(run)


POLICY = """\
id: team-b-etag
on: FeatureView
check: has(self.etag)
message: team B wants an etag
doc: Team B goes by etags.
"""


def test_a_policy_of_an_inner_workspace_is_described(run: Run, repository: Path) -> None:
    (repository / "team-b" / "policies").mkdir()
    (repository / "team-b" / "policies" / "etag.yaml").write_text(POLICY)
    (repository / "team-b" / "trialrun.toml").write_text('policies = ["policies"]\n')
    log = json.loads(run("check", "--output-format=sarif").out)["runs"][0]
    described = {rule["id"]: json.dumps(rule) for rule in log["tool"]["driver"]["rules"]}
    assert "Team B goes by etags" in described["team-b-etag"]
    assert "Team B goes by etags" in run("explain", "team-b-etag").out
    assert "did you mean" in run("explain", "team-b-etga").err


def test_hints_of_all_settings_are_noted_once(run: Run, repository: Path, submodule: str) -> None:
    table = '[[ignore]]\nrule = "cron-syntax"\npath = "x.yaml"\nreason = "known"\n'
    (repository / "trialrun.toml").write_text(TOP_SETTINGS + table)
    (repository / "team-b" / "trialrun.toml").write_text(table + "[runtime]\nthreads = 1000\n")
    hint = "[[ignore]] is called [[suppress]] now; rename it"
    notes = run("check", "--recurse-submodules").err.splitlines()
    assert [note.split(": ", 1)[1] for note in notes[:2]] == [
        f"trialrun.toml:2: {hint}",
        f"team-b/trialrun.toml:1: {hint}",
    ]
    assert len(notes) == 3
    assert "team-b/trialrun.toml: runtime: threads" in notes[2]
    assert run("check", "team-a", "a.yaml").err.count(hint) == 1


def test_an_upgrade_is_told_of_all_workspaces(run: Run, tmp_path: Path) -> None:
    brand = "kind: Brand\nname: acme\ndefaults: [projects/p/locations/l/brands/acme/channelConfigs/none]\n"
    for folder, text in {"a": 'edition = "2026.1"\n', "b": 'edition = "2026.1"\n', "c": ""}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "trialrun.toml").write_text(text)
        (tmp_path / folder / "brand.yaml").write_text(brand)
    (tmp_path / "b" / "trialrun.toml").write_text('edition = "2026.1"\nignore = ["unknown-channel-config"]\n')
    lines = run("rules", "diff", "2026.2").out.splitlines()
    assert "in a from edition 2026.1" in lines
    assert ["+", "unknown-channel-config", "1", "finding"] in [line.split() for line in lines]
    assert [line.split(":")[0] for line in lines if ": error " in line] == ["a/brand.yaml"]


def test_each_workspace_writes_and_prunes_the_baseline_of_its_settings(run: Run, repository: Path) -> None:
    (repository / "trialrun.toml").write_text(TOP_SETTINGS + 'baseline = "known.json"\n')
    (repository / "team-b" / "trialrun.toml").write_text('baseline = "known.json"\n')
    ran = run("baseline", "write")
    assert ran.out.splitlines() == ["1 finding written to known.json", "3 findings written to team-b/known.json"]
    assert [line.split(" set no")[0] for line in ran.err.splitlines()] == [
        "note: the settings of team-a",
        "note: the settings of team-b/inner",
    ]
    assert sorted(reported(run)) == ["team-b/inner/x.yaml"]
    (repository / "team-b" / "x.yaml").write_text(view("right"))
    ran = run("baseline", "prune")
    assert [line.split(" removed")[0] for line in ran.out.splitlines()] == ["0 findings", "2 findings"]
    assert sorted(reported(run)) == ["team-b/inner/x.yaml"]


def test_a_named_baseline_is_for_the_workspace_whose_settings_name_it(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text('baseline = "known.json"\n')
    assert run("baseline", "write", "team-b/known.json").out == "3 findings written to team-b/known.json\n"
    assert run("baseline", "write", "all.json").out == "5 findings written to all.json\n"
    assert run("check", "--baseline", "all.json").code == 0


def shown_files(run: Run, *arguments: str) -> dict[str, str]:
    """What `--show-files` says of each file: its kinds, or the reason."""
    shown = json.loads(run("check", "--show-files", "--output-format=json", *arguments).out)["files"]
    assert [one["path"] for one in shown] == sorted({one["path"] for one in shown})
    return {one["path"]: one["reason"] or ", ".join(one["kinds"]) for one in shown}


def test_files_of_nested_workspaces_are_shown_under_their_own_settings(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text('exclude = ["sub/"]\n')
    view, excluded = "FeatureView", "excluded by the settings"
    files = {
        "a.yaml": view,
        "left-out/x.yaml": excluded,
        "team-a/x.yaml": view,
        "team-b/inner/x.yaml": view,
        "team-b/sub/x.yaml": excluded,
        "team-b/x.yaml": view,
    }
    assert shown_files(run) == shown_files(run, ".") == files
    assert shown_files(run, "team-b") == {path: files[path] for path in files if path.startswith("team-b")}
    assert shown_files(run, "team-b/sub/x.yaml", "a.yaml") == {"a.yaml": view, "team-b/sub/x.yaml": view}
    assert shown_files(run, "--discovered", "team-b/sub/x.yaml") == {"team-b/sub/x.yaml": excluded}
    text = run("check", "--show-files").out.splitlines()
    assert [line.split(maxsplit=1) for line in text] == [[path, files[path]] for path in files]


def test_submodules_are_shown_as_not_entered_or_with_their_files(run: Run, repository: Path, submodule: str) -> None:
    reason = "not checked: it is a submodule; add --recurse-submodules"
    assert shown_files(run)[submodule] == reason
    entered = shown_files(run, "--recurse-submodules")
    assert submodule not in entered
    assert entered[f"{submodule}/v.yaml"] == "FeatureView"


def test_errors_of_settings_name_their_file_as_findings_do(run: Run, repository: Path) -> None:
    (repository / "team-b" / "trialrun.toml").write_text("ingore = []\nbaseline = 3\n")
    inner = repository / "team-b" / "inner"
    (repository / "team-a" / "trialrun.toml").write_text("a = [")
    commands = (("check", "."), ("settings", "team-b"), ("check", "team-b/x.yaml"), ("baseline", "write", "b.json"))
    for words in commands:
        assert run(*words).err.startswith(("error: team-b/trialrun.toml:1: ", "error: team-a/trialrun.toml: "))
    (inner / "trialrun.toml").unlink()
    assert run("check", cwd=inner).err.startswith("error: ../trialrun.toml:1: ")
    (repository / "team-b" / "trialrun.toml").write_text('baseline = "missing.json"\n')
    assert run("check", "team-b/x.yaml").err.startswith(
        "error: there is no baseline team-b/missing.json; write it with trialrun baseline write team-b/missing.json"
    )
    (repository / "team-b" / "trialrun.toml").write_text('policies = ["nowhere"]\n')
    assert run("rules", cwd=repository / "team-b").err.startswith("error: trialrun.toml: policies: ")
