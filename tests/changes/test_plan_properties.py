"""What holds of the plan of any two workspaces: nothing where they mean the same, and the same backwards.

They are drawn: documents that are valid by their models, edited versions of them, and other ways to write them.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import pytest
import yaml

from tests.cases import seeds
from trialrun.changes.change import UNORDERED_LISTS
from trialrun.changes.compare import Difference, compare_resources
from trialrun.changes.plan import count_resources
from trialrun.changes.sides import ParsedSide
from trialrun.diagnostic import Range
from trialrun.model import proto_json
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import Node, field_spec, message_fields
from trialrun.model.validate import validate
from trialrun.parser import parse
from trialrun.runtime.declaration import DeclaredResource
from trialrun.text import Position

IN_SUITE, ALL = 25, 10_000
BATCH = 25
EACH_BATCH = pytest.mark.parametrize("batch", seeds(ALL // BATCH, IN_SUITE // BATCH))
Resource = dict[str, Any]
TEXTS: Mapping[str, tuple[str, ...]] = {
    "cron": ("0 3 * * *", "*/15 * * * *", "CRON_TZ=Europe/Berlin 0 3 * * *", "@daily", "TZ=US/Eastern 0 3 * * 1-5"),
    "time-zone": ("Europe/Berlin", "US/Eastern", "UTC"),
    "language-tag": ("en", "en-US", "de", "iw", "fr-CA"),
    "timestamp": ("2026-11-20T12:00:00Z", "2026-11-20T13:00:00+01:00", "2027-01-01T00:00:00.5Z"),
    "cel-condition": ("true", "order.subtotal > 5.0", "order.items.size() >= 2 && true"),
    "column-type": ("STRING", "INT64"),
}
OTHER_SPELLINGS: Mapping[str, Mapping[str, str]] = {
    "cron": {
        "0 3 * * *": "00  3 * * *",
        "*/15 * * * *": "0,15,30,45 * * * *",
        "CRON_TZ=Europe/Berlin 0 3 * * *": "TZ=Europe/Berlin 0 3 * * *",
        "@daily": "0 0 * * *",
        "TZ=US/Eastern 0 3 * * 1-5": "CRON_TZ=America/New_York 0 3 * * MON-FRI",
    },
    "time-zone": {"US/Eastern": "America/New_York"},
    "language-tag": {"en-US": "EN-us", "iw": "he", "fr-CA": "fr-ca"},
    "timestamp": {"2026-11-20T12:00:00Z": "2026-11-20T13:00:00+01:00"},
    "cel-condition": {
        "order.subtotal > 5.0": "order.subtotal  >  (5.0) // no more",
        "order.items.size() >= 2 && true": "(order.items.size() >= 2) && true",
    },
}
NOWHERE = Range(Position(1, 1), Position(1, 1))


def differences(before: ParsedSide, after: ParsedSide) -> list[tuple[str, str, Difference]]:
    pairs, _ = compare_resources(before, after)
    return [(pair.kind, pair.name, one) for pair in pairs for one in pair.differences if not one.is_implicit]


@EACH_BATCH
def test_a_workspace_differs_from_itself_in_nothing(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        workspace = draw_workspace(random.Random(seed))
        assert (seed, *compare_resources(side(workspace), side(workspace))) == (seed, [], [])


@EACH_BATCH
def test_writing_moving_and_reordering_are_no_changes(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        dice = random.Random(seed)
        workspace = draw_workspace(dice)
        moved = side(rewrite(dice, workspace), prefix="moved/", as_json=seed % 2 == 0)
        assert (seed, differences(side(workspace), moved)) == (seed, [])
        assert count_resources(compare_resources(side(workspace), moved)[0]).moved == len(workspace)


@EACH_BATCH
def test_backwards_is_the_same_with_both_sides_exchanged(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        dice = random.Random(seed)
        before = draw_workspace(dice)
        after = edit_workspace(dice, before)
        there = Counter(
            (kind, one.type.id, repr(one.before), repr(one.after), one.place.before, one.place.after)
            for kind, _, one in differences(side(before), side(after))
        )
        back = Counter(
            (kind, one.type.mirror, repr(one.after), repr(one.before), one.place.after, one.place.before)
            for kind, _, one in differences(side(after), side(before))
        )
        assert (seed, there - back, back - there) == (seed, Counter(), Counter())


def draw_workspace(dice: random.Random) -> list[Resource]:
    """Some resources with names of their own."""
    kinds = dice.choices(KINDS, weights=[4, 4, *[1] * (len(KINDS) - 2)], k=dice.randint(1, 5))
    return [draw_resource(dice, kind, number) for number, kind in enumerate(kinds)]


def draw_resource(dice: random.Random, kind: str, number: int) -> Resource:
    """A valid document of a kind."""
    while True:
        value = {"kind": kind, **_message(dice, model_of(kind), 0)}
        if kind == "Scenario" or dice.random() < 0.9 or kind in ("FeatureView", "ChannelConfig"):
            value["name"] = f"{_parent(kind)}{kind}-{number}"
        else:
            value.pop("name", None)
        if not validate(value, model_of(kind)).misfits:
            return value


def _parent(kind: str) -> str:
    if kind == "FeatureView":
        return "projects/p/locations/l/featureOnlineStores/s/featureViews/"
    return "projects/p/locations/l/brands/b/channelConfigs/" if kind == "ChannelConfig" else ""


def _message(dice: random.Random, model: type[Node], depth: int) -> Resource:
    left_out = {name for members in model.unions.values() for name in dice.sample(members, len(members) - 1)}
    if model.__name__ == "FeatureView":
        left_out.add(dice.choice(("indexConfig", "vectorSearchConfig")))
    value: Resource = {}
    for name in model.model_fields:
        if name == "kind" or name in left_out:
            continue
        is_needed = field_spec(model, name).mode == "required" or any(
            name in model.unions[union] for union in model.required_unions
        )
        if is_needed or dice.random() < (0.5 if depth < 4 else 0.15):
            value[name] = _field(dice, model, name, depth)
    return value


def _field(dice: random.Random, model: type[Node], name: str, depth: int) -> Any:
    shape = proto_json.field_type(model, name)
    if shape.is_list:
        count = dice.randint(1, 3)
        return [_value(dice, proto_json.item_type(shape), model, name, depth) for _ in range(count)]
    return _value(dice, shape, model, name, depth)


def _value(dice: random.Random, shape: proto_json.FieldType, model: type[Node], name: str, depth: int) -> Any:
    if shape.model is not None:
        return _message(dice, shape.model, depth + 1)
    if shape.values is not None:
        keys = dice.sample(("a", "b", "c"), dice.randint(1, 3))
        return {key: _value(dice, shape.values, model, name, depth + 1) for key in keys}
    if shape.enum:
        return dice.choice(shape.enum[1:] if shape.enum[0].endswith("UNSPECIFIED") else shape.enum)
    if shape.int64:
        return dice.choice(("1", "7"))
    scalars = {bool: (True, False), int: (1, 2, 3), float: (0.25, 0.5, 1)}
    if shape.scalar in scalars:
        return dice.choice(scalars[shape.scalar])
    return dice.choice(TEXTS.get(field_spec(model, name).format or "", ("a", "b", "c", "d")))


def edit_workspace(dice: random.Random, workspace: list[Resource]) -> list[Resource]:
    """The workspace after some edits: fields that are drawn anew, and resources that come, go and are renamed."""
    edited = deepcopy(workspace)
    for _ in range(dice.randint(1, 6)):
        deed = dice.random()
        if deed < 0.15:
            edited.append(draw_resource(dice, dice.choice(KINDS), 100 + len(edited)))
        elif deed < 0.25 and edited:
            edited.pop(dice.randrange(len(edited)))
        elif deed < 0.35 and edited:
            edited[dice.randrange(len(edited))]["name"] = f"renamed/{dice.randint(0, 9)}"
        elif edited:
            _edit(dice, edited)
    return edited


def _edit(dice: random.Random, workspace: list[Resource]) -> None:
    """Draw a field anew, or take it away, anywhere in a resource."""
    index = dice.randrange(len(workspace))
    value = deepcopy(workspace[index])
    model = model_of(value["kind"])
    message, inner = value, model
    while dice.random() < 0.7 and (parts := list(_parts(message, inner))):
        message, inner = dice.choice(parts)
    fields = [name for name in inner.model_fields if name not in ("kind", "name")]
    field = dice.choice(fields) if fields else ""
    if field and dice.random() < 0.75:
        message[field] = _field(dice, inner, field, 2)
    elif dice.random() < 0.5:
        message.pop(field, None)
    lists = [items for items in message.values() if isinstance(items, list)]
    if lists and dice.random() < 0.4:
        items = dice.choice(lists)
        items[:] = dice.sample(items, len(items))[: dice.randint(1, len(items))]
    if not validate(value, model).misfits:
        workspace[index] = value


def _parts(message: Resource, model: type[Node]) -> Iterator[tuple[Resource, type[Node]]]:
    """The messages in a message."""
    for name, is_list, inner in message_fields(model):
        for part in (message.get(name) or ()) if is_list else filter(None, [message.get(name)]):
            yield part, inner


def rewrite(dice: random.Random, workspace: list[Resource]) -> list[Resource]:
    """The same resources written in another way: order of documents, keys and unordered lists, spellings, defaults."""
    rewritten = [_rewrite(dice, resource, model_of(resource["kind"])) for resource in workspace]
    return dice.sample(rewritten, len(rewritten))


def _rewrite(dice: random.Random, value: Any, model: type[Node]) -> Any:
    entries = [(name, _rewrite_field(dice, inner, model, name)) for name, inner in value.items()]
    written = dict(dice.sample(entries, len(entries)))
    if model.__name__ == "FeatureView" and "vectorSearchConfig" in written:
        written["indexConfig"] = written.pop("vectorSearchConfig")
    if model.__name__ == "AutomaticResources":
        written.setdefault("minReplicaCount", 2)
    return written


def _rewrite_field(dice: random.Random, value: Any, model: type[Node], name: str) -> Any:
    if name == "kind":
        return value
    shape = proto_json.field_type(model, name)
    if isinstance(value, list):
        items = [_rewrite_value(dice, item, shape, model, name) for item in value]
        is_shuffled = f"{model.__name__}.{name}" in UNORDERED_LISTS and _has_clear_order(items)
        return dice.sample(items, len(items)) if is_shuffled else items
    return _rewrite_value(dice, value, shape, model, name)


def _has_clear_order(items: list[Any]) -> bool:
    """Whether no two upsells have one priority: of these, the order decides."""
    priorities = [item.get("priority") for item in items if isinstance(item, dict) and "priority" in item]
    return len(set(priorities)) == len(priorities)


def _rewrite_value(dice: random.Random, value: Any, shape: proto_json.FieldType, model: type[Node], name: str) -> Any:
    if shape.model is not None:
        return _rewrite(dice, value, shape.model)
    if isinstance(value, dict):
        return dict(dice.sample(list(value.items()), len(value)))
    return OTHER_SPELLINGS.get(field_spec(model, name).format or "", {}).get(value, value)


def side(workspace: list[Resource], *, prefix: str = "", as_json: bool = False) -> ParsedSide:
    """The workspace as it is read from files: one file a resource, as YAML or JSON."""
    resources = []
    for number, resource in enumerate(workspace):
        text = json.dumps(resource) if as_json else yaml.safe_dump(resource, sort_keys=False)
        path = f"{prefix}{number}.{'json' if as_json else 'yaml'}"
        node = validate(parse(text.encode(), path).documents[0].value, model_of(resource["kind"])).node
        resources.append((resource["kind"], DeclaredResource(node, path, "", 0, lambda place: NOWHERE)))
    return ParsedSide(resources)
