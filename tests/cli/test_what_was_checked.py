"""Nothing is called checked that was not read: counts, files that were named, files that cannot be read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import pairs_of
from tests.program import Run, view
from trialrun.parser.limits import MAX_BYTES

LEFT_OUT = (
    ("--select", "cron-syntax"),
    ("--ignore", "document"),
    ("--ignore", "all"),
    ('ignore = ["all"]',),
    ('select = ["channel_config"]',),
    ('[severity]\nunreadable-file = "off"\nsyntax-error = "off"\nencoding-error = "off"\nresource-limit = "off"',),
    ('[[overrides]]\npaths = ["**"]\nignore = ["document"]',),
)

ROOT = Path(__file__).parent.parent.parent


def as_json(run: Run, *arguments: str) -> Any:
    return json.loads(run("check", "--output-format", "json", *arguments).out)


def large(file: Path) -> None:
    file.write_bytes(view().encode() + b"#" * (MAX_BYTES + 1_000_000))


def random_bytes(file: Path) -> None:
    file.write_bytes(bytes(number * number * 7 % 251 for number in range(300)))


def broken(file: Path) -> None:
    file.write_text("name: [a")


def broken_view(file: Path) -> None:
    file.write_text(view() + "labels: [a")


def lost(file: Path) -> None:
    file.symlink_to("nowhere")


@pytest.mark.parametrize(("left_out", "make"), pairs_of(LEFT_OUT, [large, random_bytes, broken, broken_view, lost]))
def test_what_cannot_be_read_is_reported_whatever_is_left_out(
    run: Run, tmp_path: Path, make: Callable[[Path], None], left_out: tuple[str, ...]
) -> None:
    make(tmp_path / "a.yaml")
    options = left_out if len(left_out) > 1 else ()
    (tmp_path / "trialrun.toml").write_text("" if options else left_out[0])
    ran = run("check", "a.yaml", *options)
    assert (ran.code, ran.err) == (1, "")
    assert "a.yaml" in ran.out


def test_documents_are_counted_and_files_of_other_kinds_apart(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(view("a") + "---\n" + view("b"))
    (tmp_path / "other.yaml").write_text("replicas: 1\n")
    (tmp_path / "near.yaml").write_text("text: FeatureView\n")
    summary = as_json(run)["summary"]
    assert (summary["files"], summary["documents"], summary["passed_over"]) == (1, 2, 2)
    expected = "2 documents in 1 file checked, nothing found (2 files skipped: unknown kind)\n"
    assert run("check", COLUMNS="100").out == expected
    assert as_json(run)["summary"] == summary  # from the cache


def test_a_file_that_is_gone_is_not_passed_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    assert as_json(run, "--stdin-filename", "b.yaml", "-")["summary"]["passed_over"] == 0


@pytest.mark.parametrize("text", ["", "# nothing\n", "replicas: 1\n", "apiVersion: v1\nkind: Deployment\n", "[]\n"])
def test_a_named_file_without_anything_of_ours_is_an_error(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    for _ in range(2):
        found = as_json(run, "a.yaml")["diagnostics"]
        assert [(file["rule"], file["severity"]) for file in found] == [("unknown-kind", "error")]
    assert run("check", "a.yaml", "--select", "cron-syntax").code == 1
    assert run("check", "a.yaml", "--discovered").code == 0
    assert run("check").code == 0


def test_a_policy_may_be_named(run: Run, tmp_path: Path) -> None:
    run("rules", "new", "views-have-labels")
    files = [*tmp_path.rglob("*.yaml")]
    assert files
    assert run("check", str(files[0])).code == 0


def test_a_document_among_others_that_is_not_ours_stays_a_warning(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view() + "---\nreplicas: 1\n")
    assert [diagnostic["severity"] for diagnostic in as_json(run, "a.yaml")["diagnostics"]] == ["warning"]


def test_files_are_shown_with_their_kinds_or_the_reason(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view(cron="0 25 * * *") + "---\nkind: Brand\nname: b\n---\n" + view("w"))
    (tmp_path / "excluded.yaml").write_text(view())
    (tmp_path / "lost.yaml").symlink_to("nowhere")
    (tmp_path / "other.yaml").write_text("replicas: 1\n")
    (tmp_path / "trialrun.toml").write_text('exclude = ["excluded.yaml"]\n')
    ran = run("check", "--show-files", ".", "lost.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split(maxsplit=1) for line in ran.out.splitlines()] == [
        ["a.yaml", "FeatureView, Brand"],
        ["excluded.yaml", "excluded by the settings"],
        ["lost.yaml", "cannot be read: no such file or directory"],
        ["other.yaml", "no known kind"],
    ]
    shown = json.loads(run("check", "--show-files", "--output-format", "json").out)
    assert shown["files"][0] == {"path": "a.yaml", "kinds": ["FeatureView", "Brand"], "reason": None}
    assert run("check", "--show-files", "nowhere").code == 2


SOURCE = "kind: Source\nname: s\nuri: bq://p.d.t\nfiles: nowhere/*.parquet\n"


def test_what_could_not_be_checked_is_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    (tmp_path / "source.yaml").write_text(SOURCE)
    (tmp_path / "broken.yaml").write_text(view("w") + "labels: [a")
    found = as_json(run)["not_checked"]
    assert [(file["path"], file["what"]) for file in found][1:] == [("source.yaml", "columns of bq://p.d.t")]
    assert found[0]["path"] == "broken.yaml"
    assert found[0]["why"] == "some of its lines could not be read"
    text = run("check", COLUMNS="200").out
    assert "not checked:\n  broken.yaml: what depends" in text
    assert "  source.yaml: columns of bq://p.d.t: " in text
    assert "2 not checked" in run("check", "--output-format", "concise").out
    sarif = json.loads(run("check", "--output-format", "sarif").out)["runs"][0]["invocations"][0]
    notes = sarif["toolExecutionNotifications"]
    assert [note["descriptor"]["id"] for note in notes] == ["not-checked"] * 2
    assert run("check", "--output-format", "junit").out.count("not checked: ") == 2


PASSED_OVER = {
    "zero.yaml": "it leads to /dev/zero, outside of ",
    "lost.yaml": "no such file or directory",
    "loop.yaml": "too many levels of symbolic links",
    "pipe.yaml": "it is not a regular file",
    "away": "outside of ",
}


@pytest.fixture
def special_files(tmp_path: Path) -> Path:
    """A folder with files that a hook may pass and that no search reads."""
    folder = tmp_path / "repository"
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir()
    (folder / "trialrun.toml").write_text("")
    targets = {"zero.yaml": "/dev/zero", "lost.yaml": "nowhere", "loop.yaml": "loop.yaml", "away": "../elsewhere"}
    for name, target in targets.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.yaml")
    return folder


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_a_hook_passes_and_no_search_reads_is_listed(run: Run, special_files: Path, name: str) -> None:
    def ran(*options: str) -> str:
        checked = run("check", "--discovered", *options, "--", name, cwd=special_files, COLUMNS="300")
        assert (checked.code, checked.err) == (0, "")
        return " ".join(checked.out.split())

    (gap,) = json.loads(ran("--output-format", "json"))["not_checked"]
    assert gap["path"] == name
    assert PASSED_OVER[name] in gap["why"]
    assert f"not checked: {name}: {gap['what']}: {gap['why']}" in ran()
    assert "no files checked (1 not checked)" in ran()
    assert "1 not checked" in ran("--output-format", "concise")
    assert f"not checked: {gap['what']}: {gap['why']}" in ran("--output-format", "sarif")
    assert f"{name}: not checked: {gap['what']}: {gap['why']}" in ran("--output-format", "junit")
    assert f"{name} not checked: {gap['why']}" in ran("--show-files")


@pytest.mark.parametrize("name", ["README.md", "gone.yaml", "excluded.yaml", "other.yaml"])
def test_what_a_hook_passes_and_is_not_ours_is_not_listed(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "trialrun.toml").write_text('exclude = ["excluded.yaml"]\n')
    (tmp_path / "README.md").symlink_to("nowhere")
    (tmp_path / "excluded.yaml").symlink_to("nowhere")
    (tmp_path / "other.yaml").write_text("replicas: 1\n")
    ran = run("check", "--discovered", "--", name)
    assert (ran.code, "not checked" in ran.out) == (2 if name == "gone.yaml" else 0, False)


def test_where_everything_could_be_checked_nothing_is_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    assert as_json(run)["not_checked"] == []
    assert "not checked" not in run("check").out


@pytest.mark.parametrize("hook", ["trialrun", "trialrun-workspace"])
def test_each_hook_reports_what_it_could_not_read(run: Run, tmp_path: Path, hook: str) -> None:
    """Each makes sense alone, so none says that nothing was found of what it did not read."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (entry,) = [one["entry"] for one in hooks if one["id"] == hook]
    (tmp_path / "a.yaml").write_text("kind: FeatureView\nname: [a\n")
    ran = run(*entry.split()[1:], *(["a.yaml"] if hook == "trialrun" else []), cwd=tmp_path)
    assert (ran.code, ran.out.count("error[syntax-error]")) == (1, 1)
