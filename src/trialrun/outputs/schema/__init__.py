"""The JSON Schemas of what commands print with `--output-format json`.

A key may be added to an output without a new `version`; none is taken away or changes its meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TITLES: Mapping[str, str] = {
    "report": "trialrun check --output-format json",
    "files": "trialrun check --show-files --output-format json",
    "schedule": "trialrun schedule --output-format json",
    "sync": "trialrun sync --output-format json",
    "fetch": "trialrun fetch --output-format json",
    "search": "trialrun search --output-format json",
    "resolve": "trialrun resolve --output-format json",
    "languages": "trialrun languages --output-format json",
    "session": "trialrun session --output-format json",
    "explore": "trialrun explore --output-format json",
    "test": "trialrun test --output-format json",
    "plan": "trialrun plan --output-format json",
    "rules": "trialrun rules --output-format json",
    "rules-diff": "trialrun rules diff EDITION --output-format json",
    "suppressions": "trialrun suppressions --output-format json",
    "settings-in-force": "trialrun settings --output-format json",
    "import": "trialrun import --output-format json",
    "baseline": "the file of trialrun baseline write",
}
"""The outputs that have a schema, by name, and what prints each."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def output_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of an output; KeyError for a name that no output has.

    It is closed: a test reads every output against it, so that no key is printed that it does not have.
    """
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(_shapes()[name])
    schema = _closed(adapter.json_schema(by_alias=True))
    return {"$schema": DIALECT, "title": TITLES[name], **schema}


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


def _shapes() -> dict[str, Any]:
    from trialrun.outputs.schema import checks, imports, plans, session_results, store_results, views

    return {
        "report": checks.Report,
        "files": checks.ShownFiles,
        "schedule": views.Schedule,
        "sync": views.SyncOutput,
        "fetch": views.FetchOutput,
        "search": views.SearchOutput,
        "resolve": store_results.ResolveOutput,
        "languages": store_results.LanguagesOutput,
        "session": session_results.SessionOutput,
        "explore": session_results.ExploreOutput,
        "test": session_results.Tests,
        "plan": plans.Plan,
        "rules": checks.Rules,
        "rules-diff": checks.RulesDiff,
        "suppressions": checks.Suppressions,
        "settings-in-force": checks.SettingsInForce,
        "import": imports.ImportOutput,
        "baseline": checks.Baseline,
    }
