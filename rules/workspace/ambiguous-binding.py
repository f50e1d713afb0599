"""Two bindings of one level that apply at one store do not set the same field to different values.

On one level nothing says which of two configs overwrites the other; the runtime lets the later one win, in the order in
which they are written, and a new order changes what a customer hears. Keep the two apart by tags or names, or set the
field in one of them alone. Each type resolves on its own, upsells are compared by display name or priority and
greetings by language, and the names and descriptions of strategies are no setting.

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
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place, Severity
from trialrun.lint.across import Clash, Clashes, Facts
from trialrun.lint.brands import SUBJECTS, Configs, brands, told
from trialrun.lint.report import Fact
from trialrun.lint.rule import gather, rule
from trialrun.record import dataclass

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.channel_config.lineups import PlainStore, Use
    from trialrun.runtime.channel_config.overlay import Lists, Tree


@gather(*SUBJECTS, keys=(1,), by_id=True)
def applied(part: Node) -> Iterator[tuple[Place, list[Any]]]:
    """What configs set, and where brands and stores bind them."""
    from trialrun.runtime.channel_config.effective import ABOUT

    return told(part, about=ABOUT)


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace"})
def check(facts: Facts) -> Clashes:
    """Flag each binding that sets a field otherwise than one of its level before it, where both match a store."""
    from trialrun.runtime.channel_config.lineups import PlainBrand, lineups

    configs, told = Configs(facts), SetTwice(facts.options["list-merge"])
    for brand in brands(facts):
        found: dict[tuple[int, int], Meeting] = {}
        for lineup in lineups(PlainBrand.of(*brand.plain(configs))):
            bound = [use for use in lineup.uses if use.level == "brand-binding"]
            for one in meetings(bound, lineup.stores, configs, told):
                if found.setdefault(one.key, one) is not one:
                    found[one.key].stores += one.stores
            for store in lineup.stores:
                bound = [use for use in store.uses if use.level == "store-binding"]
                found.update((one.key, one) for one in meetings(bound, [store], configs, told))
        yield from (clash(one, configs) for one in found.values())


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
    """Two bindings that apply at some stores, and the settings in which their configs differ."""

    earlier: Use[int, Fact]
    later: Use[int, Fact]
    settings: Sequence[Setting]
    stores: list[PlainStore[int, Fact]]

    @property
    def key(self) -> tuple[int, int]:
        """What is the same wherever these two bindings meet."""
        return id(self.earlier.where), id(self.later.where)


def meetings(
    bound: Sequence[Use[int, Fact]], stores: list[PlainStore[int, Fact]], configs: Configs, told: SetTwice
) -> Iterator[Meeting]:
    """The meetings among the bindings of one level that apply at some stores; each type resolves on its own."""
    for kind in dict.fromkeys(configs.type(use.config) for use in bound) if len(bound) > 1 else ():
        uses = [use for use in bound if configs.type(use.config) == kind]
        found = told.of([use.config for use in uses], configs) if kind and len(uses) > 1 else {}
        for (earlier, later), settings in found.items():
            yield Meeting(uses[earlier], uses[later], settings, list(stores))


class SetTwice:
    """What configs that apply one after the other set to different values, worked out once for the same configs."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._found: dict[tuple[int, ...], dict[tuple[int, int], list[Setting]]] = {}

    def of(self, applied: Sequence[int], configs: Configs) -> dict[tuple[int, int], list[Setting]]:
        """The settings by the places of the two in the row: a value, and the one that took its place."""
        key = tuple(applied)
        if key not in self._found:
            found: dict[tuple[int, int], list[Setting]] = {}
            for setting in self._settings([configs.outline(number) for number in applied]):
                found.setdefault((setting.earlier, setting.later), []).append(setting)
            self._found[key] = found
        return self._found[key]

    def _settings(self, outlines: Sequence[dict[str, Any]]) -> Iterator[Setting]:
        from trialrun.runtime.channel_config.field_text import dotted
        from trialrun.runtime.channel_config.overlay import overlay, settings

        tree: Tree[int] = overlay(None, 0, outlines[0], lists=self._lists)
        for place, one in enumerate(outlines[1:], start=1):
            tree = overlay(tree, place, one, lists=self._lists)
        for path, here in settings(tree):
            while (beneath := here.beneath) is not None:
                if beneath.value != here.value:
                    yield Setting(beneath.by, here.by, dotted(tree.value, path), beneath.value, here.value)
                here = beneath


def clash(meeting: Meeting, configs: Configs) -> Clash:
    """What to say of two bindings, at the later one."""
    from trialrun.values.resource_name import last_id

    names = [last_id(configs.all[use.config].value[1]) for use in (meeting.earlier, meeting.later)]
    where = f'"{last_id(meeting.stores[0].name)}"{more(meeting.stores, "store", " and {}")}'
    return Clash(
        meeting.later.where,
        f'"{names[0]}" and "{names[1]}" are both bound for {where}, and set {said(meeting.settings)};'
        " the later one wins: set it in one of them, or keep their stores apart",
        related=((f'"{names[0]}" is bound here', meeting.earlier.where),),
    )


def said(settings: Sequence[Setting]) -> str:
    """The first field with both values, and how many more there are."""
    from trialrun.lint.outline import shown

    one = settings[0]
    is_scalar = not isinstance(one.was, dict | list) and not isinstance(one.value, dict | list)
    values = f"to {shown(one.was)} and {shown(one.value)}" if is_scalar else "to different values"
    return f"{one.field} {values}{more(settings, 'field', ' ({})')}"


def more(items: Sequence[Any], noun: str, form: str) -> str:
    """How many items there are beyond the first, in a form; nothing where there are none."""
    count = len(items) - 1
    return form.format(f"{count} more {noun}{'s' if count > 1 else ''}") if count else ""
