"""What there is for scenarios to exercise at the stores of a workspace, over all that is effective at any of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Inside
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.active_config import in_force
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, lots
from trialrun.runtime.channel_config.session.turn import called
from trialrun.runtime.scenario.coverage_recorder import Subject
from trialrun.runtime.scenario.environment import store_subject
from trialrun.runtime.scenario.session.coverage_hits import key, part_key
from trialrun.runtime.scenario.session.format import plain
from trialrun.runtime.scenario.session.operand_mutations import deletions
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell, UpsellConfig
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.options import Options


@dataclass(frozen=True, slots=True)
class Told:
    """Something to exercise, not yet with its line: `part` are characters of the text where it stands."""

    aspect: str
    name: str
    origin: Origin
    key: str
    part: tuple[int, int] | None = None

    @property
    def subject(self) -> Subject:
        """It with the line where a config says it."""
        place = self.origin.place
        inside = place if self.part is None else Inside(place.node, place.steps, self.part)
        line = self.origin.config.locate(inside).start.line
        return Subject(self.aspect, f"{last_id(self.origin.name)}: {self.name}", self.origin.path, line, self.key)


def subjects(brands: BrandCatalog, options: Options) -> Iterator[Subject]:
    """The stores, and the upsells, conditions, mappings and messages that are effective at any of them, each once."""
    for store in brands.stores:
        yield Subject("stores", store_subject(store), store.brand.path, store.line)
    done: set[Hashable] = set()
    known: set[tuple[str, str]] = set()
    for store in brands.stores:
        for told in _of_store(in_force(store, brands, options), done):
            if (told.aspect, told.key) not in known:
                known.add((told.aspect, told.key))
                yield told.subject


def _of_store(found: InForce, done: set[Hashable]) -> Iterator[Told]:
    """What is new at a store: `done` are the fields with the configs that make them, of which all was told."""
    for field, tell in FIELDS.items():
        source = found.taken_from("operationsConfig", field)
        if source is None or (field != "disambiguationStrategy" and _only_listens(found)):
            continue
        made_by = (field, *(id(layer.config) for layer in source.layers))
        if made_by not in done:
            done.add(made_by)
            yield from tell(found)


def _only_listens(found: InForce) -> bool:
    source = found.taken_from("operationsConfig", "interactionMode")
    return source is not None and source.value["operationsConfig"]["interactionMode"] == "LISTEN_ONLY"


def _mappings(found: InForce) -> Iterator[Told]:
    for mapping in found.operation("disambiguationStrategy").mappings or ():
        if mapping.customerTerms:
            origin = found.origin_of(mapping, "customerTerms")
            yield Told("mappings", mapping.customerTerms[0], origin, key(origin, above="customerTerms"))


def _greetings(found: InForce) -> Iterator[Told]:
    for greeting in found.operation("greetings") or ():
        if any(phrase.strip() for phrase in greeting.greetingPhrases or ()):
            origin = found.origin_of(greeting, "greetingPhrases")
            name = f"greeting [{greeting.languageCode or 'any'}]"
            yield Told("messages", name, origin, key(origin, above="greetingPhrases"))


def _upsells(found: InForce) -> Iterator[Told]:
    strategy = found.upsell_strategy
    for upsell in (strategy.upsells if strategy else None) or ():
        if not upsell.disabled:
            origin = found.origin_of(upsell)
            yield Told("upsells", called(upsell), origin, key(origin))
            if upsell.celUpsell and upsell.celUpsell.conditionExpression:
                yield from _condition(upsell, upsell.celUpsell, found)
    yield from _offers(found)


def _condition(upsell: UpsellConfig, cel: CelUpsell, found: InForce) -> Iterator[Told]:
    origin = found.origin_of(cel, "conditionExpression")
    where, text = key(origin), cel.conditionExpression or ""
    yield Told("conditionsTrue", called(upsell), origin, where)
    yield Told("conditionsFalse", called(upsell), origin, where)
    for one in deletions(text):
        name = f"{called(upsell)}: {plain(text[one.start : one.end])}"
        yield Told("conditionParts", name, origin, part_key(where, one.start), (one.start, one.end))


def _offers(found: InForce) -> Iterator[Told]:
    """The messages that some sessions get, by language."""
    strategy = found.upsell_strategy
    if strategy is None:
        return
    weighed = [one for kind in OFFER_TYPES for one in lots(strategy, kind, found.message_draw)]
    for drawn in (message for one in weighed for message in one.messages):
        for text in drawn.message.messageConfigs or () if drawn.share else ():
            if text.languageCode and (text.messageText or "").strip():
                origin = found.origin_of(text, "messageText")
                name = ", ".join(one for one in (called(drawn.upsell), drawn.message.displayName) if one)
                yield Told("messages", f"{name} [{text.languageCode}]", origin, key(origin))


FIELDS: dict[str, Callable[[InForce], Iterator[Told]]] = {
    "disambiguationStrategy": _mappings,
    "greetings": _greetings,
    "upsellStrategy": _upsells,
}
"""The fields of OperationsConfig that have something to exercise."""
