"""Config application rule that is bound to two configs on one level.

A config may have many rules, a rule has one config: when a brand, or a store, binds two configs to one rule, which one
applies is undefined. Disjoint stores make no difference, since it is still one rule; give each binding its own rule. A
brand and its stores are different levels, and so are two stores. Binding the same config twice is only a repetition.

Specification: channel-config, section 1: "On the brand level and on the store level, the relation between
configurations and rules is one-to-many."

Good:

    kind: Brand
    name: acme
    bindings:
      - {rule: lunch, channelConfig: lunch}
      - {rule: brunch, channelConfig: lunch}
      - {rule: lunch, channelConfig: projects/p/locations/l/brands/acme/channelConfigs/lunch}
    stores:
      - {name: austin, bindings: [{rule: lunch, channelConfig: long-lunch}]}
      - {name: boston, bindings: [{rule: lunch, channelConfig: short-lunch}]}

Bad:

    kind: Brand
    name: acme
    bindings:
      - rule: lunch
        channelConfig: lunch
        stores: {tags: [drive-thru]}
      - rule: lunch  # <- the rule "lunch" is already bound to "lunch" in this file; keep one config
        channelConfig: long-lunch
        stores: {tags: [kiosk]}
    stores:
      - name: austin
        bindings:
          - {rule: night, channelConfig: night}
          - {rule: night, channelConfig: late-night}  # <- is already bound to "night"
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings, location_phrase

if TYPE_CHECKING:
    from trialrun.model.companion import Brand, Store


class Binding(NamedTuple):
    """A binding of a rule to a config; `store` is the name of the store that has it, None where the brand has."""

    rule: str
    config: str
    store: str | None


@gather("Brand", facts=(Binding,), keys=("config",))
def of_brands(brand: Brand) -> Gathered[Binding]:
    """The bindings of a brand: rule, config and no store."""
    for index, binding in enumerate(brand.bindings or ()):
        if binding.rule and binding.channelConfig:
            yield brand.location("bindings", index, "rule"), Binding(binding.rule, binding.channelConfig, None)


@gather("Store", facts=(Binding,), keys=("config",))
def of_stores(store: Store) -> Gathered[Binding]:
    """The bindings of a store: rule, config and the name of the store."""
    for index, binding in enumerate(store.bindings or ()):
        if binding.rule and binding.channelConfig:
            value = Binding(binding.rule, binding.channelConfig, store.name or "")
            yield store.location("bindings", index, "rule"), value


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each rule that the same level binds to another config before."""
    from trialrun.values.resource_name import is_same_resource

    first: dict[tuple[Hashable, str], Fact[Binding]] = {}
    for fact in facts.of(Binding):
        name, config, _ = fact.value
        earlier = first.setdefault((_level(fact), name), fact)
        if not is_same_resource(earlier.value.config, config):
            yield WorkspaceFinding(
                fact,
                f'the rule "{name}" is already bound to "{earlier.value.config}" in {location_phrase(earlier, fact)};'
                " keep one config, or use another rule",
                related=(("bound here", earlier),),
            )


def _level(fact: Fact[Binding]) -> Hashable:
    """What may bind a rule once: a brand or a store, by its name; one without a name by the place where it stands.

    A rule named in full is one rule in whatever brand.
    """
    name, _, store = fact.value
    is_full = "/" in name
    if store == "" or not (fact.resource or is_full):
        return (fact.path, fact.document, fact.steps[:-3])
    return (fact.resource if store or not is_full else "", store)
