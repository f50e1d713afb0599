"""What a name means that the workspace declares: where it is declared, and what is said of it there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lsp.about.markdown import code, listed, plain
from trialrun.record import dataclass
from trialrun.report.summary import counted
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.lsp.names.mention import Mention
    from trialrun.runtime.declared import Declared
    from trialrun.workspace.live import Live, Part

MOST_TOLD = 3
MOST_LISTED = 12
SORTS = {
    "brand": "a brand",
    "binding": "a config application rule",
    "item": "an item of the menu",
    "modifier": "a modifier of the menu",
    "modifier group": "a modifier group of the menu",
    "online store": "an online store",
    "view": "a feature view",
    "feature group": "a feature group",
    "feature": "a feature",
    "source": "a source",
    "column": "a column",
    "upsell": "an upsell",
}
"""What each sort of name is; configs and stores are told by what applies there, words of a condition by their types."""
OF_SESSION = ("session type", "session variable", "session field")
DECLARED_IN: Mapping[str, str] = {
    **dict.fromkeys(("brand", "binding"), "brands"),
    **dict.fromkeys(("item", "modifier", "modifier group"), "menus"),
    **dict.fromkeys(OF_SESSION, "schemas"),
    **dict.fromkeys(("feature group", "feature"), "groups"),
    **dict.fromkeys(("source", "column"), "sources"),
    "online store": "stores",
    "view": "views",
    "upsell": "configs",
}
"""By sort, the documents of a catalog that declare such names: no other text is looked into while somebody waits."""


@dataclass(frozen=True)
class Entry:
    """A declaration: the message that it is, as plain data, in the resource that has it."""

    live: Live
    part: Part
    path: Path
    line: int
    file: str
    asked: str

    @property
    def said(self) -> Mapping[str, Any]:
        """What the declaration says, by its keys."""
        return self.at(self.path)

    def at(self, path: Path) -> Mapping[str, Any]:
        """What a message of the text says; nothing where there is none."""
        from trialrun.lsp.about.member import value_at

        value = value_at(self.part.document, path)
        return value if isinstance(value, dict) else {}


def declared_paragraphs(live: Live, mention: Mention) -> Iterator[str]:
    """The declarations of a name, each with its place; nothing for a name that nothing declares."""
    if mention.sort not in SORTS:
        return
    found = list(filter(None, (_entry(live, one, mention.text) for one in _declarations(live, mention))))
    for entry in found[:MOST_TOLD]:
        facts = list(TELL[mention.sort](entry))
        name = mention.text if mention.sort == "source" else last_id(mention.text)
        first = f"{code(name)}: {_first(mention.sort, entry)}, {code(f'{entry.file}:{entry.line}')}"
        yield "\n".join([first, *(["", *facts] if facts else [])])
    if len(found) > MOST_TOLD:
        yield f"{len(found)} declarations have this name."


def remarked_paragraphs(live: Live, mention: Mention) -> Iterator[str]:
    """Where the SessionSchema declares what a condition reads, with the comment that stands beside it."""
    from trialrun.lsp.about.remark import remark_on
    from trialrun.lsp.names.known import place_of

    if mention.sort not in OF_SESSION:
        return
    for one in _declarations(live, mention)[:1]:
        place, reading = place_of(live, one), live.reading(one.path)
        if place and reading:
            remark = remark_on(reading, place.range.start.line)
            yield f"Declared at {code(f'{one.path}:{place.range.start.line}')}{f': {plain(remark)}' if remark else '.'}"


def _declarations(live: Live, mention: Mention) -> list[Mention]:
    """The declarations that a name means, looked for in the documents that can declare it."""
    from trialrun.lsp.names.known import mentions
    from trialrun.lsp.names.meaning import Meaning, key_of
    from trialrun.workspace.live.catalogs import brands, views

    where = DECLARED_IN[mention.sort]
    of_views = where in ("groups", "sources", "stores", "views")
    documents: Sequence[Declared[Any]] = getattr(views(live) if of_views else brands(live), where)
    readings = live.readings({one.path for one in documents})
    named = (one for reading in readings for one in mentions(live, reading) if one.declares)
    return list(Meaning(one for one in named if key_of(one) == key_of(mention)).meant(mention))


def _first(sort: str, entry: Entry) -> str:
    """What a declaration is, as the first line says it."""
    if sort == "column":
        return f"{plain(_of_column(entry.said))}, {SORTS[sort]} of {code(str(entry.at(entry.path[:-2]).get('uri')))}"
    return SORTS[sort]


def _entry(live: Live, one: Mention, asked: str) -> Entry | None:
    from trialrun.lsp.names.known import place_of

    reading, place = live.reading(one.path), place_of(live, one)
    parts = [part for part in reading.parts if part.document.index == one.document] if reading else []
    part = next((part for part in parts if one.entry[: len(part.root)] == part.root), None)
    return Entry(live, part, one.entry, place.range.start.line, one.path, asked) if part and place else None


def _texts(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def _names(value: Any, key: str) -> list[str]:
    """The names of the messages of a list."""
    return [str(one[key]) for one in value if isinstance(one, dict) and one.get(key)] if isinstance(value, list) else []


def _some(label: str, names: list[str]) -> Iterator[str]:
    """A line of names, where there are any."""
    if names:
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        yield f"- {label}: {listed(names[:MOST_LISTED])}{more}"


def _value(label: str, value: Any) -> Iterator[str]:
    """A line of a value, where there is one."""
    if value is not None and not isinstance(value, (dict, list)):
        yield f"- {label}: {code(str(value))}"


def _brand(entry: Entry) -> Iterator[str]:
    said = entry.said
    yield from _value("display name", said.get("displayName"))
    stores = said.get("stores")
    if isinstance(stores, list):
        yield f"- {counted(len(stores), 'store')}"


def _binding(entry: Entry) -> Iterator[str]:
    said = entry.said
    yield from _value("config", last_id(str(said["channelConfig"])) if said.get("channelConfig") else None)
    stores = said.get("stores")
    if isinstance(stores, dict):
        yield from _some("stores with the tags", _texts(stores.get("tags")))
        yield from _some("stores", [last_id(name) for name in _texts(stores.get("names"))])


def _named(entry: Entry) -> Iterator[str]:
    """The name and the id of an entry of a menu, but the one by which it was asked for."""
    for way in ("name", "id"):
        yield from _value(way, entry.said.get(way) if entry.said.get(way) != entry.asked else None)


def _item(entry: Entry) -> Iterator[str]:
    said = entry.said
    yield from _named(entry)
    yield from _value("price", said.get("price"))
    yield from _some("modifier groups", _texts(said.get("modifierGroups")))


def _modifier(entry: Entry) -> Iterator[str]:
    yield from _named(entry)
    yield from _value("group", entry.at(entry.path[:-2]).get("name"))


def _modifier_group(entry: Entry) -> Iterator[str]:
    yield from _named(entry)
    yield from _some("modifiers", _names(entry.said.get("modifiers"), "name"))


def _online_store(entry: Entry) -> Iterator[str]:
    yield from _value("type", entry.said.get("type"))


def _view(entry: Entry) -> Iterator[str]:
    from trialrun.lsp.about.schedule import next_run_words, schedule_told

    said = entry.said
    for field in ("warehouseSource", "ragSource"):
        source = said.get(field)
        yield from _value(field, source.get("uri") if isinstance(source, dict) else None)
    registry = said.get("featureRegistrySource")
    if isinstance(registry, dict):
        yield from _some("feature groups", _names(registry.get("featureGroups"), "featureGroupId"))
    schedule = schedule_told(entry.part.fitted.node, entry.live)
    words = next_run_words(schedule, entry.live.request.now) if schedule else None
    if words:
        yield f"- next sync: {plain(words)}"


def _feature_group(entry: Entry) -> Iterator[str]:
    said = entry.said
    yield from _value("uri", said.get("uri"))
    yield from _some("entity id", _texts(said.get("entityIdColumns")))
    yield from _value("timestamp", said.get("timestampColumn", "feature_timestamp"))
    yield from _some("features", _names(said.get("features"), "id"))


def _feature(entry: Entry) -> Iterator[str]:
    name, table = entry.said.get("column", entry.said.get("id")), entry.at(entry.path[:-2])
    yield from _value("column", name)
    yield from _value("feature group", table.get("featureGroupId"))
    yield from _type(entry.live, table.get("uri"), name)


def _type(live: Live, uri: Any, name: Any) -> Iterator[str]:
    """The type of a column of a table, where a Source declares it."""
    from trialrun.workspace.live.catalogs import views

    source = views(live).source(uri) if isinstance(uri, str) else None
    for column in (source.node.columns or ()) if source else ():
        if column.name == name:
            yield f"- type: {plain(column.type or '')}{f', {column.mode}' if column.mode else ''}"
            return


def _source(entry: Entry) -> Iterator[str]:
    said = entry.said
    for field in ("files", "database", "table"):
        yield from _value(field, said.get(field))
    columns = [one for one in said["columns"] if isinstance(one, dict)] if isinstance(said.get("columns"), list) else []
    shown = [f"{code(str(one.get('name')))} {plain(_of_column(one))}" for one in columns[:MOST_LISTED]]
    more = f" and {len(columns) - MOST_LISTED} more" if len(columns) > MOST_LISTED else ""
    if shown:
        yield f"- columns: {'; '.join(shown)}{more}"


def _upsell(entry: Entry) -> Iterator[str]:
    said = entry.said
    config = entry.at(entry.part.root)
    yield from _value("config", last_id(str(config["name"])) if config.get("name") else None)
    yield from _value("priority", said.get("priority"))
    offers = [name for name in ("greetingOffer", "closingOffer", "celUpsell") if name in said]
    yield from _some("by", offers)
    if said.get("disabled") is True:
        yield "- disabled"


def _column(entry: Entry) -> Iterator[str]:
    yield from ()


def _of_column(column: Mapping[str, Any]) -> str:
    return ", ".join(str(column[key]) for key in ("type", "mode") if column.get(key)) or "not said"


TELL: Mapping[str, Callable[[Entry], Iterator[str]]] = {
    "brand": _brand,
    "binding": _binding,
    "item": _item,
    "modifier": _modifier,
    "modifier group": _modifier_group,
    "online store": _online_store,
    "view": _view,
    "feature group": _feature_group,
    "feature": _feature,
    "source": _source,
    "column": _column,
    "upsell": _upsell,
}
"""By sort, the lines that are told of a declaration."""
