"""Scenario coverage: what scenarios exercise, what they could exercise, and what none of them does."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from trialrun.diagnostic import SymbolicLocation, json_pointer
from trialrun.model.channel_config import OfferMessage, UpsellConfig
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.channel_config.active_config import ActiveConfig, Origin, resolve_active_config
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, message_lotteries
from trialrun.runtime.channel_config.session.offering import skipping_name
from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SkippedUpsell, Turn, upsell_name
from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource, DeclaredStore
from trialrun.runtime.feature_view.schedule import CronSchedule, schedule_of
from trialrun.runtime.feature_view.search import index_config
from trialrun.runtime.options import Options
from trialrun.values.cel import Node, walk
from trialrun.values.cel.parse import parse
from trialrun.values.resource_name import last_id

ASPECTS: Mapping[str, str] = {
    "views": "views are synced, fetched, searched or written",
    "features": "features of these views are expected",
    "filterColumns": "filter columns are used in a search",
    "crowdingColumns": "crowding columns are used in a search",
    "schedules": "cron schedules are checked",
    "stores": "stores are resolved",
    "upsells": "upsells are offered",
    "conditionsTrue": "conditions are true in a turn",
    "conditionsFalse": "conditions are false in a turn",
    "conditionParts": "parts of conditions matter in a turn",
    "limits": "limits of upsells keep one from being offered",
    "skips": "skips after an upsell, or with several of an item, keep an upsell from being offered",
    "skipTerms": "skip terms keep a closing offer from being made",
    "orders": "upsells win or lose by their priority",
    "flags": "features are expected of the agent",
    "mappings": "mappings are used",
    "messages": "messages are used",
}
"""Every aspect of coverage, with the words after `3 of 9`."""
LIMITS = {"max-offers": "maxUpsellOffers", "max-declines": "maxUpsellDeclines", "max-items": "maxItemsInCart"}
SKIPS = {"previous-turn": "skipOnPreviousTurnUpsell", "multi-quantity": "skipOnMultiQuantityUpsoldFromItem"}
"""The field behind each reason to skip an upsell: of the strategy, and of the upsell."""


@dataclass(frozen=True, slots=True, order=True)
class CoverageTarget:
    """Something that a scenario can exercise: one `name` of an aspect, such as the feature `guests.tier`.

    `key` tells it from others of its name; it is declared at a `place` of a document.
    """

    aspect: str
    name: str
    key: str
    document: DeclaredResource[Any] = field(compare=False)
    place: SymbolicLocation = field(compare=False)

    @property
    def line(self) -> int:
        """The line, from 1, of its declaration."""
        return self.document.locate(self.place).start.line


class CoverageRecorder:
    """Collects, over all scenarios that are played, the aspects and keys of what is exercised.

    `discovered` are targets that only playing tells. `is_enabled` says whether anyone will ask; what takes long to find
    out is only noted then.
    """

    def __init__(self, *, is_enabled: bool = True) -> None:
        self.is_enabled = is_enabled
        self.recorded: set[tuple[str, str]] = set()
        self.discovered: dict[tuple[str, str], CoverageTarget] = {}

    def record(self, aspect: str, *keys: str) -> None:
        """Note that targets of an aspect are exercised."""
        self.recorded.update((aspect, key) for key in keys)

    def record_flag(self, origin: Origin) -> None:
        """Note that something is expected of a feature of the agent."""
        if "featuresConfig" in origin.place.path:
            self.record("flags", origin_key(origin))

    def add_features(self, view: DeclaredResource[FeatureView], names: Sequence[str]) -> None:
        """Note the features of a view, which are known from its tables."""
        for name in names:
            target = _view_target("features", view, view.node.location("name"), name)
            self.discovered.setdefault((target.aspect, target.key), target)


def measure_coverage(
    catalog: Catalog, brands: BrandCatalog, options: Options, recorder: CoverageRecorder
) -> Iterator[tuple[str, int, list[CoverageTarget]]]:
    """Each aspect of a workspace, how many targets it has, and those that no scenario exercises, in order."""
    found = [*_view_targets(catalog), *_store_targets(brands, options)]
    by_key = recorder.discovered | {(target.aspect, target.key): target for target in reversed(found)}
    for aspect in ASPECTS:
        targets = sorted(target for target in by_key.values() if target.aspect == aspect)
        yield aspect, len(targets), [target for target in targets if (aspect, target.key) not in recorder.recorded]


def view_key(view: DeclaredResource[FeatureView], part: str | None = None) -> str:
    """What a view, or a part of one, is called in coverage: the ids of its store and its own."""
    name = "/".join((view.node.name or "").split("/")[-3::2])
    return name if part is None else f"{name}.{part}"


def store_key(store: DeclaredStore) -> str:
    """What a store is called in coverage: the ids of its brand and its own."""
    return f"{last_id(store.brand.node.name or '')}/{last_id(store.name)}"


def _view_target(
    aspect: str, view: DeclaredResource[FeatureView], place: SymbolicLocation, part: str | None = None
) -> CoverageTarget:
    return CoverageTarget(aspect, view_key(view, part), view_key(view, part), view, place)


def _view_targets(catalog: Catalog) -> Iterator[CoverageTarget]:
    """What the documents of views tell; their features are found when they are synced."""
    for view in catalog.views:
        if not view.node.name:
            continue
        yield _view_target("views", view, view.node.location("name"))
        if isinstance(schedule_of(view.node), CronSchedule):
            yield _view_target("schedules", view, view.node.location("syncConfig", "cron"))
        index = index_config(view.node)
        if index is None:
            continue
        for number, column in enumerate(index.filterColumns or ()):
            yield _view_target("filterColumns", view, index.location("filterColumns", number), column)
        if index.crowdingColumn:
            yield _view_target("crowdingColumns", view, index.location("crowdingColumn"), index.crowdingColumn)


def record_turn(turn: Turn, active_config: ActiveConfig, recorder: CoverageRecorder) -> None:
    """Note what a turn exercises, where coverage is asked for."""
    if not recorder.is_enabled:
        return
    recorder.record("upsells", *(origin_key(active_config.origin_of(offer.upsell)) for offer in turn.offers))
    recorder.record("mappings", *(origin_key(term.origin, above="customerTerms") for term in turn.mapped_terms))
    for skipped in turn.skipped:
        _record_skip(skipped, turn, active_config, recorder)
    for condition in turn.conditions:
        _record_condition(condition, recorder)
    for utterance in turn.utterances:
        if utterance.kind == "greeting":
            recorder.record("messages", origin_key(utterance.origin, above="greetingPhrases"))
        elif utterance.kind in ("greeting-offer", "closing-offer"):
            recorder.record("messages", origin_key(utterance.origin))


def _record_skip(skipped: SkippedUpsell, turn: Turn, active_config: ActiveConfig, recorder: CoverageRecorder) -> None:
    code, upsell, strategy = skipped.code, skipped.upsell, active_config.upsell_strategy
    if code in LIMITS and strategy is not None:
        recorder.record("limits", origin_key(active_config.origin_of(strategy, LIMITS[code])))
    elif code in SKIPS:
        recorder.record("skips", origin_key(active_config.origin_of(upsell, SKIPS[code])))
    elif code == "skip-term":
        closing = upsell.closingOffer
        for message in (closing.closingMessages if closing else None) or ():
            for index, term in enumerate(message.skipTerms or ()):
                if any(skipping_name(line_item.item, term) for line_item in turn.order):
                    recorder.record("skipTerms", origin_key(active_config.origin_of(message, "skipTerms", index)))
    elif code == "less-favored":
        for rival in (upsell, *(offer.upsell for offer in turn.offers if offer.kind != "suggestion")):
            if rival.priority is not None:
                recorder.record("orders", origin_key(active_config.origin_of(rival, "priority")))


def _record_condition(condition: EvaluatedCondition, recorder: CoverageRecorder) -> None:
    key = origin_key(condition.origin)
    if condition.value is not None:
        recorder.record("conditionsTrue" if condition.value else "conditionsFalse", key)
    cel = condition.upsell.celUpsell
    for start, _, mutated in operand_deletions((cel.conditionExpression if cel else None) or ""):
        operand = "conditionParts", f"{key}@{start}"
        if operand not in recorder.recorded and condition.evaluate_instead(mutated) is not condition.value:
            recorder.record(*operand)


@lru_cache(maxsize=1024)
def operand_deletions(text: str) -> tuple[tuple[int, int, str], ...]:
    """Every operand that a condition could be without, outer ones first: its start, its end, the text without it."""
    tree = parse(text).tree
    return () if tree is None else tuple(deletion for node in walk(tree) for deletion in _node_deletions(node, text))


def _node_deletions(node: Node, text: str) -> Iterator[tuple[int, int, str]]:
    if node.kind == "operator" and node.name in ("&&", "||"):
        neutral = "true" if node.name == "&&" else "false"
        for child in node.children:
            yield child.start, child.end, f"{text[: child.start]}{neutral}{text[child.end :]}"
    elif node.kind == "conditional":
        _, yes, no = node.children
        for gone, kept in ((yes, no), (no, yes)):
            yield gone.start, gone.end, f"{text[: node.start]}({text[kept.start : kept.end]}){text[node.end :]}"


def collapse_spaces(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def origin_key(origin: Origin, *, above: str | None = None) -> str:
    """What distinguishes a part of a config from all others: where it is; `above` a field, the message that has it."""
    steps = origin.place.path
    path = steps if above is None else steps[: steps.index(above)]
    return f"{origin.path}#{origin.config.document}{origin.config.pointer}{json_pointer(path)}"


def _target(
    aspect: str, name: str, origin: Origin, *, key: str | None = None, chars: tuple[int, int] | None = None
) -> CoverageTarget:
    place = origin.place if chars is None else SymbolicLocation(origin.place.node, origin.place.path, chars)
    title = f"{last_id(origin.name)}: {name}"
    return CoverageTarget(aspect, title, key or origin_key(origin), origin.config, place)


def _store_targets(brands: BrandCatalog, options: Options) -> Iterator[CoverageTarget]:
    """The stores, and the upsells, conditions, mappings and messages that are effective at any of them."""
    for store in brands.stores:
        place = store.store.location("name")
        yield CoverageTarget("stores", store_key(store), store_key(store), store.brand, place)
    seen: set[Hashable] = set()  # the fields with the configs that make them, of which all was told
    for store in brands.stores:
        config = resolve_active_config(store, brands, options)
        listens_only = config.operations_field("interactionMode") == "LISTEN_ONLY"
        for name, find_targets in FIELDS.items():
            source = config.source_of("operationsConfig", name)
            if source is None or (listens_only and name in ("greetings", "upsellStrategy")):
                continue
            field_sources = (name, *(id(layer.config) for layer in source.layers))
            if field_sources not in seen:
                seen.add(field_sources)
                yield from find_targets(config)


def _mappings(config: ActiveConfig) -> Iterator[CoverageTarget]:
    for mapping in config.operations_field("disambiguationStrategy").mappings or ():
        if mapping.customerTerms:
            origin = config.origin_of(mapping, "customerTerms")
            yield _target("mappings", mapping.customerTerms[0], origin, key=origin_key(origin, above="customerTerms"))


def _greetings(config: ActiveConfig) -> Iterator[CoverageTarget]:
    for greeting in config.operations_field("greetings") or ():
        if any(phrase.strip() for phrase in greeting.greetingPhrases or ()):
            origin = config.origin_of(greeting, "greetingPhrases")
            name = f"greeting [{greeting.languageCode or 'any'}]"
            yield _target("messages", name, origin, key=origin_key(origin, above="greetingPhrases"))


def _flags(config: ActiveConfig) -> Iterator[CoverageTarget]:
    features = config.operations_field("featuresConfig")
    for name in type(features).model_fields:
        if getattr(features, name) is not None:
            yield _target("flags", name, config.origin_of(features, name))


def _strategy(config: ActiveConfig) -> Iterator[CoverageTarget]:
    strategy = config.upsell_strategy
    if strategy is None:
        return
    for limit in LIMITS.values():
        if getattr(strategy, limit) is not None:
            yield _target("limits", limit, config.origin_of(strategy, limit))
    enabled = [upsell for upsell in strategy.upsells or () if not upsell.disabled]
    for upsell in enabled:
        yield from _upsell(upsell, config)
        if upsell.priority is not None and any(_are_rivals(upsell, other) for other in enabled if other is not upsell):
            yield _target("orders", upsell_name(upsell), config.origin_of(upsell, "priority"))
    lotteries = [lottery for kind in OFFER_TYPES for lottery in message_lotteries(strategy, kind, config.message_draw)]
    for drawn in (message for lottery in lotteries for message in lottery.messages):
        for text in drawn.message.messageConfigs or () if drawn.share else ():
            if text.languageCode and (text.messageText or "").strip():
                name = f"{_message_name(drawn.upsell, drawn.message)} [{text.languageCode}]"
                yield _target("messages", name, config.origin_of(text, "messageText"))


def _upsell(upsell: UpsellConfig, config: ActiveConfig) -> Iterator[CoverageTarget]:
    name, cel = upsell_name(upsell), upsell.celUpsell
    yield _target("upsells", name, config.origin_of(upsell))
    if cel and cel.conditionExpression:
        origin, text = config.origin_of(cel, "conditionExpression"), cel.conditionExpression
        yield _target("conditionsTrue", name, origin)
        yield _target("conditionsFalse", name, origin)
        for start, end, _ in operand_deletions(text):
            part_name, key = f"{name}: {collapse_spaces(text[start:end])}", f"{origin_key(origin)}@{start}"
            yield _target("conditionParts", part_name, origin, key=key, chars=(start, end))
    for switch in SKIPS.values():
        if getattr(upsell, switch):
            yield _target("skips", f"{name}: {switch}", config.origin_of(upsell, switch))
    for message in (upsell.closingOffer.closingMessages if upsell.closingOffer else None) or ():
        for index, term in enumerate(message.skipTerms or ()):
            term_name = f"{_message_name(upsell, message.offerMessage)}: {collapse_spaces(term)}"
            yield _target("skipTerms", term_name, config.origin_of(message, "skipTerms", index))


def _message_name(upsell: UpsellConfig, message: OfferMessage | None) -> str:
    return ", ".join(part for part in (upsell_name(upsell), message.displayName if message else None) if part)


def _are_rivals(upsell: UpsellConfig, other: UpsellConfig) -> bool:
    """Whether two upsells are considered on the same occasion, where only one of them is offered."""
    if upsell.celUpsell and other.celUpsell:
        return not (upsell.celUpsell.suggestionOnly or other.celUpsell.suggestionOnly)
    return bool((upsell.greetingOffer and other.greetingOffer) or (upsell.closingOffer and other.closingOffer))


FIELDS: Mapping[str, Callable[[ActiveConfig], Iterator[CoverageTarget]]] = {
    "disambiguationStrategy": _mappings,
    "greetings": _greetings,
    "upsellStrategy": _strategy,
    "featuresConfig": _flags,
}
"""The fields of OperationsConfig that have something to exercise."""
