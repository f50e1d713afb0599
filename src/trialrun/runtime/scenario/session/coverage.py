"""What session steps cover: upsells, messages, conditions and their operands, and what they could cover."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from trialrun.diagnostic import CharRange, json_pointer
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, message_lotteries
from trialrun.runtime.channel_config.session.reasons import skipping_name
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.environment import CoverageTarget, store_target_name
from trialrun.runtime.scenario.session.format import collapse_spaces
from trialrun.values.cel import walk
from trialrun.values.cel.parse import parse
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell, OfferMessage, UpsellConfig
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.effective import Origin
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SkippedUpsell, Turn
    from trialrun.runtime.options import Options
    from trialrun.runtime.scenario.environment import CoverageRecorder
    from trialrun.values.cel import Node


NEUTRAL = {"&&": "true", "||": "false"}


@dataclass(frozen=True, slots=True)
class OperandDeletion:
    """The part of a condition from `start` to `end`, and the text, `mutated`, without it."""

    start: int
    end: int
    mutated: str


@lru_cache(maxsize=1024)
def operand_deletions(text: str) -> tuple[OperandDeletion, ...]:
    """Every operand that a condition could be without, outer ones first."""
    tree = parse(text).tree
    return () if tree is None else tuple(deletion for node in walk(tree) for deletion in _node_deletions(node, text))


def _node_deletions(node: Node, text: str) -> Iterator[OperandDeletion]:
    if node.kind == "operator" and node.name in NEUTRAL:
        for child in node.children:
            yield _replace_part(text, child, child, NEUTRAL[node.name])
    elif node.kind == "conditional":
        _, yes, no = node.children
        yield _replace_part(text, yes, node, f"({text[no.start : no.end]})")
        yield _replace_part(text, no, node, f"({text[yes.start : yes.end]})")


def _replace_part(text: str, part: Node, around: Node, instead: str) -> OperandDeletion:
    return OperandDeletion(part.start, part.end, f"{text[: around.start]}{instead}{text[around.end :]}")


LIMITS: Mapping[str, str] = {
    "max-offers": "maxUpsellOffers",
    "max-declines": "maxUpsellDeclines",
    "max-items": "maxItemsInCart",
}
SKIPS: Mapping[str, str] = {
    "previous-turn": "skipOnPreviousTurnUpsell",
    "multi-quantity": "skipOnMultiQuantityUpsoldFromItem",
}
"""The field behind each reason to skip an upsell: of the strategy, and of the upsell."""


def record_turn(turn: Turn, active_config: ActiveConfig, recorder: CoverageRecorder) -> None:
    """Note what a turn exercises, where coverage is asked for."""
    if not recorder.is_asked:
        return
    for offer in turn.offers:
        recorder.record("upsells", origin_key(active_config.origin_of(offer.upsell)))
    for skipped in turn.skipped:
        _record_skip(skipped, turn, active_config, recorder)
    for condition in turn.conditions:
        _record_condition(condition, recorder)
    for term in turn.mapped_terms:
        recorder.record("mappings", origin_key(term.origin, above="customerTerms"))
    for utterance in turn.utterances:
        if utterance.kind == "greeting":
            recorder.record("messages", origin_key(utterance.origin, above="greetingPhrases"))
        elif utterance.kind in ("greeting-offer", "closing-offer"):
            recorder.record("messages", origin_key(utterance.origin))


def _record_skip(skipped: SkippedUpsell, turn: Turn, active_config: ActiveConfig, recorder: CoverageRecorder) -> None:
    """Note what decided that an upsell is skipped."""
    code, strategy = skipped.reason.code, active_config.upsell_strategy
    if code in LIMITS and strategy is not None:
        recorder.record("limits", origin_key(active_config.origin_of(strategy, LIMITS[code])))
    elif code in SKIPS:
        recorder.record("skips", origin_key(active_config.origin_of(skipped.upsell, SKIPS[code])))
    elif code == "skip-term":
        recorder.record("skipTerms", *_term_keys(skipped, turn, active_config))
    elif code == "less-favored":
        rivals = [skipped.upsell, *(offer.upsell for offer in turn.offers if offer.kind != "suggestion")]
        recorder.record(
            "orders",
            *(
                origin_key(active_config.origin_of(upsell, "priority"))
                for upsell in rivals
                if upsell.priority is not None
            ),
        )


def _term_keys(skipped: SkippedUpsell, turn: Turn, active_config: ActiveConfig) -> Iterator[str]:
    """The keys of the terms of an upsell that are in the name of an ordered item."""
    closing = skipped.upsell.closingOffer
    for message in (closing.closingMessages if closing else None) or ():
        for index, term in enumerate(message.skipTerms or ()):
            if any(skipping_name(line_item.item, term) for line_item in turn.order):
                yield origin_key(active_config.origin_of(message, "skipTerms", index))


def record_flag(origin: Origin, recorder: CoverageRecorder) -> None:
    """Note that something is expected of a feature of the agent."""
    if "featuresConfig" in origin.place.path:
        recorder.record("flags", origin_key(origin))


def _record_condition(condition: EvaluatedCondition, recorder: CoverageRecorder) -> None:
    condition_key = origin_key(condition.origin)
    if condition.value is not None:
        recorder.record("conditionsTrue" if condition.value else "conditionsFalse", condition_key)
    cel = condition.upsell.celUpsell
    for deletion in operand_deletions((cel.conditionExpression if cel else None) or ""):
        operand = operand_key(condition_key, deletion.start)
        if (
            not recorder.is_recorded("conditionParts", operand)
            and condition.evaluate_instead(deletion.mutated) is not condition.value
        ):
            recorder.record("conditionParts", operand)


def origin_key(origin: Origin, *, above: str | None = None) -> str:
    """What distinguishes a part of a config from all others: where it is; `above` a field, the message that has it."""
    steps = origin.place.path
    path = steps if above is None else steps[: steps.index(above)]
    return f"{origin.path}#{origin.config.document}{origin.config.pointer}{json_pointer(path)}"


def operand_key(condition: str, start: int) -> str:
    """What tells a part of a condition from the others."""
    return f"{condition}@{start}"


@dataclass(frozen=True, slots=True)
class PendingTarget:
    """Something to exercise, not yet with its line: `chars` are characters of the text where it is."""

    aspect: str
    name: str
    origin: Origin
    key: str
    chars: tuple[int, int] | None = None

    @property
    def target(self) -> CoverageTarget:
        """It with the line where a config says it."""
        place = self.origin.place
        location = place if self.chars is None else CharRange(place.node, place.path, self.chars)
        line = self.origin.config.locate(location).start.line
        return CoverageTarget(
            self.aspect, f"{last_id(self.origin.name)}: {self.name}", self.origin.path, line, self.key
        )


def store_targets(brands: BrandCatalog, options: Options) -> Iterator[CoverageTarget]:
    """The stores, and the upsells, conditions, mappings and messages that are effective at any of them, each once."""
    for store in brands.stores:
        yield CoverageTarget("stores", store_target_name(store), store.brand.path, store.line)
    seen_fields: set[Hashable] = set()
    seen_keys: set[tuple[str, str]] = set()
    for store in brands.stores:
        for pending in _targets_at_store(resolve_active_config(store, brands, options), seen_fields):
            if (pending.aspect, pending.key) not in seen_keys:
                seen_keys.add((pending.aspect, pending.key))
                yield pending.target


def _targets_at_store(config: ActiveConfig, seen_fields: set[Hashable]) -> Iterator[PendingTarget]:
    """What is new at a store: `seen_fields` are the fields with the configs that make them, of which all was told."""
    for field, find_targets in FIELDS.items():
        source = config.source_of("operationsConfig", field)
        if source is None or (field in SPOKEN_FIELDS and _listens_only(config)):
            continue
        field_sources = (field, *(id(layer.config) for layer in source.layers))
        if field_sources not in seen_fields:
            seen_fields.add(field_sources)
            yield from find_targets(config)


def _listens_only(config: ActiveConfig) -> bool:
    source = config.source_of("operationsConfig", "interactionMode")
    return source is not None and source.value["operationsConfig"]["interactionMode"] == "LISTEN_ONLY"


def _mappings(config: ActiveConfig) -> Iterator[PendingTarget]:
    for mapping in config.operations_field("disambiguationStrategy").mappings or ():
        if mapping.customerTerms:
            origin = config.origin_of(mapping, "customerTerms")
            yield PendingTarget("mappings", mapping.customerTerms[0], origin, origin_key(origin, above="customerTerms"))


def _greetings(config: ActiveConfig) -> Iterator[PendingTarget]:
    for greeting in config.operations_field("greetings") or ():
        if any(phrase.strip() for phrase in greeting.greetingPhrases or ()):
            origin = config.origin_of(greeting, "greetingPhrases")
            name = f"greeting [{greeting.languageCode or 'any'}]"
            yield PendingTarget("messages", name, origin, origin_key(origin, above="greetingPhrases"))


def _upsells(config: ActiveConfig) -> Iterator[PendingTarget]:
    strategy = config.upsell_strategy
    for upsell in (strategy.upsells if strategy else None) or ():
        if not upsell.disabled:
            origin = config.origin_of(upsell)
            yield PendingTarget("upsells", upsell_name(upsell), origin, origin_key(origin))
            if upsell.celUpsell and upsell.celUpsell.conditionExpression:
                yield from _condition(upsell, upsell.celUpsell, config)
    yield from _offers(config)
    yield from strategy_targets(config)


def _condition(upsell: UpsellConfig, cel: CelUpsell, config: ActiveConfig) -> Iterator[PendingTarget]:
    origin = config.origin_of(cel, "conditionExpression")
    condition_key, text = origin_key(origin), cel.conditionExpression or ""
    yield PendingTarget("conditionsTrue", upsell_name(upsell), origin, condition_key)
    yield PendingTarget("conditionsFalse", upsell_name(upsell), origin, condition_key)
    for deletion in operand_deletions(text):
        name = f"{upsell_name(upsell)}: {collapse_spaces(text[deletion.start : deletion.end])}"
        yield PendingTarget(
            "conditionParts", name, origin, operand_key(condition_key, deletion.start), (deletion.start, deletion.end)
        )


def _offers(config: ActiveConfig) -> Iterator[PendingTarget]:
    """The messages that some sessions get, by language."""
    strategy = config.upsell_strategy
    if strategy is None:
        return
    lotteries = [lottery for kind in OFFER_TYPES for lottery in message_lotteries(strategy, kind, config.message_draw)]
    for drawn in (message for lottery in lotteries for message in lottery.messages):
        for text in drawn.message.messageConfigs or () if drawn.share else ():
            if text.languageCode and (text.messageText or "").strip():
                origin = config.origin_of(text, "messageText")
                name = _message_name(drawn.upsell, drawn.message)
                yield PendingTarget("messages", f"{name} [{text.languageCode}]", origin, origin_key(origin))


def _message_name(upsell: UpsellConfig, message: OfferMessage | None) -> str:
    return ", ".join(part for part in (upsell_name(upsell), message.displayName if message else None) if part)


def strategy_targets(config: ActiveConfig) -> Iterator[PendingTarget]:
    """The limits of the strategy, and what may skip each upsell or put it behind another."""
    strategy = config.upsell_strategy
    for field in LIMITS.values() if strategy else ():
        if getattr(strategy, field) is not None:
            origin = config.origin_of(strategy, field)  # type: ignore[arg-type]
            yield PendingTarget("limits", field, origin, origin_key(origin))
    enabled = [upsell for upsell in (strategy.upsells if strategy else None) or () if not upsell.disabled]
    for upsell in enabled:
        yield from _skip_targets(upsell, config)
        if upsell.priority is not None and any(_are_rivals(upsell, other) for other in enabled if other is not upsell):
            origin = config.origin_of(upsell, "priority")
            yield PendingTarget("orders", upsell_name(upsell), origin, origin_key(origin))


def _skip_targets(upsell: UpsellConfig, config: ActiveConfig) -> Iterator[PendingTarget]:
    """The switches of an upsell that skip it, and the skip terms of its messages."""
    for field in SKIPS.values():
        if getattr(upsell, field):
            origin = config.origin_of(upsell, field)
            yield PendingTarget("skips", f"{upsell_name(upsell)}: {field}", origin, origin_key(origin))
    for message in (upsell.closingOffer.closingMessages if upsell.closingOffer else None) or ():
        for index, term in enumerate(message.skipTerms or ()):
            origin = config.origin_of(message, "skipTerms", index)
            name = _message_name(upsell, message.offerMessage)
            yield PendingTarget("skipTerms", f"{name}: {collapse_spaces(term)}", origin, origin_key(origin))


def _are_rivals(upsell: UpsellConfig, other: UpsellConfig) -> bool:
    """Whether two upsells are considered on the same occasion, where only one of them is offered."""
    if upsell.celUpsell and other.celUpsell:
        return not (upsell.celUpsell.suggestionOnly or other.celUpsell.suggestionOnly)
    return bool((upsell.greetingOffer and other.greetingOffer) or (upsell.closingOffer and other.closingOffer))


def _flags(config: ActiveConfig) -> Iterator[PendingTarget]:
    features = config.operations_field("featuresConfig")
    for field in type(features).model_fields:
        if getattr(features, field) is not None:
            origin = config.origin_of(features, field)
            yield PendingTarget("flags", field, origin, origin_key(origin))


FIELDS: dict[str, Callable[[ActiveConfig], Iterator[PendingTarget]]] = {
    "disambiguationStrategy": _mappings,
    "greetings": _greetings,
    "upsellStrategy": _upsells,
    "featuresConfig": _flags,
}
"""The fields of OperationsConfig that have something to exercise."""
SPOKEN_FIELDS = ("greetings", "upsellStrategy")
"""The fields of which an agent that only listens makes no use."""
