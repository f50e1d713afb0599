"""Mistakes that people make in ChannelConfigs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.mistakes import DoesNotApply, at, registry, rename
from benchmarks.views import Resource
from benchmarks.writing import Raw

CONFIG_MISTAKES, mistake = registry()


def upsells(config: Resource, sort: str) -> Iterator[Resource]:
    """The upsells of one type that are not disabled; DoesNotApply where there is none."""
    found = [upsell for upsell in at(config, "operationsConfig", "upsellStrategy", "upsells") if sort in upsell]
    sound = [upsell for upsell in found if not upsell.get("disabled")]
    if not sound:
        raise DoesNotApply
    return iter(sound)


@mistake("duplicate-upsell-priority", "priority")
def _same_priority(config: Resource) -> None:
    listed = at(config, "operationsConfig", "upsellStrategy", "upsells")
    listed[1]["priority"] = listed[0]["priority"]


@mistake("out-of-range", "priority")
def _priority_zero(config: Resource) -> None:
    at(config, "operationsConfig", "upsellStrategy", "upsells", 0)["priority"] = 0


@mistake("cel-syntax", "condition")
def _and(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "order.subtotal > 5.0 and session.turn > 1"


@mistake("cel-type", "condition")
def _field_slip(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "order.subTotal > 5.25"


@mistake("cel-constant", "condition")
def _constant(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "1 > 2"


@mistake("missing-field", "suggestion")
def _nothing_to_suggest(config: Resource) -> None:
    del next(upsells(config, "celUpsell"))["celUpsell"]["suggestedMenuItems"]


@mistake("wrong-type", "disabled")
def _text_boolean(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["skipOnPreviousTurnUpsell"] = "true"


@mistake("invalid-language-tag", "offer")
def _united_kingdom(config: Resource) -> None:
    _first_texts(config).append({"languageCode": "en-UK", "messageText": "Chips with that?"})


@mistake("ambiguous-scalar", "offer", yaml_only=True)
def _norway(config: Resource) -> None:
    _first_texts(config).append({"languageCode": Raw("no", "no"), "messageText": "Litt pommes frites?"})


@mistake("duplicate-language", "offer")
def _language_twice(config: Resource) -> None:
    texts = _first_texts(config)
    texts.append(dict(texts[0]))


@mistake("non-canonical-language-tag", "offer")
def _old_hebrew(config: Resource) -> None:
    _first_texts(config).append({"languageCode": "iw", "messageText": "רוצים צ'יפס?"})


@mistake("uncovered-language", "offer")
def _silent(config: Resource) -> None:
    texts = _first_texts(config)
    if len(texts) < 2:
        raise DoesNotApply
    texts.pop()


@mistake("no-upsold-items", "upsold")
def _nothing_upsold(config: Resource) -> None:
    del _first_message(config)["upsoldItems"]


@mistake("union-conflict", "upsold")
def _names_and_ids(config: Resource) -> None:
    _first_message(config)["upsoldItemIds"] = ["I-100"]


@mistake("skip-without-effect", "closing")
def _skip(config: Resource) -> None:
    next(upsells(config, "closingOffer"))["skipOnMultiQuantityUpsoldFromItem"] = True


@mistake("unknown-field", "limits")
def _limit(config: Resource) -> None:
    rename(at(config, "operationsConfig", "upsellStrategy"), "maxUpsellDeclines", "maxUpsellDecline")


@mistake("unknown-enum-value", "tone")
def _tone(config: Resource) -> None:
    config["tone"] = "FREINDLY"


@mistake("output-only-field", "state")
def _state(config: Resource) -> None:
    config["state"] = "ACTIVE"


@mistake("too-long", "title")
def _long(config: Resource) -> None:
    config["displayName"] = "A name that somebody wrote into the field for names, although it is a sentence"


@mistake("null-value", "features")
def _null(config: Resource) -> None:
    at(config, "operationsConfig", "featuresConfig")["endSessionWithCheckoutRequest"] = None


@mistake("deprecated-field", "features")
def _confirm(config: Resource) -> None:
    at(config, "operationsConfig", "featuresConfig")["confirmOrderInfoAtStart"] = True


@mistake("conflicting-customer-term", "terms")
def _conflict(config: Resource) -> None:
    mappings = at(config, "operationsConfig", "disambiguationStrategy", "mappings")
    other = {"type": "SINGLE_TARGET", "customerTerms": ["One More "], "targets": [{"itemName": "Fries"}]}
    mappings += [other, {"type": "INVALID_ITEM", "customerTerms": ["one more"], "targets": [{"itemName": "Cola"}]}]


@mistake("target-count", "terms")
def _one_choice(config: Resource) -> None:
    mappings = at(config, "operationsConfig", "disambiguationStrategy", "mappings")
    mappings.append({"type": "DISAMBIGUATION", "customerTerms": ["which one"], "targets": [{"itemName": "Fries"}]})


@mistake("listen-only-speaks", "mode")
def _listening(config: Resource) -> None:
    config["operationsConfig"]["interactionMode"] = "LISTEN_ONLY"


def _first_message(config: Resource) -> Resource:
    message: Resource = next(upsells(config, "greetingOffer"))["greetingOffer"]["messages"][0]
    return message


def _first_texts(config: Resource) -> list[Resource]:
    texts: list[Resource] = _first_message(config)["messageConfigs"]
    return texts
