"""Two bindings or defaults of one level that set a field differently.

Within one level nothing says which of two configs overwrites the other; the runtime lets the later one win, in file
order, and reordering them changes what a customer hears. Separate two bindings by tags or names, have one default for
each type, or set the field in one config only. Each type is resolved separately, upsells are matched by display name or
priority after the lower levels are merged, and greetings by language; the names and descriptions of strategies are not
settings.

Specification: channel-config, section 1: "a later level overwrites an earlier one in case of conflict".

Good:

    kind: Brand
    name: acme
    bindings:
      - {rule: drive-thru-stores, channelConfig: quick, stores: {tags: [drive-thru]}}
      - {rule: kiosk-stores, channelConfig: patient, stores: {tags: [kiosk]}}
      - {rule: canada, channelConfig: french, stores: {tags: [canada]}}
    stores:
      - {name: austin, tags: [drive-thru]}
      - {name: quebec, tags: [kiosk, canada]}
    ---
    {kind: ChannelConfig, name: quick, type: UPSELL_STRATEGY, operationsConfig: {upsellStrategy: {maxUpsellOffers: 1}}}
    ---
    {kind: ChannelConfig, name: patient, type: UPSELL_STRATEGY,
     operationsConfig: {displayName: Patient, upsellStrategy: {maxUpsellOffers: 3}}}
    ---
    {kind: ChannelConfig, name: french, type: UPSELL_STRATEGY,
     operationsConfig: {displayName: French, defaultLanguageCode: fr-CA, upsellStrategy: {maxUpsellOffers: 3}}}

Bad:

    kind: Brand
    name: acme
    bindings:
      - rule: drive-thru-stores
        channelConfig: quick
        stores: {tags: [drive-thru]}
      - rule: city-stores  # <- "quick" and "patient" are both bound for "austin" and 1 more store, and set
        channelConfig: patient
        stores: {tags: [city]}
    stores:
      - {name: austin, tags: [drive-thru, city]}
      - {name: boston, tags: [city, drive-thru]}
      - {name: casper, tags: [city]}
    ---
    kind: ChannelConfig
    name: quick
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 1
        upsells: [{displayName: Fries, priority: 1, celUpsell: {conditionExpression: order.subtotal > 5.0,
          suggestedMenuItems: [Fries]}}]
    ---
    kind: ChannelConfig
    name: patient
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        maxUpsellOffers: 3
        upsells: [{displayName: Fries, priority: 1, celUpsell: {conditionExpression: order.subtotal > 9.0,
          suggestedMenuItems: [Fries]}}]

Bad:

    kind: Brand
    name: acme
    stores:
      - name: austin
        bindings:
          - {rule: morning, channelConfig: friendly}
          - {rule: evening, channelConfig: formal}  # <- set tone to "FRIENDLY" and "PROFESSIONAL_AND_FORMAL"; the later
    ---
    {kind: ChannelConfig, name: friendly, type: AGENT_CUSTOMIZATION, tone: FRIENDLY}
    ---
    {kind: ChannelConfig, name: formal, type: AGENT_CUSTOMIZATION, tone: PROFESSIONAL_AND_FORMAL}

Bad:

    kind: Brand
    name: acme
    defaults:
      - friendly
      - formal  # <- "friendly" and "formal" are both defaults of "acme", and set tone to "FRIENDLY" and
    stores:
      - name: austin
    ---
    {kind: ChannelConfig, name: friendly, type: AGENT_CUSTOMIZATION, tone: FRIENDLY}
    ---
    {kind: ChannelConfig, name: formal, type: AGENT_CUSTOMIZATION, tone: PROFESSIONAL_AND_FORMAL}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Severity, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import gather, rule
from trialrun.lint.rule_support.brand_facts import SUBJECTS, BrandFacts, ConfigCatalog, facts_of, group_by_brand
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.config_sets import AppliedConfig, ConfigSet, PlainStore
    from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree

    PlainUse = AppliedConfig[int, Fact]

OF_BRANDS = ("brand-default", "brand-binding")
BOUND, DEFAULTS = ("bound for", "keep their stores apart"), ("defaults of", "have one default for each type")
SAID = {"brand-default": DEFAULTS, "brand-binding": BOUND, "store-default": DEFAULTS, "store-binding": BOUND}
"""What two uses of a level are, and what else can be done about them."""


@gather(*SUBJECTS, keys=(1,), by_id=True)
def applied(part: Node) -> Iterator[tuple[SymbolicLocation, list[Any]]]:
    """What configs set, and where brands and stores bind them."""
    return facts_of(part)


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace"})
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each binding or default that sets a field otherwise than one of its level before it, where both apply."""
    from trialrun.runtime.channel_config.config_sets import PlainBrand, config_sets

    configs = ConfigCatalog(facts)
    overlays = Overlays(configs, facts.options["list-merge"])
    for brand in group_by_brand(facts):
        found: dict[tuple[int, int], Meeting] = {}
        for lineup in config_sets(PlainBrand.from_tuples(*brand.as_data(configs))):
            for one in of_brand(lineup, overlays):
                if found.setdefault(one.key, one) is not one:
                    found[one.key].stores += one.stores
            for store in lineup.stores:
                found.update((one.key, one) for one in of_store(store, lineup, overlays))
        yield from (clash(one, brand, configs) for one in found.values())


@dataclass(frozen=True, slots=True)
class Setting:
    """A field that two configs set differently, by their places in a row: what it was, and what took its place."""

    earlier: int
    later: int
    field: str
    was: Any
    value: Any


@dataclass(slots=True)
class Meeting:
    """Two bindings or defaults that apply at some stores, and the settings in which their configs differ."""

    earlier: PlainUse
    later: PlainUse
    settings: Sequence[Setting]
    stores: list[PlainStore[int, Fact]]

    @property
    def key(self) -> tuple[int, int]:
        """What is the same wherever these two meet."""
        return id(self.earlier.location), id(self.later.location)


def of_brand(lineup: ConfigSet[int, Fact], overlays: Overlays) -> Iterator[Meeting]:
    """The meetings among what a brand itself applies at the stores of a lineup."""
    uses = [use for use in lineup.uses if use.level in OF_BRANDS]
    yield from meetings(uses, uses, lineup.stores, overlays)


def of_store(store: PlainStore[int, Fact], lineup: ConfigSet[int, Fact], overlays: Overlays) -> Iterator[Meeting]:
    """The meetings among what a store applies over what its brand does."""
    if len(store.uses) > 1:
        below = [use for use in lineup.uses if use.level in OF_BRANDS]
        yield from meetings([*below, *store.uses], store.uses, [store], overlays)


def meetings(
    uses: Sequence[PlainUse], asked: Sequence[PlainUse], stores: list[PlainStore[int, Fact]], overlays: Overlays
) -> Iterator[Meeting]:
    """The meetings of one level among those asked for, out of all that apply; each type resolves on its own."""
    count = Counter((overlays.configs.type(use.config), use.level) for use in asked)
    levels = {use.level for use in asked}
    for kind in dict.fromkeys(kind for (kind, _), several in count.items() if kind and several > 1):
        ours = [use for use in uses if overlays.configs.type(use.config) == kind]
        for (earlier, later), settings in overlays.set_twice(ours).items():
            if ours[later].level in levels:
                yield Meeting(ours[earlier], ours[later], settings, list(stores))


class Overlays:
    """What configs that apply one after the other set to different values, worked out once for the same configs."""

    def __init__(self, configs: ConfigCatalog, lists: ListMerge) -> None:
        self.configs = configs
        self._lists = lists
        self._shared: dict[tuple[int, ...], MergedTree[int]] = {}
        self._found: dict[Hashable, dict[tuple[int, int], list[Setting]]] = {}

    def set_twice(self, uses: Sequence[PlainUse]) -> dict[tuple[int, int], list[Setting]]:
        """The settings by the places of the two in the row: a value, and the one of its level that took its place."""
        key = tuple((use.level, use.config) for use in uses)
        if key not in self._found:
            found: dict[tuple[int, int], list[Setting]] = {}
            for setting in self._settings(uses):
                found.setdefault((setting.earlier, setting.later), []).append(setting)
            self._found[key] = found
        return self._found[key]

    def _settings(self, uses: Sequence[PlainUse]) -> Iterator[Setting]:
        from trialrun.runtime.channel_config.effective import same_level_conflicts
        from trialrun.runtime.channel_config.field_text import dotted_path

        tree = self._over(uses)
        if tree is None:
            return
        for conflict in same_level_conflicts(tree, lambda place: uses[place].level):
            field = dotted_path(tree.value, conflict.path)
            yield Setting(
                conflict.loser.setter, conflict.winner.setter, field, conflict.loser.value, conflict.winner.value
            )

    def _over(self, uses: Sequence[PlainUse]) -> MergedTree[int] | None:
        """What configs make together; what the stores of a brand share is worked out once."""
        from trialrun.runtime.channel_config.overlay import overlay

        tree: MergedTree[int] | None = None
        key: tuple[int, ...] = ()
        for place, use in enumerate(uses):
            key = (*key, use.config)
            tree = self._shared.get(key) or overlay(tree, place, self.configs.summary(use.config), lists=self._lists)
            if use.level in OF_BRANDS:
                self._shared[key] = tree
        return tree


def clash(meeting: Meeting, brand: BrandFacts, configs: ConfigCatalog) -> WorkspaceFinding:
    """What to say of two bindings or defaults, at the later one."""
    from trialrun.values.resource_name import last_id

    names = [last_id(configs.all[use.config].value[1]) for use in (meeting.earlier, meeting.later)]
    where = f'"{last_id(meeting.stores[0].name)}"{more(meeting.stores, "store", " and {}")}'
    if meeting.later.level == "brand-default":
        where = f'"{last_id(brand.name)}"' if brand.name else "the brand"
    are, mend = said_of = SAID[meeting.later.level]
    return WorkspaceFinding(
        meeting.later.location,
        f'"{names[0]}" and "{names[1]}" are both {are} {where}, and set {describe_settings(meeting.settings)};'
        f" the later one wins: set it in one of them, or {mend}",
        related=((f'"{names[0]}" is {"bound" if said_of == BOUND else "a default"} here', meeting.earlier.location),),
    )


def describe_settings(settings: Sequence[Setting]) -> str:
    """The first field with both values, and how many more there are."""
    from trialrun.lint.rule_support.config_summary import format_value

    one = settings[0]
    is_scalar = not isinstance(one.was, dict | list) and not isinstance(one.value, dict | list)
    values = f"to {format_value(one.was)} and {format_value(one.value)}" if is_scalar else "to different values"
    return f"{one.field} {values}{more(settings, 'field', ' ({})')}"


def more(items: Sequence[Any], noun: str, form: str) -> str:
    """How many items there are beyond the first, in a form; nothing where there are none."""
    count = len(items) - 1
    return form.format(f"{count} more {noun}{'s' if count > 1 else ''}") if count else ""
