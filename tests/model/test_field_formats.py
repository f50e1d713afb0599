"""Every field that holds text says what: of the resources and of the companions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import Node, field, field_spec, fields_of_format, message_fields, value_type


def messages() -> list[type[Node]]:
    pending, seen = [model_of(kind) for kind in KINDS], dict.fromkeys(model_of(kind) for kind in KINDS)
    while pending:
        inner = [model for _, _, model in message_fields(pending.pop()) if model not in seen]
        seen.update(dict.fromkeys(inner))
        pending += inner
    return list(seen)


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
    assert len(messages()) > 60
    assert [name for model in messages() for name in silent_fields(model)] == []


def test_a_field_that_says_nothing_is_refused() -> None:
    assert list(silent_fields(Unsaid)) == ["Unsaid.text", "Unsaid.texts", "Unsaid.mapping"]


def test_fields_are_found_by_what_they_hold() -> None:
    models = {model.__name__: model for model in messages()}
    assert fields_of_format(models["ChannelConfig"], "timestamp") == ("createTime", "updateTime")
    assert fields_of_format(models["SyncConfig"], "cron", "time-zone") == ("cron",)
    assert field_spec(models["FeatureView"], "name").format == "resource-name"
