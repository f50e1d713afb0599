"""What phrases mean: the terms of mappings, names of items that have a term in them, and answers to questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.record import dataclass
from trialrun.runtime.channel_config.voice.phrases import Phrases
from trialrun.runtime.channel_config.voice.target import targets
from trialrun.values.words import plain

if TYPE_CHECKING:
    from trialrun.model.channel_config import DisambiguationMapping
    from trialrun.runtime.channel_config.menu import MenuOfBrand, Ordered
    from trialrun.runtime.channel_config.session.turn import Mapped, MappedKind

PARTICLES = (
    "a an and at by for from in no not of on or the to with without "
    "al con de del e el en i la las le les los o ou para per por sin u un una y "
    "au aux avec ce cette des du et l d pour sans sur une "
    "das dem den der die ein eine einen im mit oder ohne und zu "
    "com da do dos em na um uma di il lo gli senza"
)
"""Words that tell no item from another, though only one of the names may have them."""


@dataclass(frozen=True, slots=True)
class Term:
    """A customer term of a mapping, with the order lines of its targets."""

    mapping: DisambiguationMapping
    index: int
    targets: tuple[Ordered, ...]
    kind: MappedKind


@dataclass(frozen=True, slots=True)
class Named:
    """The name of an item in which a shorter term is: the item is meant, which is a target of the term or None."""

    term: Term
    target: Ordered | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that tell one target of a question from the others."""

    asked: Mapped
    target: Ordered


Meaning = Term | Named | Answer


@dataclass(frozen=True, slots=True)
class Unheard:
    """A term that never means anything: an earlier mapping has it, or no word is in it; `reason` says which."""

    mapping: DisambiguationMapping
    index: int
    reason: str

    @property
    def term(self) -> str:
        """The term as it is written."""
        return (self.mapping.customerTerms or [])[self.index]


def learnt(
    mappings: Sequence[DisambiguationMapping], menu: MenuOfBrand
) -> tuple[Phrases[Meaning], tuple[Unheard, ...]]:
    """The terms of mappings and the names with a term in them, and the terms that never mean anything."""
    phrases: Phrases[Meaning] = Phrases()
    known: list[Term] = []
    unheard: list[Unheard] = []
    for term in _terms(mappings, menu):
        written = (term.mapping.customerTerms or [])[term.index]
        words = plain(written)
        meant = phrases.learn(words, term) if words else None
        if meant is term:
            known.append(term)
        elif meant is None or not _is_same_mapping(meant, term):
            unheard.append(Unheard(term.mapping, term.index, _why(meant)))
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
        inside = [meant for start in range(len(words)) for _, meant in phrases.all(words, start, len(words))]
        terms = [meant for meant in inside if isinstance(meant, Term)]
        if terms:
            yield words, next((means for term in terms if (means := _named(term, name))), Named(terms[0], None))


def _named(term: Term, name: str) -> Meaning | None:
    """What the name of a target means that has the term in it; None where the item is no target to be had."""
    target = next((line for line in term.targets if line.item.name == name), None)
    if target is None or term.kind == "INVALID_ITEM":
        return None
    return term if term.kind == "SINGLE_TARGET" else Named(term, target)


def name_parts(lines: Sequence[Ordered]) -> Iterator[tuple[Ordered, tuple[str, ...]]]:
    """What tells each of several order lines from the others: its whole name, and words that no other name has."""
    names = [plain(line.item.name) for line in lines]
    runs = [set(_runs(name)) for name in names]
    for at, line in enumerate(lines):
        if names[at]:
            yield line, names[at]
        others = set().union(*runs[:at], *runs[at + 1 :])
        yield from (
            (line, run) for run in _runs(names[at]) if run not in others and not set(run).issubset(PARTICLES.split())
        )


def _tells(run: Sequence[str]) -> bool:
    return not set(run).issubset(PARTICLES.split())


def _runs(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every row of words inside a name."""
    for start in range(len(words)):
        yield from (words[start:end] for end in range(start + 1, len(words) + 1))
