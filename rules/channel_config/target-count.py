"""Mapping with an unusual number of targets for its type.

DISAMBIGUATION asks the customer to choose among several items; with one target there is no choice. SINGLE_TARGET puts
all of its targets into the order: several are a custom combo, which a note points out, since the choice of one of them
is a DISAMBIGUATION.

Specification: channel-config, DisambiguationMapping.Type: "SINGLE_TARGET (shortcuts, custom combos, valid synonyms)";
"DISAMBIGUATION (ambiguous input needing clarification among several valid targets)".

Good, as DisambiguationStrategy:

    mappings:
      - {type: SINGLE_TARGET, customerTerms: [the usual], targets: [{itemName: Burger Combo}]}
      - {type: DISAMBIGUATION, customerTerms: [soda], targets: [{itemName: Cola}, {itemName: Lemonade}]}
      - {type: INVALID_ITEM, customerTerms: [nuggets], targets: [{itemName: Burger}]}

Bad, as DisambiguationStrategy:

    mappings:
      - type: DISAMBIGUATION
        customerTerms: [soda]
        targets:  # <- DISAMBIGUATION with one target leaves nothing to ask; add another, or make it SINGLE_TARGET
          - itemName: Cola
      - type: SINGLE_TARGET
        customerTerms: [shake]
        targets:  # <- all 2 targets are ordered together, as a combo; for a choice of one make it DISAMBIGUATION
          - itemName: Vanilla Shake
          - itemName: Chocolate Shake
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import DisambiguationMapping
from trialrun.model.node import TruncatedList


@rule(DisambiguationMapping, severity=Severity.WARNING, absence=True)
def check(mapping: DisambiguationMapping) -> Findings:
    """Flag a list of targets that is too short for the type, and note one that is a combo."""
    count = len(mapping.targets or ())
    if mapping.type == "DISAMBIGUATION" and count == 1 and not isinstance(mapping.targets, TruncatedList):
        yield mapping.finding(
            "targets", "DISAMBIGUATION with one target leaves nothing to ask; add another, or make it SINGLE_TARGET"
        )
    if mapping.type == "SINGLE_TARGET" and count > 1:
        yield mapping.finding(
            "targets",
            f"all {count} targets are ordered together, as a combo; for a choice of one make it DISAMBIGUATION",
            severity=Severity.NOTE,
        )
