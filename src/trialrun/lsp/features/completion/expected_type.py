"""The type that the model expects at the cursor, and the messages around it."""

from __future__ import annotations

import re
from dataclasses import replace

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.features.completion.cursor import Cursor, Step
from trialrun.lsp.features.completion.partial_tree import MARK, Mapping, Scalar, Sequence, resolved
from trialrun.model.kinds import begun_kind, kind_of, model_of
from trialrun.model.node import Node, TextFormat, field_spec
from trialrun.model.proto_json import ANYTHING, FieldType, field_type, item_type
from trialrun.model.wrapper import KIND_OF_WRAPPER, WRAPPER_KEYS
from trialrun.values.suggest import equivalent_name

_NO_ID = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class EnclosingMessage:
    """A message around the cursor: its model, the field that leads to the cursor, and its content."""

    model: type[Node]
    field: str
    mapping: Mapping


@dataclass(frozen=True, slots=True)
class ExpectedType:
    """The expected type at the cursor. `of` are the messages around it, innermost last.

    At a key, `shape` is the type of its mapping; `kind` is that of the resource, None if unknown. `steps` lead to the
    cursor; `stem` is the name of the file, as the end of a resource name.
    """

    kind: str | None
    shape: FieldType
    of: tuple[EnclosingMessage, ...]
    root: Mapping
    steps: tuple[Step, ...] = ()
    stem: str = ""

    @property
    def text_format(self) -> TextFormat | None:
        """The format of the text at the cursor."""
        return field_spec(self.of[-1].model, self.of[-1].field).format if self.of else None


def expected_type(cursor: Cursor, by_path: str | None) -> ExpectedType | None:
    """The expected type at the cursor; `by_path` is the kind from the settings. None below an unknown field."""
    steps = cursor.steps
    if steps and isinstance(steps[0][0], Sequence):
        steps = steps[1:]
    root = steps[0][0] if steps else Mapping()
    if not isinstance(root, Mapping):
        return None
    kind = kind_of(_plain(root), by_path=by_path)
    if kind is None and (inner := _inside_wrapper(steps)) is not None:
        kind, steps = inner
        root = steps[0][0] if steps and isinstance(steps[0][0], Mapping) else root
    kind = kind or begun_kind(_plain(root))
    at_root = ANYTHING if kind is None else FieldType("a mapping", "mappings", model=model_of(kind))
    reached = _down(kind, at_root, root, steps[:-1] if cursor.is_key else steps)
    return reached and replace(reached, steps=steps, stem=stem_of(cursor.source.path))


def _inside_wrapper(steps: tuple[Step, ...]) -> tuple[str, tuple[Step, ...]] | None:
    """The kind of the resource in a wrapper, and the path inside; None if the wrapper does not determine it."""
    for depth, (container, step) in enumerate(steps[:-1]):
        kind = KIND_OF_WRAPPER.get(step) if isinstance(step, str) else None
        if isinstance(container, Mapping) and step in WRAPPER_KEYS:
            inner = steps[depth + 1 :]
            inner = inner[1:] if inner and isinstance(inner[0][0], Sequence) else inner
            if inner and isinstance(inner[0][0], Mapping) and (kind := kind_of(_plain(inner[0][0])) or kind):
                return kind, inner
    return None


def stem_of(path: str) -> str:
    """The name of a file as the last part of a resource name."""
    name = path.rpartition("/")[2].partition(".")[0].lower()
    return _NO_ID.sub("-", name).strip("-")


def _plain(root: Mapping) -> dict[str, str]:
    """The fields of a resource that determine its kind, if they are texts."""
    plain: dict[str, str] = {}
    for mapping in (*reversed(root.merged()), root):
        for entry in mapping.entries:
            if not entry.is_open:
                value = resolved(entry.value)
                plain[entry.key.text] = value.text.replace(MARK, "") if isinstance(value, Scalar) else ""
    return plain


def _down(kind: str | None, here: FieldType, root: Mapping, steps: tuple[Step, ...]) -> ExpectedType | None:
    of: list[EnclosingMessage] = []
    for container, step in steps:
        if isinstance(container, Sequence):
            if not here.is_list:
                return None
            here = item_type(here)
        elif here.values is not None and not here.is_list:
            here = here.values
        else:
            name = equivalent_name(str(step), here.model.model_fields) if here.model and not here.is_list else None
            if here.model is None or name is None:
                return None if kind else ExpectedType(None, ANYTHING, (), root)
            of.append(EnclosingMessage(here.model, name, container))
            here = field_type(here.model, name)
    return ExpectedType(kind, here, tuple(of), root)
