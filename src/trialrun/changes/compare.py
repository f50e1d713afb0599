"""Compares two models of a kind field by field, each difference with the kind of change that it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.changes import canonical as forms
from trialrun.changes.canonical import ItemPairs, canonical_field, field_value, pair_items, plain_value
from trialrun.changes.change import ChangeType, Operation, has_entry, is_described, is_ordered, type_of
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, PartialMapping
from trialrun.runtime.channel_config.equivalence import Place
from trialrun.values.resource_name import last_id


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two models. `is_implicit`: both mean the same by themselves, but only one says so.

    Merged with other configs, an explicit false differs from none.
    """

    type: ChangeType
    place: Place
    before: Any
    after: Any
    is_implicit: bool = False


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A field that one of the models could not take, so that it is not compared."""

    place: Place


Differences = Iterator[Difference | Unreadable]


@dataclass(frozen=True, slots=True)
class MessageSides:
    """A message on both sides, at a place; None on a side that has none."""

    kind: str
    model: type[Node]
    before: Node | None
    after: Node | None
    place: Place

    def values(self, name: str) -> tuple[Any, Any]:
        """The values of a field on both sides."""
        return field_value(self.before, name), field_value(self.after, name)

    def forms(self, name: str) -> tuple[Any, Any]:
        """The canonical values of a field on both sides; those of an absent message are its defaults."""
        first, second = (
            forms.default_of(self.model, name) if node is None else canonical_field(node, name)
            for node in (self.before, self.after)
        )
        return first, second

    def at(self, name: str) -> Place:
        """The place of a field."""
        return self.place.field(name, _spelled(self.before, name), _spelled(self.after, name))

    def shown(self, name: str) -> tuple[Any, Any]:
        """The values of a field on both sides as they are shown: plain, with the default of what is unset."""
        first, second = (
            forms.default_of(self.model, name) if value is None else plain_value(value) for value in self.values(name)
        )
        return first, second


def compare(kind: str, before: Node, after: Node) -> Differences:
    """The differences between two models of a kind."""
    yield from _compare_messages(MessageSides(kind, type(after), before, after, Place()))


def _spelled(node: Node | None, name: str) -> str | None:
    if node is None or getattr(node, name) is not None:
        return None
    return next((old for old in forms.replaced_fields(type(node), name) if getattr(node, old) is not None), None)


def _compare_messages(sides: MessageSides) -> Differences:
    done: set[str] = set()
    for names in sides.model.unions.values():
        if any(_is_partial(sides, name) for name in names):
            continue
        members = [[name for name in names if _is_set(node, name)] for node in (sides.before, sides.after)]
        if members[0] != members[1]:
            done.update(names)
            yield _union_difference(sides, *members)
    for name in forms.compared_fields(sides.model):
        if name in done:
            continue
        if _is_partial(sides, name):
            yield Unreadable(sides.at(name))
        else:
            yield from _compare_field(sides, name)


def _is_set(node: Node | None, name: str) -> bool:
    return node is not None and canonical_field(node, name) != forms.default_of(type(node), name)


def _is_partial(sides: MessageSides, name: str) -> bool:
    return any(
        node is not None and (node.is_partial(name) or isinstance(getattr(node, name), PartialMapping))
        for node in (sides.before, sides.after)
    )


def _union_difference(sides: MessageSides, before: Sequence[str], after: Sequence[str]) -> Difference:
    """One difference for members of a union that take each other's place."""
    name = (after or before)[0]
    place = sides.place.field(name, before[0] if before else None, after[0] if after else None)
    first, second = (
        {member: plain_value(field_value(node, member)) for member in members} or None
        for node, members in ((sides.before, before), (sides.after, after))
    )
    operation: Operation = "changed" if before and after else "added" if after else "removed"
    return Difference(type_of(sides.kind, sides.model.__name__, name, operation), place, first, second)


def _compare_field(sides: MessageSides, name: str) -> Differences:
    before, after = sides.values(name)
    if before == after and getattr(sides.before, name, None) == getattr(sides.after, name, None):
        return
    first, second = sides.forms(name)
    inner = forms.message_type(sides.model, name)
    if first == second:
        if sides.kind == "ChannelConfig" and sides.before is not None and sides.after is not None:
            yield from _implicit(sides, name, inner)
    elif inner is None:
        yield from _compare_plain(sides, name)
    elif forms.is_list(sides.model, name):
        yield from _compare_items(sides, name, inner)
    else:
        yield from _compare_message(sides, name, inner)


def _implicit(sides: MessageSides, name: str, inner: type[Node] | None) -> Differences:
    """What only one side says explicitly, with no other meaning than that of the other side."""
    before, after = sides.before, sides.after
    assert before is not None and after is not None
    if plain_value(getattr(before, name)) == plain_value(getattr(after, name)):
        return
    if inner is not None and not forms.is_list(sides.model, name):
        yield from _compare_messages(_inside(sides, name, inner))
    elif inner is not None:
        yield from _compare_items(sides, name, inner)
    elif (getattr(before, name) is None) != (getattr(after, name) is None):
        change_type = type_of(sides.kind, sides.model.__name__, name, _flag_operation(sides, name))
        yield Difference(change_type, sides.at(name), getattr(before, name), getattr(after, name), is_implicit=True)


def _flag_operation(sides: MessageSides, name: str) -> Operation:
    """Whether a flag goes up or down: false, unset, true."""
    if not has_entry(sides.model.__name__, name, "added"):
        return "changed"
    ranks = [1 if value is None else 2 if value is not False else 0 for value in sides.values(name)]
    return "added" if ranks[1] > ranks[0] else "removed"


def _inside(sides: MessageSides, name: str, inner: type[Node]) -> MessageSides:
    before, after = sides.values(name)
    return MessageSides(sides.kind, inner, before, after, sides.at(name))


def _compare_message(sides: MessageSides, name: str, inner: type[Node]) -> Differences:
    before, after = sides.values(name)
    if sides.model.__name__ == "BrandBinding" and name == "stores":
        step = _stores_operation(before, after)
        yield Difference(type_of(sides.kind, "BrandBinding", name, step), sides.at(name), *sides.shown(name))
        return
    is_new = (before is None) != (after is None)
    says_more = forms.is_flag(inner) or has_entry(sides.model.__name__, name, "added")
    if (is_new and says_more) or not is_described(inner.__name__):
        operation: Operation = "changed" if not is_new else "added" if before is None else "removed"
        yield Difference(type_of(sides.kind, sides.model.__name__, name, operation), sides.at(name), *sides.shown(name))
        return
    yield from _compare_messages(_inside(sides, name, inner))


def _compare_plain(sides: MessageSides, name: str) -> Differences:
    model = sides.model.__name__
    if forms.is_list(sides.model, name) and has_entry(model, name, "added"):
        yield from _compare_names(sides, name)
        return
    if forms.is_map(sides.model, name):
        yield Difference(type_of(sides.kind, model, name, "changed"), sides.at(name), *_map_difference(sides, name))
        return
    change_type = type_of(sides.kind, model, name, _flag_operation(sides, name))
    yield Difference(_special_type(sides, name) or change_type, sides.at(name), *sides.shown(name))


def _special_type(sides: MessageSides, name: str) -> ChangeType | None:
    """The kind of change of fields of which one part is worth a kind of its own."""
    model = sides.model.__name__
    before, after = sides.forms(name)
    if (model, name) == ("SyncConfig", "cron") and isinstance(before, tuple) and isinstance(after, tuple):
        return type_of(sides.kind, model, "zone", "changed") if before[2:] == after[2:] else None
    if (model, name) == ("FeatureView", "name") and before and after and last_id(before) == last_id(after):
        return type_of(sides.kind, model, "parent", "changed")
    return None


def _map_difference(sides: MessageSides, name: str) -> tuple[Any, Any]:
    """The entries of a mapping that differ, on both sides."""
    before, after = (value or {} for value in sides.values(name))
    keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    first, second = ({key: side[key] for key in keys if key in side} for side in (before, after))
    return first or None, second or None


def _compare_names(sides: MessageSides, name: str) -> Differences:
    """A list of names: each that is gone or new, and another order of the others where it counts."""
    before, after = (list(dict.fromkeys(value or ())) for value in sides.values(name))
    place, model = sides.at(name), sides.model.__name__
    for index, text in enumerate(sides.values(name)[0] or ()):
        if text not in after and text in before:
            before.remove(text)
            yield Difference(type_of(sides.kind, model, name, "removed"), place.item(index, None, text), text, None)
    common = before
    for index, text in enumerate(sides.values(name)[1] or ()):
        if text in after and text not in common:
            after.remove(text)
            yield Difference(type_of(sides.kind, model, name, "added"), place.item(None, index, text), None, text)
    if before != after and is_ordered(model, name):
        yield Difference(type_of(sides.kind, model, name, "reordered"), place, before, after)


def _compare_items(sides: MessageSides, name: str, inner: type[Node]) -> Differences:
    """A list of messages: items that are gone, new, renamed, in another order, and what differs in the others."""
    model, place = sides.model.__name__, sides.at(name)
    if not (is_described(inner.__name__) or has_entry(model, name, "added")):
        yield Difference(type_of(sides.kind, model, name, "changed"), place, *sides.shown(name))
        return
    before, after = (list(value or ()) for value in sides.values(name))
    paired = pair_items(sides.model, name, before, after)
    for index in paired.removed:
        at = place.item(index, None, item_title(before[index]))
        yield Difference(type_of(sides.kind, model, name, "removed"), at, plain_value(before[index]), None)
    for index in paired.added:
        at = place.item(None, index, item_title(after[index]))
        yield Difference(type_of(sides.kind, model, name, "added"), at, None, plain_value(after[index]))
    for first, second in paired.renamed:
        titles = item_title(before[first]), item_title(after[second])
        yield Difference(type_of(sides.kind, model, name, "renamed"), place.item(first, second, titles[1]), *titles)
    order_differences = list(_order_difference(sides, name, before, after, paired))
    yield from order_differences
    for first, second in paired.pairs:
        at = place.item(first, second, item_title(after[second]))
        for difference_inside in _compare_messages(MessageSides(sides.kind, inner, before[first], after[second], at)):
            if not (order_differences and _is_priority(difference_inside)):
                yield difference_inside


def _is_priority(difference: Difference | Unreadable) -> bool:
    return isinstance(difference, Difference) and difference.type.id == "upsell-priority-changed"


def _order_difference(
    sides: MessageSides, name: str, before: Sequence[Any], after: Sequence[Any], paired: ItemPairs
) -> Iterator[Difference]:
    """The difference that another order of the items that both sides have is, where the order means something."""
    model, place = sides.model.__name__, sides.at(name)
    pairs = [*paired.pairs, *paired.renamed]
    if (model, name) == ("UpsellStrategy", "upsells"):
        attempted = [_attempt_order(upsells) for upsells in (before, after)]
        counterparts = dict(pairs)
        kept = [counterparts[index] for index in attempted[0] if index in counterparts]
        if kept != [index for index in attempted[1] if index in counterparts.values()]:
            first, second = (
                [{"displayName": upsells[index].displayName, "priority": upsells[index].priority} for index in order]
                for upsells, order in zip((before, after), attempted, strict=True)
            )
            yield Difference(type_of(sides.kind, model, name, "reordered"), place, first, second)
    elif is_ordered(model, name) and [second for _, second in sorted(pairs)] != sorted(second for _, second in pairs):
        titles = (
            [item_title(before[first]) for first, _ in sorted(pairs)],
            [item_title(after[second]) for second in sorted(second for _, second in pairs)],
        )
        yield Difference(type_of(sides.kind, model, name, "reordered"), place, *titles)


def item_title(item: Node) -> str:
    """What an item of a list is called: the first text that names it."""
    for name in type(item).item_key or ():
        value = getattr(item, name)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, Node):
            return item_title(value)
        if isinstance(value, int):
            return f"{name} {value}"
        if value not in (None, "", []):
            return str(value)
    return type(item).__name__


def _stores_operation(before: Any, after: Any) -> Operation:
    """Whether a binding is for fewer stores, for more, or for others.

    Tags must all match, and a store needs one of the names; an empty list asks nothing.
    """
    steps: set[Operation] = set()
    for name in ("tags", "names"):
        first, second = (frozenset(getattr(selector, name, None) or ()) for selector in (before, after))
        if first == second:
            continue
        fewer, more = first < second, second < first
        if name == "names":
            fewer, more = not first or (bool(second) and more), bool(first) and (not second or fewer)
        steps.add("removed" if fewer else "added" if more else "changed")
    return steps.pop() if len(steps) == 1 else "changed"


def _attempt_order(upsells: Sequence[Any]) -> list[int]:
    """The indexes of upsells in the order in which they are attempted; those of one priority as they are written."""
    return sorted(range(len(upsells)), key=lambda index: upsells[index].priority or 0)
