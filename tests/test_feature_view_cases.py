"""Feature views that people really wrote: the linter accepts what the service accepts, and names what is odd."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import each_of
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint import registry
from trialrun.lint.engine import Linter
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules

CASES = Path(__file__).parent.parent.parent / "shared" / "cases" / "featureviews"
RULES = {
    "deprecated-field": "deprecated-field",
    'cron: "1/5" is not POSIX': "cron-portability",
    "grant data viewer to serviceAccountEmail": "feature-view-service-agent",
}
"""The rules that tell what the manifest says in its own words, by how its words begin."""
NOT_ODD_TO_US = ("no-schedule", "rare-schedule: 11 Aug 13:00 once a year")
"""What the manifest mentions and no rule tells: a view without a schedule, and a run a year."""

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"the cases are not there: {CASES.name}")


def manifest() -> list[dict[str, Any]]:
    file = CASES / "manifest.yaml"
    cases: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8")) if file.exists() else []
    return cases


def oddities() -> list[tuple[str, str]]:
    return [(case["file"], words) for case in manifest() for words in case.get("lint", ())]


def found(file: str) -> list[Diagnostic]:
    everything = Selection(frozenset(registry.ids()))
    linter = Linter(everything, now=datetime(2026, 11, 20, tzinfo=UTC), session_types=lambda: session_types(()))
    return linter.lint((CASES / file).read_bytes(), file, is_explicit=True).diagnostics


@each_of([case["file"] for case in manifest() if case["expect"] == "accept"])
def test_what_the_service_accepts_has_no_error(file: str) -> None:
    assert [diagnostic.message for diagnostic in found(file) if diagnostic.severity is Severity.ERROR] == []


@pytest.mark.parametrize("file", [case["file"] for case in manifest() if case["expect"] == "reject"])
def test_what_the_service_rejects_has_an_error(file: str) -> None:
    assert Severity.ERROR in {diagnostic.severity for diagnostic in found(file)}


def tables_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """What the manifest says of tables and feature groups, as companion documents; each column is a feature."""
    sources = [(f"bq://{table}", of_table["columns"]) for table, of_table in case.get("schema", {}).items()]
    groups: list[dict[str, Any]] = []
    for id_, group in case.get("registry", {}).items():
        sources.append((group["uri"], group["columns"]))
        fields = {"kind": "FeatureGroupTable", "featureGroupId": id_, "uri": group["uri"]}
        features = [{"id": name} for name in group["columns"] if name != "feature_timestamp"]
        groups.append(fields | {"entityIdColumns": group["entityIdColumns"], "features": features})
    return groups + [
        {"kind": "Source", "uri": uri, "files": "rows.parquet", "columns": [column(*item) for item in columns.items()]}
        for uri, columns in sources
    ]


def column(name: str, words: str) -> dict[str, str]:
    type_, _, mode = words.partition(" ")
    return {"name": name, "type": type_, "mode": mode or "NULLABLE"}


def found_with_tables(case: dict[str, Any]) -> set[tuple[str, str]]:
    """The rules across files that speak, and the files that they speak of, once tables and groups are declared."""
    everything = Selection(frozenset(registry.ids()))
    texts = {case["file"]: (CASES / case["file"]).read_bytes(), "tables.yaml": yaml.safe_dump(tables_of(case)).encode()}
    linter = Linter(everything, now=datetime(2026, 11, 20, tzinfo=UTC), session_types=lambda: session_types(()))
    facts = [fact for path, data in texts.items() for fact in linter.lint(data, path).facts]
    return {(rule.rule, rule.path) for rule in run_workspace_rules(facts, everything, FactLocations(texts.get))}


WITH_TABLES = [case for case in manifest() if case.get("schema") or case.get("registry")]


@each_of(WITH_TABLES)
def test_tables_and_groups_of_the_service_agree_with_its_answer(case: dict[str, Any]) -> None:
    refused = {("entity-id-as-feature", case["file"])} if case.get("expect_with_context") == "reject" else set()
    assert {table for table in found_with_tables(case) if table[1] == case["file"]} == refused


@pytest.mark.parametrize(("file", "words"), [case for case in oddities() if not case[1].startswith(NOT_ODD_TO_US)])
def test_what_is_odd_is_told_by_its_rule(file: str, words: str) -> None:
    rule = next(rule for begin, rule in RULES.items() if words.startswith(begin))
    assert rule in {diagnostic.rule for diagnostic in found(file)}
