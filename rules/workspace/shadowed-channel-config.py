"""Config that is overridden at every store it is bound to.

When a later level sets all fields of a config at every store that its bindings match, the config has no effect, and
neither has an edit: bind it on a later level, or remove it. The same applies to bindings that match no store. Each type
is resolved separately; the names and descriptions of strategies are not settings. Reported only when all bindings and
stores of the brand could be read; a config that is only a default is not reported, since a future store may need it.

Specification: channel-config, section 1: "the runtime picks by this precedence; a later level overwrites an earlier one
in case of conflict".

Good:

    - {kind: Brand, name: acme, bindings: [{rule: lunch, channelConfig: lunch, stores: {tags: [city]}}], stores: [
        {name: austin, tags: [city], bindings: [{rule: austin, channelConfig: texan}]}]}
    - {kind: ChannelConfig, name: lunch, type: AGENT_CUSTOMIZATION, tone: FRIENDLY,
       operationsConfig: {defaultLanguageCode: en-US}}
    - {kind: ChannelConfig, name: texan, type: AGENT_CUSTOMIZATION, tone: CONCISE_AND_DIRECT}

Good:

    - {kind: Brand, name: acme, bindings: [{rule: lunch, channelConfig: lunch, stores: {tags: [city]}}]}
    - {kind: ChannelConfig, name: lunch, type: AGENT_CUSTOMIZATION, tone: FRIENDLY}

Bad:

    kind: Brand
    name: acme
    bindings:
      - {rule: lunch, channelConfig: lunch, stores: {tags: [city]}}
      - {rule: airports, channelConfig: airport, stores: {tags: [airprot]}}
    stores:
      - {name: austin, tags: [city], bindings: [{rule: austin, channelConfig: texan}]}
      - {name: boston, tags: [city], defaults: [texan]}
      - {name: casper, tags: [airport]}
    ---
    kind: ChannelConfig
    name: lunch  # <- this config has no effect: at both stores where it is bound, "texan" overwrites
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    ---
    kind: ChannelConfig
    name: airport  # <- this config has no effect: its binding matches none of the 3 stores
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    ---
    {kind: ChannelConfig, name: texan, type: AGENT_CUSTOMIZATION, tone: CONCISE_AND_DIRECT}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.rule_support.brand_facts import (
    BINDING,
    STORE_BINDING,
    SUBJECTS,
    BrandFacts,
    ConfigCatalog,
    facts_of,
    group_by_brand,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.config_sets import ConfigSet
    from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree

MOST_NAMES = 3


@gather(*SUBJECTS, keys=(1,), by_id=True)
def applied(part: Node) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What configs set, and where brands and stores bind them."""
    return facts_of(part)


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace"})
def check(facts: Facts) -> WorkspaceFindings:
    """Flag the name of each bound config that sets something, none of which is effective at any store."""
    from trialrun.runtime.channel_config.config_sets import PlainBrand, config_sets

    configs, all_brands = ConfigCatalog(facts), group_by_brand(facts)
    if not all(brand.is_complete for brand in all_brands):
        return
    bound = bindings(all_brands, configs)
    left = {number for number in bound if is_told_of(configs.all[number])} - unclear(all_brands, configs)
    found = [lineup for brand in all_brands for lineup in config_sets(PlainBrand.from_tuples(*brand.as_data(configs)))]
    overlays = Overlays(configs, facts.options["list-merge"])
    for lineup in sorted(found, key=lambda lineup: len(lineup.uses)) if left else ():
        left -= overlays.effective(lineup, left)
    count = sum(len(brand.stores) for brand in all_brands)
    lineups_of: dict[int, list[ConfigSet[int, Fact]]] = {number: [] for number in left}
    for lineup in found if left else ():
        for number in {use.config for use in lineup.uses} & left:
            lineups_of[number].append(lineup)
    for number in sorted(left):
        yield from clash(number, bound[number], lineups_of[number], overlays, count)


def bindings(all_brands: Sequence[BrandFacts], configs: ConfigCatalog) -> dict[int, list[Fact]]:
    """The bindings of each config that has some."""
    found: dict[int, list[Fact]] = {}
    for brand in all_brands:
        for fact in brand.uses():
            if fact.value[0] in (BINDING, STORE_BINDING):
                for number in configs.resolve(fact.value[1], brand.name):
                    found.setdefault(number, []).append(fact)
    return found


def unclear(all_brands: Sequence[BrandFacts], configs: ConfigCatalog) -> set[int]:
    """The configs of which nothing is certain: they share a name with others, or a brand without stores uses them."""
    found: set[int] = set()
    for brand in all_brands:
        for fact in brand.uses():
            for name in [fact.value[1]] if isinstance(fact.value[1], str) else fact.value[1]:
                meant = configs.resolve(name, brand.name)
                found.update(meant if len(meant) > 1 or not brand.stores else ())
    return found


def is_told_of(config: Fact) -> bool:
    """Whether a config sets something, and all of it could be read."""
    return config.is_complete and not config.value[4] and bool(config.value[3])


class Overlays:
    """The configs of lineups one over another; what stores of a brand have in common is worked out once."""

    def __init__(self, configs: ConfigCatalog, lists: ListMerge) -> None:
        self.configs = configs
        self._lists = lists
        self._of_brands: dict[tuple[int, ...], MergedTree[int] | None] = {}
        self._overwriting: dict[tuple[int, str | None], dict[int, dict[int, None]]] = {}

    def effective(self, lineup: ConfigSet[int, Fact], asked: set[int]) -> set[int]:
        """Those of some configs that something effective at the stores of a lineup is from."""
        from trialrun.runtime.channel_config.overlay import setters

        kinds = {self.configs.type(use.config) for use in lineup.uses if use.config in asked}
        trees = (self.tree(lineup, kind) for kind in kinds)
        return {by for tree in trees if tree for by in setters(tree)}

    def tree(self, lineup: ConfigSet[int, Fact], kind: str | None) -> MergedTree[int] | None:
        """What the configs of a type make together at the stores of a lineup."""
        uses = [use for use in lineup.uses if self.configs.type(use.config) == kind]
        shared = tuple(use.config for use in uses if use.level in ("brand-default", "brand-binding"))
        if shared not in self._of_brands:
            self._of_brands[shared] = self._over(None, shared)
        return self._over(self._of_brands[shared], [use.config for use in uses[len(shared) :]])

    def overwriting(self, number: int, lineup: ConfigSet[int, Fact]) -> list[int]:
        """The configs that overwrite what one sets at the stores of a lineup."""
        kind = self.configs.type(number)
        known = self._overwriting.get((id(lineup), kind))
        if known is None:
            known = self._overwriting[id(lineup), kind] = overwritten(self.tree(lineup, kind))
        return list(known.get(number, ()))

    def _over(self, tree: MergedTree[int] | None, numbers: Sequence[int]) -> MergedTree[int] | None:
        from trialrun.runtime.channel_config.overlay import overlay

        for number in numbers:
            tree = overlay(tree, number, self.configs.summary(number), lists=self._lists)
        return tree


def overwritten(tree: MergedTree[int] | None) -> dict[int, dict[int, None]]:
    """The configs that have something overwritten, each with those that overwrite it."""
    from trialrun.runtime.channel_config.overlay import set_values

    found: dict[int, dict[int, None]] = {}
    for _, here in set_values(tree) if tree else ():
        beneath = here.overridden
        while beneath is not None:
            found.setdefault(beneath.setter, {})[here.setter] = None
            beneath = beneath.overridden
    return found


def clash(
    number: int, bound: Sequence[Fact], lineups: Sequence[ConfigSet[int, Fact]], overlays: Overlays, count: int
) -> WorkspaceFindings:
    """What to say of a config that is effective nowhere; nothing of one that sets only what is there already."""
    config, related = overlays.configs.all[number], tuple(("bound here", fact) for fact in bound[:MOST_NAMES])
    if not lineups:
        what = "binding matches" if len(bound) == 1 else "bindings match"
        none = f"none of the {count} stores" if count > 1 else "no store"
        yield WorkspaceFinding(
            config, f"this config has no effect: its {what} {none}; fix the tags, or remove it", related
        )
    elif names := culprits(number, lineups, overlays):
        verb = "overwrites" if len(names) == 1 else "overwrite"
        yield WorkspaceFinding(
            config,
            f"this config has no effect: at {stores(lineups)} where it is bound, "
            f"{' and '.join(names[:MOST_NAMES])} {verb} all of it; bind it on a later level, or remove it",
            related,
        )


def culprits(number: int, lineups: Sequence[ConfigSet[int, Fact]], overlays: Overlays) -> list[str]:
    """The configs that overwrite one at the first stores, for a message."""
    from trialrun.values.resource_name import last_id

    for lineup in lineups:
        if found := overlays.overwriting(number, lineup):
            return [f'"{last_id(overlays.configs.all[one].value[1])}"' for one in found]
    return []


def stores(lineups: Sequence[ConfigSet[int, Fact]]) -> str:
    """How many stores there are: `the one store`, `both stores`, `all 7 stores`."""
    count = sum(len(lineup.stores) for lineup in lineups)
    return {1: "the one store", 2: "both stores"}.get(count, f"all {count} stores")
