"""Short labels and details of the parts of a document, for outlines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

MAX_DETAIL_LENGTH: Final = 60
LABEL_FIELDS: Final = (
    "displayName", "name", "id", "rule", "itemName", "modifierName", "featureGroupId", "languageCode", "field", "uri",
    "upsell", "term", "column", "customerTerms", "upsoldItems", "upsoldItemIds", "customer", "text",
)  # fmt: skip
"""The fields by which an item of a list is called, the first that it has."""
_OF_RESOURCE: Final = {
    "FeatureView": (("syncConfig", "cron"), ("syncConfig", "continuous")),
    "ChannelConfig": (("type",),),
    "FeatureOnlineStore": (("type",),),
    "FeatureGroupTable": (("uri",),),
    "Source": (("files",), ("database",)),
    "Menu": (("brand",),),
    "Scenario": (("clock",),),
}
_OFFERS: Final = ("greetingOffer", "closingOffer", "celUpsell")
_STEP_FIELDS: Final = ("sync", "fetch", "search", "schedule", "wait", "write", "resolve", "session")
_DETAIL_FIELDS: Final = ("disabled", "type", "channelConfig", "price", "column", "value", "because", "clock")


def short_text(value: Any) -> str:
    """A value in one short line; nothing for none."""
    if value is None:
        return ""
    words = ("true" if value else "false") if isinstance(value, bool) else " ".join(str(value).split())
    return words if len(words) <= MAX_DETAIL_LENGTH else f"{words[: MAX_DETAIL_LENGTH - 1]}…"


def resource_detail(value: Any, kind: str) -> str:
    """The kind of a resource, and its schedule, its type or where it is."""
    found: list[str] = []
    for way in _OF_RESOURCE.get(kind, ()):
        part = value
        for step in way:
            part = part.get(step) if isinstance(part, dict) else None
        if part is not None and not isinstance(part, dict | list):
            found.append("continuous" if way[-1] == "continuous" and part is True else short_text(part))
    return ", ".join([kind, *found[:1]])


def item_label(value: Any) -> tuple[str, str]:
    """What an item of a list is called, empty where nothing names it, and what else tells it from the others."""
    if not isinstance(value, dict):
        return "", ""
    deed = next((step_field for step_field in _STEP_FIELDS if isinstance(value.get(step_field), dict)), None)
    if deed:
        about = value[deed].get("view") or value[deed].get("store") or value[deed].get("until") or ""
        return short_text(f"{deed} {short_name(about)}".strip()), short_text(value.get("clock"))
    found = (_label_from(value[field], field) for field in LABEL_FIELDS if value.get(field))
    return next((name for name in found if name), ""), short_text(", ".join(_details(value)))


def _label_from(value: Any, field: str) -> str:
    if isinstance(value, list):
        return short_text(", ".join(str(one) for one in value[:3] if isinstance(one, str)))
    if not isinstance(value, str):
        return ""
    return short_name(value) if field in ("name", "channelConfig") else short_text(value)


def short_name(name: Any) -> str:
    """The end of a resource name, which tells it from others; any other text as it is."""
    text = str(name)
    is_resource = "/" in text and "://" not in text and not any(one.isspace() for one in text)
    return short_text(text.rpartition("/")[2] or text) if is_resource else short_text(text)


def _details(value: dict[str, Any]) -> Iterator[str]:
    if "priority" in value:
        yield f"priority {value['priority']}"
    yield from (offer for offer in _OFFERS if offer in value)
    for field in _DETAIL_FIELDS:
        one = value.get(field)
        if field == "disabled" and one is True:
            yield "disabled"
        elif field != "disabled" and one is not None and not isinstance(one, dict | list):
            yield short_name(one) if field == "channelConfig" else str(one)
    if value.get("displayName") and isinstance(value.get("name"), str):
        yield short_name(value["name"])


def field_detail(key: str, value: Any) -> str:
    """What a message or a list comes to: how many there are of what, its languages, or the text that names it."""
    if isinstance(value, list):
        languages = [one.get("languageCode") for one in value if isinstance(one, dict)]
        if languages and all(isinstance(language, str) for language in languages):
            return short_text(", ".join(map(str, languages)))
        plain = [short_name(one) for one in value if isinstance(one, str | int | float)]
        return short_text(", ".join(plain)) if plain and len(plain) == len(value) else str(len(value) or "")
    if key == "celUpsell" and isinstance(value, dict):
        return short_text(value.get("conditionExpression"))
    return item_label(value)[0] if isinstance(value, dict) else ""
