"""Write what is made from the model of the settings: their page, and the schema of an editor.

python scripts/settings_page.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from trialrun.lint import registry, selection  # noqa: E402
from trialrun.lint.settings.json_schema import settings_schema  # noqa: E402
from trialrun.lint.settings.model import SETTINGS  # noqa: E402

PAGE = ROOT / "docs" / "settings.md"
EDITOR_SCHEMA = ROOT / "editors" / "vscode" / "trialrun.schema.json"
Schema = Mapping[str, Any]
HEAD = """# Settings

The settings of a workspace are in `trialrun.toml`, or in the table `[tool.trialrun]` of `pyproject.toml`. They are TOML
1.0, also where [other readers](other-programs.md#readers-of-yaml-toml-and-json) take TOML 1.1. The nearest file upward
wins whole: settings of folders above it do not count. Unknown keys and wrong values are errors, all of them in one run,
each with its line. `trialrun settings PATH` shows what is in force for a file or a folder, and where each value comes
from; `trialrun schema settings` prints a JSON Schema, with which [editors](editors.md#settings-files) complete them.
Written by `python scripts/settings_page.py` from the model of the settings.

Paths and globs are relative to the folder of the file, with `/`. Every glob is a pattern of `.gitignore`: `*.yaml` is
every such file, `/*.yaml` one beside the settings, `vendor/` all that is in such a folder. `{a,b}` is refused.
"""
OF_USER = """What you allow to every repository, which no repository can allow to itself: in `trialrun/settings.toml` of
your own folder for settings (`$XDG_CONFIG_HOME` or `~/.config`, on Windows `%APPDATA%`), or in the file that
`TRIALRUN_USER_SETTINGS` names. A file inside of the workspace is not read, nor any under `--isolated`.
"""
SECTIONS = ("severity", "options", "change-levels", "policy-parameters")
"""The maps that have a section of their own."""


def page() -> str:
    """The text of the page."""
    schema = SETTINGS["settings"].model_json_schema(by_alias=True)
    keys, tables = schema["properties"], schema["$defs"]
    headers = [key for key, one in keys.items() if "$ref" in one or "$ref" in one.get("items", {})]
    plain = {key: one for key, one in keys.items() if key not in (*SECTIONS, *headers)}
    return "".join(
        [
            HEAD,
            "\n## At the top\n",
            *_table(("key", "default", "meaning"), _rows(plain)),
            f"\n## `[severity]`\n\n{keys['severity']['description']} Keys are ids of rules.\n",
            f"\n## `[options]`\n\n{tables['OptionSettings']['description']}\n",
            *_table(("option", "default", "read by", "meaning"), map(_option, tables["OptionSettings"]["properties"])),
            f"\n## `[policy-parameters.ID]`\n\n{keys['policy-parameters']['description']} `ID` is the id of a "
            "[policy](policies.md), which names its parameters with their types and defaults.\n",
            f"\n## `[runtime]`\n\n{tables['RuntimeSettings']['description']}\n",
            *_table(("key", "default", "meaning"), _rows(tables["RuntimeSettings"]["properties"])),
            f"\n## `[change-levels]`\n\n{keys['change-levels']['description']} Keys are ids of "
            "[changes](changes.md).\n",
            f"\n## `[[overrides]]`\n\n{keys['overrides']['description']} The last override that matches a path wins.\n",
            *_meanings(_described(tables["OverrideSettings"]["properties"], tables)),
            f"\n## `[[suppress]]`\n\n{keys['suppress']['description']}\n",
            *_meanings(tables["SuppressSettings"]["properties"]),
            f"\n## Settings of the user\n\n{OF_USER}",
            *_user_table(),
        ]
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = list(head)
    yield f"\n| {' | '.join(names)} |\n|{'---|' * len(names)}\n"
    for key, *cells in rows:
        yield f"| `{key}` | {' | '.join(cells)} |\n"


def _rows(keys: Schema) -> Iterator[tuple[str, str, str]]:
    return ((key, *_default_and_meaning(key, keys)) for key in keys)


def _described(keys: Schema, tables: Schema) -> Schema:
    """The keys of a table, those that are tables with the descriptions of these."""
    named = {key: tables[one["$ref"].rpartition("/")[2]] for key, one in keys.items() if "$ref" in one}
    return {key: {**named.get(key, {}), **one} for key, one in keys.items()}


def _meanings(keys: Schema) -> Iterator[str]:
    return _table(("key", "meaning"), ((key, one["description"]) for key, one in keys.items()))


def _user_table() -> Iterator[str]:
    schema = SETTINGS["user-settings"].model_json_schema(by_alias=True)
    tables = (schema["$defs"][f"{name}Settings"]["properties"] for name in ("Limit", "Engine", "Store"))
    limits, engine, store = tables
    keys = {"allow-paths": schema["properties"]["allow-paths"]} | {f"limits.{key}": limits[key] for key in limits}
    keys |= {f"engines.ALIAS.{key}": engine[key] for key in engine}
    return _meanings(keys | {f"stores.ALIAS.{key}": store[key] for key in store})


def _default_and_meaning(key: str, keys: Schema) -> tuple[str, str]:
    default = f"`{selection.NEWEST}`" if key == "edition" else _default(keys[key].get("default"))
    return default, keys[key]["description"]


def _default(value: Any) -> str:
    return "unset" if value is None or value == "" else f"`{json.dumps(value)}`"


def _option(name: str) -> tuple[str, str, str, str]:
    key = SETTINGS["settings"].model_json_schema(by_alias=True)["$defs"]["OptionSettings"]["properties"][name]
    rules = [rule.id for rule in registry.everything() if name in rule.options]
    readers = ", ".join(f"`{rule}`" for rule in rules) or "conditions"
    return name, _default(key.get("default")), readers, key["description"]


def editor_schema() -> str:
    """The text of the schema that the extension for Visual Studio Code brings."""
    return json.dumps(settings_schema("settings"), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    EDITOR_SCHEMA.write_text(editor_schema(), encoding="utf-8")
