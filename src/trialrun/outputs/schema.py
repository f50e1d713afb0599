"""The JSON Schemas of what commands print with `--output-format json`.

A key may be added to an output without a new `version`; none is taken away or changes its meaning.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from trialrun.outputs import (
    checks,
    explore,
    imports,
    languages,
    plan,
    resolve,
    scenario_results,
    schedule,
    serving,
    session,
    sync,
)

OUTPUTS: dict[str, tuple[str, Any]] = {
    "report": ("trialrun check --output-format json", checks.Report),
    "files": ("trialrun check --show-files --output-format json", checks.ShownFiles),
    "schedule": ("trialrun schedule --output-format json", schedule.Schedule),
    "sync": ("trialrun sync --output-format json", sync.SyncOutput),
    "fetch": ("trialrun fetch --output-format json", serving.FetchOutput),
    "search": ("trialrun search --output-format json", serving.SearchOutput),
    "resolve": ("trialrun resolve --output-format json", resolve.ResolveOutput),
    "languages": ("trialrun languages --output-format json", languages.LanguagesOutput),
    "session": ("trialrun session --output-format json", session.SessionOutput),
    "explore": ("trialrun explore --output-format json", explore.ExploreOutput),
    "test": ("trialrun test --output-format json", scenario_results.Tests),
    "plan": ("trialrun plan --output-format json", plan.Plan),
    "rules": ("trialrun rules --output-format json", checks.Rules),
    "rules-diff": ("trialrun rules diff EDITION --output-format json", checks.RulesDiff),
    "suppressions": ("trialrun suppressions --output-format json", checks.Suppressions),
    "settings-in-force": ("trialrun settings --output-format json", checks.SettingsInForce),
    "import": ("trialrun import --output-format json", imports.ImportOutput),
    "baseline": ("the file of trialrun baseline write", checks.Baseline),
}
"""The outputs that have a schema, by name: what prints each, and its class."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def output_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of an output; KeyError for a name that no output has.

    It is closed: a test reads every output against it, so that no key is printed that it does not have.
    """
    title, output = OUTPUTS[name]
    return {"$schema": DIALECT, "title": title, **_closed(TypeAdapter(output).json_schema(by_alias=True))}


def _closed(schema: Any, *, of_names: bool = False) -> Any:
    """The schema with closed objects and without the titles that repeat the names of properties.

    `of_names`: the keys of this mapping are names of properties or definitions, not keywords.
    """
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: _closed(value, of_names=not of_names and key in ("properties", "$defs"))
        for key, value in schema.items()
        if of_names or key != "title"
    }
    return {**kept, "additionalProperties": False} if not of_names and "properties" in kept else kept
