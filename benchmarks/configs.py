"""Made-up ChannelConfigs without a mistake."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from benchmarks.random_source import Dice
from benchmarks.text_pool import (
    CHANNELS,
    DAYPARTS,
    ITEMS,
    LANGUAGES,
    MODIFIER_GROUPS,
    MODIFIERS,
    ORDER_TYPES,
    PHRASES,
    SENTENCES,
    TEAMS,
    WELCOMES,
)
from benchmarks.views import Resource, height

FEATURES = ("orderPickup", "orderDineIn", "nameCollection", "getOrderPrices", "supportCashPayment")


def channel_config(dice: Dice, number: int, *, lines: int) -> Resource:
    """A config of about so many lines of YAML; its name is unique by its number."""
    sells = dice.chance(0.65)
    identity = f"{dice.pick(DAYPARTS)}-{dice.pick(TEAMS)}-{number:05d}"
    operations: Resource = {}
    config: Resource = {
        "kind": "ChannelConfig",
        "name": f"projects/corpus/locations/us/brands/brand-{number % 7}/channelConfigs/{identity}",
        "displayName": identity.replace("-", " ").capitalize(),
        "type": "UPSELL_STRATEGY" if sells else "AGENT_CUSTOMIZATION",
        "tone": dice.pick(("FRIENDLY", "CONCISE_AND_DIRECT", "PROFESSIONAL_AND_FORMAL")),
        "operationsConfig": operations,
    }
    languages = dice.some(LANGUAGES, dice.number(1, 4))
    operations["displayName"] = config["displayName"]
    operations["description"] = " ".join(dice.some(SENTENCES, dice.number(1, 4)))
    operations["defaultLanguageCode"] = languages[0]
    operations["interactionMode"] = "ORDER_TAKING"
    operations["greetings"] = [greetings(dice, language) for language in languages]
    if sells:
        operations["upsellStrategy"] = _strategy(dice, languages, lines - height(config))
    else:
        config["supplementalInstructions"] = {"freeformInstructions": sentences(dice, dice.number(3, 9))}
        operations["featuresConfig"] = {name: {} for name in dice.some(FEATURES, 3)} | {"budgetBasedOrdering": True}
        operations["disambiguationStrategy"] = {"mappings": mappings(dice, lines - height(config))}
    return config


def greetings(dice: Dice, language: str) -> Resource:
    """A greeting in a language."""
    welcomes = WELCOMES[language.partition("-")[0]]
    return {"languageCode": language, "greetingPhrases": dice.some(welcomes, dice.number(1, 3))}


def sentences(dice: Dice, count: int) -> str:
    """So many lines of instructions."""
    return "\n".join(f"- {dice.pick(SENTENCES)}" if dice.chance(0.6) else dice.pick(SENTENCES) for _ in range(count))


def _strategy(dice: Dice, languages: list[str], lines: int) -> Resource:
    left = iter(dice.shuffled(conditions()))
    strategy: Resource = {"maxUpsellOffers": dice.number(2, 5), "maxUpsellDeclines": dice.number(1, 3)}
    if dice.chance(0.5):
        strategy["maxItemsInCart"] = dice.number(8, 40)
    if dice.chance(0.2):
        strategy["cateringGuidelines"] = sentences(dice, dice.number(4, 12)) + "\n"
    strategy["upsells"] = upsells = [greeting_offer(dice, languages), closing_offer(dice, languages)]
    tall = sum(height(upsell) for upsell in upsells)
    while tall < lines and len(upsells) < 400:
        upsells.append(cel_upsell(dice, next(left)))
        if dice.chance(0.25):
            upsells.append(_plain_offer(dice, languages))
            tall += height(upsells[-1])
        tall += height(upsells[-1]) + 1
    _number(dice, upsells)
    for upsell in upsells:
        closing = upsell.get("closingOffer", {}).get("closingMessages", ())
        greeting = upsell.get("greetingOffer", {}).get("messages", ())
        for messages in (greeting, [message["offerMessage"] for message in closing]):
            if 0 < len(messages) <= 6 and dice.chance(0.5):
                _weigh(dice, messages)
    return strategy


def _weigh(dice: Dice, messages: list[Resource]) -> None:
    """Frequencies that add up to exactly 1: one share is halved again and again."""
    shares = [1.0]
    while len(shares) < len(messages):
        half = shares.pop(dice.number(0, len(shares) - 1)) / 2
        shares += [half, half]
    for message, share in zip(messages, shares, strict=True):
        message["messageFrequency"] = share


def _number(dice: Dice, upsells: list[Resource]) -> None:
    """Priorities in the order of the list, with gaps; where CEL priorities stand, they favour in the same order."""
    priority, favour = 0, 1000 if dice.chance(0.5) else 0
    for number, upsell in enumerate(upsells, start=1):
        priority += dice.number(1, 4)
        upsell["displayName"] = f"{upsell['displayName']} {number}"
        upsell["priority"] = priority
        if favour and "celUpsell" in upsell:
            favour -= 2
            upsell["celUpsell"]["priority"] = favour


def cel_upsell(dice: Dice, condition: str) -> Resource:
    """An upsell on a condition; its priority is still to be set."""
    item = dice.pick(ITEMS)
    rule: Resource = {"conditionExpression": condition, "suggestedMenuItems": [item]}
    upsell: Resource = {"displayName": f"Suggest {item}", "priority": 0, "celUpsell": rule}
    if dice.chance(0.4):
        upsell["skipOnPreviousTurnUpsell"] = True
    if dice.chance(0.3) and _names_an_item(condition):
        upsell["skipOnMultiQuantityUpsoldFromItem"] = True
    if dice.chance(0.05):
        upsell["disabled"] = True
    if dice.chance(0.6):
        rule["triggerReason"] = " ".join(dice.some(SENTENCES, dice.number(1, 3)))
    if dice.chance(0.3):
        rule["suggestedModifierGroups"] = [
            {"name": group, "suggestedModifiers": dice.some(MODIFIERS, 2)} for group in dice.some(MODIFIER_GROUPS, 2)
        ]
        rule["maxModifierPerGroup"] = dice.number(1, 3)
    elif dice.chance(0.3):
        rule["suggestedModifiers"] = dice.some(MODIFIERS, dice.number(1, 3))
    return upsell


def _message(dice: Dice, languages: list[str]) -> Resource:
    item = dice.pick(ITEMS)
    texts = [
        {"languageCode": language, "messageText": dice.pick(PHRASES[language.partition("-")[0]]).format(item)}
        for language in languages
    ]
    return {"displayName": item, "upsoldItems": [item], "messageConfigs": texts}


def _names_an_item(condition: str) -> bool:
    """Whether a condition names an item that must be in the order, so that an upsell is made from it."""
    return any(f"{field} == '" in condition for field in ("displayName", "itemId")) and "!" not in condition


def greeting_offer(dice: Dice, languages: list[str]) -> Resource:
    """An upsell in the welcome message; its priority is still to be set."""
    messages = [_message(dice, languages) for _ in range(dice.number(1, 4))]
    return {"displayName": "Welcome offer", "priority": 0, "greetingOffer": {"messages": messages}}


def closing_offer(dice: Dice, languages: list[str]) -> Resource:
    """An upsell after the order is complete; its priority is still to be set."""
    skip = dice.some(("Pie", "Cookie", "Shake", "Salad", "Combo"), 2)
    messages = [{"offerMessage": _message(dice, languages), "skipTerms": skip} for _ in range(dice.number(1, 3))]
    return {"displayName": "Closing offer", "priority": 0, "closingOffer": {"closingMessages": messages}}


def _plain_offer(dice: Dice, languages: list[str]) -> Resource:
    return greeting_offer(dice, languages) if dice.chance(0.5) else closing_offer(dice, languages)


def mappings(dice: Dice, lines: int) -> list[Resource]:
    """Mappings of customer terms, of about so many lines of YAML."""
    found: list[Resource] = []
    tall = 0
    while tall < lines and len(found) < 400:
        found.append(_mapping(dice, len(found)))
        tall += height(found[-1]) + 1
    return found


def _mapping(dice: Dice, number: int) -> Resource:
    sort = dice.pick(("SINGLE_TARGET", "DISAMBIGUATION", "INVALID_ITEM"))
    count = 1 if sort == "SINGLE_TARGET" else dice.number(2, 4)
    words = dice.some(("the usual", "a big one", "something cold", "what she had", "el de siempre", "un trio"), 3)
    mapping: Resource = {
        "type": sort,
        "customerTerms": [f"{word} {number}" for word in words],
        "targets": [_target(dice, item) for item in dice.some(ITEMS, count)],
    }
    if dice.chance(0.5):
        mapping["customInstruction"] = " ".join(dice.some(SENTENCES, 2))
    return mapping


def _target(dice: Dice, item: str) -> Resource:
    target: dict[str, Any] = {"itemName": item, "itemId": f"I-{ITEMS.index(item) + 100}"}
    if dice.chance(0.4):
        target["modifiers"] = [
            {"modifierName": name, "modifierGroupName": dice.pick(MODIFIER_GROUPS)} for name in dice.some(MODIFIERS, 2)
        ]
    return target


COUNT = 500


@cache
def conditions() -> tuple[str, ...]:
    """500 different CEL conditions over the default session schema; each is neither always true nor always false."""
    dice = Dice("conditions")
    found = dict.fromkeys(_condition(dice) for _ in range(3 * COUNT))
    return tuple(found)[:COUNT]


def _condition(dice: Dice) -> str:
    atoms = list(dict.fromkeys(atom for atom in _atoms(dice)))
    shape = dice.number(0, 9)
    if shape < 3:
        return dice.pick(atoms)
    if shape < 7:
        return " && ".join(dice.some(atoms, dice.number(2, 4)))
    first, second, third = dice.some(atoms, 3)
    if shape == 7:
        return f"({first} || {second}) && {third}"
    if shape == 8:
        return f"{first} ? {second} : {third}"
    return f"!({first}) && ({second} || {third})"


def _atoms(dice: Dice) -> Iterator[str]:
    """One of each form; joined, they cannot contradict each other, since each reads something else."""
    first, second, third, fourth = dice.some(ITEMS, 4)
    yield f"order.items.exists(i, i.displayName == '{first}')"
    yield f"!order.items.exists(i, i.displayName in ['{second}', '{third}'])"
    yield f"order.items.size() {dice.pick(('>', '>=', '<'))} {dice.number(2, 9)}"
    yield f"order.subtotal {dice.pick(('>', '>=', '<'))} {dice.number(4, 60)}.{dice.pick(('0', '5', '99'))}"
    yield f"order.orderType == '{dice.pick(ORDER_TYPES)}'"
    yield f"session.channelType != '{dice.pick(CHANNELS)}'"
    yield f"session.daypartId in ['{dice.pick(DAYPARTS[:2])}', '{dice.pick(DAYPARTS[2:])}']"
    yield f"session.turn > {dice.number(1, 6)}"
    yield f"session.startTime.getHours('America/Chicago') < {dice.number(9, 20)}"
    yield f"order.items.filter(i, i.quantity > {dice.number(1, 3)}).size() < {dice.number(2, 5)}"
    yield f"order.items.exists(i, i.displayName.contains('{fourth.split()[-1]}') && i.quantity >= {dice.number(2, 4)})"
    yield (
        "order.items.exists(i, i.modifierGroups.exists(g, "
        f'g.modifiers.exists(m, m.displayName == "{dice.pick(MODIFIERS)}")))'
    )
    yield f"session.languageCode.startsWith('{dice.pick(('en', 'es', 'fr'))}')"
