"""Description of a declared name: where it is declared, and a summary by its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.describe.field import value_at
from trialrun.lsp.describe.markdown import code, plain, shortened
from trialrun.lsp.describe.schedule import next_run_words, schedule_of_view
from trialrun.lsp.describe.value_location import trailing_comment
from trialrun.lsp.symbols.index import location_of, occurrences
from trialrun.lsp.symbols.occurrence import NameResolver, lookup_key
from trialrun.report.summary import pluralize
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace.catalog_cache import brands, views

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lsp.symbols.occurrence import Occurrence
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile


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
        value = value_at(self.part.document, path)
        return {_field(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _field(key: str) -> str:
    """The camelCase spelling of a key: `displayName` for `display_name`."""
    return _BEGINS.sub(lambda letter: letter[1].upper(), key)


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _names_in(value: Any, key: str) -> list[str]:
    """The names of the messages in a list."""
    return (
        [str(item[key]) for item in value if isinstance(item, dict) and item.get(key)]
        if isinstance(value, list)
        else []
    )


def _list_line(label: str, names: list[str]) -> Iterator[str]:
    """A line with a list of names; none if the list is empty."""
    if names:
        yield f"- {label}: {shortened([code(name) for name in names])}"


def _value_line(label: str, value: Any) -> Iterator[str]:
    """A line with a value; none if it is unset."""
    if value is not None and not isinstance(value, (dict, list)):
        yield f"- {label}: {code(str(value))}"


def _brand(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _value_line("display name", said.get("displayName"))
    stores = said.get("stores")
    if isinstance(stores, list):
        yield f"- {pluralize(len(stores), 'store')}"


def _binding(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _value_line("config", last_id(str(said["channelConfig"])) if said.get("channelConfig") else None)
    stores = said.get("stores")
    if isinstance(stores, dict):
        yield from _list_line("stores with the tags", _texts(stores.get("tags")))
        yield from _list_line("stores", [last_id(name) for name in _texts(stores.get("names"))])


def _lines_of_name(entry: DeclarationSummary) -> Iterator[str]:
    """The names and id of a menu entry, without the one that was hovered."""
    for field, label in (
        ("name", "name"),
        ("displayName", "display name"),
        ("semanticName", "semantic name"),
        ("id", "id"),
    ):
        yield from _value_line(label, entry.said.get(field) if entry.said.get(field) != entry.asked else None)


def _item(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _lines_of_name(entry)
    yield from _value_line("price", said.get("price"))
    yield from _list_line("categories", _texts(said.get("categories")))
    yield from _availability(said.get("availability"))
    yield from _list_line("modifier groups", _texts(said.get("modifierGroups")))


def _availability(value: Any) -> Iterator[str]:
    """When and where something of a menu is sold."""
    if not isinstance(value, dict):
        return
    availability = {_field(key): part for key, part in value.items()}
    if availability.get("soldOut") is True:
        yield "- sold out"
    yield from _list_line("stores", [last_id(name) for name in _texts(availability.get("stores"))])
    yield from _list_line("not at the stores", [last_id(name) for name in _texts(availability.get("exceptStores"))])
    yield from _list_line("dayparts", _texts(availability.get("dayparts")))
    for field in ("hours", "dates"):
        yield from _list_line(field, _periods(availability.get(field)))


def _periods(value: Any) -> list[str]:
    """Hours or dates in a few words: `SATURDAY 06:00 to 10:30`."""
    periods = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return [
        " ".join((*_texts(each.get("days")), f"{each.get('start', 'the start')} to {each.get('end', 'the end')}"))
        for each in periods
    ]


def _daypart(entry: DeclarationSummary) -> Iterator[str]:
    yield from _list_line("hours", _periods(entry.said.get("hours")))


def _modifier(entry: DeclarationSummary) -> Iterator[str]:
    yield from _lines_of_name(entry)
    group = entry.at(entry.path[:-2])
    yield from _value_line("group", group.get("displayName") or group.get("name") or group.get("semanticName"))


def _modifier_group(entry: DeclarationSummary) -> Iterator[str]:
    yield from _lines_of_name(entry)
    modifiers = entry.said.get("modifiers")
    yield from _list_line("modifiers", _names_in(modifiers, "displayName") or _names_in(modifiers, "name"))


def _online_store(entry: DeclarationSummary) -> Iterator[str]:
    yield from _value_line("type", entry.said.get("type"))


def _view(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    for field in ("warehouseSource", "ragSource"):
        source = said.get(field)
        yield from _value_line(field, source.get("uri") if isinstance(source, dict) else None)
    registry = said.get("featureRegistrySource")
    if isinstance(registry, dict):
        yield from _list_line("feature groups", _names_in(registry.get("featureGroups"), "featureGroupId"))
    schedule = schedule_of_view(entry.part.model.node, entry.workspace)
    words = next_run_words(schedule, entry.workspace.request.now) if schedule else None
    if words:
        yield f"- next sync: {plain(words)}"


def _feature_group(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    yield from _value_line("uri", said.get("uri"))
    yield from _list_line("entity id", _texts(said.get("entityIdColumns")))
    yield from _value_line("timestamp", said.get("timestampColumn", "feature_timestamp"))
    yield from _list_line("features", _names_in(said.get("features"), "id"))


def _feature(entry: DeclarationSummary) -> Iterator[str]:
    name, table = entry.said.get("column", entry.said.get("id")), entry.at(entry.path[:-2])
    yield from _value_line("column", name)
    yield from _value_line("feature group", table.get("featureGroupId"))
    yield from _type(entry.workspace, table.get("uri"), name)


def _type(workspace: OpenWorkspace, uri: Any, name: Any) -> Iterator[str]:
    """The type of a table column, if a Source declares it."""
    source = views(workspace).source(uri) if isinstance(uri, str) else None
    for column in (source.node.columns or ()) if source else ():
        if column.name == name:
            yield f"- type: {plain(column.type or '')}{f', {column.mode}' if column.mode else ''}"
            return


def _source_lines(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    for field in ("files", "database", "table"):
        yield from _value_line(field, said.get(field))
    columns = (
        [column for column in said["columns"] if isinstance(column, dict)]
        if isinstance(said.get("columns"), list)
        else []
    )
    if columns:
        shown = [f"{code(str(column.get('name')))} {plain(of_column(column))}" for column in columns]
        yield f"- columns: {shortened(shown, '; ')}"


def _upsell(entry: DeclarationSummary) -> Iterator[str]:
    said = entry.said
    config = entry.at(entry.part.root)
    yield from _value_line("config", last_id(str(config["name"])) if config.get("name") else None)
    yield from _value_line("priority", said.get("priority"))
    offers = [name for name in ("greetingOffer", "closingOffer", "celUpsell") if name in said]
    yield from _list_line("by", offers)
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
    "source": _source_lines,
    "column": _column,
    "upsell": _upsell,
}
"""By kind, the lines that describe a declaration."""


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


def declaration_paragraphs(workspace: OpenWorkspace, occurrence: Occurrence) -> Iterator[str]:
    """The declarations of a name with their locations; empty if nothing declares it."""
    if occurrence.kind not in KIND_PHRASES:
        return
    declarations = list(
        filter(
            None,
            (_entry(workspace, declaration, occurrence.text) for declaration in _declarations(workspace, occurrence)),
        )
    )
    for entry in declarations[:MAX_DECLARATIONS]:
        facts = list(SUMMARIES[occurrence.kind](entry))
        name = occurrence.text if occurrence.kind == "source" else last_id(occurrence.text)
        first = f"{code(name)}: {_first(occurrence.kind, entry)}, {code(f'{entry.file}:{entry.line}')}"
        yield "\n".join([first, *(["", *facts] if facts else [])])
    if len(declarations) > MAX_DECLARATIONS:
        yield f"{len(declarations)} declarations have this name."


def schema_declaration_paragraphs(workspace: OpenWorkspace, occurrence: Occurrence) -> Iterator[str]:
    """Where the SessionSchema declares a name of a condition, with the comment next to it."""
    if occurrence.kind not in OF_SESSION:
        return
    for declaration in _declarations(workspace, occurrence)[:1]:
        place, file = location_of(workspace, declaration), workspace.workspace_file(declaration.path)
        if place and file:
            remark = trailing_comment(file, place.range.start.line)
            at = code(f"{declaration.path}:{place.range.start.line}")
            yield f"Declared at {at}{f': {plain(remark)}' if remark else '.'}"


def _declarations(workspace: OpenWorkspace, occurrence: Occurrence) -> list[Occurrence]:
    """The declarations of a name, from the documents that may declare it."""
    where = DECLARED_IN[occurrence.kind]
    of_views = where in ("groups", "sources", "stores", "views")
    documents: Sequence[DeclaredResource[Any]] = getattr(views(workspace) if of_views else brands(workspace), where)
    files = workspace.workspace_files({document.path for document in documents})
    named = (occurrence for file in files for occurrence in occurrences(workspace, file) if occurrence.declares)
    return list(
        NameResolver(declaration for declaration in named if lookup_key(declaration) == lookup_key(occurrence)).resolve(
            occurrence
        )
    )


def _first(kind: str, entry: DeclarationSummary) -> str:
    """The first line of the description of a declaration."""
    if kind == "column":
        return (
            f"{plain(of_column(entry.said))}, {KIND_PHRASES[kind]} of {code(str(entry.at(entry.path[:-2]).get('uri')))}"
        )
    return KIND_PHRASES[kind]


def _entry(workspace: OpenWorkspace, occurrence: Occurrence, asked: str) -> DeclarationSummary | None:
    file, place = workspace.workspace_file(occurrence.path), location_of(workspace, occurrence)
    parts = [part for part in file.resources if part.document.index == occurrence.document] if file else []
    part = next((part for part in parts if occurrence.entry[: len(part.root)] == part.root), None)
    return (
        DeclarationSummary(workspace, part, occurrence.entry, place.range.start.line, occurrence.path, asked)
        if part and place
        else None
    )
