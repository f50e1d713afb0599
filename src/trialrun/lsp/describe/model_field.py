"""The field of the model at a path of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.model import proto_json, unknown_field

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.model.node import FieldSpec, Node
    from trialrun.parser import Document
    from trialrun.workspace.open_workspace import ResourceInFile


@dataclass(frozen=True)
class ModelField:
    """A field of a message, and the path of the file that leads to its key."""

    model: type[Node]
    name: str
    path: Path

    @property
    def title(self) -> str:
        """The message and the field, such as `SyncConfig.cron`."""
        return f"{self.model.__name__}.{self.name}"

    @property
    def spec(self) -> FieldSpec:
        """The specification of the field, with the format of its text."""
        from trialrun.model.node import field_spec

        return field_spec(self.model, self.name)

    @property
    def type(self) -> proto_json.FieldType:
        """The type of the field."""
        return proto_json.field_type(self.model, self.name)


def model_field_at(part: ResourceInFile, path: Path) -> ModelField | None:
    """The innermost field on a path; None if the path leaves the model."""
    return model_field_on_path(type(part.model.node), path, root=len(part.root))


def model_field_on_path(message: type[Node], path: Path, *, root: int = 0) -> ModelField | None:
    """The innermost field on a path that enters a message at step `root`."""
    model: type[Node] | None = message
    here: ModelField | None = None
    for depth in range(root, len(path)):
        step = path[depth]
        if isinstance(step, int) or (model is None and here):
            continue
        name = unknown_field.spellings(model).get(step) if model else None
        if model is None or name is None:
            return None
        here = ModelField(model, name, path[: depth + 1])
        model = proto_json.field_type(model, name).model
    return here


def value_at(document: Document, path: Path) -> Any:
    """The plain value at a path; None if there is none."""
    from trialrun.lint import positions

    return positions.find_value(document.value, path)


def character_at(document: Document, path: Path, text: str, offset: int) -> int:
    """The index in a scalar's text of the character at an offset of the file, or of the last one before it."""
    low, high = 0, max(len(text) - 1, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if document.scalar_span(path, middle, middle + 1).start <= offset:
            low = middle
        else:
            high = middle - 1
    return low
