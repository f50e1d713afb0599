"""The keys of the settings as plain tables, so that checks do not import pydantic.

Written by `python scripts/settings_page.py` from the models in `trialrun.model.settings`; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trialrun.lint.settings.keys import Key

TABLES: Final[Mapping[str, Mapping[str, Key]]] = {
    "WorkspaceSettings": {
        "edition": Key(types=("text",), format="edition", at_least=1),
        "select": Key(types=("texts",), format="rule-or-group", default=[]),
        "ignore": Key(types=("texts", "tables"), format="rule-or-group", table="SuppressSettings", default=[]),
        "severity": Key(types=("map",), choices=("note", "warning", "error", "off"), key_format="rule", default={}),
        "options": Key(types=("table",), table="OptionSettings", default={}),
        "policy-parameters": Key(types=("map",), format="parameters", key_format="rule", default={}),
        "session-schema": Key(types=("text",), format="session-schema", at_least=1),
        "policies": Key(types=("texts",), format="policy", default=[]),
        "exclude": Key(types=("texts",), format="glob", default=[]),
        "kinds": Key(types=("map",), format="kind", key_format="glob", default={}),
        "baseline": Key(types=("text",), format="file", at_least=1),
        "runtime": Key(types=("table",), table="RuntimeSettings", default={}),
        "change-levels": Key(types=("map",), choices=("safe", "risky", "breaking"), key_format="change", default={}),
        "overrides": Key(types=("tables",), table="OverrideSettings", default=[]),
        "suppress": Key(types=("tables",), table="SuppressSettings", default=[]),
    },
    "OptionSettings": {
        "min-sync-interval": Key(types=("number", "text"), format="interval", at_least=1),
        "sync-herd-size": Key(types=("number",), at_least=1, default=5),
        "system-label-prefix": Key(types=("text",), format="label-prefix"),
        "cel-extensions": Key(types=("texts",), format="cel-extension", default=[]),
        "mixed-comparisons": Key(types=("text",), choices=("note", "allow"), default="note"),
    },
    "OverrideSettings": {
        "paths": Key(types=("texts",), format="glob", is_required=True),
        "select": Key(types=("texts",), format="rule-or-group", default=[]),
        "ignore": Key(types=("texts",), format="rule-or-group", default=[]),
        "severity": Key(types=("map",), choices=("note", "warning", "error", "off"), key_format="rule", default={}),
        "options": Key(types=("table",), table="OptionSettings", default={}),
        "policy-parameters": Key(types=("map",), format="parameters", key_format="rule", default={}),
        "session-schema": Key(types=("text",), format="session-schema", at_least=1),
    },
    "RuntimeSettings": {
        "vanished-entities": Key(types=("text",), choices=("keep", "drop")),
        "cron-semantics": Key(types=("text",), choices=("wall-clock", "vixie"), default="wall-clock"),
        "list-merge": Key(types=("text",), choices=("replace", "append"), default="replace"),
        "message-draw": Key(types=("text",), choices=("offer", "type"), default="type"),
        "memory-limit": Key(types=("text",), format="memory", at_least=1, default="2GB"),
        "threads": Key(types=("number",), format="threads", at_least=0, at_most=1024, default=0),
        "engine": Key(types=("text",), format="alias", at_least=1),
        "store": Key(types=("text",), format="alias", at_least=1),
    },
    "SuppressSettings": {
        "path": Key(types=("text",), format="glob", at_least=1, is_required=True),
        "pointer": Key(types=("text",), format="pointer"),
        "rule": Key(types=("text", "texts"), format="rule", at_least=1, is_required=True),
        "reason": Key(types=("text",), at_least=1),
        "until": Key(types=("text", "date"), at_least=1),
    },
    "UserFileSettings": {
        "allow-paths": Key(types=("texts",), format="folder", default=[]),
        "limits": Key(types=("table",), table="LimitSettings", default={}),
        "engines": Key(types=("map",), key_format="alias", table="EngineSettings", default={}),
        "stores": Key(types=("map",), key_format="alias", table="StoreSettings", default={}),
    },
    "EngineSettings": {
        "address": Key(types=("text",), format="engine-address", at_least=1, is_required=True),
        "python": Key(types=("text",), at_least=1),
        "memory": Key(types=("text",), format="memory", at_least=1, default="1GB"),
        "roots": Key(types=("texts",), format="engine-root", default=[]),
    },
    "LimitSettings": {
        "memory-limit": Key(types=("text",), format="memory", at_least=1, default="2GB"),
        "threads": Key(types=("number",), format="threads", at_least=0, at_most=1024, default=0),
    },
    "StoreSettings": {
        "address": Key(types=("text",), format="store-address", at_least=1, is_required=True),
    },
}
