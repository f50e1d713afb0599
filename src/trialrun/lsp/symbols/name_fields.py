"""The fields of a message that contain names, according to its model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, cast, get_args

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.symbols.occurrence import NameForm, NameKind

if TYPE_CHECKING:
    from trialrun.model.node import Node


@dataclass(frozen=True, slots=True)
class NameField:
    """A field that contains a name, or a list of names, of a kind."""

    field: str
    kind: NameKind
    forms: tuple[NameForm, ...] = ("name",)
    declares: bool = False


_KINDS: Final = frozenset(get_args(NameKind))


@cache
def name_fields(model: type[Node]) -> tuple[NameField, ...]:
    """The fields of a message that declare or reference a name."""
    return tuple(_name_fields(model))


def _name_fields(model: type[Node]) -> Iterator[NameField]:
    from trialrun.model.node import field_spec

    for name in model.model_fields:
        spec = field_spec(model, name)
        for kind, declares in ((spec.declares, True), (spec.names, False)):
            if kind in _KINDS:
                yield NameField(name, cast(NameKind, kind), spec.by, declares)
