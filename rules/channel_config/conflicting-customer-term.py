"""Customer term with more than one mapping.

When two mappings have the same term, the agent may follow either. If they lead to different items, the customer
sometimes gets the wrong one; if they agree, one of them is a leftover that somebody will forget to change. Terms are
compared by their words: case, spaces, apostrophes and punctuation make no difference.

Basis: channel-config, DisambiguationMapping: "Customer utterances or shortcuts".

Good, as DisambiguationStrategy:

    mappings:
      - {type: SINGLE_TARGET, customerTerms: [the usual], targets: [{itemName: Burger Combo}]}
      - {type: DISAMBIGUATION, customerTerms: [soda], targets: [{itemName: Cola}, {itemName: Lemonade}]}

Bad, as DisambiguationStrategy:

    mappings:
      - type: SINGLE_TARGET
        customerTerms:
          - The Usual
          - number one
        targets: [{itemName: Burger Combo}]
      - type: SINGLE_TARGET
        customerTerms:
          - the  usual  # <- "the  usual" already means "Burger Combo"; keep one meaning
        targets: [{itemName: Loaded Fries}]
      - type: SINGLE_TARGET
        customerTerms:
          - Number One  # <- "Number One" is already in another mapping, with the same targets; keep one of the two
        targets: [{itemName: Burger Combo}]
      - type: SINGLE_TARGET
        customerTerms:
          - the usual, please
          - the usual!  # <- "the usual!" already means "Burger Combo"; keep one meaning
        targets: [{itemName: Loaded Fries}]
      - type: INVALID_ITEM
        customerTerms:
          - NUMBER ONE  # <- "NUMBER ONE" already means "Burger Combo"; keep one meaning
        targets: [{itemName: Burger Combo}]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from trialrun.diagnostic import Finding, Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import DisambiguationMapping, DisambiguationStrategy, TargetItem
from trialrun.model.node import TruncatedList


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a mapping makes of its terms: type and targets, in any order; empty where they could not be read."""

    type: str
    targets: tuple[tuple[str, ...], ...]

    def differs(self, other: Meaning) -> bool:
        """Whether the two lead to different things, as far as is known."""
        if self.type and other.type and self.type != other.type:
            return True
        return bool(self.targets and other.targets) and self.targets != other.targets

    @property
    def is_known(self) -> bool:
        """Whether nothing of it was refused or left out."""
        return bool(self.type and self.targets)


Earlier = dict[Meaning, tuple[DisambiguationMapping, int]]
"""By meaning, the first mapping that has it, and the index of its term."""


def may_share_term(strategy: DisambiguationStrategy) -> bool:
    """Whether a term is there twice."""
    terms = [term for mapping in strategy.mappings or () for term in map(_normalize_term, mapping.customerTerms or ())]
    return len(set(terms)) < len(terms)


@rule(DisambiguationStrategy, severity=Severity.ERROR, prefilter=may_share_term)
def check(strategy: DisambiguationStrategy) -> Findings:
    """Flag each term that an earlier mapping has."""
    earlier_terms: dict[str, Earlier] = {}
    for mapping in strategy.mappings or ():
        meaning = Meaning(mapping.type or "", _targets(mapping))
        for term, index in _terms(mapping).items():
            earlier = earlier_terms.setdefault(term, {})
            if earlier:
                yield _finding(mapping, index, meaning, earlier)
            earlier.setdefault(meaning, (mapping, index))


def _terms(mapping: DisambiguationMapping) -> dict[str, int]:
    """The words of the terms, each term with its first index; a second one is another rule's."""
    terms: dict[str, int] = {}
    for index, term in enumerate(mapping.customerTerms or ()):
        if words := _normalize_term(term):
            terms.setdefault(words, index)
    return terms


@lru_cache(maxsize=1024)  # the files of a brand have many terms in common
def _normalize_term(term: str) -> str:
    from trialrun.values.normalize import normalize_words

    return " ".join(normalize_words(term)) or term.strip()


def _targets(mapping: DisambiguationMapping) -> tuple[tuple[str, ...], ...]:
    targets = mapping.targets or []
    if isinstance(targets, TruncatedList) or any(
        target.itemName is None and target.has("itemName") for target in targets
    ):
        return ()
    return tuple(sorted(map(_target, targets)))


def _target(target: TargetItem) -> tuple[str, ...]:
    name = target.itemName or target.itemId or ""
    if not target.modifiers:  # as of most targets
        return (name,)
    return (
        name,
        *sorted(f"{modifier.modifierGroupName or ''}/{modifier.modifierName}" for modifier in target.modifiers),
    )


def _finding(mapping: DisambiguationMapping, index: int, meaning: Meaning, earlier: Earlier) -> Finding:
    clash = next(
        (other_meaning for earlier_meaning, other_meaning in earlier.items() if earlier_meaning.differs(meaning)), None
    )
    other, other_index = clash or next(iter(earlier.values()))
    term = (mapping.customerTerms or [])[index]
    agrees = ", with the same targets" if meaning in earlier and meaning.is_known else ""
    message = f'"{term}" is already in another mapping{agrees}; keep one of the two'
    if clash is not None:
        message = f'"{term}" already means {_words(other)}; keep one meaning'
    severity = None if clash else Severity.WARNING
    related = (Related("the other mapping", other.location("customerTerms", other_index)),)
    return mapping.finding(("customerTerms", index), message, severity=severity, related=related)


def _words(mapping: DisambiguationMapping) -> str:
    names = [f'"{target.itemName or target.itemId}"' for target in mapping.targets or ()]
    if mapping.type == "INVALID_ITEM" or not names:
        return mapping.type or "something else"
    name_list = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"one of {name_list}" if mapping.type == "DISAMBIGUATION" else name_list
