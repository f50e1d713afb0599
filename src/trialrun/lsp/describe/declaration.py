"""What a name means that the workspace declares: where it is declared, and what is said of it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.lsp.describe.declaration_summary import TELL, Entry, of_column
from trialrun.lsp.describe.markdown import code, plain
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.lsp.symbols.occurrence import Mention
    from trialrun.runtime.declaration import Declared
    from trialrun.workspace.open_workspace import Live

MOST_TOLD = 3
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
    from trialrun.lsp.describe.comment import remark_on
    from trialrun.lsp.symbols.index import place_of

    if mention.sort not in OF_SESSION:
        return
    for one in _declarations(live, mention)[:1]:
        place, reading = place_of(live, one), live.reading(one.path)
        if place and reading:
            remark = remark_on(reading, place.range.start.line)
            yield f"Declared at {code(f'{one.path}:{place.range.start.line}')}{f': {plain(remark)}' if remark else '.'}"


def _declarations(live: Live, mention: Mention) -> list[Mention]:
    """The declarations that a name means, looked for in the documents that can declare it."""
    from trialrun.lsp.symbols.index import mentions
    from trialrun.lsp.symbols.resolve import Meaning, key_of
    from trialrun.workspace.open_workspace.catalog_cache import brands, views

    where = DECLARED_IN[mention.sort]
    of_views = where in ("groups", "sources", "stores", "views")
    documents: Sequence[Declared[Any]] = getattr(views(live) if of_views else brands(live), where)
    readings = live.readings({one.path for one in documents})
    named = (one for reading in readings for one in mentions(live, reading) if one.declares)
    return list(Meaning(one for one in named if key_of(one) == key_of(mention)).meant(mention))


def _first(sort: str, entry: Entry) -> str:
    """What a declaration is, as the first line says it."""
    if sort == "column":
        return f"{plain(of_column(entry.said))}, {SORTS[sort]} of {code(str(entry.at(entry.path[:-2]).get('uri')))}"
    return SORTS[sort]


def _entry(live: Live, one: Mention, asked: str) -> Entry | None:
    from trialrun.lsp.symbols.index import place_of

    reading, place = live.reading(one.path), place_of(live, one)
    parts = [part for part in reading.parts if part.document.index == one.document] if reading else []
    part = next((part for part in parts if one.entry[: len(part.root)] == part.root), None)
    return Entry(live, part, one.entry, place.range.start.line, one.path, asked) if part and place else None
