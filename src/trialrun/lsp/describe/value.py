"""What a value means: zones, languages, schedules, conditions, moments, and names that the workspace declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import Told

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import Place
    from trialrun.lsp.symbols.occurrence import Mention
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import Declared
    from trialrun.text import Span

ZONES = {"Store.timeZone"}
LANGUAGES = {
    "MessageConfig.languageCode",
    "Greetings.languageCode",
    "OperationsConfig.defaultLanguageCode",
    "ExpectedSaid.language",
    "ExpectedTurn.language",
    "SessionStep.language",
}
MOMENTS = {"createTime", "updateTime", "clock", "until", "timestamp", "runs"}
"""Names of fields that hold moments, in every message that has them."""
LONGEST_CONDITION = 20_000
"""Characters of a condition that is taken apart while somebody waits."""
LONGEST_WORD = 1_000
"""Characters of any other text of which more than its field is told."""
CRON = "SyncConfig.cron"
CONDITION = "CelUpsell.conditionExpression"
OF_CONFIG = {"ChannelConfig.name", "ChannelConfig.state"}
TAGS = {"StoreSelector.tags", "Store.tags"}
FIELD_PATH = "ExpectedValue.field"
PRIORITY = "UpsellConfig.priority"
SKIP_TERMS = "ClosingMessage.skipTerms"
TOLD_AT_HOME = ("brand", "binding", "config", "store", "view")
"""Sorts of names of which something is told where they are declared; of others all of it stands around."""
IN_TEXTS = {
    *("SessionStep", "SessionTurn", "ResolveStep", "ExpectedTurn", "ExpectedOffer", "ExpectedPass"),
    *("ExpectedMapping", "ExpectedValue", "ExpectedCondition"),
}
"""Messages of scenarios in whose texts names stand."""
SCHEMA = {"SessionSchema.types", "SessionSchema.variables"}


def value_at_place(place: Place) -> Told:
    """The characters that are spoken of, and what their value means; nothing at most keys."""
    title, text = place.member.title, place.text
    if title == CONDITION and 0 < len(text) <= LONGEST_CONDITION:
        from trialrun.lsp.describe.cel_condition import condition_at

        return condition_at(place)
    if title == CRON and len(text) <= LONGEST_WORD:
        return _schedule(place)
    if title in SCHEMA:
        from trialrun.lsp.describe.schema import schema_paragraphs

        return Told(place.spot.span, tuple(schema_paragraphs(place)))
    mention = _mention(place) if text and _may_name(place) else None
    if mention is not None:
        return _named(place, mention)
    if title == FIELD_PATH and 0 < len(text) <= LONGEST_WORD:
        from trialrun.lsp.describe.scenario_field_path import field_on_path

        return field_on_path(place)
    return Told(place.spot.span, tuple(_paragraphs(place)))


def _may_name(place: Place) -> bool:
    """Whether the field can name something of the workspace."""
    from trialrun.lsp.symbols.collect import NAMES

    if place.member.model.__name__ in IN_TEXTS or place.member.name == "name":
        return True
    says = (one for one in NAMES.get(place.member.model.__name__, ()) if one.field == place.member.name)
    return any(not one.declares or one.sort in TOLD_AT_HOME for one in says)


def _paragraphs(place: Place) -> Iterator[str]:
    from trialrun.lsp.describe.language import language_paragraphs
    from trialrun.lsp.describe.stores import tagged_paragraphs
    from trialrun.lsp.describe.time_zone import zone_paragraphs
    from trialrun.lsp.describe.timestamp import moment_paragraphs
    from trialrun.lsp.describe.upsells import order_paragraphs, skipped_paragraphs

    title, text, now = place.member.title, place.text, place.live.request.now
    if len(text) > LONGEST_WORD:
        return
    if title in ZONES:
        yield from zone_paragraphs(text, now)
    elif title in LANGUAGES:
        yield from language_paragraphs(text)
    elif place.member.name in MOMENTS and text:
        yield from moment_paragraphs(text, now)
    elif title == PRIORITY:
        yield from order_paragraphs(place)
    elif title in TAGS and text:
        yield from tagged_paragraphs(text, _brands(place))
    elif title == SKIP_TERMS:
        yield from skipped_paragraphs(place)
    elif title in OF_CONFIG:
        yield from _config(place, None)


def _schedule(place: Place) -> Told:
    """The zone, or the field, that the cursor is on, then the schedule of the view."""
    from trialrun.lsp.describe.cron_field import field_at
    from trialrun.lsp.describe.schedule import schedule_paragraphs, schedule_told
    from trialrun.lsp.describe.time_zone import zone_paragraphs
    from trialrun.values import cron

    now, schedule = place.live.request.now, schedule_told(place.part.fitted.node, place.live)
    if schedule is None:
        return Told(place.spot.span, ())
    whole = tuple(schedule_paragraphs(schedule, now))
    reading = cron.parse(place.text) if place.text else None
    zone = reading.zone_token if reading else None
    if zone and zone.start <= place.character < zone.end and place.is_inside(zone.start, zone.end):
        return Told(place.inside(zone.start, zone.end), (*zone_paragraphs(zone.text, now), *whole))
    found = field_at(reading.cron, place.character) if reading and reading.cron else None
    if found and place.is_inside(found[0].start, found[0].end):
        return Told(place.inside(found[0].start, found[0].end), (found[1], *whole))
    return Told(place.spot.span, whole)


def _mention(place: Place) -> Mention | None:
    """The name of the workspace at a place, as go to definition sees it."""
    from trialrun.lsp.symbols import mention_at

    return mention_at(place.live, place.path, place.offset)


def _named(place: Place, mention: Mention) -> Told:
    from trialrun.lsp.describe.declaration import declared_paragraphs

    span = _span(place, mention)
    told: Iterable[str]
    match mention.sort:
        case "config":
            told = _config(place, mention)
        case "store":
            told = _store(place, mention.text)
        case "binding":
            told = (*declared_paragraphs(place.live, mention), *_binding(place))
        case _:
            told = declared_paragraphs(place.live, mention)
    return Told(span, tuple(told))


def _span(place: Place, mention: Mention) -> Span:
    """The characters of a name that is but a part of its text; else the value as it stands."""
    return place.inside(*mention.chars) if mention.chars else place.spot.span


def _config(place: Place, mention: Mention | None) -> Iterator[str]:
    """The config that stands here, or that is named here: its type and state, and the stores where it applies."""
    from trialrun.diagnostic import json_pointer
    from trialrun.lsp.describe.stores import applied, config_paragraphs, key_of, stores_paragraphs
    from trialrun.workspace.dry_run import options

    catalog = _brands(place)
    lists = options(place.live.request.profiles.settings.runtime).list_merge
    found: Sequence[Declared[ChannelConfig]]
    if place.part.kind == "ChannelConfig":
        keys = [(place.path, place.spot.document.index, json_pointer(place.part.root))]
        found = [one for one in catalog.configs if key_of(one) == keys[0]]
    else:
        named = mention.text if mention else place.text
        found = catalog.configs_called(named, brand=(mention.scope or None) if mention else None)
        keys = [key_of(one) for one in found]
    yield from (paragraph for one in found for paragraph in config_paragraphs(one, catalog))
    if len(keys) == 1:
        yield from stores_paragraphs(applied(catalog, lists).get(keys[0], ()), catalog)


def _binding(place: Place) -> Iterator[str]:
    """The stores at which the binding applies whose rule is named here, where it is declared."""
    from trialrun.diagnostic import Place as PlaceOfModel
    from trialrun.lsp.describe.stores import binding_paragraphs, named
    from trialrun.workspace.dry_run import options

    if place.part.kind != "Brand" or place.way[-1:] != ("rule",):
        return
    reading = place.live.reading(place.path)
    steps = (*place.way[len(place.part.root) : -1], "channelConfig")
    range_ = reading.range(place.part.span(PlaceOfModel(place.part.fitted.node, steps))) if reading else None
    lists = options(place.live.request.profiles.settings.runtime).list_merge
    found = named(_brands(place), lists).get((place.path, range_), ()) if range_ else ()
    yield from binding_paragraphs(found)


def _store(place: Place, name: str) -> Iterator[str]:
    """The configs of the store that is declared or named here."""
    from trialrun.lsp.describe.stores import configs_paragraphs, store_paragraphs
    from trialrun.runtime.declaration import NotDeclared

    catalog = _brands(place)
    try:
        store = catalog.store(name)
    except NotDeclared:
        return
    yield from store_paragraphs(store, place.live.request.now)
    yield from configs_paragraphs(store, catalog)


def _brands(place: Place) -> BrandCatalog:
    from trialrun.workspace.open_workspace.catalog_cache import brands

    return brands(place.live)
