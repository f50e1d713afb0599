"""Description of a value: languages, schedules, conditions, types, upsells, declared names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from trialrun.diagnostic import SymbolicLocation, json_pointer
from trialrun.lsp.describe import MAX_LISTED, code, plain, shortened
from trialrun.lsp.describe.condition import describe_part
from trialrun.lsp.describe.declaration import declaration_paragraphs, schema_declaration_paragraphs
from trialrun.lsp.describe.field import field_paragraphs, model_field_on_path
from trialrun.lsp.describe.schedule import (
    cron_field_at,
    duration_paragraphs,
    schedule_of_view,
    schedule_paragraphs,
    timestamp_paragraphs,
    zone_paragraphs,
)
from trialrun.lsp.describe.stores import (
    applied_by_binding,
    applied_configs,
    binding_paragraphs,
    config_paragraphs,
    document_key,
    store_paragraphs,
    stores_paragraphs,
    tag_paragraphs,
)
from trialrun.lsp.describe.value_location import HoverText, ValueLocation, trailing_comment
from trialrun.lsp.symbols.index import occurrence_at
from trialrun.lsp.symbols.occurrence import NameKind, Occurrence, name_fields
from trialrun.model.channel_config import ChannelConfig, UpsellConfig
from trialrun.model.menu import entry_title
from trialrun.model.node import TextFormat
from trialrun.report.summary import pluralize
from trialrun.runtime.channel_config.field_path import UnknownFieldError, parse_path
from trialrun.runtime.channel_config.session.offering import has_skip_term
from trialrun.runtime.declaration import DeclaredResource
from trialrun.values import Problem, cron, language_tag
from trialrun.values.language_tag.tag import parse, registry
from trialrun.workspace.open_workspace.catalog_cache import brands

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
        return _describe_condition(place)
    if text_format == "cron" and len(text) <= MAX_TEXT_LENGTH:
        return _describe_schedule(place)
    if text_format == "cel-type":
        return HoverText(place.spot.span, tuple(_type_paragraphs(place)))
    if text and _may_name(place) and (occurrence := occurrence_at(place.workspace, place.path, place.offset)):
        span = place.inside(*occurrence.chars) if occurrence.chars else place.spot.span
        return HoverText(span, tuple(_name_paragraphs(place, occurrence)))
    if text_format == "field-path" and 0 < len(text) <= MAX_TEXT_LENGTH:
        return _describe_field_path(place)
    return HoverText(place.spot.span, tuple(_paragraphs(place)))


def _may_name(place: ValueLocation) -> bool:
    """Whether the field may contain a name of the workspace."""
    if place.member.spec.format in FORMATS_WITH_NAMES:
        return True
    says = (name for name in name_fields(place.member.model) if name.field == place.member.name)
    return any(not say.declares or (say.kind in DESCRIBED_DECLARATIONS and "name" in say.forms) for say in says)


def _paragraphs(place: ValueLocation) -> Iterator[str]:
    member, text, now = place.member, place.text, place.workspace.request.now
    spec, type_ = member.spec, member.type
    is_state = place.part.kind == "ChannelConfig" and spec.mode == "output only" and bool(type_.enum)
    if len(text) > MAX_TEXT_LENGTH:
        return
    if spec.format == "time-zone":
        yield from zone_paragraphs(text, now)
    elif spec.format == "language-tag":
        yield from language_paragraphs(text)
    elif spec.format == "timestamp" and text:
        yield from timestamp_paragraphs(text, now)
    elif type_.scalar is int and member.name in (member.model.item_key or ()):
        yield from _upsell_order_paragraphs(place)
    elif "tag" in (spec.names, spec.declares) and text:
        yield from tag_paragraphs(text, brands(place.workspace))
    elif spec.format == "item-name-part":
        yield from _skip_term_paragraphs(place)
    elif spec.declares == "config" or is_state:
        yield from _config(place, None)


def _describe_schedule(place: ValueLocation) -> HoverText:
    """The time zone or the cron field at the cursor, then the schedule of the view."""
    now, schedule = place.workspace.request.now, schedule_of_view(place.part.model.node, place.workspace)
    if schedule is None:
        return HoverText(place.spot.span, ())
    whole = tuple(schedule_paragraphs(schedule, now))
    parsed = cron.parse(place.text) if place.text else None
    zone = parsed.zone_token if parsed else None
    if zone and zone.start <= place.character < zone.end and place.is_inside(zone.start, zone.end):
        return HoverText(place.inside(zone.start, zone.end), (*zone_paragraphs(zone.text, now), *whole))
    token, words = cron_field_at(parsed.cron, place.character) if parsed and parsed.cron else (None, "")
    if token and place.is_inside(token.start, token.end):
        return HoverText(place.inside(token.start, token.end), (words, *whole))
    return HoverText(place.spot.span, whole)


def _name_paragraphs(place: ValueLocation, occurrence: Occurrence) -> Iterator[str]:
    """A name of the workspace, as go to definition finds it."""
    if occurrence.kind == "config":
        yield from _config(place, occurrence)
    elif occurrence.kind == "store":
        yield from store_paragraphs(occurrence.text, brands(place.workspace), place.workspace.request.now)
    else:
        yield from declaration_paragraphs(place.workspace, occurrence)
        if occurrence.kind == "binding":
            yield from _binding(place)


def _config(place: ValueLocation, occurrence: Occurrence | None) -> Iterator[str]:
    """The config at the cursor, or that is named there: its type and state, and the stores where it applies."""
    catalog = brands(place.workspace)
    configs: Sequence[DeclaredResource[ChannelConfig]]
    if place.part.kind == "ChannelConfig":
        keys = [(place.path, place.spot.document.index, json_pointer(place.part.root))]
        configs = [config for config in catalog.configs if document_key(config) == keys[0]]
    else:
        named = occurrence.text if occurrence else place.text
        configs = catalog.configs_named(named, brand=(occurrence.scope or None) if occurrence else None)
        keys = [document_key(config) for config in configs]
    for config in configs:
        yield from config_paragraphs(config, catalog)
    if len(keys) == 1:
        yield from stores_paragraphs(applied_configs(place.workspace).get(keys[0], ()), catalog)


def _binding(place: ValueLocation) -> Iterator[str]:
    """The stores at which the binding applies whose rule is declared here."""
    file = place.workspace.workspace_file(place.path)
    if file and place.part.kind == "Brand" and place.way[-1:] == ("rule",):
        steps = (*place.way[len(place.part.root) : -1], "channelConfig")
        range_ = file.range(place.part.span(SymbolicLocation(place.part.model.node, steps)))
        yield from binding_paragraphs(applied_by_binding(place.workspace).get((place.path, range_), ()))


def _describe_condition(place: ValueLocation) -> HoverText:
    """The part of a condition at the cursor; empty in indentation and folding."""
    part = describe_part(place.text, place.character, place.workspace.session_types(place.path))
    if part is None or not place.is_inside(part.start, part.end):
        return HoverText(place.spot.span, ())
    paragraphs = list(part.paragraphs)
    function, text = part.given or ("", "")
    if function == "timestamp":
        paragraphs += timestamp_paragraphs(text, place.workspace.request.now)
    elif function == "duration":
        paragraphs += duration_paragraphs(text)
    if part.is_word and (occurrence := occurrence_at(place.workspace, place.path, place.offset)):
        paragraphs += declaration_paragraphs(place.workspace, occurrence)
        paragraphs += schema_declaration_paragraphs(place.workspace, occurrence)
    return HoverText(place.inside(part.start, part.end), tuple(paragraphs), is_all=True)


def _describe_field_path(place: ValueLocation) -> HoverText:
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


NAMED_AT_ONCE = 2
"""Number of subtags (language and region) that need no further explanation."""
SUBTAGS = {"extlang": "extended language"} | {kind: kind for kind in ("language", "script", "region", "variant")}


def language_paragraphs(tag: str) -> Iterator[str]:
    """The English name of a tag, its canonical form if different, and its parts; empty for an invalid tag."""
    form = language_tag.canonicalize(tag)
    if form is None:
        return
    name = language_tag.english_name(tag)
    canonical = "" if form == tag else f"; the canonical form is {code(form)}"
    yield f"{code(tag)}: {plain(name) if name else 'a registered language'}{canonical}"
    parts = list(_subtags(form))
    if len(parts) > NAMED_AT_ONCE or (len(parts) > 1 and not name):
        yield ", ".join(parts)


def _subtags(form: str) -> Iterator[str]:
    """The subtags of a canonical tag, with their type and their name if known."""
    tag, known = parse(form), registry()
    if isinstance(tag, Problem | str):
        return
    names = {"language": known.names, "script": known.scripts, "region": known.regions}
    for subtag in tag:
        if subtag.kind not in SUBTAGS:
            return
        name = names.get(subtag.kind, {}).get(subtag.code, "").partition(";")[0]
        yield f"{SUBTAGS[subtag.kind]} {code(subtag.text)}{f' {plain(name)}' if name else ''}"


TYPE_DOCS = {
    "string": "`string`: a text",
    "int": "`int`: a whole number of 64 bits",
    "uint": "`uint`: a whole number from 0 up, of 64 bits",
    "double": "`double`: a number with a fraction",
    "bool": "`bool`: true or false",
    "bytes": "`bytes`: bytes",
    "timestamp": "`timestamp`: a moment",
    "duration": "`duration`: a duration",
    "dyn": "`dyn`: any type; not type-checked",
    "list": "`list(T)`: elements of one type",
    "map": "`map(K, V)`: values by their keys",
    "enum": "`enum(a, b)`: a text that is one of these",
}


def _type_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The type under the cursor in a type text; at the key of a field or variable, its type and comment."""
    file = place.workspace.workspace_file(place.path)
    if not place.text and place.spot.is_key and isinstance(place.value, str):
        remark = trailing_comment(file, file.source.position(place.spot.span.start).line) if file else ""
        name = ".".join(str(step) for step in place.way[len(place.part.root) + 1 :])
        yield f"{code(name)}: {code(place.value)}{f', {plain(remark)}' if remark else ''}"
    words = (word for word in re.finditer(r"\w+", place.text) if word.start() <= place.character < word.end())
    word = next((word[0] for word in words), None)
    if word is None:
        return
    types = getattr(place.part.model.node, "types", None) or {}
    if word in types:
        fields = ", ".join(f"{code(name)} {plain(text)}" for name, text in types[word].items())
        yield f"{code(word)}: a type of this schema"
        yield f"Fields: {fields}" if fields else "It has no fields."
    elif word in TYPE_DOCS:
        yield TYPE_DOCS[word]
    if place.text.rstrip().endswith("?"):
        yield "With `?` the value may be absent."


def _upsell_order_paragraphs(place: ValueLocation) -> Iterator[str]:
    """The upsells of a strategy in the order of attempts."""
    operations = getattr(place.part.model.node, "operationsConfig", None)
    strategy = operations.upsellStrategy if operations else None
    upsells: list[UpsellConfig] = (strategy.upsells if strategy else None) or []
    ordered = sorted((upsell for upsell in upsells if upsell.priority is not None), key=lambda one: one.priority or 0)
    if len(ordered) <= 1:
        return
    index = place.way[-2] if len(place.way) > 1 else None
    is_whole = type(upsells) is list  # one that lost items counts otherwise
    current = upsells[index] if is_whole and isinstance(index, int) and index < len(upsells) else None
    lines = ["Attempted in this order:", ""]
    for number, upsell in enumerate(ordered[:MAX_LISTED], start=1):
        name = plain(upsell.displayName or "without a display name")
        disabled = ", disabled" if upsell.disabled else ""
        lines.append(f"{number}. {f'**{name}**' if upsell is current else name} (priority {upsell.priority}{disabled})")
    if len(ordered) > MAX_LISTED:
        lines.append(f"{MAX_LISTED + 1}. and {len(ordered) - MAX_LISTED} more")
    yield "\n".join(lines)


def _skip_term_paragraphs(place: ValueLocation) -> Iterator[str]:
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
    skipping = [code(title) for title, texts in names.items() if any(has_skip_term(one, place.text) for one in texts)]
    if not skipping:
        yield f"No item of the menu has {code(place.text)} in its name."
        return
    yield f"Skipped with {pluralize(len(skipping), 'item')} of the menu in the order: {shortened(skipping)}"
