"""Write what is made from the catalogue of changes: docs/changes.md, and the ids that settings may name.

python scripts/changes_page.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from trialrun.changes.catalog import change_types, ids  # noqa: E402
from trialrun.changes.change import Level  # noqa: E402
from trialrun.changes.change_type import EXPLANATIONS  # noqa: E402

PAGE = ROOT / "docs" / "changes.md"
IDS = ROOT / "src" / "trialrun" / "lint" / "settings" / "change_ids.py"
HEAD = """# Changes

What `trialrun plan` calls a change, and the level that each has by default. `trialrun explain ID` shows the page of
one. Another level is set in `trialrun.toml`:

```toml
[change-levels]
schedule-changed = "breaking"
```

A change of a ChannelConfig that alters no effective value at any store is lowered by one level, and one of a document
that nobody uses is safe. Changes of views are never lowered. Written by `python scripts/changes_page.py`.
"""
IDS_MODULE = '''"""The ids of changes, which `[change-levels]` may name.

Written by `python scripts/changes_page.py` from the catalogue in `trialrun.changes.catalog`; a test compares them.
"""

from __future__ import annotations

from typing import Final

CHANGE_IDS: Final = (
{ids}
)
'''


def page() -> str:
    """The text of the page."""
    return HEAD + "".join("".join(_section(level)) for level in sorted(Level, reverse=True))


def _section(level: Level) -> Iterator[str]:
    yield f"\n## {level.word.capitalize()}\n\n{EXPLANATIONS[level]}\n\n| id | what | why |\n|---|---|---|\n"
    for change_type in change_types().values():
        if change_type.level is level:
            yield f"| `{change_type.id}` | {change_type.summary} | {change_type.why} |\n"


def ids_module() -> str:
    """The text of the module with the ids."""
    return IDS_MODULE.format(ids="\n".join(f'    "{id}",' for id in ids()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    IDS.write_text(ids_module(), encoding="utf-8", newline="\n")
