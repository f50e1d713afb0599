"""Validation of the content of a settings file by its model: every error as a message at its key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, get_args

from pydantic import ValidationError

from trialrun.lint import registry
from trialrun.lint.settings.formats import CHECKS, MEMORY, MOST_THREADS, POINTER
from trialrun.lint.settings.lines import Problem, Step
from trialrun.lint.settings.model import SETTINGS, TABLES, SettingsTable, UserFileSettings, WorkspaceSettings
from trialrun.values.suggest import did_you_mean, one_edit_apart

Path = tuple[Step, ...]
Orders = dict[int, Mapping[Step, int]]
"""What `_order` says of tables and lists, by their ids."""
MISSING: Mapping[str, str] = {
    "engines": "address is missing; write one such as spark://HOST:PORT",
    "stores": "address is missing; write one such as redis://HOST:PORT",
    "overrides": 'paths is missing; list the globs of the files that it applies to, such as "legacy/**"',
    "suppress": "path and rule are required: the glob of the files, and the id of the rule",
    "ignore": "path and rule are required: the glob of the files, and the id of the rule",
}
THREADS = "a number of threads; 0 means all cores"
WORDS: Mapping[str, str] = {
    "memory-limit": MEMORY,
    "memory": MEMORY,
    "threads": THREADS,
    "pointer": POINTER,
    "allow-paths": "a list of folders",
    "overrides": "a list of tables; write [[overrides]]",
    "suppress": "a list of tables; write [[suppress]]",
    "min-sync-interval": "a number or a string",
    "rule": "a string or a list of strings",
    "until": "a string or a date",
}
"""How messages describe the values of keys that are more than the types below."""
TYPES: Mapping[str, str] = {
    "string_type": "a string",
    "string_too_short": "a string",
    "int_type": "a number",
    "list_type": "a list of strings",
    "dict_type": "a table",
    "model_type": "a table",
    "union_tag_invalid": "",
}
KEY_FORMATS: Mapping[Step, str] = {"kinds": "glob", "change-levels": "change", "engines": "alias", "stores": "alias"}
"""The maps whose keys have a format."""
MAPS = {*KEY_FORMATS, "severity", "policy-parameters"}


def validate(content: dict[str, Any], name: str) -> tuple[dict[str, Any], list[Problem]]:
    """The content of a file of settings, from which what is wrong is removed, and its errors in the order there."""
    try:
        SETTINGS[name].model_validate(content)
    except ValidationError as error:
        refused = [(*_place(detail, content), detail) for detail in error.errors(include_url=False)]
    else:
        return content, []
    orders: Orders = {}
    refused.sort(key=lambda entry: _position(entry[0], content, orders))
    unknown: dict[Path, list[str]] = {}
    for keys, _, detail in refused:
        if detail["type"] == "extra_forbidden":
            unknown.setdefault(keys[:-1], []).append(str(keys[-1]))
    problems = [
        _problem(_numbered(keys, content, orders), keys, value, detail, name)
        for keys, value, detail in refused  # a key that is missing may be there, but misspelt
        if not (detail["type"] == "missing" and did_you_mean(str(keys[-1]), unknown.get(keys[:-1], ())))
    ]
    for keys, _, _ in reversed(refused):
        _remove(content, keys)
    return content, problems


def _place(detail: Any, content: Mapping[str, Any]) -> tuple[Path, Any]:
    """The keys that lead to what is refused, and its value; locations of pydantic have the tags of types, too."""
    keys: list[Step] = []
    value: Any = content
    for step in detail["loc"]:
        is_key = isinstance(value, Mapping) and step in value
        if is_key or (isinstance(value, list) and isinstance(step, int)):
            keys.append(step)
            value = value[step]
    if detail["type"] == "missing":
        return (*keys, detail["loc"][-1]), None
    if detail["type"] == "option":
        return (*keys, detail["ctx"]["name"]), value
    return tuple(keys), value


def _order(content: Any, orders: Orders) -> Mapping[Step, int]:
    """The places of the keys of a table, or the number of tables before each item of a list; `orders` keeps them."""
    if (order := orders.get(id(content))) is None:
        if isinstance(content, Mapping):
            order = {key: at for at, key in enumerate(content)}
        else:
            order = dict(enumerate(accumulate((isinstance(item, Mapping) for item in content), initial=0)))
        orders[id(content)] = order
    return order


def _position(keys: Path, content: Any, orders: Orders) -> list[int]:
    """What sorts keys in the order of the file; missing ones come last in their table."""
    position: list[int] = []
    for key in keys:
        if isinstance(content, Mapping):
            position.append(_order(content, orders).get(key, len(content)))
            content = content.get(key)
        else:
            position.append(int(key))
            content = content[key]
    return position


def _remove(content: Any, keys: Path) -> None:
    for key in keys[:-1]:
        if isinstance(content, Mapping) and key not in content:
            return
        content = content[key]
    if isinstance(content, list):
        del content[int(keys[-1])]
    else:
        content.pop(keys[-1], None)


def _problem(path: Path, keys: Path, value: Any, detail: Any, file: str) -> Problem:
    """The error at some keys, with their numbered path, as a message; that of an item of a list is at the list."""
    kind, context, root = detail["type"], detail.get("ctx", {}), SETTINGS[file]
    home, name = [str(key) for key in keys[:-1][::2]], str(keys[-1])
    table = TABLES[home[-1]] if home and home[-1] in TABLES else root
    if kind == "extra_forbidden":
        word = "option" if table is TABLES["options"] else "setting"
        slips = [key for key in table.fields_by_key() if one_edit_apart(name, key)]
        near = did_you_mean(name, slips) or home_of(name, table, root) or did_you_mean(name, table.fields_by_key())
        advice = near or "; trialrun docs settings lists all"
        return Problem(path, f'there is no {word} "{name}"{advice}')
    if isinstance(keys[-1], int):
        name = str(keys[-2])
        if kind in TYPES and kind != "string_too_short":
            return Problem(path[:-1], _type_problem(name, "list_type", home))
        text = f"{name} contains an empty string; remove it" if value == "" else _text(name, value, kind, context)
        return Problem(path[:-1], text, value)
    if home and home[-1] in MAPS and len(keys) % 2 == 0:
        return _entry_problem(path, home[-1], value, detail, table)
    field = table.fields_by_key()[name]
    if kind == "missing" or (field.is_required() and value in ("", []) and kind in ("string_too_short", "too_short")):
        return Problem((*path[:-1], ""), MISSING[home[-1]])
    if kind == "literal_error":
        choices = get_args(field.annotation)
        near = did_you_mean(value, choices) if isinstance(value, str) else ""
        return Problem(path, f"{name} must be {_alternatives(value, choices)}{near}", value)
    return Problem(path, _type_problem(name, kind, home) if kind in TYPES else _text(name, value, kind, context), value)


def _entry_problem(path: Path, map_key: str, value: Any, detail: Any, table: type[SettingsTable]) -> Problem:
    """The error of a key of a map, or of the value there."""
    name, kind = str(path[-1]), detail["type"]
    if kind == "option":
        return Problem(path, f"{name} is not a rule; it belongs in [options]")
    if detail["loc"][-1] == "[key]":
        return Problem(path, str(CHECKS[KEY_FORMATS[map_key]](name, name)))
    if map_key == "kinds":
        if isinstance(value, Mapping | list):  # which may nest too deeply to be shown
            return Problem(path, f'"{name}" must be a kind of document in quotes, such as "FeatureView"')
        return Problem(path, str(CHECKS["kind"](name, value)))
    if kind == "literal_error":
        choices = get_args(get_args(table.fields_by_key()[map_key].annotation)[1])
        return Problem(path, f"{name} must be {_alternatives(value, choices)}")
    return Problem(path, f"{name} must be a table; write [{map_key}.{name}]")


def _numbered(keys: Path, content: Any, orders: Orders) -> Path:
    """Some keys, in which a table in a list has its number among the tables there."""
    path: list[Step] = []
    for key in keys:
        if isinstance(key, int) and isinstance(content[key], Mapping):
            path.append(_order(content, orders)[key])
        else:
            path.append(key)
        content = content.get(key) if isinstance(content, Mapping) else content[key]
    return tuple(path)


def _type_problem(name: str, kind: str, home: Sequence[str]) -> str:
    words = WORDS.get(name) or TYPES[kind]
    if name == "ignore" and home[:1] != ["overrides"]:
        words = "a list of strings or a list of tables; write [[ignore]]"
    return f"{name} must be {words}"


def _text(name: str, value: Any, kind: str, context: Mapping[str, Any]) -> str:
    """What is wrong with a value of the right type."""
    if kind == "format":
        return str(CHECKS[context["format"]](name, value))
    if kind == "nul":
        return f"{name} contains a NUL character; remove it"
    if name == "threads":
        return (
            f"threads must be {THREADS}"
            if value < 0
            else f"threads must be at most {MOST_THREADS}, or 0 for all cores, not {value}"
        )
    return f"{name} must be {context['ge']} or more, not {value}"


def home_of(key: str, table: type[SettingsTable], root: type[SettingsTable]) -> str:
    """The end of a message that names the table in which a key is a setting; empty if there is none."""
    homes: list[tuple[type[SettingsTable] | None, str, Collection[str]]] = [
        *((TABLES[name], f"[{name}]", TABLES[name].fields_by_key()) for name in ("options", "runtime")),
        (WorkspaceSettings, "", WorkspaceSettings.fields_by_key()),
        (None, "[severity]", registry.ids()),
        *((TABLES[name], f"[[{name}]]", TABLES[name].fields_by_key()) for name in ("overrides", "suppress")),
    ]
    if root is UserFileSettings:
        homes = [(TABLES["limits"], "[limits]", TABLES["limits"].fields_by_key()), (root, "", root.fields_by_key())]
    home = next((header for other, header, keys in homes if other is not table and key in keys), None)
    if home is None:
        return ""
    return f"; it belongs in {home}" if home else "; it belongs at the top of the settings, before any table"


def _alternatives(value: object, choices: Iterable[str]) -> str:
    """The end of a message about a value that is not one of the choices."""
    shown = f', not "{value}"' if isinstance(value, str) else ""
    return f"one of {', '.join(choices)}{shown}"
