"""JSON Schema (2020-12) of settings files for TOML editors: the model with the existing rules and editions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLES: Mapping[str, str] = {
    "settings": "the settings of a workspace, trialrun.toml",
    "pyproject": "the settings of a workspace, in pyproject.toml",
    "user-settings": "the user's own settings",
}
"""The settings files that have a schema, by name."""
END = r"$(?!\n)"
"""The end of a text, also to regular expressions whose `$` is one before a last line break."""
RULE_ID = f"^[a-z][a-z0-9]*(-[a-z0-9]+)*{END}"
"""The pattern of policy ids, which can be used like rule ids."""
RULE_OR_GROUP = f"^[a-z][a-z0-9]*([-_][a-z0-9]+)*{END}"
BLANK = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""The blanks that the program strips: what `\\s` means differs between regular expressions."""


def settings_schema(name: str) -> Schema:
    """The JSON Schema of a settings file. Raises KeyError."""
    from trialrun.lint.settings.model import SETTINGS

    if name == "pyproject":
        return _in_pyproject(settings_schema("settings"))

    schema = _with_formats(SETTINGS[name].model_json_schema(by_alias=True))
    if name == "settings":
        schema["$defs"] |= _rule_definitions(schema["properties"]["severity"])
        for table in (schema, schema["$defs"]["OverrideSettings"]):
            table["properties"]["severity"] = {"$ref": "#/$defs/Severity"}
            table["properties"]["policy-parameters"]["propertyNames"] = {"pattern": RULE_ID}
    return {"$schema": DIALECT, **schema, "title": TITLES[name]}


def _in_pyproject(settings: Schema) -> Schema:
    """The schema of a pyproject.toml, which allows any tables of other tools."""
    definitions = settings.pop("$defs")
    table: Schema = {key: value for key, value in settings.items() if key not in ("$schema", "title")}
    for name in ("trialrun", "tool"):
        table = {"type": "object", "properties": {name: table}}
    return {"$schema": DIALECT, **table, "$defs": definitions, "title": TITLES["pyproject"]}


def _with_formats(schema: Any, *, of_names: bool = False) -> Any:
    """The schema with the constraints of each format, without titles that repeat keys and without null defaults."""
    if isinstance(schema, list):
        return [_with_formats(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if of_names:
        return {name: _with_formats(value) for name, value in schema.items()}
    name = schema.get("x-format", "")
    if name in NAMES_OF_RULES and schema.get("type") == "string":
        return {"$ref": NAMES_OF_RULES[name]}
    names = {key: "anyOf" if key == "oneOf" else key for key in schema}  # as any other union, in pydantic's order
    kept = {
        names[key]: _with_formats(schema[key], of_names=key in ("properties", "$defs"))
        for key in sorted(schema, key=names.__getitem__)
        if key not in ("title", "x-format") and not (key == "default" and schema[key] is None)
    }
    return kept | FORMATS.get(name, dict)()


NAMES_OF_RULES: Mapping[str, str] = {"rule": "#/$defs/Rule", "rule-or-group": "#/$defs/RuleOrGroup"}


def _rule_definitions(severity: Schema) -> Schema:
    """Definitions for names of rules and groups, and for the table of severities with rule summaries."""
    from trialrun.lint import registry
    from trialrun.lint.policy import GROUP

    names = registry.ids()
    groups = [group.replace("_", "-") for group in (*registry.GROUPS, GROUP)]
    level = severity["additionalProperties"]
    summaries = {rule.id: rule.doc.partition("\n")[0] for rule in registry.everything()}
    return {
        "Rule": {"type": "string", "anyOf": [{"enum": names}, {"pattern": RULE_ID}]},
        "RuleOrGroup": {"type": "string", "anyOf": [{"enum": [*names, *groups, "all"]}, {"pattern": RULE_OR_GROUP}]},
        "Severity": {
            **severity,
            "properties": {name: {**level, "description": summary} for name, summary in summaries.items()},
            "propertyNames": {"pattern": RULE_ID},
        },
    }


def _edition() -> Schema:
    from trialrun.lint import selection

    return {"enum": list(selection.ADDED), "default": selection.NEWEST}


def _policy() -> Schema:
    from trialrun.lint.policy.packs import shipped_packs

    return {"anyOf": [{"enum": sorted(shipped_packs())}, {"minLength": 1}]}


def _kind() -> Schema:
    from trialrun.model.kinds import KINDS

    return {"enum": list(KINDS)}


def _change() -> Schema:
    from trialrun.documentation import changes

    return {"enum": list(changes())}


def _cel_extension() -> Schema:
    from trialrun.values.cel.builtins import EXTENSIONS

    return {"enum": list(EXTENSIONS)}


NO_GLOB = (r"(^|[^\\])\{[^{}]*,[^{}]*\}", rf"(^|[^\\])\\( {{2,}})?{END}", rf"^!?(\./)?(#|/* *{END})")
"""Braces, a backslash at the end, and what matches nothing."""
FORMATS: Mapping[str, Callable[[], Schema]] = {
    "edition": _edition,
    "policy": _policy,
    "kind": _kind,
    "change": _change,
    "cel-extension": _cel_extension,
    "alias": lambda: {"pattern": rf"^[A-Za-z0-9][A-Za-z0-9_-]*{END}"},
    "engine-address": lambda: {"pattern": rf"^spark://[^{BLANK}/@:\[\]?#;]+(:[0-9]{{1,5}})?{END}"},
    "store-address": lambda: {"pattern": r"^rediss?://(?!.*:.*@)."},
    "glob": lambda: {"not": {"pattern": "|".join(NO_GLOB)}},
    "interval": lambda: {
        "minimum": 0,
        "maximum": 999_999,
        "pattern": rf"^[{BLANK}]*([0-9]{{1,6}}[{BLANK}]*|([0-9]{{1,6}}[{BLANK}]*[mhd][{BLANK}]*)+){END}",
    },
    "label-prefix": lambda: {"pattern": rf"^(?![{BLANK}])[\s\S]*[^{BLANK}/]/*{END}"},
    "memory": lambda: {"pattern": rf"^[{BLANK}]*[0-9]{{1,18}}(\.[0-9]{{1,9}})? ?[KMGTkmgt]?[iI]?[bB][{BLANK}]*{END}"},
    "pointer": lambda: {"pattern": "^(/|$)"},
    "folder": lambda: {"pattern": r"^(~|/|[A-Za-z]:|\\\\)"},
}
"""What the text of a format looks like, as far as a schema can say it."""
