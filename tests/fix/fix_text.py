"""A text, one operation, and the text after it: what the tables of these tests are made of."""

from trialrun.diagnostic import Fix, Operation, Path, Remove, Rename, Replace, SymbolicLocation, WrapInList
from trialrun.fix import Unfixable, fixed_text, resolve_fix
from trialrun.parser import parse
from trialrun.text import Edit


def mended(
    text: str, *operations: Operation | Edit, path: str = "a.yaml", document: int = 0, verify: bool = True
) -> str | Unfixable:
    """The text with a fix of these operations made, or why it is not."""
    tree = parse(text.encode(), path)
    fix = Fix("mend it", operations)
    made = resolve_fix(
        fix, source=tree.source, document=tree.documents[document], find_path=lambda place: place.path, verify=verify
    )
    return made if isinstance(made, Unfixable) else fixed_text(tree.source, [made])


def at(*steps: str | int) -> SymbolicLocation:
    """The place that the steps from the root lead to."""
    return SymbolicLocation(None, steps)


def remove(*steps: str | int) -> Remove:
    return Remove(at(*steps))


def replace(path: Path, value: object = None, **how: object) -> Replace:
    return Replace(at(*path), value, **how)  # type: ignore[arg-type]


def rename(path: Path, key: str, chars: tuple[int, int] | None = None) -> Rename:
    return Rename(at(*path), key, chars)


def wrap(*steps: str | int) -> WrapInList:
    return WrapInList(at(*steps))
