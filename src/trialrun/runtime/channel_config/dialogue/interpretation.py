"""What phrases mean: the terms of mappings, names of items that have a term in them, and answers to questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.modifier_target import targets
from trialrun.runtime.channel_config.dialogue.phrase_matcher import Phrases
from trialrun.values.normalize import plain

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping
    from trialrun.runtime.channel_config.dialogue.interface import OriginOf
    from trialrun.runtime.channel_config.menu import MenuOfBrand, Ordered
    from trialrun.runtime.channel_config.origin import Origin
    from trialrun.runtime.channel_config.session.turn import Mapped, MappedKind


@dataclass(frozen=True, slots=True)
class Term:
    """A customer term of a mapping, with the order lines of its targets."""

    mapping: DisambiguationMapping
    index: int
    targets: tuple[Ordered, ...]
    kind: MappedKind

    @property
    def text(self) -> str:
        """The term as it is written."""
        return (self.mapping.customerTerms or [])[self.index]


@dataclass(frozen=True, slots=True)
class Named:
    """The name of one target of an ambiguous term, in which the term is: there is nothing to ask."""

    term: Term
    target: Ordered


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that tell one target of a question from the others."""

    asked: Mapped
    target: Ordered


@dataclass(frozen=True, slots=True)
class Other:
    """The name of an item in which words of something else are: that is not what the customer speaks of."""

    name: tuple[str, ...]


Meaning = Term | Named | Answer | Other


@dataclass(frozen=True, slots=True)
class Unheard:
    """A term that never means anything: an earlier mapping has it, or no word is in it; `reason` says which."""

    term: str
    reason: str
    origin: Origin


def learnt(
    mappings: Sequence[DisambiguationMapping], menu: MenuOfBrand, origin_of: OriginOf
) -> tuple[Phrases[Meaning], tuple[Unheard, ...]]:
    """The terms of mappings and the names with a term in them, and the terms that never mean anything."""
    phrases: Phrases[Meaning] = Phrases()
    known: list[Term] = []
    unheard: list[Unheard] = []
    for term in _terms(mappings, menu):
        words = plain(term.text)
        meant = phrases.learn(words, term) if words else None
        if meant is term:
            known.append(term)
        elif meant is None or not _is_same_mapping(meant, term):
            origin = origin_of(term.mapping, "customerTerms", term.index)
            unheard.append(Unheard(term.text, _why(meant), origin))
    for name, named in list(_names(phrases, known, menu)):
        phrases.learn(name, named)
    return phrases, tuple(unheard)


def _terms(mappings: Sequence[DisambiguationMapping], menu: MenuOfBrand) -> Iterator[Term]:
    for mapping in mappings:
        kind = mapping.type
        if kind is None or kind == "TYPE_UNSPECIFIED":
            continue
        lines = targets(mapping, menu)
        yield from (Term(mapping, index, lines, kind) for index in range(len(mapping.customerTerms or ())))


def _is_same_mapping(meant: Meaning, term: Term) -> bool:
    return isinstance(meant, Term) and meant.mapping is term.mapping


def _why(meant: Meaning | None) -> str:
    if not isinstance(meant, Term):
        return "there is no word in it that a customer could say"
    names = ", ".join(line.item.name for line in meant.targets)
    what = {"INVALID_ITEM": "an invalid item", "DISAMBIGUATION": f"one of {names}"}.get(meant.kind, names)
    return f"an earlier mapping has it, where it means {what}"


def _names(
    phrases: Phrases[Meaning], known: Sequence[Term], menu: MenuOfBrand
) -> Iterator[tuple[tuple[str, ...], Meaning]]:
    """The names of items and targets in which a shorter term is, and what they mean."""
    names = [*(line.item.name for term in known for line in term.targets), *(item.name for item in menu.items)]
    for name in dict.fromkeys(names):
        words = plain(name)
        terms = [meant for meant in phrases.inside(words) if isinstance(meant, Term)]
        if terms:
            yield words, next((means for term in terms if (means := _named(term, name))), Other(words))


def _named(term: Term, name: str) -> Meaning | None:
    """What the name of a target means that has the term in it; None where the item is no target to be had."""
    found = [line for line in term.targets if line.item.name == name]
    if not found or term.kind == "INVALID_ITEM":
        return None
    return term if term.kind == "SINGLE_TARGET" or len(found) > 1 else Named(term, found[0])
