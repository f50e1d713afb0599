"""Validation of the content of a settings file against the tables compiled from the model; reports every error."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import date
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings.compiled import TABLES
from trialrun.lint.settings.errors import Problem
from trialrun.lint.settings.keys import Key, ValueType
from trialrun.lint.settings.lines import Step

MISSING: Mapping[str, str] = {
    "EngineSettings": "address is missing; write one such as spark://HOST:PORT",
    "StoreSettings": "address is missing; write one such as redis://HOST:PORT",
    "OverrideSettings": 'paths is missing; list the globs of the files that it applies to, such as "legacy/**"',
    "SuppressSettings": "path and rule are required: the glob of the files, and the id of the rule",
}
Path = tuple[Step, ...]


@dataclass(frozen=True)
class Validation:
    """The validation of one settings file: errors are added to `problems`, valid content is returned."""

    file: str
    root: str = "WorkspaceSettings"
    problems: list[Problem] = field(default_factory=list)

    def valid_content(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """The content of the file without invalid keys and items."""
        return self._table(content, self.root, ())

    def _report(self, path: Path, text: str, value: object = None) -> None:
        self.problems.append(Problem(path, text, value))

    def _table(self, content: Mapping[str, Any], name: str, path: Path) -> dict[str, Any]:
        valid: dict[str, Any] = {}
        for key, value in content.items():
            known = TABLES[name].get(key)
            if known is None:
                self._report((*path, key), self._unknown_key(key, name))
            elif (entry := self._value(value, known, (*path, key))) is not None:
                valid[key] = entry
        if any(known.is_required and content.get(key) in (None, [], "") for key, known in TABLES[name].items()):
            self._report((*path, ""), MISSING[name])
        return valid

    def _unknown_key(self, key: str, table: str) -> str:
        from trialrun.values.suggest import did_you_mean

        word = "option" if table == "OptionSettings" else "setting"
        return f'there is no {word} "{key}"{home_of(key, table, self.root) or did_you_mean(key, TABLES[table])}'

    def _value(self, value: object, key: Key, path: Path) -> Any:
        """The valid part of a value, or None."""
        if isinstance(value, float) and value.is_integer():  # an integer to JSON Schema, and so to editors
            value = int(value)
        if isinstance(value, Mapping) and key.types == ("table",):
            return self._table(value, key.table, path)
        if isinstance(value, Mapping) and key.types == ("map",) and key.table:
            return {name: self._named_table(name, entry, key, path) for name, entry in value.items()}
        if isinstance(value, Mapping) and key.types == ("map",):
            return {name: entry for name, entry in value.items() if self._is_valid_entry(name, entry, key, path)}
        if isinstance(value, list) and _is_list_for(value, key):
            return list(self._items(value, key, path))
        if problem := self._scalar_problem(value, key, path):
            self._report(path, problem, value)
            return None
        return value

    def _named_table(self, name: str, value: object, key: Key, path: Path) -> dict[str, Any]:
        """The valid part of a table that is an entry of a map."""
        from trialrun.lint.settings.formats import format_problem

        if problem := format_problem(name, name, Key(("text",), format=key.key_format), ""):
            self._report((*path, name), problem)
        if isinstance(value, Mapping):
            return self._table(value, key.table, (*path, name))
        self._report((*path, name), f"{name} must be a table; write [{path[-1]}.{name}]", value)
        return {}

    def _scalar_problem(self, value: object, key: Key, path: Path) -> str | None:
        from trialrun.lint.settings.formats import format_problem, type_name
        from trialrun.values.suggest import did_you_mean

        name = str(path[-1])
        if key.choices and value not in key.choices:
            near = did_you_mean(value, key.choices) if isinstance(value, str) else ""
            return f"{name} must be {_alternatives(value, key.choices)}{near}"
        if value == "" and key.is_required:
            return None  # reported as missing
        if not any(_has_type(value, expected, key) for expected in key.types):
            return f"{name} must be {type_name(name, key)}"
        if isinstance(value, str) and "\0" in value:
            return f"{name} contains a NUL character; remove it"
        return format_problem(name, value, key, os.path.dirname(self.file))

    def _items(self, items: list[Any], key: Key, path: Path) -> Iterator[Any]:
        """The valid items of a list; tables have indexes of their own, which do not count other items."""
        from trialrun.lint.settings.formats import format_problem

        number = 0
        for item in items:
            if isinstance(item, Mapping):
                yield self._table(item, key.table, (*path, number))
                number += 1
            elif item == "":
                self._report(path, f"{path[-1]} contains an empty string; remove it", item)
            elif problem := format_problem(str(path[-1]), item, key, os.path.dirname(self.file)):
                self._report(path, problem, item)
            else:
                yield item

    def _is_valid_entry(self, name: str, value: object, key: Key, path: Path) -> bool:
        """Whether an entry of a map is valid; reports its errors."""
        from trialrun.lint.settings.formats import format_problem

        problems = [
            format_problem(name, name, Key(("text",), format=key.key_format), ""),
            _choice_problem(name, value, key),
            format_problem(name, value, key, ""),
        ]
        for problem in filter(None, problems):
            self._report((*path, name), problem)
        return not any(problems)


def home_of(key: str, table: str, root: str = "WorkspaceSettings") -> str:
    """The end of a message that names the table in which a key is a setting; empty if there is none."""
    from trialrun.lint import registry

    homes: list[tuple[str, str, Mapping[str, Any] | list[str]]] = [
        ("OptionSettings", "[options]", TABLES["OptionSettings"]),
        ("RuntimeSettings", "[runtime]", TABLES["RuntimeSettings"]),
        ("WorkspaceSettings", "", TABLES["WorkspaceSettings"]),
        ("Severity", "[severity]", registry.ids()),
        ("OverrideSettings", "[[overrides]]", TABLES["OverrideSettings"]),
        ("SuppressSettings", "[[suppress]]", TABLES["SuppressSettings"]),
    ]
    if root == "UserFileSettings":
        homes = [("LimitSettings", "[limits]", TABLES["LimitSettings"]), (root, "", TABLES[root])]
    home = next((header for name, header, keys in homes if name != table and key in keys), None)
    if home is None:
        return ""
    return f"; it belongs in {home}" if home else "; it belongs at the top of the settings, before any table"


def _alternatives(value: object, choices: Iterable[str]) -> str:
    """The end of a message about a value that is not one of the choices."""
    shown = f', not "{value}"' if isinstance(value, str) else ""
    return f"one of {', '.join(choices)}{shown}"


def _choice_problem(name: str, value: object, key: Key) -> str | None:
    """The error of an entry in a map of choices, such as a rule with its severity, or None."""
    if key.key_format == "rule" and name in TABLES["OptionSettings"]:
        return f"{name} is not a rule{home_of(name, 'Severity')}"
    if key.choices and value not in key.choices:
        return f"{name} must be {_alternatives(value, key.choices)}"
    return None


def _is_list_for(items: list[Any], key: Key) -> bool:
    """Whether every item of a list has a type that the key allows."""
    allowed = (str,) * ("texts" in key.types) + (Mapping,) * ("tables" in key.types)
    return bool(allowed) and all(isinstance(item, allowed) for item in items)


def _has_type(value: object, expected: ValueType, key: Key) -> bool:
    match expected:
        case "text":
            return isinstance(value, str) and len(value) >= (key.at_least or 0)
        case "number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "date":
            return isinstance(value, date)
    return False
