"""Write docs/settings.md: every setting with its default and its meaning, from the code that reads the settings.

python scripts/settings_page.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from trialrun.lint import editions, registry  # noqa: E402
from trialrun.lint.settings.descriptions import DESCRIPTIONS  # noqa: E402
from trialrun.lint.settings.runtime import KEYS as RUNTIME_KEYS  # noqa: E402
from trialrun.lint.settings.schema import KEYS, OF_OVERRIDES, OF_SUPPRESSIONS, OPTIONS, Settings  # noqa: E402
from trialrun.lint.settings.user import MEANINGS  # noqa: E402
from trialrun.runtime.options import Options  # noqa: E402

PAGE = ROOT / "docs" / "settings.md"
HEAD = """# Settings

The settings of a workspace are in `trialrun.toml`, or in the table `[tool.trialrun]` of `pyproject.toml`. The nearest
file upward wins whole: settings of folders above it do not count. Unknown keys and wrong values are errors, all of them
in one run, each with its line. `trialrun settings PATH` shows what is in force for a file or a folder, and where each
value comes from. Written by `python scripts/settings_page.py` from the code that reads the settings.

Paths and globs are relative to the folder of the file, with `/`. Every glob is a pattern of `.gitignore`: `*.yaml` is
every such file, `/*.yaml` one beside the settings, `vendor/` all that is in such a folder. `{a,b}` is refused.
"""
OF_USER = """What you allow to every repository, which no repository can allow to itself: in `trialrun/settings.toml` of
your own folder for settings (`$XDG_CONFIG_HOME` or `~/.config`, on Windows `%APPDATA%`), or in the file that
`TRIALRUN_USER_SETTINGS` names. A file inside of the workspace is not read, nor any under `--isolated`.
"""


def page() -> str:
    """The text of the page."""
    plain = [key for key in KEYS if key not in ("options", "runtime", "overrides", "suppress", "severity")]
    return "".join(
        [
            HEAD,
            "\n## At the top\n",
            *_table(("key", "default", "meaning"), ((key, _default(key), DESCRIPTIONS[key]) for key in plain)),
            f"\n## `[severity]`\n\n{DESCRIPTIONS['severity']} Keys are ids of rules.\n",
            f"\n## `[options]`\n\n{DESCRIPTIONS['options']}\n",
            *_table(("option", "default", "read by", "meaning"), map(_option, OPTIONS)),
            f"\n## `[runtime]`\n\n{DESCRIPTIONS['runtime']}\n",
            *_table(("key", "default", "meaning"), map(_runtime, RUNTIME_KEYS)),
            f"\n## `[[overrides]]`\n\n{DESCRIPTIONS['overrides']} The last override that matches a path wins.\n",
            *_table(("key", "meaning"), ((key, _of_table("overrides", key)) for key in OF_OVERRIDES)),
            f"\n## `[[suppress]]`\n\n{DESCRIPTIONS['suppress']}\n",
            *_table(("key", "meaning"), ((key, _of_table("suppress", key)) for key in OF_SUPPRESSIONS)),
            f"\n## Settings of the user\n\n{OF_USER}",
            *_table(("key", "meaning"), ((key, text) for key, text in MEANINGS.items())),
        ]
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = list(head)
    yield f"\n| {' | '.join(names)} |\n|{'---|' * len(names)}\n"
    for key, *cells in rows:
        yield f"| `{key}` | {' | '.join(cells)} |\n"


def _default(key: str) -> str:
    if key == "edition":
        return f"`{editions.NEWEST}`"
    value = getattr(Settings(), key.replace("-", "_"))
    return "unset" if value is None else f"`{json.dumps(_plain(value))}`"


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def _option(name: str) -> tuple[str, str, str, str]:
    rules = [rule for rule in registry.everything() if name in rule.options]
    default: Any = next((rule.options[name] for rule in rules), None)
    return (
        name,
        _shown(default),
        ", ".join(f"`{rule.id}`" for rule in rules) or "conditions",
        DESCRIPTIONS[f"options.{name}"],
    )


def _runtime(key: str) -> tuple[str, str, str]:
    defaults = {field.name.replace("_", "-"): field.default for field in fields(Options)}
    return key, _shown(defaults[key]), DESCRIPTIONS[f"runtime.{key}"]


def _shown(value: Any) -> str:
    return "unset" if value is None or value == "" else f"`{json.dumps(value)}`"


def _of_table(table: str, key: str) -> str:
    return DESCRIPTIONS.get(f"{table}.{key}") or DESCRIPTIONS[key]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
