"""Compares the resources of two revisions: pairs, differences, and what could not be compared."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from trialrun.changes.canonical import canonical, canonical_field, compared_fields, pair_by, plain_value
from trialrun.changes.change import NotCompared, ResourceCounts, resource_type
from trialrun.changes.compare import Difference, compare
from trialrun.changes.sides import RUN_CHECK, KindAndResource, ParsedSide
from trialrun.diagnostic import json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.model.kinds import KINDS
from trialrun.model.node import Node
from trialrun.runtime.channel_config.equivalence import Place
from trialrun.runtime.declaration import DeclaredResource
from trialrun.values.resource_name import last_id

OTHER_SIDE_UNREAD = "a part of its file cannot be read on one of the sides"
Resource = DeclaredResource[Any]
RESOURCES_WITH_PARENT = frozenset({"FeatureView", "ChannelConfig"})


@dataclass(frozen=True, slots=True)
class PairDifferences:
    """A resource on both sides, and its differences; one that only one side has is one difference."""

    pair: ResourcePair
    differences: Sequence[Difference]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The resources that differ or moved, how many there are, and what could not be compared."""

    resources: Sequence[PairDifferences]
    counts: ResourceCounts
    not_compared: Sequence[NotCompared]


def compare_resources(before: ParsedSide, after: ParsedSide) -> Comparison:
    """Compare the resources of two sides; they may be in any files, in any order."""
    unread = {**before.unread, **after.unread}
    not_compared = [NotCompared(path, f"{reason}; {RUN_CHECK}") for path, reason in sorted(unread.items())]
    found: list[PairDifferences] = []
    for pair in _pairs(before.resources, after.resources):
        title = pair.name or pair.resource.path
        differences: list[Difference] = []
        if pair.before and pair.after:
            for result in compare(pair.kind, pair.before.node, pair.after.node):
                if isinstance(result, Difference):
                    differences.append(result)
                    continue
                what = f"{title} {json_pointer(result.place.after)}"
                not_compared.append(NotCompared(what, f"a side has no valid value there; {RUN_CHECK}"))
        elif pair.resource.path in unread:
            not_compared.append(NotCompared(title, OTHER_SIDE_UNREAD))
            continue
        else:
            first, second = (plain_value(one.node) if one else None for one in (pair.before, pair.after))
            change_type = resource_type(pair.kind, "added" if pair.before is None else "removed")
            differences.append(Difference(change_type, Place(), first, second))
        found.append(PairDifferences(pair, differences))
    return Comparison([one for one in found if one.differences or one.pair.is_moved], _count(found), not_compared)


def _pairs(before: Sequence[KindAndResource], after: Sequence[KindAndResource]) -> Iterator[ResourcePair]:
    for kind in KINDS:
        earlier, later = ([resource for its_kind, resource in side if its_kind == kind] for side in (before, after))
        yield from _pair_resources(kind, earlier, later)


def _count(resources: Sequence[PairDifferences]) -> ResourceCounts:
    added = sum(one.pair.before is None for one in resources)
    removed = sum(one.pair.after is None for one in resources)
    both = [one for one in resources if one.pair.before and one.pair.after]
    changed = sum(any(not difference.is_implicit for difference in one.differences) for one in both)
    moved = sum(one.pair.is_moved and all(difference.is_implicit for difference in one.differences) for one in both)
    return ResourceCounts(added, changed, removed, moved)


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
        """The name of the resource; of one without a name, what else identifies it."""
        node = self.resource.node
        names = (getattr(node, field, None) for field in ("name", "uri", "featureGroupId", "displayName"))
        return next((name for name in names if isinstance(name, str) and name), "")

    @property
    def is_moved(self) -> bool:
        """Whether both sides have it, in files of different paths."""
        return self.before is not None and self.after is not None and self.before.path != self.after.path


def _pair_resources(kind: str, before: Sequence[Resource], after: Sequence[Resource]) -> Iterator[ResourcePair]:
    """Pair the resources of a kind in any files: by name, by what else identifies them, by content, and by place."""
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
