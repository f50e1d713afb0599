"""A value has the type of its field.

Most readers refuse a value of another type, and some take it for something else: the text "false" is true to many
programs, and a single text where a list belongs is read letter by letter.

Specification: feature-view, section 2, and channel-config, section 2: the tables give the type of every field; an int64
is text that holds an integer.

Good, as UpsellConfig:

    priority: 1
    disabled: true
    greetingOffer: {messages: [{messageConfigs: [{languageCode: en, messageText: "5"}]}]}

Good, as FeaturesConfig:

    orderPickup: {}

Bad, as UpsellConfig:

    priority: high  # <- priority takes an integer: 'high' is no integer
    disabled: "true"  # <- disabled takes true or false, not the text "true"; write true
    skipOnPreviousTurnUpsell: yes  # <- skipOnPreviousTurnUpsell takes true or false, not the text "yes"; write true
    celUpsell: []  # <- celUpsell takes a mapping with the fields conditionExpression, suggestedMenuItems

Bad, as UpsellConfig:

    priority: 1
    disabled: "true"  # <- write true
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Fixed, as UpsellConfig:

    priority: 1
    disabled: true
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: rider_id  # <- entityIdColumns takes a list of texts, not the text "rider_id"; make it a list

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [rider_id]

Bad, as FeatureGroup:

    featureGroupId: 12  # <- featureGroupId takes text, not the number 12; quote it
    featureIds: [age, 7, null]  # <- an item of featureIds takes text, not the number 7; quote it
    # line 2 <- an item of featureIds takes text, not null

Fixed, as FeatureGroup:

    featureGroupId: "12"
    featureIds: [age, "7", null]

Bad, as UpsellStrategy:

    upsells:  # <- upsells takes a list of mappings, not a mapping; make it a list
      priority: 1
      disabled: true
      celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Bad, as UpsellStrategy:

    upsells:  # <- celUpsell, not a mapping; begin each item with a dash
      fries: {priority: 1}
      shake: {priority: 2}

Bad, as RagSource:

    uri: bq://acme.rag.chunks
    ragCorpusId: ""  # <- ragCorpusId takes an integer as text: the empty text is no int64

Bad, as FeaturesConfig:

    orderPickup: true  # <- orderPickup takes {}, a message without fields, not true; write {}
    orderDineIn: false  # <- orderDineIn takes {}, a message without fields, not false; leave the key out

Bad, as TargetItem:

    itemName: Burger
    modifiers: [Pickles, Cheese]  # <- not a list of texts; write {modifierName: Pickles} for each

Bad, as OfferMessage:

    messageFrequency: 60%  # <- messageFrequency takes a number, not the text "60%"; write 0.6
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: {offer}}]  # <- not a mapping; quote it if these are characters

Bad:

    kind: FeatureView
    labels: {tier: 1, team: [rides]}  # <- tier takes text, not the number 1; quote it
    # line 2 <- team takes text, not a list
    syncConfig: 0 3 * * *  # <- syncConfig takes a mapping with the fields cron, continuous, not the text
    warehouseSource:  # <- with the fields uri, entityIdColumns, not a list; write it without the dash
      - uri: bq://acme.serving.riders
        entityIdColumns: [id]
"""

from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import At, Fix, Replace, Severity, WrapInList
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import WrongType
from trialrun.model.unknown_field import field_list

LONGEST_SHOWN = 40


@rule(WrongType, severity=Severity.ERROR)
def check(misfit: WrongType) -> Findings:
    """Flag the value, and say what to write where it is plain what was meant."""
    advice = "".join(f"; {words}" for words in _advice(misfit))
    is_item = isinstance(misfit.path[-1], int) if misfit.path else False
    subject = f"an item of {misfit.field}" if is_item else misfit.field
    if misfit.detail:
        yield misfit.finding(f"{subject} takes {misfit.expected}: {misfit.detail}", fix=_fix(misfit))
        return
    at: At = "key" if misfit.value is None and not is_item else "place"
    yield misfit.finding(
        f"{subject} takes {_expected(misfit)}, not {_shown(misfit.value)}{advice}", at=at, fix=_fix(misfit)
    )


def _expected(misfit: WrongType) -> str:
    if misfit.model is None or misfit.fits_as_item:
        return misfit.expected
    if misfit.expected != "a mapping":
        return f"{misfit.expected} with the fields {field_list(misfit.model)}"
    if not misfit.model.model_fields:
        return "{}, a message without fields"
    return f"a mapping with the fields {field_list(misfit.model)}"


def _advice(misfit: WrongType) -> Iterator[str]:
    if _is_switch(misfit):
        yield "leave the key out" if misfit.value is False else "write {}"
    elif misfit.fits_as_item:
        yield "make it a list"
    elif isinstance(misfit.value, dict) and misfit.expected.startswith("a list"):
        yield "begin each item with a dash"
    elif misfit.model and misfit.expected == "a mapping" and _is_list_of_one_mapping(misfit.value):
        yield "write it without the dash"
    elif text := text_of_braces(misfit):
        yield f'quote it if these are characters of the text: "{text}"'
    elif example := example_item(misfit):
        yield f"write {example}"
    elif misfit.expected == "text" and misfit.converted is not None:
        yield "quote it"
    elif misfit.converted is not None:
        yield f"write {str(misfit.converted).lower()}"


def _is_list_of_one_mapping(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)


def text_of_braces(misfit: WrongType) -> str | None:
    """The text that `{brand}` or `[Fries]` may have been meant to be, where YAML reads a mapping or a list."""
    if misfit.expected not in ("text", "a list of texts"):
        return None
    match misfit.value:
        case dict() if len(misfit.value) == 1:
            ((key, value),) = misfit.value.items()
            return f"{{{key}}}" if value is None else None
        case [str() as text] if misfit.expected == "text":
            return f"[{text}]"
    return None


def example_item(misfit: WrongType) -> str | None:
    """How the first text of a list is written as a message, by the field that names one."""
    if misfit.model is None or misfit.expected == "a mapping":
        return None
    text = misfit.value[0] if isinstance(misfit.value, list) and misfit.value else misfit.value
    naming = next((name for name in misfit.model.model_fields if name.endswith(("Name", "name", "Id"))), None)
    if not isinstance(text, str) or naming is None or len(text) > LONGEST_SHOWN:
        return None
    return f"{{{naming}: {text}}} for each"


def _is_switch(misfit: WrongType) -> bool:
    """Whether a message without fields was written as a boolean."""
    return misfit.model is not None and not misfit.model.model_fields and isinstance(misfit.value, bool)


def _fix(misfit: WrongType) -> Fix | None:
    if _is_switch(misfit):
        return Fix("write {}", (Replace(misfit.location, {}),)) if misfit.value else None
    if misfit.fits_as_item:
        return Fix("make it a list", (WrapInList(misfit.location),), safe=True)
    if misfit.converted is None:
        return None
    title = "quote it" if misfit.expected == "text" else f"write {str(misfit.converted).lower()}"
    return Fix(title, (Replace(misfit.location, misfit.converted),), safe=misfit.is_lossless)


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'the text "{value}"' if len(value) <= LONGEST_SHOWN else f'the text "{value[:LONGEST_SHOWN]}…"'
        case int() | float():
            return f"the number {value}" if abs(value) < 10**LONGEST_SHOWN else "a number"
        case [str(), *rest] if all(isinstance(item, str) for item in rest):
            return "a list of texts"
        case list():
            return "a list"
    return "a mapping"
