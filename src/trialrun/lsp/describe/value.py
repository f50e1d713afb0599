"""Description of a value: languages, schedules, conditions, types, upsells, declared names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from trialrun.diagnostic import SymbolicLocation as PlaceOfModel
from trialrun.diagnostic import json_pointer
from trialrun.lsp.describe.condition import describe_part
from trialrun.lsp.describe.declaration import declaration_paragraphs, schema_declaration_paragraphs
from trialrun.lsp.describe.field import field_paragraphs, model_field_on_path
from trialrun.lsp.describe.markdown import code, plain
from trialrun.lsp.describe.schedule import schedule_of_view, schedule_paragraphs, zone_paragraphs
from trialrun.lsp.describe.stores import (
    applied_by_binding,
    applied_configs,
    binding_paragraphs,
    config_paragraphs,
    configs_paragraphs,
    document_key,
    store_paragraphs,
    stores_paragraphs,
    tag_paragraphs,
)
from trialrun.lsp.describe.value_location import HoverText, trailing_comment
from trialrun.lsp.symbols import occurrence_at
from trialrun.lsp.symbols.occurrence import name_fields
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.menu_names import entry_title
from trialrun.report.format_time import format_clock, format_day, format_duration, format_time_until, format_utc
from trialrun.report.summary import pluralize
from trialrun.runtime.channel_config.field_path import UnknownFieldError, parse_path
from trialrun.runtime.channel_config.session.reasons import has_skip_term
from trialrun.runtime.declaration import UndeclaredError
from trialrun.runtime.options import runtime_options
from trialrun.values import cron, language_tag, timestamp
from trialrun.values.cron.fields import FIELDS, Field, set_bits
from trialrun.values.language_tag.grammar import Grandfathered, SyntaxFault, parse
from trialrun.values.language_tag.registry import registry
from trialrun.workspace.open_workspace.catalog_cache import brands

if TYPE_CHECKING:
    from trialrun.lsp.describe.condition import DescribedPart
    from trialrun.lsp.describe.value_location import ValueLocation
    from trialrun.lsp.symbols.occurrence import NameKind, Occurrence
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.node import TextFormat
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.text import Span
    from trialrun.values.cron import CronExpression, CronToken
    from trialrun.values.language_tag.registry import Registry


MAX_CONDITION_LENGTH = 20_000
"""Maximum length of a condition that is parsed during a request."""
MAX_TEXT_LENGTH = 1_000
"""Maximum length of other texts that are described beyond their field."""
DESCRIBED_DECLARATIONS: Final[frozenset[NameKind]] = frozenset(
    {"binding", "brand", "column", "config", "item", "modifier", "modifier group", "online store", "store", "view"}
)
"""Kinds of names that are described at their declaration; for others, the declaration itself says everything."""
FORMATS_WITH_NAMES: Final[frozenset[TextFormat]] = frozenset(
    {"field-path", "order-line", "session-script", "session-table"}
)
"""Formats of texts that contain names of the workspace."""


def describe_value(place: ValueLocation) -> HoverText:
    """The range and the description of a value; empty at most keys."""
    text_format, text = place.member.spec.format, place.text
    if text_format == "cel-condition" and 0 < len(text) <= MAX_CONDITION_LENGTH:
        return condition_at(place)
    if text_format == "cron" and len(text) <= MAX_TEXT_LENGTH:
        return _schedule(place)
    if text_format == "cel-type":
        return HoverText(place.spot.span, tuple(schema_paragraphs(place)))
    occurrence = _mention(place) if text and _may_name(place) else None
    if occurrence is not None:
        return _describe_name(place, occurrence)
    if text_format == "field-path" and 0 < len(text) <= MAX_TEXT_LENGTH:
        return field_on_path(place)
    return HoverText(place.spot.span, tuple(_paragraphs(place)))


def _may_name(place: ValueLocation) -> bool:
    """Whether the field may contain a name of the workspace."""
    if place.member.spec.format in FORMATS_WITH_NAMES:
        return True
    says = (name for name in name_fields(place.member.model) if name.field == place.member.name)
    return any(not say.declares or (say.kind in DESCRIBED_DECLARATIONS and "name" in say.forms) for say in says)


def _paragraphs(place: ValueLocation) -> Iterator[str]:
    spec, type_ = place.member.spec, place.member.type
    text, now = place.text, place.workspace.request.now
    if len(text) > MAX_TEXT_LENGTH:
        return
    if spec.format == "time-zone":
        yield from zone_paragraphs(text, now)
    elif spec.format == "language-tag":
        yield from language_paragraphs(text)
    elif spec.format == "timestamp" and text:
        yield from timestamp_paragraphs(text, now)
    elif type_.scalar is int and place.member.name in (place.member.model.item_key or ()):
        yield from upsell_order_paragraphs(place)
    elif "tag" in (spec.names, spec.declares) and text:
        yield from tag_paragraphs(text, _brands(place))
    elif spec.format == "item-name-part":
        yield from skip_term_paragraphs(place)
    elif spec.declares == "config" or _is_config_state(place):
        yield from _config(place, None)


def _is_config_state(place: ValueLocation) -> bool:
    """Whether the field is the state that the service sets in a config."""
    member = place.member
    return place.part.kind == "ChannelConfig" and member.spec.mode == "output only" and bool(member.type.enum)


def _schedule(place: ValueLocation) -> HoverText:
    """The time zone or the cron field at the cursor, then the schedule of the view."""
    now, schedule = place.workspace.request.now, schedule_of_view(place.part.model.node, place.workspace)
    if schedule is None:
        return HoverText(place.spot.span, ())
    whole = tuple(schedule_paragraphs(schedule, now))
    file = cron.parse(place.text) if place.text else None
    zone = file.zone_token if file else None
    if zone and zone.start <= place.character < zone.end and place.is_inside(zone.start, zone.end):
        return HoverText(place.inside(zone.start, zone.end), (*zone_paragraphs(zone.text, now), *whole))
    cron_field = field_at(file.cron, place.character) if file and file.cron else None
    if cron_field and place.is_inside(cron_field[0].start, cron_field[0].end):
        return HoverText(place.inside(cron_field[0].start, cron_field[0].end), (cron_field[1], *whole))
    return HoverText(place.spot.span, whole)


def _mention(place: ValueLocation) -> Occurrence | None:
    """The name at the cursor, as for go to definition."""
    return occurrence_at(place.workspace, place.path, place.offset)


def _describe_name(place: ValueLocation, occurrence: Occurrence) -> HoverText:
    span = _span(place, occurrence)
    paragraphs: Iterable[str]
    match occurrence.kind:
        case "config":
            paragraphs = _config(place, occurrence)
        case "store":
            paragraphs = _store(place, occurrence.text)
        case "binding":
            paragraphs = (*declaration_paragraphs(place.workspace, occurrence), *_binding(place))
        case _:
            paragraphs = declaration_paragraphs(place.workspace, occurrence)
    return HoverText(span, tuple(paragraphs))


def _span(place: ValueLocation, occurrence: Occurrence) -> Span:
    """The range of a name within its text, or of the whole value."""
    return place.inside(*occurrence.chars) if occurrence.chars else place.spot.span


def _config(place: ValueLocation, occurrence: Occurrence | None) -> Iterator[str]:
    """The config at the cursor, or that is named there: its type and state, and the stores where it applies."""
    catalog = _brands(place)
    lists = runtime_options(place.workspace.request.profiles.settings.runtime).list_merge
    declared_resources: Sequence[DeclaredResource[ChannelConfig]]
    if place.part.kind == "ChannelConfig":
        keys = [(place.path, place.spot.document.index, json_pointer(place.part.root))]
        declared_resources = [config for config in catalog.configs if document_key(config) == keys[0]]
    else:
        named = occurrence.text if occurrence else place.text
        declared_resources = catalog.configs_named(named, brand=(occurrence.scope or None) if occurrence else None)
        keys = [document_key(declared_resource) for declared_resource in declared_resources]
    yield from (
        paragraph
        for declared_resource in declared_resources
        for paragraph in config_paragraphs(declared_resource, catalog)
    )
    if len(keys) == 1:
        yield from stores_paragraphs(applied_configs(catalog, lists).get(keys[0], ()), catalog)


def _binding(place: ValueLocation) -> Iterator[str]:
    """The stores at which the binding applies whose rule is declared here."""
    if place.part.kind != "Brand" or place.way[-1:] != ("rule",):
        return
    file = place.workspace.workspace_file(place.path)
    steps = (*place.way[len(place.part.root) : -1], "channelConfig")
    range_ = file.range(place.part.span(PlaceOfModel(place.part.model.node, steps))) if file else None
    lists = runtime_options(place.workspace.request.profiles.settings.runtime).list_merge
    bindings = applied_by_binding(_brands(place), lists).get((place.path, range_), ()) if range_ else ()
    yield from binding_paragraphs(bindings)


def _store(place: ValueLocation, name: str) -> Iterator[str]:
    """The configs of the store that is declared or named here."""
    catalog = _brands(place)
    try:
        store = catalog.store(name)
    except UndeclaredError:
        return
    yield from store_paragraphs(store, place.workspace.request.now)
    yield from configs_paragraphs(store, catalog)


def _brands(place: ValueLocation) -> BrandCatalog:
    return brands(place.workspace)


def condition_at(place: ValueLocation) -> HoverText:
    """The part of a condition at the cursor; empty in indentation and folding."""
    described_part = describe_part(place.text, place.character, place.workspace.session_types(place.path))
    if described_part is None or not place.is_inside(described_part.start, described_part.end):
        return HoverText(place.spot.span, ())
    further = (*_of_time(place, described_part), *(_of_word(place) if described_part.is_word else ()))
    return HoverText(
        place.inside(described_part.start, described_part.end), (*described_part.paragraphs, *further), is_all=True
    )


def _of_time(place: ValueLocation, described_part: DescribedPart) -> Iterator[str]:
    """A readable form of the timestamp or duration in a condition."""

    function, text = described_part.given or ("", "")
    if function == "timestamp":
        yield from timestamp_paragraphs(text, place.workspace.request.now)
    elif function == "duration":
        yield from duration_paragraphs(text)


def _of_word(place: ValueLocation) -> tuple[str, ...]:
    """The declaration of a word in a condition: a menu item by its name, or a variable of the session."""
    occurrence = occurrence_at(place.workspace, place.path, place.offset)
    if occurrence is None:
        return ()
    return (
        *declaration_paragraphs(place.workspace, occurrence),
        *schema_declaration_paragraphs(place.workspace, occurrence),
    )


MAX_LISTED = 12


def field_at(schedule: CronExpression, character: int) -> tuple[CronToken, str] | None:
    """The cron field at a character, and its values in words; None elsewhere, and in macros such as @daily."""
    if len({token.start for token in schedule.fields}) < len(FIELDS):
        return None
    for field, token, mask, star in zip(FIELDS, schedule.fields, schedule.masks, schedule.stars, strict=True):
        if token.start <= character < token.end:
            asked = f"every {field.name}" if star else f"{field.name} {_values(field, mask)}"
            return token, f"{code(token.text)}: {asked}"
    return None


def _values(field: Field, mask: int) -> str:
    """The values of a cron field as words or numbers."""
    values = list(set_bits(mask))
    shown = ", ".join(_names(field, values[:MAX_LISTED]))
    return f"{shown} and {len(values) - MAX_LISTED} more" if len(values) > MAX_LISTED else shown


def _names(field: Field, values: list[int]) -> Iterator[str]:
    return (field.words[value - field.first] if field.words else str(value) for value in values)


def field_on_path(place: ValueLocation) -> HoverText:
    """The config field at the cursor in a field path; empty if the path is invalid."""
    try:
        steps = parse_path(place.text)
    except UnknownFieldError:
        return HoverText(place.spot.span, ())
    at = next((at for at, one in enumerate(steps) if one.chars[0] <= place.character < one.chars[1]), None)
    names = tuple(step.text for step in steps[: (at or 0) + 1] if not step.bracketed)
    member = model_field_on_path(ChannelConfig, names) if at is not None else None
    if at is None or member is None:
        return HoverText(place.spot.span, ())
    return HoverText(place.inside(*steps[at].chars), tuple(field_paragraphs(member)))


_PART = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(h|ms|m|us|ns|s)")


_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


_LONGEST = timedelta(days=36_500).total_seconds()


def timestamp_paragraphs(text: str, now: datetime) -> Iterator[str]:
    """The weekday and time in UTC, relative to now; empty if the text is not a timestamp."""
    if timestamp.check(text):
        return
    read = timestamp.parse(text)
    time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read.seconds)
    seconds = f":{time.second:02}" if time.second or read.nanos else ""
    shown = f"{format_day(time)} {format_clock(time)}{seconds} UTC" if seconds else format_utc(time)
    yield f"{code(text)}: {' '.join(shown.split())}, {_distance(time - now)}."


def duration_paragraphs(text: str) -> Iterator[str]:
    """A duration in days, hours and minutes; empty if the text is not a duration."""
    parts = _PART.findall(text)
    if parts and not _PART.sub("", text).strip("-"):
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        is_short = seconds % 60 != 0 or seconds > _LONGEST
        yield f"{code(text)}: {f'{seconds:,g} seconds' if is_short else format_duration(timedelta(seconds=seconds))}."


def _distance(span: timedelta) -> str:
    if span >= timedelta(0):
        return format_time_until(span)
    return f"{format_time_until(-span).removeprefix('in ')} ago"


NAMED_AT_ONCE = 2
"""Number of subtags (language and region) that need no further explanation."""
WORDS = {
    "language": "language",
    "extlang": "extended language",
    "script": "script",
    "region": "region",
    "variant": "variant",
}


def language_paragraphs(tag: str) -> Iterator[str]:
    """The English name of a tag, its canonical form if different, and its parts; empty for an invalid tag."""
    form = language_tag.canonicalize(tag)
    if form is None:
        return
    name = language_tag.english_name(tag)
    named = plain(name) if name else "a registered language"
    canonical = "" if form == tag else f"; the canonical form is {code(form)}"
    yield f"{code(tag)}: {named}{canonical}"
    parts = list(_parts(form))
    if len(parts) > NAMED_AT_ONCE or (len(parts) > 1 and not name):
        yield ", ".join(parts)


def _parts(form: str) -> Iterator[str]:
    """The subtags of a canonical tag, with their type and their name if known."""
    tag = parse(form)
    if isinstance(tag, SyntaxFault | Grandfathered):
        return
    for subtag in tag:
        if subtag.kind not in WORDS:
            return
        name = _subtag_name(registry(), subtag.kind, subtag.code)
        yield f"{WORDS[subtag.kind]} {code(subtag.text)}{f' {plain(name)}' if name else ''}"


def _subtag_name(known: Registry, kind: str, code: str) -> str:
    names = {"language": known.names, "script": known.scripts, "region": known.regions}
    return names.get(kind, {}).get(code, "").partition(";")[0]


SCALAR_DOCS = {
    "string": "a text",
    "int": "a whole number of 64 bits",
    "uint": "a whole number from 0 up, of 64 bits",
    "double": "a number with a fraction",
    "bool": "true or false",
    "bytes": "bytes",
    "timestamp": "a moment",
    "duration": "a duration",
    "dyn": "any type; not type-checked",
}
CONSTRUCTOR_DOCS = {
    "list": "list(T): elements of one type",
    "map": "map(K, V): values by their keys",
    "enum": "enum(a, b): a text that is one of these",
}


def schema_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The type under the cursor in a type text; at the key of a field or variable, its type and comment."""
    if place.text:
        yield from _of_type_text(place)
    elif place.spot.is_key and isinstance(place.value, str):
        file = place.workspace.workspace_file(place.path)
        position = file.source.position(place.spot.span.start) if file else None
        remark = trailing_comment(file, position.line) if file and position else ""
        name = ".".join(str(step) for step in place.way[len(place.part.root) + 1 :])
        yield f"{code(name)}: {code(place.value)}{f', {plain(remark)}' if remark else ''}"


def _of_type_text(place: ValueLocation) -> Iterator[str]:
    """The type at the cursor inside of a type text: a scalar, or a message with its fields."""
    word = next(
        (match for match in re.finditer(r"\w+", place.text) if match.start() <= place.character < match.end()), None
    )
    if word is None:
        return
    types = getattr(place.part.model.node, "types", None) or {}
    if word[0] in types:
        fields = ", ".join(f"{code(name)} {plain(text)}" for name, text in types[word[0]].items())
        yield f"{code(word[0])}: a type of this schema"
        yield f"Fields: {fields}" if fields else "It has no fields."
    elif word[0] in SCALAR_DOCS:
        yield f"{code(word[0])}: {SCALAR_DOCS[word[0]]}"
    elif word[0] in CONSTRUCTOR_DOCS:
        yield code(CONSTRUCTOR_DOCS[word[0]].partition(":")[0]) + ":" + CONSTRUCTOR_DOCS[word[0]].partition(":")[2]
    if place.text.rstrip().endswith("?"):
        yield "With `?` the value may be absent."


MAX_LISTED = 12


def upsell_order_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The upsells of a strategy in the order of attempts."""
    operations = getattr(place.part.model.node, "operationsConfig", None)
    strategy = operations.upsellStrategy if operations else None
    upsells: list[UpsellConfig] = (strategy.upsells if strategy else None) or []
    ordered = sorted((upsell for upsell in upsells if upsell.priority is not None), key=lambda one: one.priority or 0)
    if len(ordered) <= 1:
        return
    here = _index(place) if type(upsells) is list else None  # one that lost items counts otherwise
    current = upsells[here] if here is not None and here < len(upsells) else None
    lines = [
        f"{number}. {_upsell(one, is_here=one is current)}" for number, one in enumerate(ordered[:MAX_LISTED], start=1)
    ]
    more = [f"{MAX_LISTED + 1}. and {len(ordered) - MAX_LISTED} more"] if len(ordered) > MAX_LISTED else []
    yield "\n".join(["Attempted in this order:", "", *lines, *more])


def _index(place: ValueLocation) -> int | None:
    """The index in its list of the upsell whose priority is at a location."""
    step = place.way[-2] if len(place.way) > 1 else None
    return step if isinstance(step, int) else None


def _upsell(upsell_config: UpsellConfig, *, is_here: bool) -> str:
    disabled = ", disabled" if upsell_config.disabled else ""
    name = plain(upsell_config.displayName or "without a display name")
    return f"{f'**{name}**' if is_here else name} (priority {upsell_config.priority}{disabled})"


def skip_term_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The menu items whose names contain the skip term."""
    brand = (getattr(place.part.model.node, "name", None) or "").rpartition("/channelConfigs/")[0]
    menus = [menu.node for menu in brands(place.workspace).menus if not brand or menu.node.brand in (None, brand)]
    if not place.text or not menus:
        return
    names = {
        title: filter(None, (item.displayName, item.name, item.semanticName))
        for menu in menus
        for item in menu.items or ()
        if (title := entry_title(item))
    }
    skipping = [title for title, texts in names.items() if any(has_skip_term(text, place.text) for text in texts)]
    if not skipping:
        yield f"No item of the menu has {code(place.text)} in its name."
        return
    shown = ", ".join(code(name) for name in skipping[:MAX_LISTED])
    more = f" and {len(skipping) - MAX_LISTED} more" if len(skipping) > MAX_LISTED else ""
    yield f"Skipped with {pluralize(len(skipping), 'item')} of the menu in the order: {shown}{more}"
