"""Every field that holds text says what: of the resources and of the companions."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, ClassVar, get_args, get_origin

from tests.model.shapes import MESSAGES
from trialrun.lint.positions import ITEM_KEYS as FINGERPRINT_KEYS
from trialrun.model.node import Node, field, field_spec, fields_of_format, message_fields, value_type
from trialrun.runtime.channel_config.overlay import MERGE_KEYS


def number_of_keys(kind: Any) -> int:
    """How many levels of keys a type has."""
    inner = get_args(kind)[-1] if get_args(kind) else None
    return (get_origin(kind) is dict) + (number_of_keys(inner) if get_origin(kind) in (list, dict) else 0)


def holds_text(kind: Any) -> bool:
    if get_origin(kind) is Annotated:
        return get_args(kind)[0] is str
    return kind is str or (get_origin(kind) in (list, dict) and holds_text(get_args(kind)[-1]))


def silent_fields(model: type[Node]) -> Iterator[str]:
    for name in model.model_fields:
        spec, kind = field_spec(model, name), value_type(model, name)
        says_text = bool(spec.format or spec.names or spec.declares)
        if holds_text(kind) != says_text or number_of_keys(kind) != len(spec.keys):
            yield f"{model.__name__}.{name}"


class Unsaid(Node):
    """A message whose fields do not say what they hold."""

    text: str | None = field("A text.")
    texts: list[str] | None = field("Texts.")
    mapping: dict[str, dict[str, int]] | None = field("Keys.", keys=("column",))
    number: int | None = field("A number.")


def test_every_text_field_says_what_it_holds() -> None:
    assert len(MESSAGES) > 60
    assert [name for model in MESSAGES for name in silent_fields(model)] == []


def test_a_field_that_says_nothing_is_refused() -> None:
    assert list(silent_fields(Unsaid)) == ["Unsaid.text", "Unsaid.texts", "Unsaid.mapping"]


def test_fields_are_found_by_what_they_hold() -> None:
    models = {model.__name__: model for model in MESSAGES}
    assert fields_of_format(models["ChannelConfig"], "timestamp") == ("createTime", "updateTime")
    assert fields_of_format(models["SyncConfig"], "cron", "time-zone") == ("cron",)
    assert field_spec(models["FeatureView"], "name").format == "resource-name"


def item_models() -> dict[type[Node], list[str]]:
    """The messages that lists hold, with the fields that are these lists."""
    lists: dict[type[Node], list[str]] = {}
    for model in MESSAGES:
        for name, is_list, part in message_fields(model):
            if is_list:
                lists.setdefault(part, []).append(f"{model.__name__}.{name}")
    return lists


def models_without_item_key(models: Iterable[type[Node]]) -> list[str]:
    return [model.__name__ for model in models if model.item_key is None or {*model.item_key} - {*model.model_fields}]


class WithWrongKey(Node):
    """A message that is named by a field that it does not have."""

    item_key: ClassVar = ("name",)


def test_every_message_in_a_list_says_what_names_it() -> None:
    assert len(item_models()) > 30
    assert models_without_item_key(item_models()) == []


def test_a_message_that_does_not_say_what_names_it_is_refused() -> None:
    assert models_without_item_key([Unsaid, WithWrongKey]) == ["Unsaid", "WithWrongKey"]


UNKNOWN_TO_FINGERPRINTS = {
    *("column", "customer", "field", "itemId", "modifierId", "semanticName", "term", "text", "uri", "upsell", "view")
}
"""Texts that name items, but not in fingerprints: baselines written before have these items by their index."""


def holds_texts_or_numbers(model: type[Node], name: str) -> bool:
    return get_origin(value_type(model, name)) is not list and name not in {
        part for part, _, _ in message_fields(model)
    }


def test_fingerprints_know_items_by_the_keys_of_the_models() -> None:
    keys = {name for model in item_models() for name in model.item_key or () if holds_texts_or_numbers(model, name)}
    assert keys - {*FINGERPRINT_KEYS} == UNKNOWN_TO_FINGERPRINTS
    assert {*FINGERPRINT_KEYS} <= keys
    for model in item_models():
        known = [name for name in model.item_key or () if name in FINGERPRINT_KEYS]
        assert known == sorted(known, key=FINGERPRINT_KEYS.index), model


def test_lists_are_merged_by_the_keys_of_the_models() -> None:
    models = {field: model for model, fields in item_models().items() for field in fields}
    assert {name: key.fields for name, key in MERGE_KEYS.items()} == {
        "upsells": models["UpsellStrategy.upsells"].item_key,
        "greetings": models["OperationsConfig.greetings"].item_key,
    }
