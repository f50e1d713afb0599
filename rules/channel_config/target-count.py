"""Mapping with too few or too many targets for its type.

DISAMBIGUATION asks the customer to choose among several items; with one target there is no choice. SINGLE_TARGET puts
one item into the order; with several, the choice is undefined.

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
        targets:  # <- SINGLE_TARGET with 2 targets is ambiguous; keep one, or make it DISAMBIGUATION
          - itemName: Vanilla Shake
          - itemName: Chocolate Shake
"""

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import DisambiguationMapping
from trialrun.model.node import TruncatedList


@rule(DisambiguationMapping, severity=Severity.WARNING, absence=True)
def check(mapping: DisambiguationMapping) -> Findings:
    """Flag a list of targets that is too short or too long for the type."""
    count = len(mapping.targets or ())
    if mapping.type == "DISAMBIGUATION" and count == 1 and not isinstance(mapping.targets, TruncatedList):
        yield mapping.finding(
            "targets", "DISAMBIGUATION with one target leaves nothing to ask; add another, or make it SINGLE_TARGET"
        )
    if mapping.type == "SINGLE_TARGET" and count > 1:
        yield mapping.finding(
            "targets", f"SINGLE_TARGET with {count} targets is ambiguous; keep one, or make it DISAMBIGUATION"
        )
