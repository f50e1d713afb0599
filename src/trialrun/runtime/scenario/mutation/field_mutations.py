"""The changes of a resource that alter one meaning each: a limit, a flag, a term, an order, a condition, an hour.

What no scenario can notice is left out: texts for people and for the conversational model, labels, replicas, service
agents, and how the service spreads an index. So is what names the resource or its tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.model.field_declaration import UNSPECIFIED
from trialrun.model.node import Node, field_spec
from trialrun.model.proto_json import FieldType, field_type
from trialrun.runtime.scenario.mutation.condition_mutations import mutated_conditions
from trialrun.runtime.scenario.mutation.mutant import REMOVED, Edit, Mutation
from trialrun.runtime.scenario.mutation.schedule_mutations import mutated_schedules

if TYPE_CHECKING:
    from trialrun.runtime.declaration import DeclaredResource

WITHOUT_EFFECT = frozenset(
    {
        ("AutomaticResources", "minReplicaCount"),
        ("AutomaticResources", "maxReplicaCount"),
        ("TreeAHConfig", "leafNodeEmbeddingCount"),
        ("IndexConfig", "embeddingDimension"),
        ("IndexConfig", "embeddingColumn"),
        ("RagSource", "ragCorpusId"),
        ("FeatureRegistrySource", "projectNumber"),
        ("FeatureView", "labels"),
        ("FeatureView", "serviceAgentType"),
        ("FeatureView", "kvStoreMetadata"),
        ("WarehouseSource", "entityIdColumns"),
        ("ChannelConfig", "type"),
        ("ChannelConfig", "configApplicationRules"),
        ("Brand", "stores"),
    }
)
"""Fields that a trial run does not depend on, or without which there is none."""
REMOVABLE_FORMATS = ("item-name-part",)
PRIORITY = "priority"


def mutations(resource: DeclaredResource[Any], value: dict[str, Any]) -> Iterator[Mutation]:
    """The changes of a resource, in the order of its canonical `value`."""
    yield from _message(type(resource.node), value, ())
    if type(resource.node).__name__ == "Brand":
        for index, store in enumerate(value.get("stores", ())):
            yield from _store(type(resource.node), store, ("stores", index))


def _store(brand: type[Node], store: dict[str, Any], path: Path) -> Iterator[Mutation]:
    """The changes of a store of a brand, which itself is not removed: scenarios name it."""
    model = field_type(brand, "stores").model
    if model is not None:
        yield from _message(model, store, path)


def _message(model: type[Node], value: Mapping[str, Any], path: Path) -> Iterator[Mutation]:
    for name, content in value.items():
        if _has_effect(model, name):
            yield from _field(model, name, content, (*path, name))


def _has_effect(model: type[Node], name: str) -> bool:
    mode = field_spec(model, name).mode
    return (model.__name__, name) not in WITHOUT_EFFECT and mode not in ("output only", "identifier") and name != "kind"


def _field(model: type[Node], name: str, content: Any, path: Path) -> Iterator[Mutation]:
    shape, spec = field_type(model, name), field_spec(model, name)
    if shape.is_list and isinstance(content, list):
        yield from _items(model, name, content, path)
    elif shape.model is not None:
        yield from _inner_message(shape.model, content, path)
    elif isinstance(content, bool):
        yield _change(path, not content)
    elif shape.enum:
        yield from _other_member(shape.enum, content, path)
    elif isinstance(content, (int, float)):
        yield from _number(name, content, shape, path)
    elif spec.format == "cel-condition":
        yield from (_change(path, change) for change in mutated_conditions(content))
    elif spec.format == "cron":
        yield from (_change(path, change) for change in mutated_schedules(content))
    elif spec.mode == "optional" and (spec.names == "column" or spec.format == "language-tag"):
        yield _change(path, REMOVED)


def _inner_message(model: type[Node], content: dict[str, Any], path: Path) -> Iterator[Mutation]:
    """The changes of a message; one without fields is a flag, which is removed."""
    if model.model_fields:
        yield from _message(model, content, path)
    else:
        yield _change(path, REMOVED)


def _items(model: type[Node], name: str, items: Sequence[Any], path: Path) -> Iterator[Mutation]:
    """The list without each of its items, and the changes of each; for upsells, the order of each two as well."""
    shape, spec = field_type(model, name), field_spec(model, name)
    is_name = bool(spec.names or spec.declares or spec.format in REMOVABLE_FORMATS)
    if shape.model is not None or is_name:
        if len(items) > 1:
            yield from (_change((*path, index), REMOVED) for index in range(len(items)))
        elif spec.mode != "required":
            yield _change(path, REMOVED)
    if shape.model is None:
        return
    yield from _swapped_priorities(shape.model, items, path)
    for index, item in enumerate(items):
        yield from _message(shape.model, item, (*path, index))


def _swapped_priorities(model: type[Node], items: Sequence[Any], path: Path) -> Iterator[Mutation]:
    """Each two items that are next to each other by priority, with their priorities exchanged."""
    if PRIORITY not in model.model_fields:
        return
    ranked = sorted((item[PRIORITY], index) for index, item in enumerate(items) if PRIORITY in item)
    for (low, first), (high, second) in pairwise(ranked):
        if low != high:
            yield Mutation((Edit((*path, first, PRIORITY), high), Edit((*path, second, PRIORITY), low)))


def _other_member(members: Sequence[str], content: Any, path: Path) -> Iterator[Mutation]:
    """The member of an enum that follows, without the unspecified one."""
    known = [member for member in members if not member.endswith(UNSPECIFIED)]
    if content in known and len(known) > 1:
        yield _change(path, known[(known.index(content) + 1) % len(known)])


def _number(name: str, content: float, shape: FieldType, path: Path) -> Iterator[Mutation]:
    """A number that is one less, or one more at its minimum; a fraction that is none, or all."""
    if name == PRIORITY and "celUpsell" not in path:  # only its order counts, which is exchanged
        return
    if shape.scalar is float:
        yield _change(path, 0.0 if content else 1.0)
        return
    lowest = 0 if shape.minimum is None else shape.minimum
    yield _change(path, content - 1 if name == PRIORITY or content > lowest else content + 1)


def _change(path: Path, value: Any) -> Mutation:
    return Mutation((Edit(path, value),))
