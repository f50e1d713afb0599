"""Meanings of phrases: customer terms, item names that contain a term, and answers to questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatcher
from trialrun.runtime.channel_config.menu import Item, Modifier, NotOnMenuError, OrderLineItem, normalize_name
from trialrun.values.normalize import normalize_words

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping, TargetItem, TargetModifier
    from trialrun.runtime.channel_config.dialogue.interface import OriginOf
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.channel_config.session.turn import MappedTerm, MappedTermKind


@dataclass(frozen=True, slots=True)
class Term:
    """A customer term of a mapping, with the order lines of its targets."""

    mapping: DisambiguationMapping
    index: int
    targets: tuple[OrderLineItem, ...]
    kind: MappedTermKind

    @property
    def text(self) -> str:
        """The term as it is written."""
        return (self.mapping.customerTerms or [])[self.index]


@dataclass(frozen=True, slots=True)
class NamedTarget:
    """The name of one target of an ambiguous term, in which the term is: there is nothing to ask."""

    term: Term
    target: OrderLineItem


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that tell one target of a question from the others."""

    asked: MappedTerm
    target: OrderLineItem


@dataclass(frozen=True, slots=True)
class OtherItem:
    """The name of an item in which words of something else are: that is not what the customer speaks of."""

    name: tuple[str, ...]


Meaning = Term | NamedTarget | Answer | OtherItem


@dataclass(frozen=True, slots=True)
class UnreachableTerm:
    """A term that never means anything: an earlier mapping has it, or no word is in it; `reason` says which."""

    term: str
    reason: str
    origin: Origin


def build_phrases(
    mappings: Sequence[DisambiguationMapping], menu: BrandMenu, origin_of: OriginOf
) -> tuple[PhraseMatcher[Meaning], tuple[UnreachableTerm, ...]]:
    """The terms of mappings and the names with a term in them, and the terms that never mean anything."""
    matcher: PhraseMatcher[Meaning] = PhraseMatcher()
    terms: list[Term] = []
    unreachable: list[UnreachableTerm] = []
    for term in _terms(mappings, menu):
        phrase = normalize_words(term.text)
        meaning = matcher.add(phrase, term) if phrase else None
        if meaning is term:
            terms.append(term)
        elif meaning is None or not _is_same_mapping(meaning, term):
            origin = origin_of(term.mapping, "customerTerms", term.index)
            unreachable.append(UnreachableTerm(term.text, _why_unreachable(meaning), origin))
    for name, meaning in list(_item_names(matcher, terms, menu)):
        matcher.add(name, meaning)
    return matcher, tuple(unreachable)


def _terms(mappings: Sequence[DisambiguationMapping], menu: BrandMenu) -> Iterator[Term]:
    for mapping in mappings:
        kind = mapping.type
        if kind is None or kind == "TYPE_UNSPECIFIED":
            continue
        lines = target_line_items(mapping, menu)
        yield from (Term(mapping, index, lines, kind) for index in range(len(mapping.customerTerms or ())))


def _is_same_mapping(meaning: Meaning, term: Term) -> bool:
    return isinstance(meaning, Term) and meaning.mapping is term.mapping


def _why_unreachable(meaning: Meaning | None) -> str:
    if not isinstance(meaning, Term):
        return "it contains no word that a customer could say"
    names = ", ".join(line.item.name for line in meaning.targets)
    target = {"INVALID_ITEM": "an invalid item", "DISAMBIGUATION": f"one of {names}"}.get(meaning.kind, names)
    return f"an earlier mapping already maps it to {target}"


def _item_names(
    matcher: PhraseMatcher[Meaning], terms: Sequence[Term], menu: BrandMenu
) -> Iterator[tuple[tuple[str, ...], Meaning]]:
    """The names of items and targets in which a shorter term is, and what they mean."""
    names = [*(line.item.name for term in terms for line in term.targets), *(item.name for item in menu.items)]
    for name in dict.fromkeys(names):
        words = normalize_words(name)
        terms = [meaning for meaning in matcher.meanings_in(words) if isinstance(meaning, Term)]
        if terms:
            yield words, next((means for term in terms if (means := _name_meaning(term, name))), OtherItem(words))


def _name_meaning(term: Term, name: str) -> Meaning | None:
    """What the name of a target means that has the term in it; None if the item is not a target to be had."""
    line_items = [line for line in term.targets if line.item.name == name]
    if not line_items or term.kind == "INVALID_ITEM":
        return None
    return term if term.kind == "SINGLE_TARGET" or len(line_items) > 1 else NamedTarget(term, line_items[0])


def target_line_items(mapping: DisambiguationMapping, menu: BrandMenu) -> tuple[OrderLineItem, ...]:
    """The order lines of a mapping's targets, by the menu where it has them, else as they are written."""
    return tuple(_line_item(target, menu) for target in mapping.targets or ())


def _line_item(target: TargetItem, menu: BrandMenu) -> OrderLineItem:
    """What a target orders, without the modifiers that its item does not take."""
    item = _item(target, menu)
    candidates, takes_any = menu.modifiers_of(item), menu.takes_any_modifier(item)
    found = [(modifier, _modifier(modifier, candidates)) for modifier in target.modifiers or ()]
    modifiers = tuple(on_menu or _as_written(modifier) for modifier, on_menu in found if on_menu or takes_any)
    return OrderLineItem(item, 1, modifiers)


def _item(target: TargetItem, menu: BrandMenu) -> Item:
    """The item of a target: by its name, else by its id."""
    for text in (target.itemName, target.itemId):
        try:
            if text and (item := menu.item(text)).id == (target.itemId or item.id):
                return item
        except NotOnMenuError:
            continue
    return Item(target.itemName or target.itemId or "", target.itemId or "", 0.0)


def _modifier(target: TargetModifier, candidates: Sequence[Modifier]) -> Modifier | None:
    """The modifier that fits all that is written of it."""
    return next((candidate for candidate in candidates if _matches(target, candidate)), None)


def _as_written(target: TargetModifier) -> Modifier:
    return Modifier(
        target.modifierName or "",
        target.modifierId or "",
        target.modifierGroupName or "",
        target.modifierGroupId or "",
    )


def _matches(target: TargetModifier, modifier: Modifier) -> bool:
    texts = (target.modifierName, target.modifierId, target.modifierGroupName, target.modifierGroupId)
    fields = (
        (modifier.name, modifier.other_name, modifier.semantic_name),
        (modifier.id,),
        (modifier.group, *modifier.group_names),
        (modifier.group_id,),
    )
    return all(
        not text or normalize_name(text) in map(normalize_name, names)
        for text, names in zip(texts, fields, strict=True)
    )
