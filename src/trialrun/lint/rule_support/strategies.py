"""What rules about effective configurations know of a file: configs without their texts, brands with their stores.

A fact of a config has what decides over upsells (limits, priorities, frequencies, languages, conditions that are
constant) as the config sets it, and of everything else enough to compare it. A fact of a brand is one for all of its
stores, since there may be thousands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Context, Gathered, gather
from trialrun.lint.rule_support.brand_facts import ConfigCatalog, DeclaredConfig
from trialrun.lint.rule_support.menu_availability import RestrictedItems, always_sold, restricted_items
from trialrun.lint.workspace_rules import Facts, FindingSteps, WorkspaceFinding
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.model.node import Node

SUBJECTS = ("ChannelConfig", "Brand", "Menu")
"""The messages that facts are gathered of."""
UNKNOWN = "?"
"""Stands for a condition that is true in some sessions and false in others, as far as is known."""
DIGEST = "="
"""The key of a digest of a whole message, of which a fact has some fields alone."""
MAX_NAMED = 4
MAX_RELATED = 4


class BrandWithStores(NamedTuple):
    """A brand with all of its stores: where which configs apply, and whether some of it was refused.

    `names` are its own, and those that it has for configs. A binding is the config with the tags and names of its
    stores; a store is its name, its tags, and the configs of its defaults and of its bindings.
    """

    names: list[str]
    defaults: list[str]
    bindings: list[Any]
    stores: list[Any]
    is_partial: bool


@gather(*SUBJECTS, facts=(DeclaredConfig, BrandWithStores, RestrictedItems), keys=("name", "names"), by_id=True)
def gather_strategies(part: Any, context: Context) -> Gathered[DeclaredConfig | BrandWithStores | RestrictedItems]:
    """What a config does, where a brand applies configs, or what a menu restricts: the same for all rules that ask."""
    if type(part).__name__ == "Menu":
        yield from restricted_items(part)
        return
    is_config = type(part).__name__ == "ChannelConfig"
    value = context.shared("strategy", lambda: _config_value(part, context) if is_config else _brand_value(part))
    if value is not None:
        yield part.location(), value


def _config_value(config: Any, context: Context) -> DeclaredConfig | None:
    """The name and the type of a config, what it sets, whether some of it was refused, and how its keys are spelt."""
    from trialrun.lint.rule_support.brand_facts import summarize

    if not config.name:
        return None
    made = summarize(config, without=CHANNEL_CONFIG_IDENTITY)
    operations = config.operationsConfig
    strategy = operations.upsellStrategy if operations else None
    if strategy and strategy.upsells:
        made.value["operationsConfig"]["upsellStrategy"]["upsells"] = [
            _upsell(upsell, outlined, context)
            for upsell, outlined in zip(
                strategy.upsells, made.value["operationsConfig"]["upsellStrategy"]["upsells"], strict=True
            )
        ]
    return DeclaredConfig(config.name, config.type, made.value, made.is_partial or config.type is None)


def _upsell(upsell: Any, outlined: dict[str, Any], context: Context) -> dict[str, Any]:
    """An upsell with its messages and the value of its condition."""
    strategy = dict(outlined)
    if upsell.greetingOffer:
        messages = upsell.greetingOffer.messages
        strategy["greetingOffer"] = (
            {} if messages is None else {"messages": [_message(message) for message in messages]}
        )
    if upsell.closingOffer:
        closing = upsell.closingOffer.closingMessages
        strategy["closingOffer"] = (
            {} if closing is None else {"closingMessages": [_closing(message) for message in closing]}
        )
    if upsell.celUpsell:
        strategy["celUpsell"] = cel = dict(outlined["celUpsell"])
        if upsell.celUpsell.suggestedMenuItems:
            cel["suggestedMenuItems"] = list(upsell.celUpsell.suggestedMenuItems)
        if upsell.celUpsell.conditionExpression is not None:
            cel["conditionExpression"] = _constant(upsell.celUpsell, context)
    return strategy


def _closing(closing: Any) -> dict[str, Any]:
    message = closing.offerMessage
    offer = {} if message is None else {"offerMessage": _message(message)}
    return {"skipTerms": closing.skipTerms or [], DIGEST: _digest(closing), **offer}


def _message(message: Any) -> dict[str, Any]:
    texts = [
        {
            "languageCode": message_config.languageCode,
            "messageText": "." if (message_config.messageText or "").strip() else "",
        }
        for message_config in message.messageConfigs or ()
        if message_config.languageCode
    ]
    summary: dict[str, Any] = {"messageConfigs": texts, DIGEST: _digest(message)}
    if items := message.upsoldItems or message.upsoldItemIds:
        summary["upsoldItems"] = list(items)
    if message.displayName:
        summary["displayName"] = message.displayName
    if message.messageFrequency is not None:
        summary["messageFrequency"] = message.messageFrequency
    return summary


def _digest(node: Node) -> str:
    text = json.dumps(node.model_dump(exclude_unset=True, warnings=False), sort_keys=True)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _constant(upsell: Any, context: Context) -> str:
    """The value that a condition always has, as a text."""
    from trialrun.lint.rule_support.cel_conditions import check_condition

    check_result = check_condition(upsell, context)
    return (
        UNKNOWN
        if check_result is None or check_result.problems or check_result.constant is None
        else str(check_result.constant).lower()
    )


def _brand_value(brand: Any) -> BrandWithStores:
    """A brand's name and its names for configs; its defaults, bindings, stores; and whether some of it was refused."""
    is_partial = any(brand.is_partial(field) for field in ("defaults", "bindings", "stores", "name"))
    bindings, stores = [], []
    for binding in brand.bindings or ():
        where = binding.stores
        is_partial |= binding.is_partial("channelConfig") or binding.is_partial("stores")
        is_partial |= where is not None and (where.is_partial("tags") or where.is_partial("names"))
        bindings.append([binding.channelConfig or "", where.tags if where else None, where.names if where else None])
    for store in brand.stores or ():
        is_partial |= any(store.is_partial(field) for field in ("name", "tags", "defaults", "bindings"))
        bound = [binding.channelConfig or "" for binding in store.bindings or ()]
        stores.append([store.name or "", store.tags or [], store.defaults or [], bound])
    defaults = brand.defaults or []
    used = [
        *defaults,
        *(binding[0] for binding in bindings),
        *(name for store in stores for name in (*store[2], *store[3])),
    ]
    names = [brand.name or "", *dict.fromkeys(name for name in used if name)]
    return BrandWithStores(names, defaults, bindings, stores, is_partial)


AnalyzeStores = Callable[..., Any]
"""The runtime's analysis of all stores: it may be suspended after each of its `steps()`, then has its `findings`."""
MessageOf = Callable[[Any, ConfigCatalog], str]
"""The message of a finding about some stores."""
_last: list[tuple[Any, list[Any]]] = []


def analyze_stores(facts: Facts, analyze: AnalyzeStores) -> Generator[None, None, tuple[ConfigCatalog, list[Any]]]:
    """The findings of the runtime at all stores; cached, since several rules need them for equal facts.

    Yields between steps, so that the work can be suspended.
    """
    key = ([(fact.value, fact.is_complete) for fact in facts], dict(facts.options))
    if _last and _last[0][0] == key:
        return ConfigCatalog(facts), _last[0][1]
    configs = ConfigCatalog(facts)
    unclear = {number for number, fact in enumerate(configs.all) if fact.value.is_partial or not fact.is_complete}
    # a brand of which a part could not be read is left out: what applies at its stores is not certain
    known = [fact.value for fact in facts.of(BrandWithStores) if fact.is_complete and not fact.value.is_partial]
    brands = [_resolve_brand(brand, configs) for brand in known]
    analysis = analyze(brands, configs.summary, configs.type, unclear, facts.options, always_sold(facts))
    yield from analysis.steps()
    _last[:] = [(key, analysis.findings)]
    return configs, _last[0][1]


def findings_at_stores(
    facts: Facts,
    analyze: AnalyzeStores,
    message_of: Mapping[str, MessageOf],
    rule_of: Mapping[str, str] = MappingProxyType({}),
) -> FindingSteps:
    """The findings of one rule at all stores: of each kind that it has a message for, at the location of the cause.

    `rule_of` has the kinds of findings that another rule reports.
    """
    configs, findings = yield from analyze_stores(facts, analyze)
    for finding in findings:
        if finding.kind in message_of:
            message, other = message_of[finding.kind](finding, configs), rule_of.get(finding.kind)
            new_finding = WorkspaceFinding(
                fact_at(configs, finding.location), message, related(configs, finding.related)
            )
            yield new_finding._replace(rule=other, severity=Severity.WARNING) if other else new_finding


def fact_at(configs: ConfigCatalog, location: tuple[int, Path]) -> Fact:
    """The fact at a place of a config."""
    number, path = location
    return configs.all[number].item(*path)


def related(configs: ConfigCatalog, others: Mapping[tuple[int, Path], str]) -> tuple[tuple[str, Fact], ...]:
    """The related locations of a finding; only the first ones."""
    return tuple((word, fact_at(configs, location)) for location, word in list(others.items())[:MAX_RELATED])


def at_stores(stores: Sequence[str], count: int) -> str:
    """At how many stores, for a message: `at 12 of 40 stores, such as austin-lamar`."""
    from trialrun.values.resource_name import last_id

    many = f"{len(stores)} of {count} stores" if count > 1 else "the one store"
    return f"at {many}, such as {last_id(stores[0])}" if count > 1 else f"at {many}, {last_id(stores[0])}"


def format_titles(titles: Iterable[str]) -> str:
    """Some titles, for a message: a few by name, and how many more there are."""
    every = list(titles)
    if len(every) > MAX_NAMED:
        every = [*every[: MAX_NAMED - 1], f"{len(every) - MAX_NAMED + 1} more"]
    return " and ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))


def _resolve_brand(brand: BrandWithStores, configs: ConfigCatalog) -> tuple[list[Any], list[Any], list[Any]]:
    """The defaults, bindings and stores of a brand, with the numbers of the configs that it means."""
    known: dict[tuple[str, str], list[Any]] = {}

    def use(level: str, name: str) -> list[Any]:
        if (level, name) not in known:
            meant = configs.resolve(name, brand.names[0])
            known[level, name] = [(level, meant[0], None)] if len(meant) == 1 else []
        return known[level, name]

    def uses(level: str, written: Iterable[str]) -> list[Any]:
        return [used for name in written for used in use(level, name)]

    bound = [(used, tags, of) for name, tags, of in brand.bindings for used in use("brand-binding", name)]
    at_stores = [
        (name, tags, [*uses("store-default", own), *uses("store-binding", more)])
        for name, tags, own, more in brand.stores
    ]
    return uses("brand-default", brand.defaults), bound, at_stores
