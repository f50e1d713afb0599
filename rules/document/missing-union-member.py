"""Union that requires one member and has none.

An upsell without an offer has nothing to say. An upsell with `disabled: true` may be an override, which disables an
upsell of an earlier level by its name, or by its priority alone, and is not reported; where the brands of the workspace
show that no earlier level has that upsell, it is a warning.

Specification: channel-config, UpsellConfig: "Exactly one of the next three is the type-specific configuration."

Good, as UpsellConfig:

    priority: 1
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Good, as UpsellConfig:

    priority: 1
    greetingOfer: {messages: [{messageConfigs: [{languageCode: en, messageText: Fries?}]}]}

Good, as UpsellConfig:

    priority: 1
    closingOffer: true

Good, as UpsellConfig:

    displayName: Fries
    priority: 1
    disabled: true

Good, as UpsellConfig:

    priority: 1
    disabled: true

Bad, as UpsellConfig:

    displayName: Fries  # <- "Fries" has no offer
    priority: 1
    disabled: false

Bad, as UpsellStrategy:

    upsells:
      - displayName: Fries  # <- "Fries" has no offer; add one of greetingOffer, closingOffer and celUpsell
        priority: 1
      - priority: 2  # <- the upsell of priority 2 has no offer
        celUpsell: null

Bad, as ScenarioStep:

    clock: 2026-03-02T10:00:00Z  # <- a step needs one action; add sync, fetch, search, schedule, wait, write

Bad, as GivenSource:

    uri: bq://acme.serving.riders  # <- there are no rows; add rows or table

Bad, as SearchStep:

    view: menu  # <- a search needs an entity or a vector; add entity or vector
    expect: {neighbors: []}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.node import Node

PROBLEMS = {
    "content": "there are no rows",
    "query": "a search needs an entity or a vector",
    "deed": "a step needs one action",
}


def may_lack_offer(upsell: UpsellConfig) -> bool:
    """Whether an upsell has none of the three types that can be read."""
    return not (upsell.greetingOffer or upsell.celUpsell or upsell.closingOffer)


@rule("UpsellConfig", severity=Severity.ERROR, absence=True, prefilter=may_lack_offer)
def check(upsell: UpsellConfig) -> Findings:
    """Flag an upsell that has none of the three types, at its first key, unless it may be an override."""
    if may_lack_offer(upsell) and not upsell.disabled and not upsell.members("upsell_type_config"):
        *names, last = upsell.unions["upsell_type_config"]
        yield upsell.finding(None, f"{upsell.title} has no offer; add one of {', '.join(names)} and {last}")


@rule("GivenSource", "SearchStep", "ScenarioStep", severity=Severity.ERROR, absence=True)
def check_scenarios(node: Node) -> Findings:
    """Flag a part of a scenario that has none of the members of its union, at its first key."""
    for union in sorted(node.required_unions):
        if not node.members(union):
            *names, last = node.unions[union]
            yield node.finding(None, f"{PROBLEMS[union]}; add {', '.join(names)} or {last}")
