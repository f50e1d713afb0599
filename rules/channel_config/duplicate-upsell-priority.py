"""Two upsells of one strategy with the same priority.

Priorities order the upsells of a strategy: the lowest is attempted first. The order of two equal ones is undefined, so
a customer may hear another offer than the intended one.

Specification: channel-config, UpsellConfig: "Each UpsellConfig in a strategy has a unique priority."

Good, as UpsellStrategy:

    upsells:
      - priority: 1
        greetingOffer: {messages: [{messageConfigs: [{languageCode: en, messageText: Fries?}]}]}
      - priority: 20
        closingOffer: {closingMessages: [{offerMessage: {messageConfigs: [{languageCode: en, messageText: Shake?}]}}]}

Bad, as UpsellStrategy:

    upsells:
      - displayName: Fries with burgers
        priority: 3
      - displayName: A shake
        priority: 4
      - displayName: Apple pie
        priority: 3  # <- priority 3 is already taken by "Fries with burgers"

Fixed, as UpsellStrategy:

    upsells:
      - displayName: Fries with burgers
        priority: 3
      - displayName: A shake
        priority: 4
      - displayName: Apple pie
        priority: 5
"""

from itertools import count

from trialrun.diagnostic import Fix, Related, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import UpsellStrategy


@rule(UpsellStrategy, severity=Severity.ERROR)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag each upsell whose priority an earlier one has."""
    first: dict[int, int] = {}
    upsells = strategy.upsells or []
    taken = {upsell.priority for upsell in upsells}
    given: dict[int, int] = {}  # where the search for a free number goes on
    for index, upsell in enumerate(upsells):
        number = upsell.priority
        if number is None or first.setdefault(number, index) == index:
            continue
        earlier = upsells[first[number]]
        free = given[number] = next(each for each in count(given.get(number, number)) if each not in taken)
        taken.add(free)
        name = f'"{earlier.displayName}"' if earlier.displayName else f"upsell {first[number] + 1}"
        yield upsell.finding(
            "priority",
            f"priority {number} is already taken by {name}; give every upsell of a strategy its own",
            related=(Related("taken here", earlier.location("priority")),),
            fix=Fix(f"use {free}", (Replace(upsell.location("priority"), free),)),
        )
