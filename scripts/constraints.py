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

What holds each row and each constraint sentence of the two specifications. A row of a message is named by its field;
other rows and sentences stand as they are, those that the same holds together. Written by `python
scripts/constraints.py` from [constraints.toml](constraints.toml); tests compare it with the specifications, the rules
and the models.

- **rule**: a rule of [the catalogue](../rules/README.md).
- **model**: a field, a union or a message of `src/trialrun/model`, with the type, which `wrong-type` and `null-value`
  check, and the names, which `unknown-field` checks; the exported JSON Schema has them too. A row that is the name of a
  field is held by this field as well.
- **runtime**: what a dry run does about it.
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
    if unheld := next((row for row in rows if not row.get("by")), None):
        raise ValueError(f"nothing holds this constraint; fill in `by`: {unheld['text']}")
    return [Constraint(row["spec"], row["section"], row["text"], tuple(row["by"])) for row in rows]


def page(listed: list[Constraint]) -> str:
    """The Markdown page of some constraints: a table for each section."""
    return "".join(_parts(listed))


def _parts(listed: list[Constraint]) -> Iterator[str]:
    yield HEAD
    for spec, of_spec in groupby(listed, key=lambda file: file.spec):
        yield f"\n## {spec}\n"
        for section, rows in groupby(of_spec, key=lambda one: one.section):
            yield f"\n### {section}\n\n| constraint | held by |\n|---|---|\n"
            for holders, alike in groupby(rows, lambda row: "; ".join(_held(row))):
                yield f"| {'<br>'.join(map(_shown, alike))} | {holders} |\n"


def _shown(row: Constraint) -> str:
    """A field by its name, any other row with its cells set apart by dots; what would read as HTML is escaped."""
    if _own_field(row):
        return f"`{_cells(row)[0]}`"
    return " · ".join(filter(None, _cells(row))).replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _cells(row: Constraint) -> list[str]:
    return [cell.strip() for cell in row.text.strip("|").split("|")] if row.text.startswith("|") else [row.text]


def _own_field(row: Constraint) -> str:
    """The holder that is the field of the row; empty where the row is no field of a model."""
    fields = (holder for holder in row.by if holder.startswith("model:") and holder.endswith(f".{_cells(row)[0]}"))
    return next(fields, "") if row.text.startswith("|") else ""


def _held(row: Constraint) -> Iterator[str]:
    """The holders of each sort, in the order in which these first come; the field of the row only where it is alone."""
    own = _own_field(row)
    holders = [holder for holder in row.by if holder != own] or ["model:"]
    for sort in dict.fromkeys(holder.partition(":")[0] for holder in holders):
        named = [holder.partition(":")[2].strip() for holder in holders if holder.startswith(f"{sort}:")]
        shown = (name if sort == "runtime" or not name else f"`{name}`" for name in named)
        yield f"{sort} {', '.join(shown)}".strip()


if __name__ == "__main__":
    PAGE.write_text(page(constraints()), encoding="utf-8", newline="\n")
