"""What is shown beside a place: its field, what its value means, and the pages of the rules that find something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.answer import Hover
from trialrun.record import dataclass
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.lsp.about.member import Member
    from trialrun.workspace.live import Live, Part, Reading, Spot

ZONES = {"Store.timeZone"}
LANGUAGES = {
    "MessageConfig.languageCode",
    "Greetings.languageCode",
    "OperationsConfig.defaultLanguageCode",
    "ExpectedSaid.language",
    "ExpectedTurn.language",
    "SessionStep.language",
}
LONGEST_CONDITION = 20_000
"""Characters of a condition that is taken apart while somebody waits."""
STORE = "Store.name"
LONGEST_WORD = 1_000
"""Characters of any other text of which more than its field is told."""
CRON = "SyncConfig.cron"
CONDITION = "CelUpsell.conditionExpression"
OF_CONFIG = {"ChannelConfig.kind", "ChannelConfig.name", "ChannelConfig.type", "ChannelConfig.displayName"}
CONFIG_NAMES = {"Brand.defaults", "BrandBinding.channelConfig", "Store.defaults", "StoreBinding.channelConfig"}


@dataclass(frozen=True)
class _Place:
    """What stands at an offset of a text: its resource, its field, and the text of its value where it is one."""

    live: Live
    path: str
    part: Part
    member: Member
    spot: Spot
    text: str
    offset: int

    @property
    def character(self) -> int:
        """The character of the text of the value at the offset."""
        from trialrun.lsp.about.member import character_at

        return character_at(self.spot.document, self.spot.path, self.text, self.offset)


def hover(live: Live, path: str, offset: int) -> Hover | None:
    """What is known about the place at an offset; None where nothing is."""
    reading = live.reading(path)
    if reading is None:
        return None
    named = _rule_in_comment(live, reading, offset)
    if named:
        return Hover(named[0], reading.range(named[1]))
    place = _place(live, reading, offset)
    span, paragraphs = _about(place) if place else (None, [])
    pages, marked = _pages(live, reading, offset)
    if not (paragraphs or pages):
        return None
    blocks = ["\n\n".join(paragraphs), *pages]
    return Hover("\n\n---\n\n".join(filter(None, blocks)), reading.range(span or marked or Span(offset, offset)))


def _rule_in_comment(live: Live, reading: Reading, offset: int) -> tuple[str, Span] | None:
    """The page of the rule that a comment names at an offset, as in `# trialrun: ignore[rule-id]`."""
    from trialrun.lint.suppression.directive import MENTION, directives
    from trialrun.lsp.rule_pages import rule_page
    from trialrun.tree.comments import comments

    text = reading.source.text
    line = reading.source.line(reading.source.position(offset).line)
    if not MENTION.search(line):
        return None
    for comment in comments(reading.tree, MENTION):
        for directive in directives(text[comment.span.start : comment.span.end], comment.span.start):
            for name in directive.names:
                page = rule_page(live, reading.path, name.text) if name.span.start <= offset <= name.span.end else None
                if page:
                    return page.rstrip(), name.span
    return None


def _place(live: Live, reading: Reading, offset: int) -> _Place | None:
    from trialrun.lsp.about.member import member_at, value_at

    spot = reading.spot(offset)
    part = reading.part_at(spot) if spot else None
    member = member_at(part, spot.path) if part and spot else None
    if spot is None or part is None or member is None:
        return None
    value = value_at(spot.document, spot.path)
    if not spot.is_key and isinstance(value, (dict, list)):
        return None
    text = value if isinstance(value, str) and not spot.is_key else ""
    return _Place(live, reading.path, part, member, spot, text, offset)


def _about(place: _Place) -> tuple[Span, list[str]]:
    """The characters that are spoken of, and what is said: the value first, then its field."""
    from trialrun.lsp.about.field import field_paragraphs

    span, first = place.spot.span, list(_about_value(place))
    if place.member.title == CONDITION and 0 < len(place.text) <= LONGEST_CONDITION:
        span, first = _about_condition(place)
    return span, [*first, *field_paragraphs(place.member)]


def _about_value(place: _Place) -> Iterator[str]:
    from trialrun.lsp.about.language import language_paragraphs
    from trialrun.lsp.about.zone import zone_paragraphs

    title, now = place.member.title, place.live.request.now
    if len(place.text) > LONGEST_WORD:
        return
    if title in ZONES:
        yield from zone_paragraphs(place.text, now)
    elif title in LANGUAGES:
        yield from language_paragraphs(place.text)
    elif title == CRON:
        yield from _about_schedule(place)
    elif title == STORE or (place.member.name == "store" and place.part.kind == "Scenario"):
        yield from _about_store(place)
    elif title in OF_CONFIG or (title in CONFIG_NAMES and place.text):
        yield from _about_config(place)


def _about_schedule(place: _Place) -> Iterator[str]:
    """The zone where the cursor is on its name, then the schedule of the view."""
    from trialrun.lsp.about.schedule import schedule_paragraphs, schedule_told
    from trialrun.lsp.about.zone import zone_paragraphs
    from trialrun.values import cron

    now, schedule = place.live.request.now, schedule_told(place.part.fitted.node, place.live)
    if schedule is None:
        return
    token = cron.parse(place.text).zone_token if place.text else None
    if token and token.start <= place.character < token.end:
        yield from zone_paragraphs(token.text, now)
    yield from schedule_paragraphs(schedule, now)


def _about_condition(place: _Place) -> tuple[Span, list[str]]:
    from trialrun.lsp.about.condition import part_at

    found = part_at(place.text, place.character, place.live.types(place.path))
    if found is None:
        return place.spot.span, []
    return place.spot.document.inside(place.spot.path, found.start, found.end), list(found.paragraphs)


def _about_config(place: _Place) -> Iterator[str]:
    """The stores of the config that stands here, or that a brand names here."""
    from trialrun.diagnostic import json_pointer
    from trialrun.lsp.about.stores import applied, key_of, stores_paragraphs
    from trialrun.workspace.live.catalogs import brands
    from trialrun.workspace.trial import options

    catalog = brands(place.live)
    lists = options(place.live.request.profiles.settings.runtime).list_merge
    if place.member.title in OF_CONFIG:
        keys = [(place.path, place.spot.document.index, json_pointer(place.part.root))]
    else:
        brand = getattr(place.part.fitted.node, "name", None)
        keys = [key_of(one) for one in catalog.configs_called(place.text, brand=brand)]
    if len(keys) == 1:
        yield from stores_paragraphs(applied(catalog, lists).get(keys[0], ()), catalog)


def _about_store(place: _Place) -> Iterator[str]:
    """The configs of the store that is declared or named here."""
    from trialrun.lsp.about.stores import configs_paragraphs
    from trialrun.runtime.declared import NotDeclared
    from trialrun.workspace.live.catalogs import brands

    catalog = brands(place.live)
    try:
        store = catalog.store(place.text)
    except NotDeclared:
        return
    yield from configs_paragraphs(store, catalog)


def _pages(live: Live, reading: Reading, offset: int) -> tuple[list[str], Span | None]:
    """The pages of the rules that find something at an offset, and the characters of the first finding."""
    from trialrun.lsp.rule_pages import rule_page

    position, source = reading.source.position(offset), reading.source
    found = [one for one in live.diagnostics(reading.path) if one.range.start <= position <= one.range.end]
    marked = [Span(source.offset(one.range.start), source.offset(one.range.end)) for one in found[:1]]
    pages = (rule_page(live, reading.path, rule) for rule in dict.fromkeys(one.rule for one in found))
    return [page.rstrip() for page in pages if page], next(iter(marked), None)
