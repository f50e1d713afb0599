"""A text, one operation, and the text after it: what the tables of these tests are made of."""

from __future__ import annotations

from trialrun.diagnostic import Fix, Operation, Path, Place, Remove, Rename, Replace, Wrap
from trialrun.fix import Refused, applied, text_fix
from trialrun.parser import read
from trialrun.text import Edit


def mended(
    text: str, *operations: Operation | Edit, path: str = "a.yaml", document: int = 0, verify: bool = True
) -> str | Refused:
    """The text with a fix of these operations made, or why it is not."""
    tree = read(text.encode(), path)
    fix = Fix("mend it", operations)
    made = text_fix(
        fix, source=tree.source, document=tree.documents[document], find_path=lambda place: place.steps, verify=verify
    )
    return made if isinstance(made, Refused) else applied(tree.source, [made])


def at(*steps: str | int) -> Place:
    """The place that the steps from the root lead to."""
    return Place(None, steps)


def remove(*steps: str | int) -> Remove:
    return Remove(at(*steps))


def replace(path: Path, value: object = None, **how: object) -> Replace:
    return Replace(at(*path), value, **how)  # type: ignore[arg-type]


def rename(path: Path, key: str, chars: tuple[int, int] | None = None) -> Rename:
    return Rename(at(*path), key, chars)


def wrap(*steps: str | int) -> Wrap:
    return Wrap(at(*steps))
