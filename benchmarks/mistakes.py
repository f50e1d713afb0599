"""Mistakes that people make, each with the one rule that finds it; a mistake spoils a sound resource in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.views import Resource
from benchmarks.yaml_writer import Raw, Twice

Make = Callable[[Resource], None]


class DoesNotApply(Exception):
    """The resource has no place for this mistake."""


@dataclass(frozen=True)
class Mistake:
    """A mistake: the rule that finds it, the part of the resource it touches, and whether only YAML can hold it."""

    rule: str
    part: str
    make: Make
    yaml_only: bool = False


def at(resource: Resource, *path: str | int) -> Any:
    """The value at a path; DoesNotApply where there is none."""
    value: Any = resource
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError):
            raise DoesNotApply from None
    return value


def upsells(config: Resource, sort: str) -> Iterator[Resource]:
    """The upsells of one type that are not disabled; DoesNotApply where there is none."""
    found = [upsell for upsell in at(config, "operationsConfig", "upsellStrategy", "upsells") if sort in upsell]
    sound = [upsell for upsell in found if not upsell.get("disabled")]
    if not sound:
        raise DoesNotApply
    return iter(sound)


def put(*path: str | int, value: Any, new: bool = True) -> Make:
    """Put a value at a path; unless it may be new there, something must stand there."""

    def make(resource: Resource) -> None:
        at(resource, *path) if not new else None
        at(resource, *path[:-1])[path[-1]] = value

    return make


def drop(*path: str | int) -> Make:
    """Leave out what is at a path."""

    def make(resource: Resource) -> None:
        del at(resource, *path[:-1])[path[-1]]

    return make


def rename(*path: str, to: str) -> Make:
    """Give a key another name."""

    def make(resource: Resource) -> None:
        at(resource, *path)
        mapping = at(resource, *path[:-1])
        mapping[to] = mapping.pop(path[-1])

    return make


def cron(text: str | Raw) -> Make:
    """Another schedule."""
    return put("syncConfig", "cron", value=text, new=False)


def condition(text: str) -> Make:
    """Another condition of the first upsell with one."""

    def make(config: Resource) -> None:
        next(upsells(config, "celUpsell"))["celUpsell"]["conditionExpression"] = text

    return make


def message(*path: str, value: Any) -> Make:
    """Another value in the first message of a greeting offer."""

    def make(config: Resource) -> None:
        put(*path, value=value)(_first_message(config))

    return make


def text(language: Any, words: str) -> Make:
    """One more text of the first message."""

    def make(config: Resource) -> None:
        _first_message(config)["messageConfigs"].append({"languageCode": language, "messageText": words})

    return make


def skip_terms(*terms: str) -> Make:
    """Other terms of the first closing message."""

    def make(config: Resource) -> None:
        next(upsells(config, "closingOffer"))["closingOffer"]["closingMessages"][0]["skipTerms"] = [*terms]

    return make


def mapping(*terms: str, targets: list[Any], type: str = "SINGLE_TARGET") -> Make:
    """One more mapping of customer terms."""

    def make(config: Resource) -> None:
        added = {"type": type, "customerTerms": [*terms], "targets": targets}
        at(config, "operationsConfig", "disambiguationStrategy", "mappings").append(added)

    return make


def in_name(old: str, new: str) -> Make:
    """Another text in the name of a view."""

    def make(view: Resource) -> None:
        view["name"] = view["name"].replace(old, new)

    return make


def append(*path: str | int, of: Callable[[Any], Any]) -> Make:
    """One more item at the end of a list, made from the list; or of a text."""

    def make(resource: Resource) -> None:
        holder = at(resource, *path[:-1])
        found = at(resource, *path)
        holder[path[-1]] = found + of(found)

    return make


def _first_message(config: Resource) -> Resource:
    found: Resource = next(upsells(config, "greetingOffer"))["greetingOffer"]["messages"][0]
    return found


def _rag_schedule(view: Resource) -> None:
    at(view, "ragSource")
    view["syncConfig"] = {"cron": "0 5 * * *"}


def _continuous_too(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["continuous"] = True


def _group_with_the_first(groups: list[Any]) -> list[Any]:
    """Another group, with the first feature of the first one."""
    return [{"featureGroupId": "another_group", "featureIds": groups[0]["featureIds"][:1]}]


def _both_indexes(view: Resource) -> None:
    view["vectorSearchConfig"] = dict(at(view, "indexConfig"))


def _same(key: str) -> Make:
    """The second upsell has a value of the first."""

    def make(config: Resource) -> None:
        listed = at(config, "operationsConfig", "upsellStrategy", "upsells")
        listed[1][key] = listed[0][key]

    return make


def _nothing_to_suggest(config: Resource) -> None:
    del next(upsells(config, "celUpsell"))["celUpsell"]["suggestedMenuItems"]


def _text_boolean(config: Resource) -> None:
    next(upsells(config, "celUpsell"))["skipOnPreviousTurnUpsell"] = "true"


def _language_twice(config: Resource) -> None:
    texts = _first_message(config)["messageConfigs"]
    texts.append(dict(texts[0]))


def _silent(config: Resource) -> None:
    texts = _first_message(config)["messageConfigs"]
    if len(texts) < 2:
        raise DoesNotApply
    texts.pop()


def _nothing_upsold(config: Resource) -> None:
    del _first_message(config)["upsoldItems"]


def _conflict(config: Resource) -> None:
    mapping("One More ", targets=[FRIES])(config)
    mapping("one more", targets=[COLA], type="INVALID_ITEM")(config)


def _skip_at_the_end(config: Resource) -> None:
    next(upsells(config, "closingOffer"))["skipOnMultiQuantityUpsoldFromItem"] = True


GROUPS = ("featureRegistrySource", "featureGroups")
PAGE = "https://console.cloud.google.com/bigquery?p=corpus&d=growth&t=riders_latest&page=table"
FRIES, COLA, BURGER = {"itemName": "Fries"}, {"itemName": "Cola"}, {"itemName": "Burger"}
STRATEGY, FEATURES = ("operationsConfig", "upsellStrategy"), ("operationsConfig", "featuresConfig")
NINE_TO_FOUR = {"minReplicaCount": 9, "maxReplicaCount": 4}
UNFILLED = "order.items.exists(i, i.displayName == '{{ item }}') || 1 > 2"
LONG = "A name that somebody wrote into the field for names, although it is a sentence"

VIEW_MISTAKES = [
    Mistake("cron-syntax", "sync", cron("0 25 * * *")),
    Mistake("cron-syntax", "sync", cron("0 0 5 * * *")),
    Mistake("unknown-time-zone", "sync", cron("CRON_TZ=America/New_Yrok 15 6 * * *")),
    Mistake("deprecated-time-zone", "sync", cron("CRON_TZ=US/Eastern 15 6 * * *")),
    Mistake("cron-never-fires", "sync", cron("0 5 31 4 *")),
    Mistake("cron-dst", "sync", cron("CRON_TZ=America/New_York 30 2 * * *")),
    Mistake("cron-portability", "sync", cron("5/15 6 * * *")),
    Mistake("union-conflict", "sync", _continuous_too),
    Mistake("syntax-error", "sync", cron(Raw("*/15 * * * *", "*/15 * * * *")), yaml_only=True),
    Mistake("cron-syntax", "sync", cron("0 9 * * * Europe/Berlin")),
    Mistake("rag-source-scheduled", "sync", _rag_schedule),
    Mistake("unknown-field", "source", rename("warehouseSource", "entityIdColumns", to="entityIdColums")),
    Mistake("missing-field", "source", drop("warehouseSource", "uri")),
    Mistake("suspicious-uri", "source", put("warehouseSource", "uri", value="corpus.growth.riders_latest")),
    Mistake("suspicious-uri", "source", put("warehouseSource", "uri", value=PAGE)),
    Mistake("suspicious-uri", "source", append("ragSource", "uri", of=lambda uri: " ")),
    Mistake("blank-text", "source", append("warehouseSource", "entityIdColumns", 0, of=lambda column: " ")),
    Mistake("blank-text", "source", put(*GROUPS, 0, "featureIds", 0, value="orders today")),
    Mistake("duplicate-item", "source", append(*GROUPS, of=_group_with_the_first)),
    Mistake("duplicate-item", "source", append(*GROUPS, 0, "featureIds", of=lambda ids: ids[:1])),
    Mistake("non-canonical-form", "source", put("featureRegistrySource", "projectNumber", value=418820071311)),
    Mistake("out-of-range", "source", put("ragSource", "ragCorpusId", value="0")),
    Mistake("invalid-label", "labels", put("labels", "team", value="Growth Team")),
    Mistake("wrong-type", "labels", put("labels", "tier", value=1)),
    Mistake("duplicate-key", "labels", put("labels", "owner", value=Twice("nobody")), yaml_only=True),
    Mistake("replica-range", "optimized", put("optimizedConfig", "automaticResources", value=NINE_TO_FOUR)),
    Mistake("deprecated-field", "index", rename("indexConfig", to="vectorSearchConfig")),
    Mistake("union-conflict", "index", _both_indexes),
    Mistake("unknown-enum-value", "index", put("indexConfig", "distanceMeasureType", value="DOT_PRODUCT")),
    Mistake("missing-embedding-column", "index", drop("indexConfig", "embeddingColumn")),
    Mistake("output-only-field", "times", put("createTime", value="2026-05-01T08:00:00Z")),
    Mistake("invalid-resource-name", "name", in_name("/featureViews/", "/featureView/")),
    Mistake("output-only-field", "times", put("createTime", value="2026-01-01")),
    Mistake("blank-text", "name", in_name("/featureViews/", "/featureViews/my ")),
]
CONFIG_MISTAKES = [
    Mistake("duplicate-upsell-priority", "priority", _same("priority")),
    Mistake("out-of-range", "priority", put(*STRATEGY, "upsells", 0, "priority", value=0)),
    Mistake("cel-syntax", "condition", condition("order.subtotal > 5.0 and session.turn > 1")),
    Mistake("cel-type", "condition", condition("order.subTotal > 5.25")),
    Mistake("cel-constant", "condition", condition("1 > 2")),
    Mistake("cel-constant", "condition", condition("session.startTime.getHours() == 25")),
    Mistake("cel-constant", "condition", condition("order.subtotal > 5.0 && order.orderType in []")),
    Mistake("cel-constant", "condition", condition("order.items[-1].quantity > 1")),
    Mistake("cel-extension", "condition", condition("order.items.exists(i, i.displayName.lowerAscii() == 'cola')")),
    Mistake("cel-syntax", "condition", condition("order.subtotal is not null")),
    Mistake("cel-type", "condition", condition("order.items.contains('Fries')")),
    Mistake("unfilled-placeholder", "condition", condition("order.subtotal > ${LIMIT}")),
    Mistake("unfilled-placeholder", "condition", condition(UNFILLED)),
    Mistake("duplicate-upsell-name", "upsell name", _same("displayName")),
    Mistake("missing-field", "suggestion", _nothing_to_suggest),
    Mistake("wrong-type", "disabled", _text_boolean),
    Mistake("invalid-language-tag", "offer", text("en-UK", "Chips with that?")),
    Mistake("ambiguous-scalar", "offer", text(Raw("no", "no"), "Litt pommes frites?"), yaml_only=True),
    Mistake("duplicate-language", "offer", _language_twice),
    Mistake("non-canonical-language-tag", "offer", text("iw", "רוצים צ'יפס?")),
    Mistake("uncovered-language", "offer", _silent),
    Mistake("no-upsold-items", "upsold", _nothing_upsold),
    Mistake("union-conflict", "upsold", message("upsoldItemIds", value=["I-100"])),
    Mistake("skip-without-effect", "closing", _skip_at_the_end),
    Mistake("duplicate-item", "skip terms", skip_terms("Pie", "pie")),
    Mistake("blank-text", "skip terms", skip_terms("")),
    Mistake("out-of-range", "frequency", message("messageFrequency", value=20)),
    Mistake("wrong-type", "frequency", message("messageFrequency", value="60%")),
    Mistake("unknown-field", "limits", rename(*STRATEGY, "maxUpsellDeclines", to="maxUpsellDecline")),
    Mistake("unknown-enum-value", "tone", put("tone", value="FREINDLY")),
    Mistake("output-only-field", "state", put("state", value="ACTIVE")),
    Mistake("too-long", "title", put("displayName", value=LONG)),
    Mistake("null-value", "features", put(*FEATURES, "endSessionWithCheckoutRequest", value=None)),
    Mistake("deprecated-field", "features", put(*FEATURES, "confirmOrderInfoAtStart", value=True)),
    Mistake("conflicting-customer-term", "terms", _conflict),
    Mistake("target-count", "terms", mapping("which one", targets=[FRIES], type="DISAMBIGUATION")),
    Mistake("duplicate-item", "terms", mapping("coke", "Coke", targets=[COLA])),
    Mistake("blank-text", "terms", mapping("the big one", targets=[{**COLA, "itemId": "I-100 "}])),
    Mistake("wrong-type", "terms", mapping("the full one", targets=[{**BURGER, "modifiers": ["Pickles", "Cheese"]}])),
    Mistake("blank-text", "name", append("name", of=lambda name: " ")),
    Mistake("deceptive-text", "title", put("displayName", value="Lunch \u202egnireffo")),
    Mistake("listen-only-speaks", "mode", put("operationsConfig", "interactionMode", value="LISTEN_ONLY")),
]
