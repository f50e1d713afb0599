"""Pairs of the resources of two revisions: by name wherever their files are, else by what else identifies them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from trialrun.changes.canonical import canonical, canonical_field, compared_fields
from trialrun.changes.item_pairs import pair_by
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.runtime.declaration import DeclaredResource
from trialrun.values.resource_name import last_id

Resource = DeclaredResource[Any]
RESOURCES_WITH_PARENT = frozenset({"FeatureView", "ChannelConfig"})


@dataclass(frozen=True, slots=True)
class ResourcePair:
    """A resource of a kind on both sides; None on the side that has none."""

    kind: str
    before: Resource | None
    after: Resource | None

    @property
    def resource(self) -> Resource:
        """The later one, else the earlier one."""
        resource = self.after or self.before
        assert resource is not None
        return resource

    @property
    def name(self) -> str:
        """The name of the resource, else what identifies it."""
        return resource_name(self.resource)

    @property
    def is_moved(self) -> bool:
        """Whether both sides have it, in files of different paths."""
        return self.before is not None and self.after is not None and self.before.path != self.after.path


def resource_name(resource: Resource) -> str:
    """The name of a resource; of one without a name, what else identifies it."""
    node = resource.node
    names = (getattr(node, field, None) for field in ("name", "uri", "featureGroupId", "displayName"))
    return next((name for name in names if isinstance(name, str) and name), "")


def pair_resources(kind: str, before: Sequence[Resource], after: Sequence[Resource]) -> Iterator[ResourcePair]:
    """Pair the resources of a kind: by name, by what else identifies them, by their content, and by their place."""
    pairs = list(pair_by(before, after, _name_and_content))
    pairs += pair_by(before, after, _name, taken=pairs)
    pairs += pair_by(before, after, _nameless_content, taken=pairs)
    for key in (_identity, _content, _nameless_place):
        pairs += pair_by(before, after, key, taken=pairs, only_unique=True)
    if kind in RESOURCES_WITH_PARENT:
        pairs += pair_by(before, after, _last_id, taken=pairs, only_unique=True)
    firsts, seconds = {first for first, _ in pairs}, {second for _, second in pairs}
    yield from (ResourcePair(kind, before[first], after[second]) for first, second in pairs)
    yield from (ResourcePair(kind, one, None) for index, one in enumerate(before) if index not in firsts)
    yield from (ResourcePair(kind, None, one) for index, one in enumerate(after) if index not in seconds)


def _name(resource: Resource) -> Hashable:
    return getattr(resource.node, "name", None) or None


def _name_and_content(resource: Resource) -> Hashable:
    name = _name(resource)
    return None if name is None else (name, canonical(resource.node))


def _nameless_content(resource: Resource) -> Hashable:
    return ("content", canonical(resource.node)) if _name(resource) is None else None


def _identity(resource: Resource) -> Hashable:
    """What identifies a companion document besides its name."""
    node = resource.node
    match type(node).__name__:
        case "Source":
            return node.uri or None
        case "FeatureGroupTable":
            return (node.featureGroupId, node.projectNumber) if node.featureGroupId else None
        case "Menu":
            return node.brand or None
    return None


def _content(resource: Resource) -> Hashable:
    """All that a resource says besides its name."""
    node: Node = resource.node
    fields = tuple((name, canonical_field(node, name)) for name in compared_fields(type(node)) if name != "name")
    return fields if any(form is not None and form is not False for _, form in fields) else None


def _nameless_place(resource: Resource) -> Hashable:
    return (resource.path, resource.document, resource.pointer) if _name(resource) is None else None


def _last_id(resource: Resource) -> Hashable:
    name = getattr(resource.node, "name", None)
    return last_id(name) if name else None
