"""Adds a `[[suppress]]` table to the settings, for findings where no comment can stand, as in JSON."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Sequence
from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings import Profiles
from trialrun.working_folder import relative_path

SETTINGS: Final = "trialrun.toml"
_no_glob = re.compile(r"[*?\[\]{}!\\\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table for a file belongs: the settings file, which may have to be created, and the glob of the file."""

    file: str
    glob: str

    @property
    def name(self) -> str:
        """The name of the tables in the settings file."""
        return "tool.trialrun.suppress" if os.path.basename(self.file) == "pyproject.toml" else "suppress"


def table_place(path: str, profiles: Profiles, root: str) -> TablePlace | None:
    """The place of a table for a displayed path of the workspace at a root; None if no glob means that file alone.

    The name of a file may be bytes that are not UTF-8, which settings cannot hold.
    """
    file = profiles.settings.file
    place = relative_path(path, root).replace(os.sep, "/") if file is None else profiles.path_of_settings(path)
    if place.startswith("../") or _no_glob.search(place):
        return None
    return TablePlace(file or os.path.join(root, SETTINGS), place if "/" in place else f"/{place}")


def suppress_table(
    before: str, place: TablePlace, pointer: str, rules: Sequence[str], reason: str, until: str | None = None
) -> str | None:
    """The text to add to that of the settings, None if it could not be read with the table."""
    line_break = "\r\n" if "\r\n" in before else "\n"
    apart = "" if not before.strip() else line_break if before.endswith(("\n", "\r")) else 2 * line_break
    rule = _text(rules[0]) if len(rules) == 1 else f"[{', '.join(map(_text, rules))}]"
    lines = [
        f"[[{place.name}]]",
        f"path = {_text(place.glob)}",
        *([f"pointer = {_text(pointer)}"] if pointer else []),
        f"rule = {rule}",
        f"reason = {_text(reason)}",
        *([f"until = {until}"] if until else []),
    ]
    added = apart + "".join(line + line_break for line in lines)
    return added if _can_be_read(before, added, place.name) else None


def _text(text: str) -> str:
    """A text of TOML, whose escapes are those of JSON; it has no delete character unchanged."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _can_be_read(before: str, added: str, name: str) -> bool:
    """Whether the settings can be read with the table, and have one table more."""
    try:
        return len(_tables(before + added, name)) == len(_tables(before, name)) + 1
    except tomllib.TOMLDecodeError:
        return False


def _tables(text: str, name: str) -> list[Any]:
    value: Any = tomllib.loads(text)
    for step in name.split("."):
        value = value.get(step, {}) if isinstance(value, dict) else {}
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
