"""Which files are looked at: ours, not the ignored ones, each once, whatever the links do."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.program import Ran, Run, view, write_files
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest
from trialrun.workspace.discovery import UnknownPath, discover, workspace_root
from trialrun.workspace.open_workspace import OpenWorkspace

TREE = ["a.yaml", "b.yml", "c.json", "d.txt", "sub/e.yaml", "out/f.yaml", "sub/out/g.yaml", "sub/kept.yaml"]


def plant(folder: Path) -> None:
    for name in TREE:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(view(name.replace("/", "-").replace(".", "-")))
    (folder / "c.json").write_text("{}")


def names(folder: Path, *paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    found = discover([str(folder / path) for path in paths], root=str(folder), exclude=exclude)
    return sorted(os.path.relpath(file.file, folder) for file in found)


@pytest.mark.parametrize("with_git", [True, False])
def test_the_case_of_an_ending_does_not_matter(run: Run, tmp_path: Path, with_git: bool) -> None:
    if with_git:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    files = ["a.YAML", "b.Yml", "c.JSON"]
    for name in files[:2]:
        (tmp_path / name).write_text(view(name[0]).replace("syncConfig", "synConfig"))
    (tmp_path / "c.JSON").write_text('{"kind": "FeatureView", "synConfig": {"cron": "0 3 * * *"}}')
    for arguments in (["."], ["--discovered", "--", *files], files):
        found = json.loads(run("check", "--output-format", "json", *arguments).out)
        assert [each["path"] for each in found["diagnostics"] if each["rule"] == "unknown-field"] == files


@pytest.mark.parametrize("with_git", [True, False])
def test_gitignore_is_respected_with_and_without_git(tmp_path: Path, with_git: bool) -> None:
    plant(tmp_path)
    write_files(tmp_path, {".gitignore": "out/\n!\n\\\n*.json\n", "sub/.gitignore": "*.yaml\n!kept.yaml\n"})
    if with_git:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    assert names(tmp_path) == ["a.yaml", "b.yml", "sub/kept.yaml"]


def test_a_gitignore_that_is_not_utf_8_applies(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / ".gitignore").write_bytes(b"caf\xe9/\nout/\nsub/\n")
    assert names(tmp_path) == ["a.yaml", "b.yml", "c.json"]


@pytest.mark.parametrize("with_git", [True, False])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ["a.yaml"]),
        ("sub", []),
        ("sub/out", []),
        ("other", ["other/x.yaml"]),
        ("ignored", []),
        ("ignored/below", []),
        ("own", []),
    ],
)
def test_a_repository_is_listed_alike_with_and_without_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_git: bool, path: str, expected: list[str]
) -> None:
    files = ("a.yaml", "sub/x.yaml", "sub/out/x.yaml", "other/x.yaml", "ignored/below/x.yaml", "own/a.yaml", "b.yaml")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(view())
    (tmp_path / ".gitignore").write_text("sub/**/x.yaml\nignored/\n!a.yaml\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "init", "-q", str(tmp_path / "other")], check=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("own/\na.yaml\nb.yaml\n")
    if not with_git:
        monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert names(tmp_path, path) == expected
    found = discover([path or "."], root=str(tmp_path))
    assert [file.display_path for file in found] == expected


@pytest.mark.parametrize("pointed", [".git", "nowhere/.git"])
def test_a_hook_of_git_sees_what_its_user_sees(run: Run, tmp_path: Path, pointed: str) -> None:
    plant(tmp_path)
    (tmp_path / ".gitignore").write_text("out/\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    before = run("check", "sub").out
    hook = {"GIT_DIR": pointed, "GIT_INDEX_FILE": f"{pointed}/index", "GIT_WORK_TREE": "..", "GIT_PREFIX": "sub/"}
    assert run("check", "sub", **hook).out == before == "2 files checked, nothing found\n"


def test_a_tracked_file_that_vanished_is_no_finding(tmp_path: Path) -> None:
    plant(tmp_path)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "a.yaml"], check=True)
    (tmp_path / "a.yaml").unlink()
    assert "a.yaml" not in names(tmp_path)


def test_excluded_globs_and_what_is_named_all_the_same(tmp_path: Path) -> None:
    plant(tmp_path)
    assert names(tmp_path, exclude=("sub/", "*.json")) == ["a.yaml", "b.yml", "out/f.yaml"]
    assert names(tmp_path, "sub/e.yaml", exclude=("sub/",)) == ["sub/e.yaml"]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    plant(tmp_path)
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "self.yaml").symlink_to("self.yaml")
    assert names(tmp_path) == sorted(name for name in TREE if not name.endswith(".txt"))


def test_a_file_named_twice_is_looked_at_once(tmp_path: Path) -> None:
    plant(tmp_path)
    assert names(tmp_path, "a.yaml", "a.yaml", ".").count("a.yaml") == 1


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownPath):
        discover([str(tmp_path / "nowhere")], root=str(tmp_path))


def test_the_workspace_is_where_the_nearest_settings_are(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.trialrun]\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\n")
    assert workspace_root(str(tmp_path / "a" / "b")) == str(tmp_path)
    (tmp_path / "a" / "trialrun.toml").write_text("")
    assert workspace_root(str(tmp_path / "a" / "b")) == str(tmp_path / "a")


@pytest.mark.parametrize(
    "settings",
    [
        "[tool.trialrun]",
        "[tool.trialrun.severity]",
        "[ tool . trialrun ]",
        "[tool]\ntrialrun = {}",
        "tool.trialrun.ignore = []",
    ],
)
def test_settings_may_be_written_in_every_way_of_toml(tmp_path: Path, settings: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "pyproject.toml").write_text(settings)
    assert workspace_root(str(tmp_path / "a")) == str(tmp_path / "a")


@pytest.mark.parametrize("settings", ["[tool]\ntrialrun = 1", "[[tool.trialrun]]"])
def test_settings_that_are_no_table_are_wrong_usage(run: Run, tmp_path: Path, settings: str) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write_files(tmp_path, {"a/pyproject.toml": settings})
    ran = run("check", cwd=tmp_path / "a")
    assert ran.code == 2
    assert ran.err.endswith("pyproject.toml: tool.trialrun must be a table; write [tool.trialrun]\n")


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[Path]:
    """A folder whose file is in the index of git, and which nobody may list or search."""
    folder = tmp_path / "shut"
    folder.mkdir()
    (folder / "b.yaml").write_text(view("b"))
    (tmp_path / "broken.yaml").write_text(view(cron="0 25 * * *"))
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(["git", "-C", str(tmp_path), "add", "--all"], check=True)
    (folder / "untracked.yaml").write_text(view("c"))
    folder.chmod(0)
    if os.access(folder, os.R_OK):
        pytest.skip("everything is readable to this user")
    yield folder
    folder.chmod(0o700)


def rules_by_path(ran: Ran) -> dict[str, str]:
    return {load["path"]: load["rule"] for load in json.loads(ran.out)["diagnostics"]}


@pytest.mark.parametrize("with_git", [True, False])
@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ([], "shut"),
        (["."], "shut"),
        (["shut", "broken.yaml"], "shut"),
        (["shut/b.yaml", "broken.yaml"], "shut/b.yaml"),
        (["--discovered", "shut/b.yaml", "broken.yaml"], "shut/b.yaml"),
    ],
)
def test_a_folder_that_may_not_be_searched_is_a_finding_and_the_rest_goes_on(
    run: Run, tmp_path: Path, shut: Path, with_git: bool, paths: list[str], told: str
) -> None:
    if not with_git:
        (tmp_path / ".git").rename(tmp_path.parent / f"{tmp_path.name}-git")
    ran = run("check", "--output-format", "json", *paths)
    assert ran.code == 1, ran.err
    assert rules_by_path(ran) == {"broken.yaml": "cron-syntax", told: "unreadable-file"}


def test_a_folder_that_may_be_listed_and_not_searched_hides_no_file(run: Run, tmp_path: Path, shut: Path) -> None:
    shut.chmod(0o400)
    found = rules_by_path(run("check", "--output-format", "json"))
    assert {path for path in found if found[path] == "unreadable-file"} == {"shut/b.yaml", "shut/untracked.yaml"}


def test_a_shut_folder_can_be_excluded(run: Run, tmp_path: Path, shut: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('exclude = ["shut/"]\n')
    assert rules_by_path(run("check", "--output-format", "json")) == {"broken.yaml": "cron-syntax"}


FOREIGN = {
    "deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n",
    "broken.yaml": "a: [\n",
    "empty.json": "",
    "notes.txt": view(),
    "archive/old.yaml": view(cron="0 25 * * *"),
}


def test_what_a_program_lists_is_taken_as_a_search_finds_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    for name, text in (FOREIGN | {"ours.yaml": view()}).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "trialrun.toml").write_text('exclude = ["archive/"]\n')
    listed = [*FOREIGN, "ours.yaml"]
    ran = run("check", "--discovered", *listed)
    assert (ran.code, ran.out, ran.err) == (0, "1 file checked, nothing found (3 files skipped: unknown kind)\n", "")
    assert run("check", *listed).code == 1
    (tmp_path / "link.yaml").symlink_to("nowhere.yaml")
    ran = run("check", "--discovered", *listed, "link.yaml", COLUMNS="200")
    assert (ran.code, "  link.yaml: the whole file: no such file or directory\n" in ran.out) == (0, True)


def test_a_listed_file_of_ours_is_checked_and_a_missing_one_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert "cron-syntax" in run("check", "--discovered", "view.yaml").out
    ran = run("check", "--discovered", "veiw.yaml")
    assert (ran.code, ran.err) == (2, "error: there is no file or folder veiw.yaml\n")


def test_a_file_that_is_listed_and_lies_in_a_folder_is_looked_at_once(run: Run, tmp_path: Path) -> None:
    plant(tmp_path)
    assert (
        run("check", "--ignore", "sync-herd", "--discovered", "sub/e.yaml", "sub").out
        == "3 files checked, nothing found\n"
    )


def test_an_editor_that_checks_every_buffer_leaves_out_what_a_search_would(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('exclude = ["archive/"]\n')
    broken = view(cron="0 25 * * *").encode()
    for name, text in (("archive/a.yaml", broken), ("notes.txt", broken), ("a.yaml", b"a: [")):
        assert run("check", "-", "--stdin-filename", name, "--discovered", stdin=text).code == 0
        assert run("check", "-", "--stdin-filename", name, stdin=text).out != "no files checked\n"
    assert run("check", "-", "--stdin-filename", "a.yaml", "--discovered", stdin=broken).code == 1


MANY = "the search stopped after 12 entries; name the folders to check, or add large folders to .gitignore"


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without git that has more entries than a search looks at; the last of its folders has most."""
    monkeypatch.setattr("trialrun.workspace.walk.MAX_ENTRIES", 12)
    for folder, files in {"a": 10, "z": 5}.items():
        (tmp_path / folder).mkdir()
        for number in range(files):
            (tmp_path / folder / f"{number}.yaml").write_text(view(f"{folder}{number}"))
    (tmp_path / "trialrun.toml").write_text('exclude = ["nothing/"]\n')
    return tmp_path


def test_a_search_without_git_ends_with_a_finding(run: Run, large: Path) -> None:
    ran = run("check", "--output-format=json", "--ignore", "document")
    report = json.loads(ran.out)
    assert ran.code == 1
    assert [
        (diagnostic["path"], diagnostic["rule"], diagnostic["message"]) for diagnostic in report["diagnostics"]
    ] == [(".", "resource-limit", MANY)]
    assert report["not_checked"] == [{"path": ".", "what": "the folders that were not searched", "why": MANY}]
    assert report["summary"]["documents"] == 5
    assert run("check", "a", "z").code == 0
    (large / ".gitignore").write_text("a/\n")
    assert run("check").code == 0


def test_files_are_shown_up_to_the_end_of_a_search(run: Run, large: Path) -> None:
    lines = run("check", "--show-files").out.splitlines()
    assert lines[0].split(maxsplit=1) == [".", MANY]
    assert len(lines) == 6
    assert run("settings").err == ""


def test_a_search_below_the_top_names_its_folder(run: Run, large: Path) -> None:
    (large / "z" / "deep").mkdir()
    for number in range(10):
        (large / "z" / "deep" / f"{number}.yaml").write_text(view(f"deep{number}"))
    found = json.loads(run("check", "z", "--output-format=json").out)["diagnostics"]
    assert [(file["path"], file["rule"]) for file in found] == [("z", "resource-limit")]


def test_an_editor_shows_the_end_of_a_search(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(large)
    live = OpenWorkspace(
        CheckRequest(str(large), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)
    )
    live.run_all_tasks()
    assert [(diagnostic.rule, diagnostic.message) for diagnostic in live.all_diagnostics()["."]] == [
        ("resource-limit", MANY)
    ]
    live.files_changed(str(large / "z" / "1.yaml"))
    live.run_all_tasks()
    assert set(live.all_diagnostics()) == {"."}


MISTAKE = view(cron="0 66 * * *")
FIXABLE = view().replace("syncConfig", "sync_config")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trialrun.toml").touch()
    (tmp_path / "views").mkdir()
    (tmp_path / "views/v.yaml").write_text(MISTAKE)
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs/v.yaml").symlink_to("../views/v.yaml")
    (tmp_path / "alias").symlink_to("views")
    return tmp_path


@pytest.mark.parametrize(
    ("paths", "where"),
    [
        ("", "views/v.yaml"),
        ("alias views", "views/v.yaml"),
        ("alias", "alias/v.yaml"),
        ("envs", "envs/v.yaml"),
        ("envs/v.yaml", "envs/v.yaml"),
        ("envs/v.yaml views", "envs/v.yaml"),
        ("envs/v.yaml views/v.yaml alias/v.yaml", "views/v.yaml"),
        ("--discovered -- envs/v.yaml views/v.yaml", "views/v.yaml"),
    ],
)
def test_a_file_is_read_once(run: Run, folder: Path, paths: str, where: str) -> None:
    ran = json.loads(run("check", "--output-format", "json", *paths.split()).out)
    assert [(each["rule"], each["path"]) for each in ran["diagnostics"]] == [("cron-syntax", where)]
    assert (ran["summary"]["files"], ran["summary"]["documents"]) == (1, 1)


def test_a_hard_linked_file_has_the_same_name_in_every_folder(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"trialrun.toml": "", "a/v.yaml": view(cron="0 25 * * *"), "b/other.yaml": view("other")})
    (tmp_path / "b" / "v.yaml").hardlink_to(tmp_path / "a" / "v.yaml")
    for folder, path in ((".", "a/v.yaml"), ("a", "v.yaml"), ("b", "../a/v.yaml")):
        assert run("check", "--output-format", "concise", cwd=tmp_path / folder).out.startswith(f"{path}:4:")


def test_a_hard_link_is_another_name(run: Run, folder: Path) -> None:
    os.link(folder / "views/v.yaml", folder / "views/a.yaml")
    ran = json.loads(run("check", "--output-format", "json").out)
    assert [(each["rule"], each["path"]) for each in ran["diagnostics"]] == [("cron-syntax", "views/a.yaml")]
    assert run("check", "--show-files").out.splitlines() == [
        "envs/v.yaml   another name of views/a.yaml",
        "views/a.yaml  FeatureView",
        "views/v.yaml  another name of views/a.yaml",
    ]


@pytest.mark.parametrize("options", [["--fix"], ["--add-ignores", "known"]])
def test_a_file_that_is_written_keeps_its_names(run: Run, folder: Path, options: list[str]) -> None:
    (folder / "views/v.yaml").write_text(FIXABLE)
    os.link(folder / "views/v.yaml", folder / "views/a.yaml")
    ran = run("check", *options)
    assert (ran.code, "hard link" in ran.err) == (0, False)
    assert (folder / "views/a.yaml").samefile(folder / "views/v.yaml")
    assert (folder / "envs/v.yaml").is_symlink()
    assert (folder / "views/v.yaml").read_text() != FIXABLE


def test_a_plan_counts_a_view_once(run: Run, folder: Path) -> None:
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "a"], ["add", "."], ["commit", "-qm", "b"]):
        subprocess.run([*git, *command], check=True)
    (folder / "views/v.yaml").write_text(view())
    assert "resources: 1 added" in run("plan", "HEAD~1").out
    assert "resources: 1 changed" in run("plan", "HEAD").out


def test_a_link_that_leads_out_is_refused(run: Run, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "x.yaml"
    outside.write_text(view("x"))
    (folder / "x.yaml").symlink_to(outside)
    ran = json.loads(run("check", "--output-format", "json").out)
    assert ("unreadable-file", "x.yaml") in [(each["rule"], each["path"]) for each in ran["diagnostics"]]


def test_an_editor_shows_the_path_that_is_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    now = datetime(2026, 11, 20, tzinfo=UTC)
    live = OpenWorkspace(CheckRequest(str(folder), now, Profiles(Settings()), cache=False))

    def shown() -> list[tuple[str, list[str]]]:
        live.run_all_tasks()
        return [(path, [each.rule for each in found]) for path, found in sorted(live.all_diagnostics().items())]

    assert shown() == [("views/v.yaml", ["cron-syntax"])]
    for opened in ("envs/v.yaml", "alias/v.yaml"):
        live.set_overlay(str(folder / opened), view(cron="0 77 * * *").encode())
        assert shown() == [(opened, ["cron-syntax"])]
        live.remove_overlay(str(folder / opened))
        assert shown() == [("views/v.yaml", ["cron-syntax"])]
    live.set_overlay(str(folder / "envs/v.yaml"), MISTAKE.encode())
    live.set_overlay(str(folder / "views/v.yaml"), MISTAKE.encode())
    assert shown() == [("views/v.yaml", ["cron-syntax"])]
