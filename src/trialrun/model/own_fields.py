"""Whether the fields of a mapping are those of a kind: other programs use words such as `syncConfig` and `kind: Source`.

The keys that the kind has are counted against those that it does not have, down to the messages inside, each key once.
A misspelt key, and one that belongs elsewhere in the kind, counts for neither side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.model.node import Node

COMMON_FIELDS = frozenset({"apiVersion", "kind", "name", "displayName", "display_name", "description", "type"})
"""Fields that say nothing: files of all programs have them."""
GENERIC_MESSAGES = frozenset({"syncConfig", "indexConfig", "vectorSearchConfig"})
"""Messages that other programs have by the same name, so that only their content counts."""
MAX_KEYS = 100
"""Of a mapping or a list, the entries that are looked at."""


@dataclass(frozen=True, slots=True)
class FieldCount:
    """How many keys the kind has and does not have."""

    own: int
    strange: int

    @property
    def is_mostly_own(self) -> bool:
        """Whether most keys are of the kind, or none is of another program."""
        return self.own > self.strange or not self.strange


def count_fields(value: Mapping[str, Any], kind: str) -> FieldCount:
    """Count the keys of a mapping that may be a resource of a kind."""
    from trialrun.model.kinds import model_of

    model = model_of(kind)
    keys = dict(_keys(value, model, model))
    own = sum(keys.values())
    return FieldCount(own, len(keys) - own)


def _keys(value: Mapping[str, Any], model: type[Node], root: type[Node]) -> Iterator[tuple[tuple[str, str], bool]]:
    """The keys that count, each with its message, and whether it has them."""
    from trialrun.model.misplaced_field import find_owners
    from trialrun.model.proto_json import field_type
    from trialrun.model.unknown_field import spellings
    from trialrun.values.suggest import suggest

    for key, inner in islice(value.items(), MAX_KEYS):
        name, place = spellings(model).get(key), (model.__name__, key)
        if key in COMMON_FIELDS or (name is not None and inner is None):
            continue
        if name is None:
            if suggest(key, model.model_fields) is None and not find_owners(key, root, (model.__name__,)):
                yield place, False
            continue
        type_ = field_type(model, name)
        if type_.model is None:
            yield place, not isinstance(inner, Mapping) or type_.values is not None
            continue
        messages = [item for item in _items(inner, is_list=type_.is_list) if isinstance(item, Mapping)]
        below = [found for message in messages for found in _keys(message, type_.model, root)]
        yield from below
        if inner and not messages:
            yield place, False
        elif name not in GENERIC_MESSAGES and (any(is_own for _, is_own in below) or not inner):
            yield place, True


def _items(value: Any, *, is_list: bool) -> Iterator[Any]:
    if is_list != isinstance(value, list):
        return iter(())
    return islice(value, MAX_KEYS) if is_list else iter([value])
