"""`--since REV` tells what a change brought, and nothing that was there before."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import CONDITION, Run, view, write_files

BAD = "0 25 * * *"
Commit = Callable[[], None]
CONFIG = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/{config}
type: AGENT_CUSTOMIZATION
operationsConfig:
  agentCustomization: {{}}
"""
BINDING = """\
  - rule: r{rule}
    channelConfig: projects/p/locations/l/brands/b/channelConfigs/{config}
"""
DEFAULTS = "defaults: [projects/p/locations/l/brands/b/channelConfigs/b0]\n"
TAKING = view("taking").replace(
    "warehouseSource:\n  uri: bq://p.d.t\n  entityIdColumns: [id]",
    "featureRegistrySource: {featureGroups: [{featureGroupId: x, featureIds: [x]}]}",
)
SCHEMA = "kind: SessionSchema\nname: s\ntypes: {Order: {total: double}}\nvariables: {order: Order}\n"


@pytest.fixture
def commit(tmp_path: Path) -> Commit:
    """Commit everything in the folder."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True, env=environment)

    git("init", "-q", "--template=")
    author = ("-c", "user.name=n", "-c", "user.email=e@example.com")

    def committed() -> None:
        git("add", "-A")
        git(*author, "-c", "maintenance.auto=false", "commit", "-qm", "change", "--allow-empty")

    return committed


def told(run: Run, *arguments: str, since: str | None = "HEAD", stdin: bytes | None = None) -> list[str]:
    """Path and rule of every finding, of all that there are where `since` is None."""
    only = ["--since", since] if since else []
    ran = run("check", "--output-format", "concise", "--fail-on", "note", *only, *arguments, stdin=stdin)
    assert ran.err == ""
    found = [line.split() for line in ran.out.splitlines()[:-1]]
    assert ran.code == (1 if found else 0)
    return [f"{place.partition(':')[0]} {rule}" for place, _, rule, *_ in found]


def test_only_what_the_change_brought(run: Run, tmp_path: Path, commit: Commit) -> None:
    write_files(tmp_path, {"old.yaml": view("old", cron=BAD), "untouched.yaml": view("untouched", cron=BAD)})
    commit()
    assert told(run) == []
    (tmp_path / "old.yaml").write_text("# one line more\n" + view("old", cron=BAD) + "labels: {Bad: x}\n")
    (tmp_path / "new.yaml").write_text(view("new", cron=BAD))
    assert told(run) == ["new.yaml cron-syntax", "old.yaml invalid-label"]


def test_a_second_mistake_of_one_rule_counts(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "a.yaml").write_text(view() + "labels: {Bad: x}\n")
    commit()
    (tmp_path / "a.yaml").write_text(view() + "labels: {Bad: x, Worse: y}\n")
    assert told(run) == ["a.yaml invalid-label"]


def test_a_clash_with_an_untouched_file_is_told_wherever_it_shows(run: Run, tmp_path: Path, commit: Commit) -> None:
    write_files(tmp_path, {"b.yaml": view("taken"), "c.yaml": view("own")})
    commit()
    (tmp_path / "c.yaml").write_text(view("taken"))
    assert told(run) == ["c.yaml duplicate-resource-name"]
    write_files(tmp_path, {"c.yaml": view("own"), "a.yaml": view("taken")})
    assert told(run) == ["b.yaml duplicate-resource-name"]


def test_of_many_names_in_a_file_the_one_that_went_is_told(run: Run, tmp_path: Path, commit: Commit) -> None:
    bindings = "".join(BINDING.format(rule=rule, config=config) for rule, config in ("1a", "2b", "3c"))
    (tmp_path / "brand.yaml").write_text(f"kind: Brand\nname: projects/p/locations/l/brands/b\nbindings:\n{bindings}")
    for config in "abc":
        (tmp_path / f"{config}.yaml").write_text(CONFIG.format(config=config))
    commit()
    (tmp_path / "b.yaml").unlink()
    ran = run("check", "--since", "HEAD", "--output-format", "concise")
    assert [line.split()[0] for line in ran.out.splitlines()[:-1]] == ["brand.yaml:7:20:"]


def test_a_name_that_went_and_is_of_another_brand_is_one_finding(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "brand.yaml").write_text("kind: Brand\nname: projects/p/locations/l/brands/b\ndefaults: [a]\n")
    (tmp_path / "mine.yaml").write_text(CONFIG.format(config="a"))
    (tmp_path / "other.yaml").write_text(CONFIG.format(config="a").replace("brands/b", "brands/c"))
    commit()
    (tmp_path / "mine.yaml").unlink()
    assert [line.split()[-1] for line in told(run)] == ["unknown-channel-config"]


@pytest.mark.parametrize(
    ("text", "encoding", "settings"),
    [
        (f"kind: Brand\n{DEFAULTS}", "utf-16", ""),
        ("kind: FeatureGroupTabel\nfeatureGroupId: guests\nfeatures: [{id: a}]\n", "utf-8", ""),
        (DEFAULTS, "utf-8", "[kinds]\n'first.yaml' = 'Brand'\n"),
    ],
    ids=["in UTF-16", "with a misspelt kind", "by its path"],
)
def test_the_first_companion_brings_findings_elsewhere(
    run: Run, tmp_path: Path, commit: Commit, text: str, encoding: str, settings: str
) -> None:
    write_files(tmp_path, {"trialrun.toml": settings, "b.yaml": CONFIG.format(config="b") + f"---\n{TAKING}"})
    commit()
    before = told(run, since=None)
    (tmp_path / "first.yaml").write_bytes(text.encode(encoding))
    after = told(run, since=None)
    assert "b.yaml" in str(after[len(before) :])
    assert sorted([*before, *told(run)]) == sorted(after)


def test_a_config_whose_name_was_not_read_leaves_no_echo_when_it_goes(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "brand.yaml").write_text(f"kind: Brand\n{DEFAULTS}")
    (tmp_path / "known.yaml").write_text(CONFIG.format(config="b0"))
    (tmp_path / "nameless.yaml").write_text(CONFIG.format(config="b1").replace("name: ", "name: 7 # "))
    commit()
    (tmp_path / "nameless.yaml").unlink()
    assert told(run) == []


def test_what_a_broken_line_hid_is_told_when_it_is_mended(run: Run, tmp_path: Path, commit: Commit) -> None:
    menu = "kind: Menu\nbrand: projects/p/locations/l/brands/b\n{}items: [{{name: Shake, id: S}}]\n"
    write_files(tmp_path, {"menu.yaml": menu.format('  broken: "x\n'), "config.yaml": CONDITION})
    commit()
    (tmp_path / "menu.yaml").write_text(menu.format(""))
    assert told(run) == ["config.yaml unknown-menu-item"]


def test_a_name_behind_an_escape_clashes_too(run: Run, tmp_path: Path, commit: Commit) -> None:
    name = "projects/p/locations/l/featureOnlineStores/s/featureViews/taken"
    escaped = view("taken").replace(name, '"' + name.replace("taken", "t\\x61ken") + '"')
    (tmp_path / "a.yaml").write_text(escaped)
    commit()
    (tmp_path / "b.yaml").write_text(view("taken"))
    assert told(run) == ["b.yaml duplicate-resource-name"]


def test_a_file_that_moved_brings_nothing(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "a.yaml").write_text(view(cron=BAD).replace("name:", "# name:"))
    commit()
    (tmp_path / "a.yaml").rename(tmp_path / "b.yaml")
    commit()
    assert told(run, since="HEAD~1") == []


def test_a_file_that_moved_to_stricter_settings_brings_its_findings(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "trialrun.toml").write_text("[[overrides]]\npaths = ['legacy/']\nignore = ['cron-syntax']\n")
    (tmp_path / "legacy").mkdir()
    (tmp_path / "legacy" / "a.yaml").write_text(view(cron=BAD))
    commit()
    (tmp_path / "legacy" / "a.yaml").rename(tmp_path / "a.yaml")
    commit()
    assert told(run, since="HEAD~1") == ["a.yaml cron-syntax"]


def test_other_session_types_are_judged_where_nothing_changed(run: Run, tmp_path: Path, commit: Commit) -> None:
    write_files(tmp_path, {"config.yaml": CONDITION, "schema.yaml": SCHEMA})
    commit()
    assert told(run) == []
    (tmp_path / "schema.yaml").write_text(SCHEMA.replace("total:", "sum:"))
    assert told(run) == ["config.yaml cel-type", "schema.yaml unused-session-field"]


def test_paths_limit_what_is_told(run: Run, tmp_path: Path, commit: Commit) -> None:
    commit()
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(view(name, cron=BAD))
    assert told(run, "b.yaml") == ["b.yaml cron-syntax"]


def test_a_new_file_that_no_search_takes_for_ours_is_looked_at_when_it_is_asked_for(
    run: Run, tmp_path: Path, commit: Commit
) -> None:
    commit()
    (tmp_path / "view.txt").write_text(view(cron=BAD))
    assert told(run, "view.txt") == ["view.txt cron-syntax"]


@pytest.mark.parametrize("name", ["a.yaml", "new.yaml"])
def test_standard_input_is_a_change(run: Run, tmp_path: Path, commit: Commit, name: str) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit()
    text = view("other", cron=BAD).encode()
    assert told(run, "-", "--stdin-filename", name, stdin=text) == [f"{name} cron-syntax"]


def test_a_workspace_below_the_top_of_its_repository(run: Run, tmp_path: Path, commit: Commit) -> None:
    below = tmp_path / "conf"
    below.mkdir()
    write_files(below, {"trialrun.toml": "", "a.yaml": view("a", cron=BAD)})
    commit()
    (below / "b.yaml").write_text(view("b", cron=BAD))
    assert told(run, "conf") == ["conf/b.yaml cron-syntax"]


def test_from_a_folder_of_the_workspace_a_file_is_one(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "below").mkdir()
    commit()
    (tmp_path / "below" / "a.yaml").write_text(view("a", cron=BAD))
    ran = run("check", "--since", "HEAD", "--output-format", "concise", "a.yaml", cwd=tmp_path / "below")
    assert [line.split()[0] for line in ran.out.splitlines()] == ["a.yaml:4:11:", "1"]


def test_where_two_branches_parted(run: Run, tmp_path: Path, commit: Commit) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)

    (tmp_path / "a.yaml").write_text(view(cron=BAD))
    commit()
    git("branch", "base")
    git("checkout", "-qb", "ours")
    (tmp_path / "b.yaml").write_text(view("b", cron=BAD))
    commit()
    git("checkout", "-q", "base")
    (tmp_path / "a.yaml").write_text(view())
    commit()
    git("checkout", "-q", "ours")
    assert told(run, since="base") == ["a.yaml cron-syntax", "b.yaml cron-syntax"]
    assert told(run, since="base...") == ["b.yaml cron-syntax"]


@pytest.mark.parametrize("name", ["nonsense", "--output=x", "HEAD~99", "nonsense..."])
def test_a_revision_that_there_is_not(run: Run, tmp_path: Path, commit: Commit, name: str) -> None:
    commit()
    ran = run("check", f"--since={name}")
    assert ran.code == 2
    assert ran.err.startswith(f"error: --since: unknown revision {name}; fetch it first")


def test_no_repository(run: Run, tmp_path: Path) -> None:
    ran = run("check", "--since", "HEAD")
    assert ran.code == 2
    assert ran.err.startswith("error: --since: this folder is not in a git repository")


def test_a_repository_of_somebody_else(run: Run, tmp_path: Path, commit: Commit) -> None:
    commit()
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(tmp_path / ".git", 4321, 4321)
    ran = run("check", "--since", "HEAD", HOME="/nonexistent", GIT_CONFIG_NOSYSTEM="1")
    assert ran.code == 2
    assert f"error: --since: the git repository {tmp_path} belongs to another user; " in ran.err
    assert f"git config --global --add safe.directory {tmp_path}\n" in ran.err


def test_no_git(run: Run, tmp_path: Path, commit: Commit) -> None:
    commit()
    ran = run("check", "--since", "HEAD", PATH=str(tmp_path))
    assert (ran.code, ran.err) == (2, "error: --since: git is not installed; install it\n")


def test_stricter_settings_bring_their_findings(run: Run, tmp_path: Path, commit: Commit) -> None:
    write_files(tmp_path, {"trialrun.toml": 'ignore = ["cron-syntax"]\n', "a.yaml": view(cron=BAD)})
    commit()
    (tmp_path / "trialrun.toml").write_text("")
    assert told(run) == ["a.yaml cron-syntax"]
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n# the same\n')
    assert told(run) == []


def test_a_nested_settings_file_that_goes_brings_findings(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "trialrun.toml").write_text("")
    (tmp_path / "team" / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n')
    (tmp_path / "team" / "a.yaml").write_text(view(cron=BAD))
    (tmp_path / "b.yaml").write_text(view("b", cron=BAD))
    commit()
    (tmp_path / "team" / "trialrun.toml").unlink()
    assert told(run) == told(run, "team") == told(run, "team/a.yaml") == ["team/a.yaml cron-syntax"]


def test_a_suppression_of_the_settings_that_goes_brings_findings(run: Run, tmp_path: Path, commit: Commit) -> None:
    table = '[[suppress]]\npath = "a.yaml"\nrule = "cron-syntax"\nreason = "old"\n'
    write_files(tmp_path, {"trialrun.toml": table, "a.yaml": view(cron=BAD)})
    commit()
    (tmp_path / "trialrun.toml").write_text("")
    assert told(run) == ["a.yaml cron-syntax"]


def test_a_policy_and_a_baseline_are_judged_on_both_sides(run: Run, tmp_path: Path, commit: Commit) -> None:
    policy = "id: views-have-labels\non: FeatureView\ncheck: '{}'\nmessage: label it\nseverity: error\n"
    (tmp_path / "trialrun.toml").write_text(
        'policies = ["policies"]\nbaseline = "known.json"\nexclude = ["policies"]\n'
    )
    write_files(tmp_path, {"policies/p.yaml": policy.format("has(self.name)"), "a.yaml": view(cron=BAD)})
    run("baseline", "write", "known.json")
    commit()
    assert told(run) == []
    (tmp_path / "policies" / "p.yaml").write_text(policy.format("has(self.labels)"))
    assert told(run) == ["a.yaml views-have-labels"]
    commit()
    (tmp_path / "known.json").write_text('{"version": 1, "findings": []}')
    assert told(run) == ["a.yaml cron-syntax"]


@pytest.mark.parametrize("name", ["HEAD^", "HEAD~1", "0" * 40, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"])
def test_before_the_first_commit_there_is_nothing(run: Run, tmp_path: Path, commit: Commit, name: str) -> None:
    (tmp_path / "a.yaml").write_text(view(cron=BAD))
    assert told(run) == ["a.yaml cron-syntax"]  # nothing is committed yet
    commit()
    assert told(run, since=name) == ["a.yaml cron-syntax"]


def test_a_worktree_and_a_submodule_have_their_own_revisions(run: Run, tmp_path: Path, commit: Commit) -> None:
    write_files(tmp_path, {"trialrun.toml": "", "a.yaml": view(cron=BAD)})
    commit()
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "protocol.file.allow=always")
    subprocess.run([*git, "worktree", "add", "-q", "../tree"], cwd=tmp_path, check=True, capture_output=True)
    tree = tmp_path.parent / "tree"
    (tree / "b.yaml").write_text(view("b", cron=BAD))
    ran = run("check", "--since", "HEAD", "--output-format", "concise", cwd=tree)
    assert (ran.code, ran.out.count("cron-syntax"), "b.yaml" in ran.out) == (1, 1, True)
    subprocess.run([*git, "submodule", "add", "-q", str(tmp_path), "sub"], cwd=tree, check=True, capture_output=True)
    (tree / "sub" / "c.yaml").write_text(view("c", cron=BAD))
    ran = run("check", "--since", "HEAD", "--output-format", "concise", cwd=tree / "sub")
    assert (ran.code, ran.out.count("cron-syntax"), "c.yaml" in ran.out) == (1, 1, True)


@pytest.mark.exhaustive
def test_a_file_that_is_too_large_was_so_before(run: Run, tmp_path: Path, commit: Commit) -> None:
    (tmp_path / "large.yaml").write_text(view() + "# x\n" * 5_000_000)
    (tmp_path / "large.csv").write_text("x\n" * 9_000_000)
    (tmp_path / "trialrun.toml").write_text('select = ["document"]\n')
    commit()
    (tmp_path / "trialrun.toml").write_text("")
    assert "resource-limit" in run("check").out
    assert told(run) == []


@pytest.mark.parametrize(
    ("then", "says"),
    [
        ("nothing = 1\n", 'error: at HEAD: trialrun.toml:1: there is no setting "nothing"'),
        ('ignore = ["no-such"]\n', "error: at HEAD: trialrun.toml:1: ignore: "),
        ("a = [\n", "error: at HEAD: trialrun.toml"),
        ('baseline = "b.json"\n', "error: at HEAD: "),
        ('policies = ["p.yaml"]\n', "error: at HEAD: trialrun.toml: policies: "),
        ('policies = ["wrong.yaml"]\n', "error[policy]: at HEAD: "),
    ],
)
def test_wrong_settings_of_the_revision_are_called_so(
    run: Run, tmp_path: Path, commit: Commit, then: str, says: str
) -> None:
    (tmp_path / "view.yaml").write_text(view())
    (tmp_path / "wrong.yaml").write_text("id: wrong\non: FeatureView\ncheck: (\nmessage: m\n")
    (tmp_path / "trialrun.toml").write_text(then)
    commit()
    (tmp_path / "trialrun.toml").write_text("")
    ran = run("check", "--since", "HEAD")
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert "check without --since, or use a later revision" in ran.err
    (tmp_path / "trialrun.toml").write_text("nothing = 1\n")
    assert "at HEAD" not in run("check", "--since", "HEAD").err
