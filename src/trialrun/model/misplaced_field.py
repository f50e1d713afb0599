"""Where a field belongs that was written into the wrong message: one level too high, too low, or beside."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, field_spec, message_fields
from trialrun.values.suggest import equivalent_name

MAX_DISTANCE = 3
MAX_DISTANCE_IF_COMMON = 1
"""How far away a field is looked for that several messages have, such as `type`."""
MAX_OWNERS = 3


@dataclass(frozen=True, slots=True)
class FieldOwner:
    """A message that has the field: `path` are the fields that lead to it from the root of the model.

    `is_list_item` says that the message is an item of a list; `field` is the field's own spelling, `distance` counts
    the messages to go through on the way there, `root` is the name of the message at the top, and `model` the message.
    """

    path: tuple[str, ...]
    is_list_item: bool
    field: str
    distance: int
    root: str
    model: type[Node]

    @property
    def phrase(self) -> str:
        """Where it is, after "it belongs"."""
        if not self.path:
            return f"at the top of the {self.root}"
        return f'in an item of "{self.path[-1]}"' if self.is_list_item else f'under "{self.path[-1]}"'


def find_owners(key: str, root: type[Node], path: tuple[str, ...]) -> list[FieldOwner]:
    """The nearest messages that have the field which a key spells; `path` leads to the message that does not.

    Nothing when the nearest are too far away or too many to tell which one was meant.
    """
    messages = _messages_with(key, root)
    owners = [
        FieldOwner(steps, is_list_item, name, _distance(path, steps), root.__name__, model)
        for steps, is_list_item, name, model in messages
    ]
    farthest = MAX_DISTANCE if len({model for *_, model in messages}) == 1 else MAX_DISTANCE_IF_COMMON
    nearest = min((owner.distance for owner in owners), default=0)
    closest = [owner for owner in owners if owner.distance == nearest]
    return closest if 0 < nearest <= farthest and len(closest) <= MAX_OWNERS else []


@lru_cache(maxsize=2**8)
def _messages_with(key: str, root: type[Node]) -> list[tuple[tuple[str, ...], bool, str, type[Node]]]:
    """All messages that have the field; people misspell the same few keys again and again."""
    candidates = (
        (steps, is_list_item, equivalent_name(key, model.model_fields), model)
        for steps, is_list_item, model in _messages(root)
    )
    return [
        (steps, is_list_item, name, model)
        for steps, is_list_item, name, model in candidates
        if name is not None and field_spec(model, name).mode != "identifier" and name != "kind"
    ]


@cache
def _messages(root: type[Node]) -> tuple[tuple[tuple[str, ...], bool, type[Node]], ...]:
    """All messages of a model, each with the fields that lead to it; what is deprecated leads nowhere."""
    return tuple(_walk(root, (), is_item=False))


def _walk(
    model: type[Node], steps: tuple[str, ...], *, is_item: bool
) -> Iterator[tuple[tuple[str, ...], bool, type[Node]]]:
    yield steps, is_item, model
    for name, in_list, inner in message_fields(model):
        if field_spec(model, name).replaced_by is None:
            yield from _walk(inner, (*steps, name), is_item=in_list)


def _distance(path: tuple[str, ...], other_path: tuple[str, ...]) -> int:
    common = 0
    for step, other_step in zip(path, other_path, strict=False):
        if step != other_step:
            break
        common += 1
    return len(path) + len(other_path) - 2 * common
