"""What a customer says has one meaning.

When two mappings have the same term, the agent may follow either. If they lead to different items, the customer gets
the wrong one on some days; if they agree, one of them is a leftover that somebody will change without the other. Case
and blanks make no difference.

Rests on: channel-config, DisambiguationMapping: "Customer utterances or shortcuts".

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
          - Number One  # <- "Number One" stands in another mapping already, with the same meaning; keep one of the two
        targets: [{itemName: Burger Combo}]
"""

from collections.abc import Iterator

from trialrun.diagnostic import Finding, Place, Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import DisambiguationMapping, DisambiguationStrategy, TargetItem

Meaning = list[tuple[str | None, tuple[tuple[str | None, str | None], ...]]]
Said = tuple[DisambiguationMapping, Place]


@rule(DisambiguationStrategy, severity=Severity.ERROR)
def check(strategy: DisambiguationStrategy) -> Findings:
    """Flag each term that an earlier mapping has."""
    earlier: dict[str, list[Said]] = {}
    for mapping in strategy.mappings or ():
        for term, index in _terms(mapping).items():
            if term in earlier:
                yield _told(mapping, index, earlier[term])
            earlier.setdefault(term, []).append((mapping, mapping.at("customerTerms", index)))


def _terms(mapping: DisambiguationMapping) -> dict[str, int]:
    """The terms without case and blanks, each with its first index; a second one is another rule's."""
    terms: dict[str, int] = {}
    for index, term in enumerate(mapping.customerTerms or ()):
        if plain := " ".join(term.casefold().split()):
            terms.setdefault(plain, index)
    return terms


def _told(mapping: DisambiguationMapping, index: int, earlier: list[Said]) -> Finding:
    clash = next((said for said in earlier if _differ(said[0], mapping)), None)
    other, place = clash or earlier[0]
    term = (mapping.customerTerms or [])[index]
    message = f'"{term}" stands in another mapping already, with the same meaning; keep one of the two'
    if clash is not None:
        message = f'"{term}" already means {_meaning(other)}; keep one meaning'
    return mapping.flag(
        ("customerTerms", index),
        message,
        severity=None if clash else Severity.WARNING,
        related=(Related("the other mapping", place),),
    )


def _differ(one: DisambiguationMapping, other: DisambiguationMapping) -> bool:
    """Whether two mappings differ in type or targets, as far as these could be read."""
    if one.type and other.type and one.type != other.type:
        return True
    return bool(one.targets and other.targets) and sorted(_targets(one)) != sorted(_targets(other))


def _targets(mapping: DisambiguationMapping) -> Iterator[tuple[str, ...]]:
    for target in mapping.targets or ():
        modifiers = sorted(f"{each.modifierGroupName or ''}/{each.modifierName}" for each in target.modifiers or ())
        yield (target.itemName or target.itemId or "", *modifiers)


def _meaning(mapping: DisambiguationMapping) -> str:
    names = [_name(target) for target in mapping.targets or ()]
    if mapping.type == "INVALID_ITEM" or not names:
        return mapping.type or "something else"
    listed = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"one of {listed}" if mapping.type == "DISAMBIGUATION" else listed


def _name(target: TargetItem) -> str:
    return f'"{target.itemName or target.itemId}"'
