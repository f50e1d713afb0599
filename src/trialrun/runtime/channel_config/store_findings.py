"""Findings in the effective configurations of stores, each reported once at the config that causes it.

It goes by plain values, so that rules can ask it of facts, and by the code that sessions go by. Stores at which the
same configs apply are judged once, and what the stores of a brand share is laid over each other once. The place of a
finding is the value of the latest level that has a part in it: whoever wrote that one could have seen the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.config_sets import AppliedConfig, ConfigSet, PlainBrand, config_sets
from trialrun.runtime.channel_config.explore.static_analysis import NeverOffered, StaticAnalysis
from trialrun.runtime.channel_config.level import LEVELS, TYPES, ResolvedType
from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree, find_part, overlay, setters
from trialrun.runtime.channel_config.plain_upsells import PlainUpsells, constant_condition

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.dialogue.messages import DrawnMessage
    from trialrun.runtime.options import MessageDraw

FindingKind = Literal["tie", "unused", "unreachable", "other-type", "absent"]
OPERATIONS_FIELD: Final = "operationsConfig"
STRATEGY_PATH: Final = (OPERATIONS_FIELD, "upsellStrategy")
UPSELLS_PATH: Final = (*STRATEGY_PATH, "upsells")
LABEL_FIELDS: Final = ("displayName", "description")
BRAND_LEVELS: Final = ("brand-default", "brand-binding")
FILE_LEVEL_CAUSES: Final = {"condition", "frequency"}
"""Causes that are of one file, or told as messages that are not used."""


class LayerKey(NamedTuple):
    """A config at its level; `place` is its place among those of its type."""

    level: int
    rank: int
    config: int


class ConfigLocation(NamedTuple):
    """A place of a config, by field names and indexes of the model."""

    config: int
    path: Path


@dataclass(slots=True)
class StoreFinding:
    """Something to say of a place: `what` stands there, `why` is the reason, where there is one to tell.

    `about` are the upsells or messages that it speaks of, by their titles; `others` are places that have to do with
    it, each with a word; `values` are what is set and what is taken instead, where both are scalars. `stores` are the
    names of the stores, among the `count` stores of their brands.
    """

    kind: FindingKind
    location: ConfigLocation
    subject: str
    reason: str = ""
    values: tuple[Any, Any] | None = None
    about: dict[str, None] = field(default_factory=dict)
    related: dict[ConfigLocation, str] = field(default_factory=dict)
    stores: list[str] = field(default_factory=list)
    brands: dict[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many stores the brands have at whose stores it was found."""
        return sum(self.brands.values())


@dataclass(frozen=True, slots=True)
class ConfigSetFinding:
    """Something found at the stores of a lineup, before it is put together with the same of others."""

    kind: FindingKind
    location: ConfigLocation
    subject: str
    about: str = ""
    reason: str = ""
    related: Sequence[tuple[ConfigLocation, str]] = ()
    values: tuple[Any, Any] | None = None


ConfigValues = Callable[[int], Mapping[str, Any]]


class StoreChecker:
    """Judges the stores of brands; `outline` has what a config sets, `type_of` its type, by its number.

    Nothing is said of stores at which one of the `unclear` configs applies.
    """

    def __init__(
        self,
        config_values: ConfigValues,
        type_of: Callable[[int], str | None],
        skipped_configs: set[int],
        *,
        lists: ListMerge = "replace",
        message_draw: MessageDraw = "offer",
    ) -> None:
        self._config_values, self._type_of, self._skipped_configs = config_values, type_of, skipped_configs
        self._lists, self._message_draw = lists, message_draw
        self._trees: dict[tuple[LayerKey, ...], MergedTree[LayerKey] | None] = {}
        self._upsells = PlainUpsells()
        self._findings_by_layers: dict[tuple[Any, ...], list[ConfigSetFinding]] = {}
        self._findings_by_strategy: dict[tuple[Any, ...], list[ConfigSetFinding]] = {}
        self._findings: dict[tuple[FindingKind, ConfigLocation], StoreFinding] = {}
        self._overrides_in_use: set[ConfigLocation] = set()
        self._uncertain_configs: set[int] = set()

    def check_brand(self, brand: PlainBrand[int, Any]) -> Iterator[None]:
        """Judge the stores of a brand; it can be left for a while at each step."""
        yield
        for config_set in config_sets(brand):
            yield
            if any(use.config in self._skipped_configs for use in config_set.uses):
                self._uncertain_configs.update(use.config for use in config_set.uses)
            else:
                self._add(config_set, id(brand), len(brand.stores))

    @property
    def findings(self) -> list[StoreFinding]:
        """What was found at the stores that were judged, in the order of configs and places."""
        findings = [
            finding
            for finding in self._findings.values()
            if finding.kind != "absent" or self._is_certain(finding.location)
        ]
        return sorted(findings, key=lambda finding: (finding.location.config, list(map(str, finding.location.path))))

    def _is_certain(self, location: ConfigLocation) -> bool:
        """Whether an override has nothing to override at any store."""
        return location not in self._overrides_in_use and location.config not in self._uncertain_configs

    def _add(self, config_set: ConfigSet[int, Any], brand: int, count: int) -> None:
        """Add what is found at the stores of a lineup to what was found at others."""
        names = [store.name for store in config_set.stores]
        for config_set_finding in self._config_set_findings(config_set):
            finding = self._findings.get((config_set_finding.kind, config_set_finding.location))
            if finding is None:
                finding = self._findings[config_set_finding.kind, config_set_finding.location] = StoreFinding(
                    config_set_finding.kind,
                    config_set_finding.location,
                    config_set_finding.subject,
                    config_set_finding.reason,
                    config_set_finding.values,
                )
            finding.about[config_set_finding.about] = None
            finding.related.update(config_set_finding.related)
            finding.brands[brand] = count
            if finding.stores[-len(names) :] != names:  # the same place may be told of several times at one store
                finding.stores += names

    def _config_set_findings(self, config_set: ConfigSet[int, Any]) -> list[ConfigSetFinding]:
        keys_by_type = {kind: self._layer_keys(config_set.uses, kind) for kind in TYPES}
        key = tuple(keys_by_type.values())
        if key not in self._findings_by_layers:
            trees = {kind: self._merged_tree(row) for kind, row in keys_by_type.items()}
            self._findings_by_layers[key] = [*self._strategy_findings(trees, keys_by_type), *shadowed_settings(trees)]
        return self._findings_by_layers[key]

    def _layer_keys(self, applied: Sequence[AppliedConfig[int, Any]], kind: ResolvedType) -> tuple[LayerKey, ...]:
        uses_of_kind = [applied_config for applied_config in applied if self._type_of(applied_config.config) == kind]
        return tuple(
            LayerKey(LEVELS.index(applied_config.level), rank, applied_config.config)
            for rank, applied_config in enumerate(uses_of_kind)
        )

    def _merged_tree(self, layer_keys: tuple[LayerKey, ...]) -> MergedTree[LayerKey] | None:
        """What configs make together; what the stores of a brand share is laid once."""
        if layer_keys in self._trees or not layer_keys:
            return self._trees.get(layer_keys)
        *earlier, last = layer_keys
        tree = overlay(self._merged_tree(tuple(earlier)), last, self._config_values(last.config), lists=self._lists)
        if LEVELS[last.level] in BRAND_LEVELS:
            self._trees[layer_keys] = tree
        return tree

    def _strategy_findings(
        self,
        trees: Mapping[ResolvedType, MergedTree[LayerKey] | None],
        keys_by_type: Mapping[ResolvedType, tuple[LayerKey, ...]],
    ) -> list[ConfigSetFinding]:
        """What is found in the strategy in force, once for stores that differ in nothing that it depends on."""
        kind = next((kind for kind in TYPES if (tree := trees[kind]) and find_part(tree, STRATEGY_PATH)), None)
        tree = trees[kind] if kind else None
        if kind is None or tree is None:
            return []
        mode, default = (_operations_field(trees, name) for name in ("interactionMode", "defaultLanguageCode"))
        key = kind, keys_by_type[kind], mode and (mode.setter, mode.value), default and default.value
        if key not in self._findings_by_strategy:
            strategy = _StrategyChecker(tree, mode, default, self._upsells, self._message_draw)
            self._findings_by_strategy[key] = list(strategy.findings())
            self._overrides_in_use |= strategy.overrides
        return self._findings_by_strategy[key]


def _operations_field(
    trees: Mapping[ResolvedType, MergedTree[LayerKey] | None], name: str
) -> MergedTree[LayerKey] | None:
    """The field of operationsConfig that a session takes: of the config for the agent, else of that for upsells."""
    candidates = (trees[kind] for kind in reversed(TYPES))
    return next((field for tree in candidates if tree and (field := find_part(tree, (OPERATIONS_FIELD, name)))), None)


class _StrategyChecker:
    """The strategy that is in force at some stores, with the places of its parts."""

    def __init__(
        self,
        tree: MergedTree[LayerKey],
        mode: MergedTree[LayerKey] | None,
        default: MergedTree[LayerKey] | None,
        upsells: PlainUpsells,
        message_draw: MessageDraw,
    ) -> None:
        self._tree = find_part(tree, STRATEGY_PATH)
        self._mode = mode
        items = find_part(tree, UPSELLS_PATH)
        self._items: Sequence[MergedTree[LayerKey]] = items.items if items else ()
        fields = self._tree.fields if self._tree else {}
        other_fields = {name: field.value for name, field in fields.items() if name != "upsells"}
        strategy = upsells.strategy(other_fields, [item.value for item in self._items])
        self._upsells = strategy.upsells or []
        self._positions = {id(upsell): position for position, upsell in enumerate(self._upsells)}
        self._analysis = StaticAnalysis(
            strategy,
            constant_condition,
            listens_only=mode is not None and mode.value == "LISTEN_ONLY",
            default_language=str(default.value) if default else None,
            message_draw=message_draw,
        )

    def findings(self) -> Iterator[ConfigSetFinding]:
        """Whatever is to be said of it."""
        yield from self._tied_priorities()
        yield from self._unused_messages()
        yield from self._unreachable_upsells()
        yield from self._missing_targets()

    def _tied_priorities(self) -> Iterator[ConfigSetFinding]:
        first: dict[int, int] = {}
        for position, upsell in enumerate(self._upsells):
            if upsell.priority is None or upsell.disabled:
                continue
            first_position = first.setdefault(upsell.priority, position)
            if first_position == position:
                continue
            priority, first_priority = (
                self._upsell_field(position, "priority"),
                self._upsell_field(first_position, "priority"),
            )
            if priority.setter == first_priority.setter:
                continue  # one file says both, and is told of it
            late, early = (
                (position, first_position) if priority.setter > first_priority.setter else (first_position, position)
            )
            first_title = self._upsells[early].title
            related = [(_location(self._upsell_field(early, "priority")), f"{first_title} has it here")]
            reason = str(upsell.priority)
            yield ConfigSetFinding(
                "tie",
                _location(self._upsell_field(late, "priority")),
                self._upsells[late].title,
                first_title,
                reason,
                related,
            )

    def _unused_messages(self) -> Iterator[ConfigSetFinding]:
        """Messages without a frequency that are weighed together with one of another level that has one."""
        for lottery in (lottery for lotteries in self._analysis.lotteries.values() for lottery in lotteries):
            used = next((message for message in lottery.messages if message.share), None)
            for message in lottery.messages if used else ():
                if message.share or used is None:
                    continue
                unused_tree, used_tree = (
                    self._message_tree(message.upsell, message.message),
                    self._message_tree(used.upsell, used.message),
                )
                if unused_tree is None or used_tree is None or unused_tree.setter == used_tree.setter:
                    continue
                name, used_name = _message_title(message), _message_title(used)
                if unused_tree.setter > used_tree.setter:
                    yield ConfigSetFinding(
                        "unused",
                        _location(unused_tree),
                        "message",
                        name,
                        used_name,
                        [(_location(used_tree), "this message has one")],
                    )
                else:
                    location, related = (
                        _location(used_tree.fields["messageFrequency"]),
                        [(_location(unused_tree), "this one is not used")],
                    )
                    yield ConfigSetFinding("unused", location, "frequency", name, used_name, related)

    def _unreachable_upsells(self) -> Iterator[ConfigSetFinding]:
        for position, upsell in enumerate(self._upsells):
            if upsell.disabled or not _has_type(upsell):
                continue
            never = self._analysis.why_never(upsell)
            if never is None or never.cause in FILE_LEVEL_CAUSES:
                continue
            causes = [self._items[position], *self._causes(never)]
            if len({cause.setter for cause in causes}) == 1 and _is_reported_in_file(never):
                continue
            victim = self._items[position]
            latest = max(causes, key=lambda cause: (cause.setter.level, cause is not victim, cause.setter))
            related = [
                (_location(cause), f"{upsell.title} is here" if cause is victim else "this contributes to it")
                for cause in causes
                if cause is not latest
            ]
            subject = "upsell" if latest is victim else "cause"
            yield ConfigSetFinding("unreachable", _location(latest), subject, upsell.title, never.reason, related)

    def _causes(self, never: NeverOffered) -> Iterator[MergedTree[LayerKey]]:
        """The values that keep an upsell from being offered."""
        if never.cause == "listen-only" and self._mode:
            yield self._mode
        if never.limit and self._tree:
            yield self._tree.fields[never.limit]
        for upsell in never.predecessors:
            yield self._items[self._positions[id(upsell)]]

    def _missing_targets(self) -> Iterator[ConfigSetFinding]:
        """Disabling overrides of an upsell that no earlier level has."""
        for position, upsell in enumerate(self._upsells):
            if upsell.disabled and not _has_type(upsell):
                yield ConfigSetFinding("absent", _location(self._items[position]), upsell.title)

    @property
    def overrides(self) -> set[ConfigLocation]:
        """The parts of configs that disable, or enable, an upsell that has a type."""
        locations: set[ConfigLocation] = set()
        for item, upsell in zip(self._items, self._upsells, strict=True):
            is_set = upsell.disabled is not None and _has_type(upsell)
            disabled = item.fields.get("disabled") if is_set else None
            while disabled is not None:
                locations.add(ConfigLocation(disabled.setter.config, disabled.path[:-1]))
                disabled = disabled.overridden
        return locations

    def _upsell_field(self, position: int, name: str) -> MergedTree[LayerKey]:
        return self._items[position].fields[name]

    def _message_tree(self, upsell: Any, message: Any) -> MergedTree[LayerKey] | None:
        """Where a message of an offer comes from."""
        item = self._items[self._positions[id(upsell)]]
        if upsell.greetingOffer:
            message_list, messages = find_part(item, ("greetingOffer", "messages")), upsell.greetingOffer.messages
        else:
            message_list = find_part(item, ("closingOffer", "closingMessages"))
            messages = [closing.offerMessage for closing in upsell.closingOffer.closingMessages]
        position = next((index for index, candidate in enumerate(messages) if candidate is message), None)
        if message_list is None or position is None:
            return None
        return (
            message_list.items[position]
            if upsell.greetingOffer
            else message_list.items[position].fields["offerMessage"]
        )


def _is_reported_in_file(never: NeverOffered) -> bool:
    """Whether a rule on one file tells the same where all of it stands in that file.

    `unreachable-upsell` speaks of CEL upsells alone: whether a greeting or closing offer is made in every session
    depends on the language of customers as well, which is known where all levels are.
    """
    if never.cause == "offers-used-up":
        return all(upsell.celUpsell for upsell in never.predecessors)
    return never.cause in ("listen-only", "limit")


def _has_type(upsell: UpsellConfig) -> bool:
    return bool(upsell.greetingOffer or upsell.closingOffer or upsell.celUpsell)


def _message_title(drawn: DrawnMessage) -> str:
    """What a finding calls a message."""
    name = drawn.message.displayName
    return f'"{name}"' if name else f"a message of {drawn.upsell.title}"


def _location(tree: MergedTree[LayerKey]) -> ConfigLocation:
    return ConfigLocation(tree.setter.config, tree.path)


def shadowed_settings(trees: Mapping[ResolvedType, MergedTree[LayerKey] | None]) -> Iterator[ConfigSetFinding]:
    """The fields that sessions take from the one type although the other one sets them, to something else."""
    upsell_tree, agent_tree = (trees[kind] for kind in TYPES)
    if upsell_tree is None or agent_tree is None:
        return
    for path, agent_value in _top_level_fields(agent_tree):
        upsell_value = find_part(upsell_tree, path)
        if upsell_value is None or upsell_value.value == agent_value.value:
            continue
        unused, used = (agent_value, upsell_value) if path == STRATEGY_PATH else (upsell_value, agent_value)
        for setter in dict.fromkeys(setters(unused)):
            values = None if used.fields or used.items else (unused.value, used.value)
            related = [(_location(used), "taken here")]
            yield ConfigSetFinding(
                "other-type", ConfigLocation(setter.config, path), str(path[-1]), related=related, values=values
            )


def _top_level_fields(tree: MergedTree[LayerKey]) -> Iterator[tuple[Path, MergedTree[LayerKey]]]:
    """What a session takes as a whole from one type: the fields of a config and those of its operations."""
    for name, inner in tree.fields.items():
        if name != OPERATIONS_FIELD:
            yield (name,), inner
        else:
            yield from (
                ((name, field_name), field)
                for field_name, field in inner.fields.items()
                if field_name not in LABEL_FIELDS
            )


class StoreCheck:
    """All stores of some brands of plain tuples, judged step by step; `said` is whole after the last step."""

    def __init__(self, checker: StoreChecker, brands: Iterable[Any]) -> None:
        self._checker, self._brands = checker, [PlainBrand.from_tuples(*brand) for brand in brands]

    def steps(self) -> Iterator[None]:
        """Judge all stores; it can be left for a while at each step."""
        for brand in self._brands:
            yield from self._checker.check_brand(brand)

    @property
    def findings(self) -> list[StoreFinding]:
        """What was found."""
        return self._checker.findings


def check_stores(
    brands: Iterable[Any],
    config_values: ConfigValues,
    type_of: Callable[[int], str | None],
    skipped_configs: set[int],
    options: Mapping[str, Any],
) -> StoreCheck:
    """The judgement of all stores of some brands, under the settings `list-merge` and `message-draw`."""
    checker = StoreChecker(
        config_values, type_of, skipped_configs, lists=options["list-merge"], message_draw=options["message-draw"]
    )
    return StoreCheck(checker, brands)


__all__ = ["ConfigLocation", "StoreFinding", "check_stores"]
