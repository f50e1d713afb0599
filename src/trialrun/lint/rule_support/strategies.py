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
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Context, Gathered, gather
from trialrun.lint.rule_support.brand_facts import (
    BrandWithStores,
    ConfigCatalog,
    DeclaredConfig,
    applied_configs,
    brand_with_stores,
    is_complete,
    summarize,
)
from trialrun.lint.rule_support.menu_availability import RestrictedItems, always_sold, restricted_items
from trialrun.lint.workspace_rules import Facts, FindingSteps, WorkspaceFinding
from trialrun.model.kinds import CHANNEL_CONFIG_IDENTITY
from trialrun.values import join_words

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


@gather(*SUBJECTS, facts=(DeclaredConfig, BrandWithStores, RestrictedItems), keys=("name", "names"), by_id=True)
def gather_strategies(part: Any, context: Context) -> Gathered[DeclaredConfig | BrandWithStores | RestrictedItems]:
    """What a config does, where a brand applies configs, or what a menu restricts: the same for all rules that ask."""
    if type(part).__name__ == "Menu":
        yield from restricted_items(part)
        return
    if type(part).__name__ == "Brand":
        yield from brand_with_stores(part, context)
        return
    value = context.shared("strategy", lambda: _config_value(part, context))
    if value is not None:
        yield part.location(), value


def _config_value(config: Any, context: Context) -> DeclaredConfig | None:
    """The name and the type of a config, what it sets, whether some of it was refused, and how its keys are spelt."""
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
    brands = [applied_configs(fact.value, configs) for fact in facts.of(BrandWithStores) if is_complete(fact)]
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
    return join_words(list(titles), most=MAX_NAMED)
