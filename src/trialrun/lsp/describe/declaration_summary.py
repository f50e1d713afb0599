"""Summaries of declarations, by kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.describe.markdown import code, join_code, plain
from trialrun.report.summary import pluralize
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile

MAX_LISTED = 12
_BEGINS = re.compile("_([a-z0-9])")


@dataclass(frozen=True)
class DeclarationSummary:
    """A declaration: its message as plain data, and the resource that contains it."""

    workspace: OpenWorkspace
    part: ResourceInFile
    path: Path
    line: int
    file: str
    asked: str

    @property
    def said(self) -> Mapping[str, Any]:
        """The message of the declaration, by keys."""
        return self.at(self.path)

    def at(self, path: Path) -> Mapping[str, Any]:
        """The message at a path of the document; empty if there is none."""
        from trialrun.lsp.describe.model_field import value_at

        value = value_at(self.part.document, path)
        return {_field(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _field(key: str) -> str:
    """The camelCase spelling of a key: `displayName` for `display_name`."""
    return _BEGINS.sub(lambda letter: letter[1].upper(), key)


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _names(value: Any, key: str) -> list[str]:
    """The names of the messages in a list."""
    return (
        [str(item[key]) for item in value if isinstance(item, dict) and item.get(key)]
        if isinstance(value, list)
        else []
    )


def _some(label: str, names: list[str]) -> Iterator[str]:
    """A line with a list of names; none if the list is empty."""
    if names:
        more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        yield f"- {label}: {join_code(names[:MAX_LISTED])}{more}"


def _value(label: str, value: Any) -> Iterator[str]:
    """A line with a value; none if it is unset."""
    if value is not None and not isinstance(value, (dict, list)):
        yield f"- {label}: {code(str(value))}"


def _brand(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _value("display name", said.get("displayName"))
    stores = said.get("stores")
    if isinstance(stores, list):
        yield f"- {pluralize(len(stores), 'store')}"


def _binding(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _value("config", last_id(str(said["channelConfig"])) if said.get("channelConfig") else None)
    stores = said.get("stores")
    if isinstance(stores, dict):
        yield from _some("stores with the tags", _texts(stores.get("tags")))
        yield from _some("stores", [last_id(name) for name in _texts(stores.get("names"))])


def _lines_of_name(entry: DeclarationSummary) -> Iterator[str]:
    """The names and id of a menu entry, without the one that was hovered."""
    for field, label in (
        ("name", "name"),
        ("displayName", "display name"),
        ("semanticName", "semantic name"),
        ("id", "id"),
    ):
        yield from _value(label, entry.said.get(field) if entry.said.get(field) != entry.asked else None)


def _item(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _lines_of_name(entry)
    yield from _value("price", said.get("price"))
    yield from _some("categories", _texts(said.get("categories")))
    yield from _availability(said.get("availability"))
    yield from _some("modifier groups", _texts(said.get("modifierGroups")))


def _availability(value: Any) -> Iterator[str]:
    """When and where something of a menu is sold."""
    if not isinstance(value, dict):
        return
    availability = {_field(key): part for key, part in value.items()}
    if availability.get("soldOut") is True:
        yield "- sold out"
    yield from _some("stores", [last_id(name) for name in _texts(availability.get("stores"))])
    yield from _some("not at the stores", [last_id(name) for name in _texts(availability.get("exceptStores"))])
    yield from _some("dayparts", _texts(availability.get("dayparts")))
    for field in ("hours", "dates"):
        yield from _some(field, _periods(availability.get(field)))


def _periods(value: Any) -> list[str]:
    """Hours or dates in a few words: `SATURDAY 06:00 to 10:30`."""
    periods = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return [
        " ".join((*_texts(each.get("days")), f"{each.get('start', 'the start')} to {each.get('end', 'the end')}"))
        for each in periods
    ]


def _daypart(entry: DeclarationSummary) -> Iterator[str]:
    yield from _some("hours", _periods(entry.said.get("hours")))


def _modifier(entry: DeclarationSummary) -> Iterator[str]:
    yield from _lines_of_name(entry)
    group = entry.at(entry.path[:-2])
    yield from _value("group", group.get("displayName") or group.get("name") or group.get("semanticName"))


def _modifier_group(entry: DeclarationSummary) -> Iterator[str]:
    yield from _lines_of_name(entry)
    modifiers = entry.said.get("modifiers")
    yield from _some("modifiers", _names(modifiers, "displayName") or _names(modifiers, "name"))


def _online_store(entry: DeclarationSummary) -> Iterator[str]:
    yield from _value("type", entry.said.get("type"))


def _view(entry: DeclarationSummary) -> Iterator[str]:
    from trialrun.lsp.describe.schedule import next_run_words, schedule_of_view

    said = entry.said
    for field in ("warehouseSource", "ragSource"):
        source = said.get(field)
        yield from _value(field, source.get("uri") if isinstance(source, dict) else None)
    registry = said.get("featureRegistrySource")
    if isinstance(registry, dict):
        yield from _some("feature groups", _names(registry.get("featureGroups"), "featureGroupId"))
    schedule = schedule_of_view(entry.part.model.node, entry.workspace)
    words = next_run_words(schedule, entry.workspace.request.now) if schedule else None
    if words:
        yield f"- next sync: {plain(words)}"


def _feature_group(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _value("uri", said.get("uri"))
    yield from _some("entity id", _texts(said.get("entityIdColumns")))
    yield from _value("timestamp", said.get("timestampColumn", "feature_timestamp"))
    yield from _some("features", _names(said.get("features"), "id"))


def _feature(entry: DeclarationSummary) -> Iterator[str]:
    name, table = entry.said.get("column", entry.said.get("id")), entry.at(entry.path[:-2])
    yield from _value("column", name)
    yield from _value("feature group", table.get("featureGroupId"))
    yield from _type(entry.workspace, table.get("uri"), name)


def _type(workspace: OpenWorkspace, uri: Any, name: Any) -> Iterator[str]:
    """The type of a table column, if a Source declares it."""
    from trialrun.workspace.open_workspace.catalog_cache import views

    source = views(workspace).source(uri) if isinstance(uri, str) else None
    for column in (source.node.columns or ()) if source else ():
        if column.name == name:
            yield f"- type: {plain(column.type or '')}{f', {column.mode}' if column.mode else ''}"
            return


def _source(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    for field in ("files", "database", "table"):
        yield from _value(field, said.get(field))
    columns = (
        [column for column in said["columns"] if isinstance(column, dict)]
        if isinstance(said.get("columns"), list)
        else []
    )
    shown = [f"{code(str(column.get('name')))} {plain(of_column(column))}" for column in columns[:MAX_LISTED]]
    more = f" and {len(columns) - MAX_LISTED} more" if len(columns) > MAX_LISTED else ""
    if shown:
        yield f"- columns: {'; '.join(shown)}{more}"


def _upsell(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    config = entry.at(entry.part.root)
    yield from _value("config", last_id(str(config["name"])) if config.get("name") else None)
    yield from _value("priority", said.get("priority"))
    offers = [name for name in ("greetingOffer", "closingOffer", "celUpsell") if name in said]
    yield from _some("by", offers)
    if said.get("disabled") is True:
        yield "- disabled"


def _column(entry: DeclarationSummary) -> Iterator[str]:
    yield from ()


def of_column(column: Mapping[str, Any]) -> str:
    return ", ".join(str(column[key]) for key in ("type", "mode") if column.get(key)) or "not said"


SUMMARIES: Mapping[str, Callable[[DeclarationSummary], Iterator[str]]] = {
    "brand": _brand,
    "binding": _binding,
    "item": _item,
    "modifier": _modifier,
    "modifier group": _modifier_group,
    "daypart": _daypart,
    "online store": _online_store,
    "view": _view,
    "feature group": _feature_group,
    "feature": _feature,
    "source": _source,
    "column": _column,
    "upsell": _upsell,
}
"""By kind, the lines that describe a declaration."""
