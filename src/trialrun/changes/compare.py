"""Compares the resources of two revisions: which belong together, and what differs between the models of each pair.

Models are compared field by field, and each difference has the kind of change that it is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trialrun.changes.canonical import (
    INDEX,
    OLD_INDEX,
    Pairs,
    canonical,
    canonical_field,
    compared_fields,
    container,
    default_of,
    field_value,
    item_title,
    message_types,
    pair_by,
    pair_items,
    plain_value,
)
from trialrun.changes.change import ChangeType, has_entry, is_described, is_ordered, resource_type, type_of
from trialrun.changes.sides import RUN_CHECK, ParsedSide
from trialrun.diagnostic import json_pointer
from trialrun.model.kinds import KINDS
from trialrun.model.node import Node, PartialMapping, field_spec
from trialrun.outputs.plan import NotCompared, Operation
from trialrun.runtime.channel_config.equivalence import Place
from trialrun.runtime.declaration import DeclaredResource
from trialrun.terraform import is_terraform_path
from trialrun.values.resource_name import ResourceIndex, has_stand_in, is_same_resource, last_id, shown_name

Resource = DeclaredResource[Any]
RESOURCES_WITH_PARENT = frozenset({"FeatureView", "ChannelConfig"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two models. `is_implicit`: both mean the same by themselves, but only one says so.

    Merged with other configs, an explicit false differs from none, and an id may be that of another resource.
    """

    type: ChangeType
    place: Place
    before: Any
    after: Any
    is_implicit: bool = False


Differences = Iterator[Difference | tuple[Place, str]]
"""Differences, and the places that are not compared, with the reason: one of the models could not take the value."""


@dataclass(frozen=True, slots=True)
class ResourcePair:
    """A resource of a kind on both sides, None on the side that has none, and its differences.

    One that only one side has is one difference.
    """

    kind: str
    before: Resource | None
    after: Resource | None
    differences: Sequence[Difference] = ()

    @property
    def sides(self) -> list[Resource]:
        """The earlier and the later one, those that there are."""
        return [side for side in (self.before, self.after) if side]

    @property
    def resource(self) -> Resource:
        """The later one, else the earlier one."""
        return self.sides[-1]

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


def compare_resources(before: ParsedSide, after: ParsedSide) -> tuple[list[ResourcePair], list[NotCompared]]:
    """The resources of two sides that differ or moved, and what could not be compared.

    The sides may have them in any files, in any order.
    """
    unread = {**before.unread, **after.unread}
    not_compared = [NotCompared(path, f"{reason}; {RUN_CHECK}") for path, reason in sorted(unread.items())]
    found: list[ResourcePair] = []
    for kind in KINDS:
        earlier, later = ([one for its_kind, one in side.resources if its_kind == kind] for side in (before, after))
        for pair in _pair_resources(kind, earlier, later):
            title = shown_name(last_id(pair.name) if has_stand_in(pair.name) else pair.name) or pair.resource.path
            differences: list[Difference] = []
            if pair.before and pair.after:
                may_be_unknown = any(is_terraform_path(side.path) for side in pair.sides)
                model, nodes = type(pair.after.node), (pair.before.node, pair.after.node)
                message = MessageSides(kind, model, *nodes, Place(), may_be_unknown)
                for result in _compare_messages(message):
                    if isinstance(result, Difference):
                        differences.append(result)
                    else:
                        place, why = result
                        not_compared.append(NotCompared(f"{title} {json_pointer(place.after)}", why))
            elif pair.resource.path in unread:
                not_compared.append(NotCompared(title, "a part of its file cannot be read on one of the sides"))
            else:
                first, second = (plain_value(side.node) if side else None for side in (pair.before, pair.after))
                change_type = resource_type(kind, "added" if pair.before is None else "removed")
                differences.append(Difference(change_type, Place(), first, second))
            if differences or pair.is_moved:
                found.append(replace(pair, differences=differences))
    return found, not_compared


def _pair_resources(kind: str, before: Sequence[Resource], after: Sequence[Resource]) -> Iterator[ResourcePair]:
    """Pair the resources of a kind in any files: by name, by what else identifies them, by content, and by place."""
    pairs = list(pair_by(before, after, lambda one: (_name(one), canonical(one.node)) if _name(one) else None))
    pairs += pair_by(before, after, _name, taken=pairs)
    pairs += pair_by(before, after, lambda one: None if _name(one) else canonical(one.node) or (), taken=pairs)
    keys: list[Callable[[Resource], Hashable]] = [_identity, _content]
    keys.append(lambda one: None if _name(one) else (one.path, one.document, one.pointer))
    if kind in RESOURCES_WITH_PARENT:
        keys.append(lambda one: last_id(name) if (name := _name(one)) else None)
    for key in keys:
        pairs += pair_by(before, after, key, taken=pairs, only_unique=True)
    firsts, seconds = {first for first, _ in pairs}, {second for _, second in pairs}
    yield from (ResourcePair(kind, before[first], after[second]) for first, second in pairs)
    yield from (ResourcePair(kind, one, None) for index, one in enumerate(before) if index not in firsts)
    yield from (ResourcePair(kind, None, one) for index, one in enumerate(after) if index not in seconds)


def _name(resource: Resource) -> str | None:
    return getattr(resource.node, "name", None) or None


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


@dataclass(frozen=True, slots=True)
class MessageSides:
    """A message on both sides, at a place; None on a side that has none.

    Where `may_be_unknown`, equal models may have values that only Terraform knows and that differ.
    """

    kind: str
    model: type[Node]
    before: Node | None
    after: Node | None
    place: Place
    may_be_unknown: bool

    def inside(self, model: type[Node], before: Node | None, after: Node | None, place: Place) -> MessageSides:
        """A message that is in this one."""
        return MessageSides(self.kind, model, before, after, place, self.may_be_unknown)

    def values(self, name: str) -> tuple[Any, Any]:
        """The values of a field on both sides."""
        return field_value(self.before, name), field_value(self.after, name)

    def forms(self, name: str) -> list[Hashable]:
        """The canonical values of a field on both sides; those of an absent message are its defaults."""
        return [
            default_of(self.model, name) if node is None else canonical_field(node, name)
            for node in (self.before, self.after)
        ]

    def refers(self, name: str) -> bool:
        """Whether a field names resources, which it may do by the end of their names."""
        return field_spec(self.model, name).names in ("config", "store", "brand")

    def at(self, name: str) -> Place:
        """The place of a field, which each model may spell as a deprecated one."""
        spelled = [name, name]
        for number, node in enumerate((self.before, self.after)):
            if name == INDEX and getattr(node, INDEX, None) is None and getattr(node, OLD_INDEX, None) is not None:
                spelled[number] = OLD_INDEX
        return self.place.step(name, *spelled)

    def is_partial(self, name: str) -> bool:
        """Whether one of the models could not take the value of a field; the same expression has the same value."""
        nodes = [node for node in (self.before, self.after) if node is not None]
        if not any(node.is_partial(name) or isinstance(getattr(node, name), PartialMapping) for node in nodes):
            return False
        first, second = self.forms(name)
        return any(node.unknown_value(name) is None for node in nodes) or len(nodes) < 2 or first != second

    def uncompared(self, name: str) -> tuple[Place, str]:
        """The place of a field of which a model could not take the value, and why it is not compared."""
        found = (node.unknown_value(name) for node in (self.after, self.before) if node is not None)
        unknown = next(filter(None, found), None)
        why = f"its {unknown.words}" if unknown else f"a side has no valid value there; {RUN_CHECK}"
        return self.at(name), why

    def difference(
        self, name: str, operation: Operation, before: Any, after: Any, place: Place | None = None
    ) -> Difference:
        """A difference in a field, or at a place in it."""
        return Difference(
            type_of(self.kind, self.model.__name__, name, operation), place or self.at(name), before, after
        )

    def whole_difference(self, name: str, operation: Operation) -> Difference:
        """The difference that a field has other values: plain, with the default of what is unset."""
        first, second = (
            default_of(self.model, name) if value is None else plain_value(value) for value in self.values(name)
        )
        return self.difference(name, operation, first, second)


def _compare_messages(sides: MessageSides) -> Differences:
    done: set[str] = set()
    for names in sides.model.unions.values():
        if any(map(sides.is_partial, names)):
            continue
        before, after = (
            [name for name in names if node and canonical_field(node, name) != default_of(type(node), name)]
            for node in (sides.before, sides.after)
        )
        if before != after:  # members of a union that take each other's place are one difference
            done.update(names)
            name = (after or before)[0]
            first, second = (
                {member: plain_value(field_value(node, member)) for member in members} or None
                for node, members in ((sides.before, before), (sides.after, after))
            )
            place = sides.place.step(name, before[0] if before else name, after[0] if after else name)
            operation: Operation = "changed" if before and after else "added" if after else "removed"
            yield sides.difference(name, operation, first, second, place)
    for name in compared_fields(sides.model):
        if name in done:
            continue
        if sides.is_partial(name):
            yield sides.uncompared(name)
        else:
            yield from _compare_field(sides, name)


def _compare_field(sides: MessageSides, name: str) -> Differences:
    before, after = sides.values(name)
    is_equal = before == after and getattr(sides.before, name, None) == getattr(sides.after, name, None)
    if is_equal and not sides.may_be_unknown:
        return
    first, second = sides.forms(name)
    inner = message_types(sides.model).get(name)
    is_list = container(sides.model, name) is list
    if first == second:
        if sides.kind == "ChannelConfig" and sides.before is not None and sides.after is not None:
            yield from _implicit(sides, name, inner, is_list=is_list)
    elif inner is None:
        yield from _compare_plain(sides, name)
    elif is_list:
        yield from _compare_items(sides, name, inner)
    else:
        yield from _compare_message(sides, name, inner)


def _implicit(sides: MessageSides, name: str, inner: type[Node] | None, *, is_list: bool) -> Differences:
    """What only one side says explicitly, with no other meaning than that of the other side."""
    before, after = (getattr(node, name) for node in (sides.before, sides.after))
    if plain_value(before) == plain_value(after):
        return
    if inner is not None and not is_list:
        yield from _compare_messages(sides.inside(inner, *sides.values(name), sides.at(name)))
    elif inner is not None:
        yield from _compare_items(sides, name, inner)
    elif (before is None) != (after is None):
        yield replace(sides.difference(name, _flag_operation(sides, name), before, after), is_implicit=True)


def _flag_operation(sides: MessageSides, name: str) -> Operation:
    """Whether a flag goes up or down: false, unset, true."""
    if not has_entry(sides.model.__name__, name, "added"):
        return "changed"
    before, after = (1 if value is None else 2 if value is not False else 0 for value in sides.values(name))
    return "added" if after > before else "removed"


def _compare_message(sides: MessageSides, name: str, inner: type[Node]) -> Differences:
    before, after = sides.values(name)
    if sides.model.__name__ == "BrandBinding" and name == "stores":
        selector = sides.inside(inner, before, after, sides.at(name))
        if unread := next(filter(selector.is_partial, inner.model_fields), None):
            yield selector.uncompared(unread)
        else:
            operation = _stores_operation(before, after)
            yield replace(sides.whole_difference(name, operation or "changed"), is_implicit=operation is None)
        return
    is_new = (before is None) != (after is None)
    says_more = not inner.model_fields or has_entry(sides.model.__name__, name, "added")
    if (is_new and says_more) or not is_described(inner.__name__):
        yield sides.whole_difference(name, "changed" if not is_new else "added" if before is None else "removed")
        return
    yield from _compare_messages(sides.inside(inner, before, after, sides.at(name)))


def _compare_plain(sides: MessageSides, name: str) -> Differences:
    model, kind = sides.model.__name__, container(sides.model, name)
    if kind is list and has_entry(model, name, "added"):
        yield from _compare_names(sides, name)
        return
    if kind is dict:  # the entries that differ
        before, after = (value or {} for value in sides.values(name))
        keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
        first, second = ({key: side[key] for key in keys if key in side} or None for side in (before, after))
        yield sides.difference(name, "changed", first, second)
        return
    difference = sides.whole_difference(name, _flag_operation(sides, name))
    form, other = sides.forms(name)
    if isinstance(form, str) and isinstance(other, str) and sides.refers(name) and is_same_resource(form, other):
        difference = replace(difference, is_implicit=True)
    part = None  # a part of the field that is worth a kind of change of its own
    if (model, name) == ("SyncConfig", "cron") and isinstance(form, tuple) and isinstance(other, tuple):
        part = "zone" if form[2:] == other[2:] else None
    elif (model, name) == ("FeatureView", "name") and isinstance(form, str) and isinstance(other, str):
        part = "parent" if form and other and last_id(form) == last_id(other) else None
    yield replace(difference, type=type_of(sides.kind, model, part, "changed")) if part else difference


def _compare_names(sides: MessageSides, name: str) -> Differences:
    """A list of names: each that is gone or new, and another order of the others where it counts."""
    values, place = [list(value or ()) for value in sides.values(name)], sides.at(name)
    for index, found in enumerate(_meant(*values) if sides.refers(name) else ()):
        old, new = values[0][index], next(iter(found), values[0][index])
        if old != new:
            values[0][index] = new
            at = place.step(new, index, values[1].index(new))
            yield replace(sides.difference(name, "removed", old, new, at), is_implicit=True)
            yield replace(sides.difference(name, "added", old, new, at), is_implicit=True)
    before, after = (list(dict.fromkeys(value)) for value in values)
    for index, text in enumerate(values[0]):
        if text not in after and text in before:
            before.remove(text)
            yield sides.difference(name, "removed", text, None, place.step(text, index, None))
    for index, text in enumerate(values[1]):
        if text in after and text not in before:
            after.remove(text)
            yield sides.difference(name, "added", None, text, place.step(text, None, index))
    if before != after and is_ordered(sides.model.__name__, name):
        yield sides.difference(name, "reordered", before, after, place)


def _compare_items(sides: MessageSides, name: str, inner: type[Node]) -> Differences:
    """A list of messages: items that are gone, new, renamed, in another order, and what differs in the others."""
    if not (is_described(inner.__name__) or has_entry(sides.model.__name__, name, "added")):
        yield sides.whole_difference(name, "changed")
        return
    place = sides.at(name)
    before, after = (list(value or ()) for value in sides.values(name))
    pairs, renamed, removed, added = pair_items(sides.model, name, before, after)
    for index in removed:
        item = before[index]
        yield sides.difference(name, "removed", plain_value(item), None, place.step(item_title(item), index, None))
    for index in added:
        item = after[index]
        yield sides.difference(name, "added", None, plain_value(item), place.step(item_title(item), None, index))
    for first, second in renamed:
        titles = item_title(before[first]), item_title(after[second])
        yield sides.difference(name, "renamed", *titles, place.step(titles[1], first, second))
    orders = _other_orders(sides, name, before, after, sorted([*pairs, *renamed]))
    if orders:
        yield sides.difference(name, "reordered", *orders, place)
    for first, second in pairs:
        at = place.step(item_title(after[second]), first, second)
        for inside in _compare_messages(sides.inside(inner, before[first], after[second], at)):
            is_priority = isinstance(inside, Difference) and inside.type.id == "upsell-priority-changed"
            if not (orders and is_priority):
                yield inside


def _other_orders(
    sides: MessageSides, name: str, before: Sequence[Any], after: Sequence[Any], pairs: Pairs
) -> tuple[Any, Any] | None:
    """The two orders of the items that both sides have, where these differ and the order means something."""
    if (sides.model.__name__, name) == ("UpsellStrategy", "upsells"):
        # as they are attempted, those of one priority as they are written
        attempts = [sorted(enumerate(upsells), key=lambda one: one[1].priority or 0) for upsells in (before, after)]
        counterparts = dict(pairs)
        kept = [counterparts[index] for index, _ in attempts[0] if index in counterparts]
        if kept == [index for index, _ in attempts[1] if index in counterparts.values()]:
            return None
        first, second = (
            [{"displayName": upsell.displayName, "priority": upsell.priority} for _, upsell in attempt]
            for attempt in attempts
        )
        return first, second
    order = [second for _, second in pairs]
    if not is_ordered(sides.model.__name__, name) or order == sorted(order):
        return None
    return [item_title(before[first]) for first, _ in pairs], [item_title(after[second]) for second in sorted(order)]


def _meant(names: Iterable[str], others: Iterable[str]) -> list[Sequence[str]]:
    """For each name of a resource the others that may mean the same: the end of a name stands for it, as an id does."""
    index = ResourceIndex((other, other) for other in others)
    return [index.resolve(name) for name in names]


def _stores_operation(before: Any, after: Any) -> Operation | None:
    """Whether a binding is for fewer stores, for more, or for others; None if for the same ones.

    Tags must all match, and a store needs one of the names; an empty list asks nothing.
    """
    steps: set[Operation] = set()
    for name in ("tags", "names"):
        first, second = (frozenset(getattr(selector, name, None) or ()) for selector in (before, after))
        if first == second:
            continue
        both_ways = (first, second), (second, first)
        fewer, more = (all(_meant(*sides)) if name == "names" else sides[0] <= sides[1] for sides in both_ways)
        if fewer and more:
            continue
        if name == "names":
            fewer, more = not first or (bool(second) and more), bool(first) and (not second or fewer)
        steps.add("removed" if fewer else "added" if more else "changed")
    return steps.pop() if len(steps) == 1 else "changed" if steps else None
