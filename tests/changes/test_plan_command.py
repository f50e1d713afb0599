"""`trialrun plan`: two revisions of a workspace, what differs between them, and how the command ends."""

from pathlib import Path

import pytest

from tests.changes.git_workspace import change_example, changes, commit, git, plan, revise, view
from tests.program import Run, write_files


def test_nothing_differs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit(tmp_path)
    ran = run("plan", "HEAD")
    assert (ran.code, ran.out, ran.err) == (0, "no changes between HEAD and working tree\n", "")


def test_each_change_has_its_place(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, "# later\n" + view(cron="0 4 * * *", features="size, weight"))
    assert changes(run) == [
        "breaking feature-removed a.yaml/featureRegistrySource/featureGroups/0/featureIds",
        "risky schedule-changed a.yaml/syncConfig/cron",
        "safe feature-added a.yaml/featureRegistrySource/featureGroups/0/featureIds/1",
    ]
    found = plan(run)["changes"][1]
    assert (found["before"], found["after"]) == ("0 3 * * *", "0 4 * * *")
    assert found["range"] == {"start": {"line": 4, "column": 20}, "end": {"line": 4, "column": 31}}
    assert found["resource"].endswith("/featureViews/menu")


def test_summary_counts_each_resource_once(run: Run, tmp_path: Path) -> None:
    for name in ("changed", "moved", "gone", "same"):
        (tmp_path / f"{name}.yaml").write_text(view(name))
    commit(tmp_path)
    (tmp_path / "changed.yaml").write_text(view("changed", cron="0 9 * * *"))
    (tmp_path / "moved.yaml").rename(tmp_path / "elsewhere.yaml")
    (tmp_path / "gone.yaml").unlink()
    (tmp_path / "new.yaml").write_text(view("new", features="size"))
    assert plan(run)["summary"] == {
        "breaking": 1,
        "risky": 1,
        "safe": 1,
        "resources": {"added": 1, "changed": 1, "removed": 1, "moved": 1},
    }


def test_revisions_as_git_has_them(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit(tmp_path)
    git(tmp_path, "checkout", "-qb", "topic")
    (tmp_path / "a.yaml").write_text(view(cron="0 4 * * *"))
    commit(tmp_path)
    git(tmp_path, "checkout", "-q", "main")
    (tmp_path / "b.yaml").write_text(view("other", features="size"))
    commit(tmp_path)
    changed, removed = "risky schedule-changed a.yaml/syncConfig/cron", "breaking view-removed b.yaml"
    assert changes(run, "main..topic") == changes(run, "main", "topic") == [removed, changed]
    assert changes(run, "main...topic") == [changed]
    (tmp_path / "a.yaml").unlink()  # the working tree is no part of it
    assert changes(run, "main", "topic") == [removed, changed]
    git(tmp_path, "checkout", "-q", "a.yaml")
    git(tmp_path, "checkout", "-q", "topic")
    assert changes(run, "main..") == [removed, changed]
    assert changes(run, "main...") == [changed]


def test_revisions_without_a_common_commit_have_no_merge_base(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit(tmp_path)
    git(tmp_path, "checkout", "-q", "--orphan", "alone")
    (tmp_path / "a.yaml").write_text(view(cron="0 4 * * *"))
    commit(tmp_path)
    for words in ("main...alone", "main..."):
        ran = run("plan", words)
        head = words.partition("...")[2] or "HEAD"
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error: plan: main and {head} have no commit in common; fetch more of their history")
    assert "HEAD^{tree}" in run("plan", "HEAD^{tree}...").err, "a tree has no history"
    assert changes(run, "main", "alone") == ["risky schedule-changed a.yaml/syncConfig/cron"]


def test_an_empty_name_is_no_revision(run: Run, tmp_path: Path) -> None:
    commit(tmp_path)
    for words in (("plan", ""), ("plan", "HEAD", "")):
        ran = run(*words)
        assert (ran.code, "the name of the revision is empty; name one, such as HEAD" in ran.err) == (2, True), ran.err


def test_a_renamed_view_is_breaking(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, view("dishes"))
    assert changes(run) == ["breaking view-renamed a.yaml/name"]
    (tmp_path / "a.yaml").write_text(view().replace("Stores/s/", "Stores/other/"))
    assert changes(run) == ["breaking view-store-changed a.yaml/name"]


def test_the_agent_of_the_project_is_the_default_one(run: Run, tmp_path: Path) -> None:
    for default in ("PROJECT", "UNSPECIFIED"):
        revise(tmp_path, view() + f"serviceAgentType: SERVICE_AGENT_TYPE_{default}\n")
        assert changes(run) == []
    (tmp_path / "a.yaml").write_text(view() + "serviceAgentType: SERVICE_AGENT_TYPE_FEATURE_VIEW\n")
    assert changes(run) == ["risky service-agent-changed a.yaml/serviceAgentType"]


CONDITION = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell: {{suggestedMenuItems: [Fries], conditionExpression: "{}"}}
"""


@pytest.mark.parametrize(
    ("condition", "is_same"),
    [
        ("order.items.exists(item, item.modifierGroups.exists(i, i.displayName == item.displayName))", True),
        ("order.items.exists(i, i.modifierGroups.exists(g, g.displayName == g.displayName))", False),
        ("order.items.exists(i, i.modifierGroups.exists(g, i.displayName == g.displayName))", False),
        ("order.items.all(i, i.modifierGroups.exists(g, g.displayName == i.displayName))", False),
    ],
)
def test_other_names_of_variables_are_no_change(run: Run, tmp_path: Path, condition: str, is_same: bool) -> None:
    before = "order.items.exists(i, i.modifierGroups.exists(g, g.displayName == i.displayName))"
    (tmp_path / "c.yaml").write_text(CONDITION.format(before))
    commit(tmp_path)
    (tmp_path / "c.yaml").write_text(CONDITION.format(condition))
    assert (changes(run) == []) == is_same


@pytest.mark.parametrize("zone", ["Etc/UTC", "Zulu", "GMT", "Etc/GMT0", "Greenwich"])
def test_another_name_of_utc_is_no_change(run: Run, tmp_path: Path, zone: str) -> None:
    revise(tmp_path, view(cron=f"CRON_TZ={zone} 0 3 * * *"))
    assert changes(run) == []


def test_another_zone_is_a_change_of_its_own(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, view(cron="CRON_TZ=UTC 0 3 * * *"))
    assert changes(run) == []
    (tmp_path / "a.yaml").write_text(view(cron="CRON_TZ=Europe/Berlin 0 3 * * *"))
    assert changes(run) == ["risky schedule-zone-changed a.yaml/syncConfig/cron"]


def test_one_change_for_another_kind_of_source(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit(tmp_path)
    text = view().partition("featureRegistrySource")[0]
    (tmp_path / "a.yaml").write_text(text + "warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}\n")
    assert changes(run) == ["breaking source-kind-changed a.yaml/warehouseSource"]


@pytest.mark.parametrize(
    ("fail_on", "cron", "features", "code"),
    [
        ("breaking", "0 4 * * *", "price, size", 0),
        ("risky", "0 4 * * *", "price, size", 1),
        ("breaking", "0 3 * * *", "price", 1),
        ("never", "0 3 * * *", "price", 0),
        ("risky", "0 3 * * *", "price, size, weight", 0),
    ],
)
def test_exit_code(run: Run, tmp_path: Path, fail_on: str, cron: str, features: str, code: int) -> None:
    revise(tmp_path, view(cron=cron, features=features))
    assert run("plan", "HEAD", "--fail-on", fail_on).code == code


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("nothing", "nothing; fetch it first"),
        ("HEAD...nothing", "HEAD...nothing; fetch it first"),
        ("HEAD..HEAD HEAD", "HEAD..HEAD; git has no such names"),
        ("HEAD....HEAD", "HEAD....HEAD; git has no such names"),
        (".", ".; git has no such names"),
    ],
)
def test_an_unknown_revision_is_wrong_usage(run: Run, tmp_path: Path, words: str, problem: str) -> None:
    commit(tmp_path)
    ran = run("plan", *words.split())
    assert ran.code == 2
    assert ran.err.startswith(f"error: plan: unknown revision {problem}")


def test_without_a_repository(run: Run) -> None:
    ran = run("plan", "HEAD")
    assert (ran.code, ran.err) == (2, "error: plan: this folder is not in a git repository\n")


def test_a_broken_file_is_not_compared(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, "kind: FeatureView\nname: [\n")
    found = plan(run)
    assert found["changes"] == []
    assert [one["what"].rpartition("/")[2] for one in found["not_compared"]] == ["a.yaml", "a.yaml", "menu"]


@pytest.mark.exhaustive
def test_a_file_that_was_too_large_is_not_compared(run: Run, tmp_path: Path) -> None:
    for name in ("gone", "smaller"):
        (tmp_path / f"{name}.yaml").write_text(view(name) + "#" * 2**24)
    commit(tmp_path)
    (tmp_path / "gone.yaml").unlink()
    (tmp_path / "smaller.yaml").write_text(view("smaller"))
    found = plan(run)
    assert (found["changes"], found["summary"]["resources"]["added"]) == ([], 0)
    reasons = {one["what"].rpartition("/")[2]: one["why"].partition(";")[0] for one in found["not_compared"]}
    assert [reasons["gone.yaml"], reasons["smaller.yaml"]] == ["it has more than 16,777,216 bytes"] * 2


def test_a_refused_value_is_not_compared(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, view().replace("[price, size]", "7"))
    found = plan(run)
    assert found["changes"] == []
    assert [one["what"].partition(" ")[2] for one in found["not_compared"]] == [
        "/featureRegistrySource/featureGroups/0/featureIds"
    ]


def test_findings_that_are_new_and_gone(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.yaml": view(cron="0 25 * * *"), "b.yaml": view("other", features="size")})
    commit(tmp_path)
    write_files(tmp_path, {"a.yaml": view(), "b.yaml": view("menu", features="size")})
    findings = plan(run)["findings"]
    assert [(one["rule"], one["path"], one["line"]) for one in findings["gone"]] == [("cron-syntax", "a.yaml", 3)]
    (new,) = findings["new"]
    assert (new["rule"], new["path"], new["line"]) == ("duplicate-resource-name", "b.yaml", 2)
    assert "findings of check: 1 new, 1 gone\n  + b.yaml:2 error duplicate-resource-name: " in run("plan", "HEAD").out


def test_findings_are_the_same_in_a_process_of_their_own(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_example(tmp_path)
    alone = plan(run, "HEAD", "--no-scenarios")
    monkeypatch.setattr("trialrun.changes.plan.MIN_FILES_FOR_PROCESS", 0)
    assert plan(run, "HEAD", "--no-scenarios") == alone


def test_several_reports_of_one_run(run: Run, tmp_path: Path) -> None:
    change_example(tmp_path)
    formats = [f"--output-format={name}=out/report.{name}" for name in ("text", "json", "markdown", "github")]
    (tmp_path / "out").mkdir()
    for _ in range(2):  # a report replaces a report
        ran = run("plan", "HEAD", "--no-scenarios", *formats, "--output-format", "text")
        assert (ran.code, ran.err) == (1, "")
        assert (tmp_path / "out" / "report.text").read_text(encoding="utf-8") == ran.out
    commit(tmp_path)
    assert run("plan", "HEAD", "--no-scenarios", *formats).code == 0
    assert run("plan", "HEAD", "--no-scenarios", *formats).code == 0
    ran = run("plan", "HEAD", "--output-format", "json=brand/brand.yaml", "--force")
    assert (ran.code, ran.err[:52]) == (2, "error: brand/brand.yaml is one of the checked files;")
    assert run("plan", "HEAD", "--output-format", "xml").code == 2


def test_a_workspace_inside_has_a_plan_of_its_own(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"inside/trialrun.toml": "", "trialrun.toml": "", "inside/a.yaml": view()})
    commit(tmp_path)
    (tmp_path / "inside" / "a.yaml").write_text(view(cron="0 4 * * *"))
    found = plan(run)
    assert found["changes"] == []
    assert found["not_compared"] == [{"what": "inside", "why": "it is a workspace of its own; run trialrun plan there"}]
    assert changes(run, cwd=tmp_path / "inside") == ["risky schedule-changed a.yaml/syncConfig/cron"]


def test_files_outside_of_a_sparse_checkout_are_not_removed(run: Run, tmp_path: Path) -> None:
    for name in ("in", "out", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.yaml").write_text(view(name))
    commit(tmp_path)
    write_files(tmp_path, {"in/in.yaml": view("in", cron="0 4 * * *"), "out/out.yaml": view("out", cron="0 4 * * *")})
    (tmp_path / "old" / "old.yaml").rename(tmp_path / "out" / "new.yaml")
    commit(tmp_path)
    git(tmp_path, "sparse-checkout", "set", "in")
    left_out = {"what": "out/new.yaml and 1 more", "why": "the sparse checkout leaves it out; check it out"}
    for revisions in (("HEAD~",), ("HEAD~", "HEAD"), ("HEAD~..HEAD",)):
        assert changes(run, *revisions) == ["risky schedule-changed in/in.yaml/syncConfig/cron"]
        assert left_out in plan(run, *revisions)["not_compared"]


def test_other_settings_are_noted(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, 'exclude = ["x"]\n', "", "trialrun.toml")
    assert plan(run)["not_compared"] == [
        {"what": "trialrun.toml", "why": "both sides are read under the settings of the working tree"}
    ]


def test_before_the_first_commit(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    commit(tmp_path)
    assert changes(run, "0" * 40) == changes(run, "HEAD~") == ["safe view-added a.yaml"]


def test_a_part_of_a_repository(run: Run, tmp_path: Path) -> None:
    """The workspace is a folder; what changes beside it is none of its business."""
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "trialrun.toml").write_text("")
    for folder in (tmp_path, inside):
        (folder / "a.yaml").write_text(view(folder.name))
    commit(tmp_path)
    for folder in (tmp_path, inside):
        (folder / "a.yaml").write_text(view(folder.name, cron="0 4 * * *"))
    assert changes(run, cwd=inside) == ["risky schedule-changed a.yaml/syncConfig/cron"]


def test_spellings_are_no_changes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view() + "optimizedConfig: {automaticResources: {maxReplicaCount: 6}}\n")
    (tmp_path / "b.yaml").write_text(CONFIG)
    commit(tmp_path)
    text = view(cron="00  3 * * *", features="size, price").replace("syncConfig", "sync_config")
    write_files(tmp_path, {"a.yaml": f"# why\n{text}optimizedConfig: {{}}\n", "b.yaml": SAME_CONFIG})
    assert plan(run)["summary"]["resources"] == {"added": 0, "changed": 0, "removed": 0, "moved": 0}


CONFIG = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: AGENT_CUSTOMIZATION
tone: FRIENDLY
operationsConfig:
  defaultLanguageCode: en-us
  greetings:
    - {languageCode: iw, greetingPhrases: [Shalom]}
    - {languageCode: en-US, greetingPhrases: [Hi]}
"""
SAME_CONFIG = """\
{"type": 2, "kind": "ChannelConfig", "tone": 3, "name": "projects/p/locations/l/brands/b/channelConfigs/c",
 "operationsConfig": {"defaultLanguageCode": "en-US", "greetings": [
   {"greetingPhrases": ["Hi"], "languageCode": "EN-us"}, {"languageCode": "he", "greetingPhrases": ["Shalom"]}]}}
"""


def test_a_comment_links_to_the_page_that_the_pipeline_keeps(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, view(cron="0 4 * * *"))
    url = "https://ci.example/artifacts/7/page.html#/changes"
    ran = run("plan", "HEAD", "--output-format", "markdown", "--page-url", url)
    assert f"[The page of this workspace]({url})" in ran.out
    assert "The page" not in run("plan", "HEAD", "--output-format", "markdown").out


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a.example/) [b](c", "https://a b", "page.html"])
def test_an_address_that_is_no_plain_link_is_refused(run: Run, url: str) -> None:
    ran = run("plan", "HEAD", "--page-url", url)
    assert (ran.code, ran.out) == (2, "")
    assert "--page-url" in ran.err
