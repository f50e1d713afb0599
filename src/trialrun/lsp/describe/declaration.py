"""Description of a declared name: where it is declared, and a summary by its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trialrun.diagnostic import Path
from trialrun.lint.positions import find_value
from trialrun.lsp.describe import code, plain, shortened
from trialrun.lsp.describe.schedule import next_run_words, schedule_of_view
from trialrun.lsp.describe.value_location import trailing_comment
from trialrun.lsp.symbols.index import occurrences, range_of
from trialrun.lsp.symbols.occurrence import NameResolver, Occurrence, lookup_key
from trialrun.report.summary import pluralize
from trialrun.runtime.declaration import DeclaredResource
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile
from trialrun.workspace.open_workspace.catalog_cache import brands, views

MAX_DECLARATIONS = 3
KIND_PHRASES = {
    "brand": "a brand",
    "binding": "a config application rule",
    "item": "an item of the menu",
    "modifier": "a modifier of the menu",
    "modifier group": "a modifier group of the menu",
    "daypart": "a daypart of the menu",
    "online store": "an online store",
    "view": "a feature view",
    "feature group": "a feature group",
    "feature": "a feature",
    "source": "a source",
    "column": "a column",
    "upsell": "an upsell",
}
"""Phrases for kinds of names; configs and stores are described by where they apply, words of a condition by types."""
OF_SESSION = ("session type", "session variable", "session field")
DECLARED_IN: Mapping[str, str] = {
    **dict.fromkeys(("brand", "binding"), "brands"),
    **dict.fromkeys(("item", "modifier", "modifier group", "daypart"), "menus"),
    **dict.fromkeys(OF_SESSION, "schemas"),
    **dict.fromkeys(("feature group", "feature"), "groups"),
    **dict.fromkeys(("source", "column"), "sources"),
    "online store": "stores",
    "view": "views",
    "upsell": "configs",
}
"""By kind, the documents of a catalog that declare such names: other files are not read during a request."""
_BEGINS = re.compile("_([a-z0-9])")


def declaration_paragraphs(workspace: OpenWorkspace, occurrence: Occurrence) -> Iterator[str]:
    """The declarations of a name with their locations; empty if nothing declares it."""
    kind = occurrence.kind
    found = _declarations(workspace, occurrence) if kind in KIND_PHRASES else []
    for declared in found[:MAX_DECLARATIONS]:
        file, range_ = workspace.workspace_file(declared.path), range_of(workspace, declared)
        parts = [part for part in file.resources if part.document.index == declared.document] if file else []
        part = next((part for part in parts if declared.entry[: len(part.root)] == part.root), None)
        if part is None or range_ is None:
            continue
        phrase, said = KIND_PHRASES[kind], _message_at(part, declared.entry)
        if kind == "column":
            table = code(str(_message_at(part, declared.entry[:-2]).get("uri")))
            phrase = f"{plain(_type_words(said))}, {phrase} of {table}"
        name = occurrence.text if kind == "source" else last_id(occurrence.text)
        facts = list(_facts(workspace, part, declared, occurrence.text))
        first = f"{code(name)}: {phrase}, {code(f'{declared.path}:{range_.start.line}')}"
        yield "\n".join([first, *(["", *facts] if facts else [])])
    if len(found) > MAX_DECLARATIONS:
        yield f"{len(found)} declarations have this name."


def schema_declaration_paragraphs(workspace: OpenWorkspace, occurrence: Occurrence) -> Iterator[str]:
    """Where the SessionSchema declares a name of a condition, with the comment next to it."""
    if occurrence.kind not in OF_SESSION:
        return
    for declaration in _declarations(workspace, occurrence)[:1]:
        range_, file = range_of(workspace, declaration), workspace.workspace_file(declaration.path)
        if range_ and file:
            remark = trailing_comment(file, range_.start.line)
            at = code(f"{declaration.path}:{range_.start.line}")
            yield f"Declared at {at}{f': {plain(remark)}' if remark else '.'}"


def _declarations(workspace: OpenWorkspace, occurrence: Occurrence) -> list[Occurrence]:
    """The declarations of a name, from the documents that may declare it."""
    where, key = DECLARED_IN[occurrence.kind], lookup_key(occurrence)
    of_views = where in ("groups", "sources", "stores", "views")
    documents: Sequence[DeclaredResource[Any]] = getattr(views(workspace) if of_views else brands(workspace), where)
    files = workspace.workspace_files({document.path for document in documents})
    named = (one for file in files for one in occurrences(workspace, file) if one.declares and lookup_key(one) == key)
    return list(NameResolver(named).resolve(occurrence))


def _message(value: Any) -> Mapping[str, Any]:
    """A mapping by camelCase keys, `displayName` for `display_name`; empty for another value."""
    if not isinstance(value, dict):
        return {}
    return {_BEGINS.sub(lambda letter: letter[1].upper(), key): one for key, one in value.items()}


def _message_at(part: ResourceInFile, path: Path) -> Mapping[str, Any]:
    return _message(find_value(part.document.value, path))


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _last_ids(value: Any) -> list[str]:
    return [last_id(name) for name in _texts(value)]


def _messages(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _names_in(value: Any, key: str) -> list[str]:
    return [str(item[key]) for item in _messages(value) if item.get(key)]


def _listed(label: str, names: list[str]) -> Iterator[str]:
    """A line with a list of names; none if the list is empty."""
    if names:
        yield f"- {label}: {shortened([code(name) for name in names])}"


def _value(label: str, value: Any) -> Iterator[str]:
    """A line with a value; none if it is unset."""
    if value is not None and not isinstance(value, (dict, list)):
        yield f"- {label}: {code(str(value))}"


def _facts(workspace: OpenWorkspace, part: ResourceInFile, declared: Occurrence, asked: str) -> Iterator[str]:
    """The lines that describe a declaration in a resource, by its kind; `asked` is the name that was hovered."""
    said = _message_at(part, declared.entry)
    match declared.kind:
        case "brand":
            yield from _value("display name", said.get("displayName"))
            if isinstance(said.get("stores"), list):
                yield f"- {pluralize(len(said['stores']), 'store')}"
        case "binding":
            yield from _value("config", last_id(str(said["channelConfig"])) if said.get("channelConfig") else None)
            stores = said.get("stores")
            if isinstance(stores, dict):
                yield from _listed("stores with the tags", _texts(stores.get("tags")))
                yield from _listed("stores", _last_ids(stores.get("names")))
        case "upsell":
            config = _message_at(part, part.root)
            yield from _value("config", last_id(str(config["name"])) if config.get("name") else None)
            yield from _value("priority", said.get("priority"))
            yield from _listed("by", [name for name in ("greetingOffer", "closingOffer", "celUpsell") if name in said])
            if said.get("disabled") is True:
                yield "- disabled"
        case "item" | "modifier" | "modifier group" | "daypart":
            yield from _facts_of_menu(part, declared, asked)
        case _:
            yield from _facts_of_views(workspace, part, declared)


def _facts_of_menu(part: ResourceInFile, declared: Occurrence, asked: str) -> Iterator[str]:
    """The lines that describe an entry of a menu."""
    said = _message_at(part, declared.entry)
    if declared.kind != "daypart":  # the names and the id, without the one that was hovered
        labels = {"name": "name", "displayName": "display name", "semanticName": "semantic name", "id": "id"}
        for field, label in labels.items():
            yield from _value(label, said.get(field) if said.get(field) != asked else None)
    match declared.kind:
        case "item":
            yield from _value("price", said.get("price"))
            yield from _listed("categories", _texts(said.get("categories")))
            yield from _availability(_message(said.get("availability")))
            yield from _listed("modifier groups", _texts(said.get("modifierGroups")))
        case "modifier":
            around = _message_at(part, declared.entry[:-2])
            group = around.get("displayName") or around.get("name") or around.get("semanticName")
            yield from _value("group", group)
        case "modifier group":
            modifiers = said.get("modifiers")
            yield from _listed("modifiers", _names_in(modifiers, "displayName") or _names_in(modifiers, "name"))
        case "daypart":
            yield from _listed("hours", _periods(said.get("hours")))


def _facts_of_views(workspace: OpenWorkspace, part: ResourceInFile, declared: Occurrence) -> Iterator[str]:
    """The lines that describe a view, or what it is made of."""
    said = _message_at(part, declared.entry)
    match declared.kind:
        case "online store":
            yield from _value("type", said.get("type"))
        case "view":
            for field in ("warehouseSource", "ragSource"):
                table = said.get(field)
                yield from _value(field, table.get("uri") if isinstance(table, dict) else None)
            registry = said.get("featureRegistrySource")
            if isinstance(registry, dict):
                yield from _listed("feature groups", _names_in(registry.get("featureGroups"), "featureGroupId"))
            schedule = schedule_of_view(part.model.node, workspace)
            words = next_run_words(schedule, workspace.request.now) if schedule else None
            if words:
                yield f"- next sync: {plain(words)}"
        case "feature group":
            yield from _value("uri", said.get("uri"))
            yield from _listed("entity id", _texts(said.get("entityIdColumns")))
            yield from _value("timestamp", said.get("timestampColumn", "feature_timestamp"))
            yield from _listed("features", _names_in(said.get("features"), "id"))
        case "feature":
            around = _message_at(part, declared.entry[:-2])
            name, uri = said.get("column", said.get("id")), around.get("uri")
            yield from _value("column", name)
            yield from _value("feature group", around.get("featureGroupId"))
            source = views(workspace).source(uri) if isinstance(uri, str) else None
            columns = (source.node.columns or ()) if source else ()
            for column in [column for column in columns if column.name == name][:1]:
                yield f"- type: {plain(column.type or '')}{f', {column.mode}' if column.mode else ''}"
        case "source":
            for field in ("files", "database", "table"):
                yield from _value(field, said.get(field))
            if listed := _messages(said.get("columns")):
                shown = [f"{code(str(column.get('name')))} {plain(_type_words(column))}" for column in listed]
                yield f"- columns: {shortened(shown, '; ')}"


def _availability(availability: Mapping[str, Any]) -> Iterator[str]:
    """When and where something of a menu is sold."""
    if availability.get("soldOut") is True:
        yield "- sold out"
    yield from _listed("stores", _last_ids(availability.get("stores")))
    yield from _listed("not at the stores", _last_ids(availability.get("exceptStores")))
    yield from _listed("dayparts", _texts(availability.get("dayparts")))
    for field in ("hours", "dates"):
        yield from _listed(field, _periods(availability.get(field)))


def _periods(value: Any) -> list[str]:
    """Hours or dates in a few words: `SATURDAY 06:00 to 10:30`."""
    return [
        " ".join((*_texts(each.get("days")), f"{each.get('start', 'the start')} to {each.get('end', 'the end')}"))
        for each in _messages(value)
    ]


def _type_words(column: Mapping[str, Any]) -> str:
    return ", ".join(str(column[key]) for key in ("type", "mode") if column.get(key)) or "not said"
