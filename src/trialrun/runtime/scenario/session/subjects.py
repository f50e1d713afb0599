"""What there is for scenarios to exercise at the stores of a workspace, over all that is effective at any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Inside
from trialrun.runtime.channel_config.in_force import in_force
from trialrun.runtime.channel_config.layers import layers
from trialrun.runtime.channel_config.session.turn import called
from trialrun.runtime.channel_config.voice.message import lots
from trialrun.runtime.scenario.seen import Subject
from trialrun.runtime.scenario.session.deletions import deletions
from trialrun.runtime.scenario.session.exercised import key, part_key
from trialrun.runtime.scenario.session.wording import plain
from trialrun.runtime.scenario.stage import store_subject
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import CelUpsell, UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.catalog import BrandCatalog, StoreOfBrand
    from trialrun.runtime.channel_config.in_force import InForce
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.options import Options


def subjects(brands: BrandCatalog, options: Options) -> Iterator[Subject]:
    """The stores, and the upsells, conditions, mappings and messages that are effective at any of them."""
    for store in brands.stores:
        yield Subject("stores", store_subject(store), store.brand.path, store.line)
    for store in _different(brands):
        yield from _of_store(in_force(store, brands, options))


def _different(brands: BrandCatalog) -> Iterable[StoreOfBrand]:
    """One store for all to which the same configs apply."""
    found = {tuple(id(layer.config) for layer in layers(store, brands)): store for store in brands.stores}
    return found.values()


def _of_store(found: InForce) -> Iterator[Subject]:
    disambiguation = found.operation("disambiguationStrategy")
    for mapping in (disambiguation.mappings if disambiguation else None) or ():
        origin = found.origin_of(mapping, "customerTerms")
        name = (mapping.customerTerms or [""])[0]
        yield _subject("mappings", name, origin, where=key(origin, above="customerTerms"))
    if found.operation("interactionMode") == "LISTEN_ONLY":
        return
    for greeting in found.operation("greetings") or ():
        if any(phrase.strip() for phrase in greeting.greetingPhrases or ()):
            origin = found.origin_of(greeting, "greetingPhrases")
            name = f"greeting [{greeting.languageCode or 'any'}]"
            yield _subject("messages", name, origin, where=key(origin, above="greetingPhrases"))
    if found.upsell_strategy is not None:
        yield from _of_strategy(found.upsell_strategy, found)


def _of_strategy(strategy: UpsellStrategy, found: InForce) -> Iterator[Subject]:
    for upsell in strategy.upsells or ():
        if not upsell.disabled:
            yield _subject("upsells", called(upsell), found.origin_of(upsell))
            if upsell.celUpsell and upsell.celUpsell.conditionExpression:
                yield from _of_condition(upsell, upsell.celUpsell, found)
    for kind in ("greetingOffer", "closingOffer"):
        for drawn in lots(strategy, kind).messages:
            for text in drawn.message.messageConfigs or () if drawn.share else ():
                if text.languageCode and (text.messageText or "").strip():
                    name = ", ".join(one for one in (called(drawn.upsell), drawn.message.displayName) if one)
                    origin = found.origin_of(text, "messageText")
                    yield _subject("messages", f"{name} [{text.languageCode}]", origin)


def _of_condition(upsell: UpsellConfig, cel: CelUpsell, found: InForce) -> Iterator[Subject]:
    origin = found.origin_of(cel, "conditionExpression")
    yield _subject("conditionsTrue", called(upsell), origin)
    yield _subject("conditionsFalse", called(upsell), origin)
    text = cel.conditionExpression or ""
    for one in deletions(text):
        place = Inside(origin.place.node, origin.place.steps, (one.start, one.end))
        name = f"{called(upsell)}: {plain(text[one.start : one.end])}"
        line = origin.config.locate(place).start.line
        yield _subject("conditionParts", name, origin, where=part_key(key(origin), one.start), line=line)


def _subject(aspect: str, name: str, origin: Origin, *, where: str | None = None, line: int | None = None) -> Subject:
    told = f"{last_id(origin.name)}: {name}"
    return Subject(aspect, told, origin.path, line or origin.line, where or key(origin))


__all__ = ["subjects"]
