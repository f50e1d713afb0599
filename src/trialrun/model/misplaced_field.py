"""Where a field belongs that was written into the wrong message: one level too high, too low, or beside."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, facts, parts
from trialrun.model.suggest import same

FARTHEST = 3
FARTHEST_OF_COMMON = 1
"""How far away a field is looked for that several messages have, such as `type`."""
MOST_HOMES = 3


@dataclass(frozen=True, slots=True)
class Home:
    """A message that has the field: `steps` are the fields that lead to it from the root of the model.

    `listed` says that the message is an item of a list; `field` is the field's own spelling, `distance` counts the
    messages to go through on the way there, `root` is the name of the message at the top, and `model` the message.
    """

    steps: tuple[str, ...]
    listed: bool
    field: str
    distance: int
    root: str
    model: type[Node]

    @property
    def words(self) -> str:
        """Where it is, after "it belongs"."""
        if not self.steps:
            return f"at the top of the {self.root}"
        return f'in an item of "{self.steps[-1]}"' if self.listed else f'under "{self.steps[-1]}"'


def homes(key: str, root: type[Node], here: tuple[str, ...]) -> list[Home]:
    """The nearest messages that have the field which a key spells; `here` leads to the message that does not.

    Nothing when the nearest are too far away or too many to tell which one was meant.
    """
    having = _having(key, root)
    found = [
        Home(steps, listed, name, _distance(here, steps), root.__name__, model) for steps, listed, name, model in having
    ]
    farthest = FARTHEST if len({model for *_, model in having}) == 1 else FARTHEST_OF_COMMON
    nearest = min((home.distance for home in found), default=0)
    near = [home for home in found if home.distance == nearest]
    return near if 0 < nearest <= farthest and len(near) <= MOST_HOMES else []


@lru_cache(maxsize=2**8)
def _having(key: str, root: type[Node]) -> list[tuple[tuple[str, ...], bool, str, type[Node]]]:
    """All messages that have the field; people misspell the same few keys again and again."""
    spelt = ((steps, listed, same(key, model.model_fields), model) for steps, listed, model in _messages(root))
    return [
        (steps, listed, name, model)
        for steps, listed, name, model in spelt
        if name is not None and facts(model, name).mode != "identifier" and name != "kind"
    ]


@cache
def _messages(root: type[Node]) -> tuple[tuple[tuple[str, ...], bool, type[Node]], ...]:
    """All messages of a model, each with the fields that lead to it; what is deprecated leads nowhere."""
    return tuple(_walk(root, (), listed=False))


def _walk(
    model: type[Node], steps: tuple[str, ...], *, listed: bool
) -> Iterator[tuple[tuple[str, ...], bool, type[Node]]]:
    yield steps, listed, model
    for name, in_list, inner in parts(model):
        if facts(model, name).replaced_by is None:
            yield from _walk(inner, (*steps, name), listed=in_list)


def _distance(here: tuple[str, ...], there: tuple[str, ...]) -> int:
    common = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        common += 1
    return len(here) + len(there) - 2 * common
