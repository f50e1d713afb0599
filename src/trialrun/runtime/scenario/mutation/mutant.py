"""A configuration with one change, and where the changed value is in the file."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import CharRange, Path, Range, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.field_text import dotted_path
from trialrun.runtime.declaration import DeclaredResource

if TYPE_CHECKING:
    from trialrun.model.validated import ValidatedModel


class Removal(Enum):
    """What an edit that removes a field or an item sets in its place."""

    REMOVED = "removed"


REMOVED = Removal.REMOVED


@dataclass(frozen=True, slots=True)
class TextChange:
    """What replaces a part of a text, from a position to another; the changed text is made when it is tried."""

    start: int
    end: int
    replacement: str

    def apply(self, text: str) -> str:
        """The changed text."""
        return f"{text[: self.start]}{self.replacement}{text[self.end :]}"


@dataclass(frozen=True, slots=True)
class Edit:
    """Another value at a path of a resource, a change of the text there, or `REMOVED`."""

    path: Path
    value: Any

    def new_value(self, value: Any) -> Any:
        """What a value becomes."""
        return self.value.apply(value) if isinstance(self.value, TextChange) else self.value


@dataclass(frozen=True, slots=True)
class Mutation:
    """The edits that change one meaning, the first of which is where it is reported."""

    edits: tuple[Edit, ...]

    @property
    def path(self) -> Path:
        """The path of the changed value."""
        return self.edits[0].path

    @property
    def chars(self) -> tuple[int, int] | None:
        """The part of a text that is changed, from one position to another; None for another value."""
        change = self.edits[0].value
        return (change.start, change.end) if isinstance(change, TextChange) else None


@dataclass(frozen=True)
class Mutant:
    """A resource with one change. `before` is the value in the file, `after` the changed one or `REMOVED`.

    `field` is the path of the value for people: operationsConfig.upsellStrategy.upsells[Fries].priority.
    """

    original: DeclaredResource[Any]
    changed: DeclaredResource[Any]
    field: str
    pointer: str
    before: Any
    after: Any
    line: int
    chars: tuple[int, int] | None


def canonical_value(resource: DeclaredResource[Any]) -> dict[str, Any]:
    """The values of a resource as plain JSON, in the canonical form, without those that were refused."""
    value: dict[str, Any] = resource.node.model_dump(mode="json", exclude_unset=True, exclude_none=True, warnings=False)
    return value


def mutant_of(resource: DeclaredResource[Any], value: dict[str, Any], mutation: Mutation) -> Mutant | None:
    """A resource, whose canonical value is given, with a change; None if the model refuses the result."""
    from trialrun.diagnostic import json_pointer
    from trialrun.model.validate import validate

    changed = copy.deepcopy(value)
    for edit in mutation.edits:
        _apply(edit, changed)
    fitted = validate(changed, type(resource.node))
    if fitted.misfits:
        return None
    before = value_at(value, mutation.path)
    return Mutant(
        resource,
        _changed_resource(resource, fitted, mutation.edits),
        dotted_path(value, mutation.path),
        f"{resource.pointer}{json_pointer(mutation.path)}",
        before,
        mutation.edits[0].new_value(before),
        _line(resource, mutation),
        mutation.chars,
    )


def _line(resource: DeclaredResource[Any], mutation: Mutation) -> int:
    """The line of a value, or of the part of a text that is changed."""
    path = mutation.path
    if mutation.chars is None:
        return resource.line(*path)
    return resource.locate(CharRange(resource.node, path, mutation.chars)).start.line


def value_at(value: Any, path: Path) -> Any:
    """The value at a path."""
    for step in path:
        value = value[step]
    return value


def _apply(edit: Edit, value: dict[str, Any]) -> None:
    holder = value_at(value, edit.path[:-1])
    if edit.value is REMOVED:
        del holder[edit.path[-1]]
    else:
        holder[edit.path[-1]] = edit.new_value(holder[edit.path[-1]])


def _changed_resource(
    resource: DeclaredResource[Any], fitted: ValidatedModel, edits: Sequence[Edit]
) -> DeclaredResource[Any]:
    """The changed resource at the place of the original: what is left of it has the lines that it had."""

    def locate(place: SymbolicLocation) -> Range:
        path = _original_path(fitted.path(place), edits)
        if isinstance(place, CharRange):
            return resource.locate(CharRange(resource.node, path, place.chars))
        return resource.locate(SymbolicLocation(resource.node, path))

    return DeclaredResource(fitted.node, resource.path, resource.folder, resource.document, locate, resource.pointer)


def _original_path(path: Path, edits: Sequence[Edit]) -> Path:
    """The path before items were removed: those behind a removed one were one further."""
    steps = list(path)
    for edit in edits:
        *holder, removed = edit.path
        depth = len(holder)
        if edit.value is not REMOVED or not isinstance(removed, int) or steps[:depth] != holder or len(steps) == depth:
            continue
        step = steps[depth]
        if isinstance(step, int) and step >= removed:
            steps[depth] = step + 1
    return tuple(steps)
