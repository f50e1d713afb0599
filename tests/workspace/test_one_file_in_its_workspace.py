"""A file checked by itself has the findings that the check of its whole workspace has there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from trialrun.diagnostic import Diagnostic
from trialrun.lint import registry
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule_docs import parse_docs
from trialrun.lint.settings.resolver import OF_TRIAL_RUNS
from trialrun.parser import parse
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.open_request import CheckOptions, open_request
from trialrun.workspace.open_workspace import OpenWorkspace

WORKSPACES = Path(__file__).parents[2] / "fixtures" / "workspaces"
ENDINGS = {".yaml", ".yml", ".json"}
OPTIONS = CheckOptions(EXAMPLE_TIME, jobs=1, cache=False)
RULES = [rule for rule, (group, _) in registry.files().items() if group == "workspace"]
Findings = dict[str, list[Diagnostic]]


def by_file(request: CheckRequest) -> Findings:
    found: Findings = {}
    for diagnostic in check(request).diagnostics:
        found.setdefault(diagnostic.path, []).append(diagnostic)
    return found


def one_document_per_file(text: str, name: str) -> Iterator[Any]:
    for document in parse(text.encode(), name).documents:
        yield from document.value if isinstance(document.value, list) else [document.value]


def files_of(folder: Path) -> list[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in ENDINGS)
    return sorted(path for path in found if "data/" not in path)


def settings(name: str, value: str) -> str:
    return f"[runtime]\n{name} = {json.dumps(value)}\n" if name in OF_TRIAL_RUNS else f"[options]\n{name} = {value}\n"


def assert_each_file_has_its_findings(options: CheckOptions = OPTIONS) -> None:
    """Compare the check of the workspace in the working directory with those of each file, folder and text."""
    whole = by_file(open_request([], options))
    editor = OpenWorkspace(open_request([], options))
    editor.run_all_tasks()
    for path in files_of(Path()):
        expected = {path: whole[path]} if path in whole else {}
        text = Path(path).read_bytes()
        assert by_file(open_request([path], options)) == expected
        assert by_file(open_request([path], options, text=(path, text))) == expected
        shown = [replace(one, fix=None, refusal=None) for one in expected.get(path, [])]
        assert [replace(one, fix=None, refusal=None) for one in editor.diagnostics(path)] == shown
    for folder in {os.path.dirname(path) for path in files_of(Path())} - {""}:
        below = {path: found for path, found in whole.items() if path.startswith(f"{folder}/")}
        assert by_file(open_request([folder], options)) == below


@pytest.mark.parametrize("name", [path.name for path in WORKSPACES.iterdir()])
def test_in_the_fixtures(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(WORKSPACES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path / name)
    assert_each_file_has_its_findings()


@pytest.mark.parametrize("rule_id", RULES)
def test_in_the_examples_of_rules_across_files(
    rule_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each document of an example is a file of its own, in a folder of its own."""
    for number, example in enumerate(parse_docs(registry.load(rule_id).doc).examples):
        workspace = tmp_path / str(number)
        for place, value in enumerate(one_document_per_file(example.text, example.file)):
            file = workspace / f"folder-{place}" / "document.yaml"
            file.parent.mkdir(parents=True)
            file.write_text(yaml.safe_dump(value, sort_keys=False))
        (workspace / "trialrun.toml").write_text("".join(settings(*option) for option in example.options))
        monkeypatch.chdir(workspace)
        assert_each_file_has_its_findings()
