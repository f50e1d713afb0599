"""Write docs/constraints.md: every constraint of the specifications, and what holds it (from docs/constraints.toml).

python scripts/constraints.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"
TABLE = DOCS / "constraints.toml"
PAGE = DOCS / "constraints.md"
HEAD = """# Constraints

Every row and every constraint sentence of the two specifications, and what holds it. Written by
`python scripts/constraints.py` from [constraints.toml](constraints.toml); tests compare it with the specifications, the
rules and the models.

- **rule**: a rule of [the catalogue](../rules/README.md), which tells of it.
- **model**: a field, a union or a message of `src/trialrun/model`; with it come the type, which `wrong-type` and
  `null-value` tell of, and the names of fields, which `unknown-field` tells of. The exported JSON Schema has the same.
- **runtime**: what a dry run does about it: sync, schedules, search and service of a FeatureView; precedence, session,
  states, features and service of a ChannelConfig.
- **assumption**: what the specification leaves open and [what we chose](assumptions.md).
"""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A table row or a sentence of a specification, and what holds it: `kind:what`, one or more."""

    spec: str
    section: str
    text: str
    by: tuple[str, ...]


def constraints() -> list[Constraint]:
    """All of them, in the order of the specifications. Raises ValueError for one that nothing holds."""
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))["constraint"]
    return [_constraint(row) for row in rows]


def _constraint(row: dict[str, list[str] | str]) -> Constraint:
    by = row.get("by")
    if not by:
        raise ValueError(f"nothing holds this constraint; fill in `by`: {row['text']}")
    return Constraint(str(row["spec"]), str(row["section"]), str(row["text"]), tuple(by))


def page(listed: list[Constraint]) -> str:
    """The Markdown page of some constraints: a table for each section."""
    return "".join(_parts(listed))


def _parts(listed: list[Constraint]) -> Iterator[str]:
    yield HEAD
    for spec, of_spec in groupby(listed, key=lambda file: file.spec):
        yield f"\n## {spec}\n"
        for section, rows in groupby(of_spec, key=lambda one: one.section):
            yield f"\n### {section}\n\n| constraint | held by |\n|---|---|\n"
            yield from (f"| {_shown(row.text)} | {'<br>'.join(_held(row.by))} |\n" for row in rows)


def _shown(text: str) -> str:
    """A row with its cells set apart by dots; what would read as HTML is escaped."""
    cells = [cell.strip() for cell in text.strip("|").split("|")] if text.startswith("|") else [text]
    shown = " · ".join(cell for cell in cells if cell)
    return shown.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _held(by: tuple[str, ...]) -> Iterator[str]:
    """One line for each sort of holder, in the order in which they first come."""
    sorts = list(dict.fromkeys(check_id.partition(":")[0] for check_id in by))
    for sort in sorts:
        named = [check_id.partition(":")[2].strip() for check_id in by if check_id.startswith(f"{sort}:")]
        yield f"{sort} " + ("; " if sort == "runtime" else ", ").join(_name(sort, name) for name in named)


def _name(sort: str, name: str) -> str:
    if sort == "runtime":
        return name
    return f"[{name}](assumptions.md)" if sort == "assumption" else f"`{name}`"


if __name__ == "__main__":
    PAGE.write_text(page(constraints()), encoding="utf-8", newline="\n")
