"""Short labels and details of the parts of a document, for outlines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.model.node import field_spec, message_fields

if TYPE_CHECKING:
    from trialrun.model.node import Node

MAX_DETAIL_LENGTH: Final = 60
NAMED_BY_RESOURCE_NAME: Final = frozenset({"brand", "config", "store", "view"})
"""What has a resource name, of which the end tells it from others."""
_OF_RESOURCE: Final = {
    "FeatureView": (("syncConfig", "cron"), ("syncConfig", "continuous")),
    "ChannelConfig": (("type",),),
    "FeatureOnlineStore": (("type",),),
    "FeatureGroupTable": (("uri",),),
    "Source": (("files",), ("database",)),
    "Menu": (("brand",),),
    "Scenario": (("clock",),),
}
_DETAIL_FIELDS: Final = ("disabled", "type", "channelConfig", "price", "column", "value", "because", "clock")


def short_text(value: Any) -> str:
    """A value in one short line; nothing for none."""
    if value is None:
        return ""
    words = ("true" if value else "false") if isinstance(value, bool) else " ".join(str(value).split())
    return words if len(words) <= MAX_DETAIL_LENGTH else f"{words[: MAX_DETAIL_LENGTH - 1]}…"


def resource_detail(value: Any, kind: str) -> str:
    """The kind of a resource, and its schedule, its type or where it is."""
    names: list[str] = []
    for way in _OF_RESOURCE.get(kind, ()):
        part = value
        for step in way:
            part = part.get(step) if isinstance(part, dict) else None
        if part is not None and not isinstance(part, dict | list):
            names.append("continuous" if way[-1] == "continuous" and part is True else short_text(part))
    return ", ".join([kind, *names[:1]])


def item_label(value: Any, model: type[Node] | None) -> tuple[str, str]:
    """What a message is called, empty where nothing names it, and what else tells it from others of its list."""
    if not isinstance(value, dict) or model is None:
        return "", ""
    if "deed" in model.unions:
        return _step_label(value, model)
    labels = (_label_from(value[field], model, field) for field in label_fields(model) if value.get(field))
    return next((name for name in labels if name), ""), short_text(", ".join(_details(value, model)))


def _step_label(value: dict[str, Any], model: type[Node]) -> tuple[str, str]:
    deed = next((field for field in model.unions["deed"] if isinstance(value.get(field), dict)), None)
    if deed is None:
        return "", ""
    about = value[deed].get("view") or value[deed].get("store") or value[deed].get("until") or ""
    return short_text(f"{deed} {short_name(about)}".strip()), short_text(value.get("clock"))


def label_fields(model: type[Node]) -> list[str]:
    """The fields that name a message to people: its display name, if it has one, before what it is referred to by."""
    return sorted(model.item_key or (), key=lambda field: field != "displayName")


def _label_from(value: Any, model: type[Node], field: str) -> str:
    if isinstance(value, list):
        return short_text(", ".join(str(part) for part in value[:3] if isinstance(part, str)))
    if isinstance(value, dict):
        part = next((part for name, _, part in message_fields(model) if name == field), None)
        return item_label(value, part)[0]
    if not isinstance(value, str):
        return ""
    spec = field_spec(model, field)
    return short_name(value) if NAMED_BY_RESOURCE_NAME & {spec.names, spec.declares} else short_text(value)


def short_name(name: Any) -> str:
    """The end of a resource name, which tells it from others; any other text as it is."""
    text = str(name)
    is_resource = "/" in text and "://" not in text and not any(character.isspace() for character in text)
    return short_text(text.rpartition("/")[2] or text) if is_resource else short_text(text)


def _details(value: dict[str, Any], model: type[Node]) -> Iterator[str]:
    if "priority" in value:
        yield f"priority {value['priority']}"
    yield from (offer for offer in model.unions.get("upsell_type_config", ()) if offer in value)
    for field in _DETAIL_FIELDS:
        child = value.get(field)
        if field == "disabled" and child is True:
            yield "disabled"
        elif field != "disabled" and child is not None and not isinstance(child, dict | list):
            yield short_name(child) if field == "channelConfig" else str(child)
    if value.get("displayName") and isinstance(value.get("name"), str):
        yield short_name(value["name"])


def field_detail(key: str, value: Any, model: type[Node] | None) -> str:
    """What a message or a list comes to: how many there are of what, its languages, or the text that names it."""
    if isinstance(value, list):
        languages = [item.get("languageCode") for item in value if isinstance(item, dict)]
        if languages and all(isinstance(language, str) for language in languages):
            return short_text(", ".join(map(str, languages)))
        plain = [short_name(item) for item in value if isinstance(item, str | int | float)]
        return short_text(", ".join(plain)) if plain and len(plain) == len(value) else str(len(value) or "")
    if key == "celUpsell" and isinstance(value, dict):
        return short_text(value.get("conditionExpression"))
    return item_label(value, model)[0]
