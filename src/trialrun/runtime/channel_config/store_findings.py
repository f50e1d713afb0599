"""Findings in the effective configurations of stores, each reported once at the config that causes it.

Works on plain values, so that rules can use it on facts, with the code that sessions use. Stores with the same configs
are checked once, and what the stores of a brand share is merged once. A finding is located at the value of the latest
level that takes part in it, since its author could have seen the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.config_sets import AppliedConfig, ConfigSet, PlainBrand, config_sets
from trialrun.runtime.channel_config.layers import LEVELS, TYPES, ResolvedType
from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree, find_part, overlay, setters
from trialrun.runtime.channel_config.strategy_findings import (
    OPERATIONS_FIELD,
    STRATEGY_PATH,
    ConfigLocation,
    ConfigSetFinding,
    FindingKind,
    LayerKey,
    PlainUpsells,
    StrategyChecker,
    location_of,
)

if TYPE_CHECKING:
    from trialrun.runtime.options import MessageDraw

BRAND_LEVELS: Final = ("brand-default", "brand-binding")


@dataclass(slots=True)
class StoreFinding:
    """A finding at a location: `subject` is what it is about, `reason` why, if known.

    `about` are the titles of the affected upsells or messages; `related` are related locations with a label each;
    `values` are the value that is set and the one that is used, if both are scalars. `stores` are the names of the
    affected stores, out of the `count` stores of their brands.
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
        """The number of stores of the affected brands."""
        return sum(self.brands.values())


ConfigValues = Callable[[int], Mapping[str, Any]]


class StoreChecker:
    """Checks the stores of brands; `config_values` are the contents of configs, `type_of` their types, by number.

    Stores at which one of the `skipped_configs` applies have no findings.
    """

    def __init__(
        self,
        config_values: ConfigValues,
        type_of: Callable[[int], str | None],
        skipped_configs: set[int],
        is_always_sold: Callable[[Sequence[str]], bool] = lambda items: True,
        *,
        lists: ListMerge = "replace",
        message_draw: MessageDraw = "type",
    ) -> None:
        self._config_values, self._type_of, self._skipped_configs = config_values, type_of, skipped_configs
        self._lists, self._message_draw, self._is_always_sold = lists, message_draw, is_always_sold
        self._trees: dict[tuple[LayerKey, ...], MergedTree[LayerKey] | None] = {}
        self._upsells = PlainUpsells()
        self._findings_by_layers: dict[tuple[Any, ...], list[ConfigSetFinding]] = {}
        self._findings_by_strategy: dict[tuple[Any, ...], list[ConfigSetFinding]] = {}
        self._findings: dict[tuple[FindingKind, ConfigLocation], StoreFinding] = {}
        self._overrides_in_use: set[ConfigLocation] = set()
        self._uncertain_configs: set[int] = set()

    def check_brand(self, brand: PlainBrand[int, Any]) -> Iterator[None]:
        """Check the stores of a brand; the work may be suspended at each step."""
        yield
        for config_set in config_sets(brand):
            yield
            if any(use.config in self._skipped_configs for use in config_set.uses):
                self._uncertain_configs.update(use.config for use in config_set.uses)
            else:
                self._add(config_set, id(brand), len(brand.stores))

    @property
    def findings(self) -> list[StoreFinding]:
        """The findings so far, sorted by config and location."""
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
        """Merge the findings of stores with the same configs into those of other stores."""
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
            if finding.stores[-len(names) :] != names:  # a location may have several findings at one store
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
        """The merged configs; what the stores of a brand share is merged once."""
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
        """The findings in the effective strategy, computed once for stores with the same inputs."""
        kind = next((kind for kind in TYPES if (tree := trees[kind]) and find_part(tree, STRATEGY_PATH)), None)
        tree = trees[kind] if kind else None
        if kind is None or tree is None:
            return []
        mode, default = (_operations_field(trees, name) for name in ("interactionMode", "defaultLanguageCode"))
        key = kind, keys_by_type[kind], mode and (mode.setter, mode.value), default and default.value
        if key not in self._findings_by_strategy:
            strategy = StrategyChecker(tree, mode, default, self._upsells, self._message_draw, self._is_always_sold)
            self._findings_by_strategy[key] = list(strategy.findings())
            self._overrides_in_use |= strategy.overrides
        return self._findings_by_strategy[key]


def _operations_field(
    trees: Mapping[ResolvedType, MergedTree[LayerKey] | None], name: str
) -> MergedTree[LayerKey] | None:
    """The field of operationsConfig that a session uses: of the agent config, else of the upsell config."""
    candidates = (trees[kind] for kind in reversed(TYPES))
    return next((field for tree in candidates if tree and (field := find_part(tree, (OPERATIONS_FIELD, name)))), None)


def shadowed_settings(trees: Mapping[ResolvedType, MergedTree[LayerKey] | None]) -> Iterator[ConfigSetFinding]:
    """The fields that sessions take from one type although the other one sets them to another value."""
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
            related = [(location_of(used), "taken here")]
            yield ConfigSetFinding(
                "other-type", ConfigLocation(setter.config, path), str(path[-1]), related=related, values=values
            )


def _top_level_fields(tree: MergedTree[LayerKey]) -> Iterator[tuple[Path, MergedTree[LayerKey]]]:
    """What a session takes as a whole from one type: the fields of a config and those of its operationsConfig."""
    for name, inner in tree.fields.items():
        if name != OPERATIONS_FIELD:
            yield (name,), inner
        else:
            yield from (((name, field_name), field) for field_name, field in inner.fields.items())


class StoreCheck:
    """Checks all stores of some brands step by step; `findings` is complete after the last step."""

    def __init__(self, checker: StoreChecker, brands: Iterable[Any]) -> None:
        self._checker, self._brands = checker, [PlainBrand.from_tuples(*brand) for brand in brands]

    def steps(self) -> Iterator[None]:
        """Check all stores; the work may be suspended at each step."""
        for brand in self._brands:
            yield from self._checker.check_brand(brand)

    @property
    def findings(self) -> list[StoreFinding]:
        """The findings so far."""
        return self._checker.findings


def check_stores(
    brands: Iterable[Any],
    config_values: ConfigValues,
    type_of: Callable[[int], str | None],
    skipped_configs: set[int],
    options: Mapping[str, Any],
    is_always_sold: Callable[[Sequence[str]], bool] = lambda items: True,
) -> StoreCheck:
    """The check of all stores of some brands, with the options `list-merge` and `message-draw`."""
    lists, draw = options["list-merge"], options["message-draw"]
    checker = StoreChecker(config_values, type_of, skipped_configs, is_always_sold, lists=lists, message_draw=draw)
    return StoreCheck(checker, brands)


__all__ = ["ConfigLocation", "StoreFinding", "check_stores"]
