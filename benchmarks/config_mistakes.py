"""Mistakes that people make in ChannelConfigs."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.mistakes import DoesNotApply, at, registry, rename
from benchmarks.views import Resource
from benchmarks.yaml_writer import Raw

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


@mistake("cel-constant", "condition")
def _hour_25(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "session.startTime.getHours() == 25"


@mistake("cel-constant", "condition")
def _in_nothing(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = (
        "order.subtotal > 5.0 && order.orderType in []"
    )


@mistake("cel-constant", "condition")
def _last_item(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "order.items[-1].quantity > 1"


@mistake("cel-extension", "condition")
def _lower_case(config: Resource) -> None:
    text = "order.items.exists(i, i.displayName.lowerAscii() == 'cola')"
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = text


@mistake("cel-syntax", "condition")
def _is_not_null(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "order.subtotal is not null"


@mistake("cel-type", "condition")
def _list_contains(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "order.items.contains('Fries')"


@mistake("unfilled-placeholder", "condition")
def _unfilled_limit(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = "order.subtotal > ${LIMIT}"


@mistake("unfilled-placeholder", "condition")
def _unfilled_text(config: Resource) -> None:
    text = "order.items.exists(i, i.displayName == '{{ item }}') || 1 > 2"
    next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = text


@mistake("duplicate-upsell-name", "upsell name")
def _name_twice(config: Resource) -> None:
    listed = at(config, "operationsConfig", "upsellStrategy", "upsells")
    listed[1]["displayName"] = listed[0]["displayName"]


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


@mistake("duplicate-item", "skip terms")
def _skip_twice(config: Resource) -> None:
    _first_closing(config)["skipTerms"] = ["Pie", "pie"]


@mistake("blank-text", "skip terms")
def _skip_everything(config: Resource) -> None:
    _first_closing(config)["skipTerms"] = [""]


@mistake("out-of-range", "frequency")
def _percent(config: Resource) -> None:
    _first_message(config)["messageFrequency"] = 20


@mistake("wrong-type", "frequency")
def _percent_sign(config: Resource) -> None:
    _first_message(config)["messageFrequency"] = "60%"


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


@mistake("duplicate-item", "terms")
def _term_twice(config: Resource) -> None:
    _add_mapping(config, {"customerTerms": ["coke", "Coke"], "targets": [{"itemName": "Cola"}]})


@mistake("blank-text", "terms")
def _copied_blank(config: Resource) -> None:
    _add_mapping(config, {"customerTerms": ["the big one"], "targets": [{"itemName": "Cola", "itemId": "I-100 "}]})


@mistake("wrong-type", "terms")
def _modifier_names(config: Resource) -> None:
    target = {"itemName": "Burger", "modifiers": ["Pickles", "Cheese"]}
    _add_mapping(config, {"customerTerms": ["the full one"], "targets": [target]})


@mistake("blank-text", "name")
def _blank_in_name(config: Resource) -> None:
    config["name"] += " "


@mistake("deceptive-text", "title")
def _turned_around(config: Resource) -> None:
    config["displayName"] = "Lunch \u202egnireffo"


@mistake("listen-only-speaks", "mode")
def _listening(config: Resource) -> None:
    config["operationsConfig"]["interactionMode"] = "LISTEN_ONLY"


def _first_message(config: Resource) -> Resource:
    message: Resource = next(upsells(config, "greetingOffer"))["greetingOffer"]["messages"][0]
    return message


def _first_closing(config: Resource) -> Resource:
    message: Resource = next(upsells(config, "closingOffer"))["closingOffer"]["closingMessages"][0]
    return message


def _add_mapping(config: Resource, mapping: Resource) -> None:
    at(config, "operationsConfig", "disambiguationStrategy", "mappings").append({"type": "SINGLE_TARGET", **mapping})


def _first_texts(config: Resource) -> list[Resource]:
    texts: list[Resource] = _first_message(config)["messageConfigs"]
    return texts
