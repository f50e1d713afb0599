"""Findings in the effective configurations of stores, each reported once at the config that causes it.

Works on plain values, so that rules can use it on facts, with the code that sessions use. Stores with the same configs
are checked once, and what the stores of a brand share is merged once. A finding is located at the value of the latest
level that takes part in it, since its author could have seen the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from trialrun.diagnostic import Path
from trialrun.model.channel_config import upsell_title
from trialrun.runtime.channel_config.config_sets import ConfigSet, ConfigTrees, LayerKey, config_sets
from trialrun.runtime.channel_config.dialogue.messages import DrawnMessage
from trialrun.runtime.channel_config.explore.static_analysis import NeverOffered, StaticAnalysis
from trialrun.runtime.channel_config.layers import TYPES, ResolvedType
from trialrun.runtime.channel_config.overlay import MergedTree, Plain, find_part, setters

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy

FindingKind = Literal["tie", "unused", "unreachable", "other-type", "absent"]
OPERATIONS_FIELD: Final = "operationsConfig"
STRATEGY_PATH: Final = (OPERATIONS_FIELD, "upsellStrategy")
FILE_LEVEL_CAUSES: Final = {"condition", "frequency"}
"""Causes that a rule on one file reports, or that are reported as unused messages."""
CONSTANTS: Final = {"true": True, "false": False}
Tree = MergedTree[LayerKey]


class ConfigLocation(NamedTuple):
    """A location in a config, by field names and indexes of the model."""

    config: int
    path: Path


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


class StoreCheck:
    """The check of all stores of some brands; `findings` is complete after the last step.

    `values` are the contents of configs, `type_of` their types, by number. Stores at which one of the `skipped_configs`
    applies have no findings. The options are `list-merge` and `message-draw`.
    """

    def __init__(
        self,
        brands: Iterable[Any],
        values: Callable[[int], Mapping[str, Any]],
        type_of: Callable[[int], str | None],
        skipped_configs: set[int],
        options: Mapping[str, Any],
        is_always_sold: Callable[[Sequence[str]], bool] = lambda items: True,
    ) -> None:
        self._brands, self._skipped_configs = brands, skipped_configs
        self._trees = ConfigTrees(values, type_of, options["list-merge"])
        self._message_draw, self._is_always_sold = options["message-draw"], is_always_sold
        self._upsells: dict[int, tuple[Plain, UpsellConfig]] = {}
        self._findings_by_layers: dict[tuple[Any, ...], list[StoreFinding]] = {}
        self._findings_by_strategy: dict[tuple[Any, ...], list[StoreFinding]] = {}
        self._findings: dict[tuple[FindingKind, ConfigLocation], StoreFinding] = {}
        self._overrides_in_use: set[ConfigLocation] = set()
        self._uncertain_configs: set[int] = set()

    def steps(self) -> Iterator[None]:
        """Check all stores; the work may be suspended at each step."""
        for index, brand in enumerate(self._brands):
            yield
            sets = config_sets(*brand)
            count = sum(len(config_set.stores) for config_set in sets)
            for config_set in sets:
                yield
                configs = {use.config for use in config_set.uses}
                if configs & self._skipped_configs:
                    self._uncertain_configs |= configs
                else:
                    self._add(config_set, index, count)

    @property
    def findings(self) -> list[StoreFinding]:
        """The findings so far, sorted by config and location."""
        findings = [
            finding
            for finding in self._findings.values()
            if finding.kind != "absent"
            or not (finding.location in self._overrides_in_use or finding.location.config in self._uncertain_configs)
        ]
        return sorted(findings, key=lambda finding: (finding.location.config, list(map(str, finding.location.path))))

    def _add(self, config_set: ConfigSet, brand: int, count: int) -> None:
        """Merge the findings of stores with the same configs into those of other stores."""
        names = [store.name for store in config_set.stores]
        for found in self._config_set_findings(config_set):
            key = found.kind, found.location
            if key not in self._findings:
                self._findings[key] = replace(found, about={}, related={}, stores=[], brands={})
            finding = self._findings[key]
            finding.about |= found.about
            finding.related |= found.related
            finding.brands[brand] = count
            if finding.stores[-len(names) :] != names:  # a location may have several findings at one store
                finding.stores += names

    def _config_set_findings(self, config_set: ConfigSet) -> list[StoreFinding]:
        keys = {kind: self._trees.keys(config_set.uses, kind) for kind in TYPES}
        key = tuple(keys.values())
        if key not in self._findings_by_layers:
            trees = {kind: self._trees.merge(row) for kind, row in keys.items()}
            self._findings_by_layers[key] = [*self._strategy_findings(trees, keys), *shadowed_settings(trees)]
        return self._findings_by_layers[key]

    def _strategy_findings(
        self, trees: Mapping[ResolvedType, Tree | None], keys: Mapping[ResolvedType, tuple[LayerKey, ...]]
    ) -> list[StoreFinding]:
        """The findings in the effective strategy, computed once for stores with the same inputs."""
        kind = next((kind for kind in TYPES if (tree := trees[kind]) and find_part(tree, STRATEGY_PATH)), None)
        tree = trees[kind] if kind else None
        if kind is None or tree is None:
            return []
        mode, default = (_operations_field(trees, name) for name in ("interactionMode", "defaultLanguageCode"))
        key = kind, keys[kind], mode and (mode.setter, mode.value), default and default.value
        if key not in self._findings_by_strategy:
            strategy_tree = find_part(tree, STRATEGY_PATH)
            items = find_part(tree, (*STRATEGY_PATH, "upsells"))
            fields = strategy_tree.fields if strategy_tree else {}
            others = {name: field.value for name, field in fields.items() if name != "upsells"}
            upsells = [self._upsell(item.value) for item in (items.items if items else ())]
            analysis = StaticAnalysis(
                cast("UpsellStrategy", PlainMessage({**others, "upsells": upsells})),
                constant_condition,
                lambda items, form: self._is_always_sold(items),
                listens_only=mode is not None and mode.value == "LISTEN_ONLY",
                default_language=str(default.value) if default else None,
                message_draw=self._message_draw,
            )
            strategy = StrategyCheck(fields, items.items if items else (), mode, upsells, analysis)
            self._findings_by_strategy[key] = list(strategy.findings())
            self._overrides_in_use |= strategy.overrides
        return self._findings_by_strategy[key]

    def _upsell(self, plain: Any) -> UpsellConfig:
        if id(plain) not in self._upsells:
            self._upsells[id(plain)] = plain, cast("UpsellConfig", _build_message(plain))
        return self._upsells[id(plain)][1]


class PlainMessage:
    """A message of a config: the attributes are the fields that are set; any other that has to do with offers is None.

    These are in the class, since looking up what an instance does not have would take most of the time.
    """

    maxUpsellOffers = maxUpsellDeclines = maxItemsInCart = upsells = None
    displayName = priority = disabled = greetingOffer = closingOffer = celUpsell = None
    skipOnMultiQuantityUpsoldFromItem = skipOnPreviousTurnUpsell = None
    messages = closingMessages = offerMessage = skipTerms = None
    conditionExpression = suggestedMenuItems = suggestionOnly = None
    messageFrequency = messageConfigs = upsoldItems = upsoldItemIds = languageCode = messageText = None

    def __init__(self, fields: Plain) -> None:
        self.__dict__.update(fields)

    def has(self, name: str) -> bool:
        """Whether a field is set."""
        return name in self.__dict__

    @property
    def title(self) -> str:
        """What a message calls this upsell."""
        return upsell_title(self.displayName, self.priority)


def _build_message(plain: Any) -> Any:
    if isinstance(plain, dict):
        return PlainMessage({name: _build_message(value) for name, value in plain.items()})
    return [_build_message(item) for item in plain] if isinstance(plain, list) else plain


def constant_condition(upsell: UpsellConfig) -> bool | None:
    """The value that a condition always has, where the plain value says so in place of the condition."""
    cel = upsell.celUpsell
    return CONSTANTS.get(cel.conditionExpression or "") if cel else None


def _operations_field(trees: Mapping[ResolvedType, Tree | None], name: str) -> Tree | None:
    """The field of operationsConfig that a session uses: of the agent config, else of the upsell config."""
    candidates = (trees[kind] for kind in reversed(TYPES))
    return next((field for tree in candidates if tree and (field := find_part(tree, (OPERATIONS_FIELD, name)))), None)


def shadowed_settings(trees: Mapping[ResolvedType, Tree | None]) -> Iterator[StoreFinding]:
    """The fields that sessions take from one type although the other one sets them to another value.

    A session takes the fields of a config, and those of its operationsConfig, each as a whole.
    """
    upsell_tree, agent_tree = (trees[kind] for kind in TYPES)
    if upsell_tree is None or agent_tree is None:
        return
    paths = [
        path
        for name, part in agent_tree.fields.items()
        for path in ([(name, inner) for inner in part.fields] if name == OPERATIONS_FIELD else [(name,)])
    ]
    for path in paths:
        agent_value, upsell_value = find_part(agent_tree, path), find_part(upsell_tree, path)
        if agent_value is None or upsell_value is None or upsell_value.value == agent_value.value:
            continue
        unused, used = (agent_value, upsell_value) if path == STRATEGY_PATH else (upsell_value, agent_value)
        values = None if used.fields or used.items else (unused.value, used.value)
        for setter in dict.fromkeys(setters(unused)):
            location, related = ConfigLocation(setter.config, path), {location_of(used): "taken here"}
            yield StoreFinding("other-type", location, path[-1], values=values, about={"": None}, related=related)


def location_of(tree: Tree) -> ConfigLocation:
    """The location of the effective value."""
    return ConfigLocation(tree.setter.config, tree.path)


class StrategyCheck:
    """Checks the strategy that is effective at some stores; knows the origins of its parts.

    `fields` and `items` are the trees of its fields and of its upsells, `mode` that of the interaction mode.
    """

    def __init__(
        self,
        fields: Mapping[str, Tree],
        items: Sequence[Tree],
        mode: Tree | None,
        upsells: Sequence[UpsellConfig],
        analysis: StaticAnalysis,
    ) -> None:
        self._fields, self._items, self._mode = fields, items, mode
        self._upsells, self._analysis = upsells, analysis
        self._positions = {id(upsell): position for position, upsell in enumerate(upsells)}

    def findings(self) -> Iterator[StoreFinding]:
        """All findings."""
        yield from self._tied_priorities()
        yield from self._unused_messages()
        yield from self._unreachable_upsells()
        for item, upsell in zip(self._items, self._upsells, strict=True):
            if upsell.disabled and not _has_type(upsell):  # it disables an upsell which no earlier level has
                yield StoreFinding("absent", location_of(item), upsell.title, about={"": None})

    def _tied_priorities(self) -> Iterator[StoreFinding]:
        first: dict[int, int] = {}
        for position, upsell in enumerate(self._upsells):
            if upsell.priority is None or upsell.disabled:
                continue
            if (other := first.setdefault(upsell.priority, position)) == position:
                continue
            places = sorted((other, position), key=lambda place: self._items[place].fields["priority"].setter)
            priorities = [self._items[place].fields["priority"] for place in places]
            if priorities[0].setter == priorities[-1].setter:
                continue  # both are in one file, where another rule reports it
            early, late = (self._upsells[place].title for place in places)
            related = {location_of(priorities[0]): f"{early} has it here"}
            location = location_of(priorities[1])
            yield StoreFinding("tie", location, late, str(upsell.priority), about={early: None}, related=related)

    def _unused_messages(self) -> Iterator[StoreFinding]:
        for lottery in (lottery for lotteries in self._analysis.lotteries.values() for lottery in lotteries):
            used = next((message for message in lottery.messages if message.share), None)
            for message in lottery.messages if used else ():
                if message.share or used is None:
                    continue
                unused_tree, used_tree = self._message_tree(message), self._message_tree(used)
                if unused_tree is None or used_tree is None or unused_tree.setter == used_tree.setter:
                    continue
                about, reason = {_message_title(message): None}, _message_title(used)
                if unused_tree.setter > used_tree.setter:
                    location, related = location_of(unused_tree), {location_of(used_tree): "this message has one"}
                    yield StoreFinding("unused", location, "message", reason, about=about, related=related)
                else:
                    location = location_of(used_tree.fields["messageFrequency"])
                    related = {location_of(unused_tree): "this one is not used"}
                    yield StoreFinding("unused", location, "frequency", reason, about=about, related=related)

    def _unreachable_upsells(self) -> Iterator[StoreFinding]:
        for victim, upsell in zip(self._items, self._upsells, strict=True):
            if upsell.disabled or not _has_type(upsell):
                continue
            never = self._analysis.why_never(upsell)
            if never is None or never.cause in FILE_LEVEL_CAUSES:
                continue
            causes = [victim, *self._causes(never)]
            if len({cause.setter for cause in causes}) == 1 and _is_reported_in_file(never):
                continue
            latest = max(causes, key=lambda cause: (cause.setter.level, cause is not victim, cause.setter))
            related = {
                location_of(cause): f"{upsell.title} is here" if cause is victim else "this contributes to it"
                for cause in causes
                if cause is not latest
            }
            subject, about = "upsell" if latest is victim else "cause", {upsell.title: None}
            location = location_of(latest)
            yield StoreFinding("unreachable", location, subject, never.reason, about=about, related=related)

    def _causes(self, never: NeverOffered) -> Iterator[Tree]:
        if never.cause == "listen-only" and self._mode:
            yield self._mode
        if never.limit:
            yield self._fields[never.limit]
        for upsell in never.predecessors:
            yield self._items[self._positions[id(upsell)]]

    @property
    def overrides(self) -> set[ConfigLocation]:
        """The parts of configs that disable or enable an upsell of an earlier level."""
        locations: set[ConfigLocation] = set()
        for item, upsell in zip(self._items, self._upsells, strict=True):
            is_set = upsell.disabled is not None and _has_type(upsell)
            disabled = item.fields.get("disabled") if is_set else None
            while disabled is not None:
                locations.add(ConfigLocation(disabled.setter.config, disabled.path[:-1]))
                disabled = disabled.overridden
        return locations

    def _message_tree(self, drawn: DrawnMessage) -> Tree | None:
        upsell, item = drawn.upsell, self._items[self._positions[id(drawn.upsell)]]
        if upsell.greetingOffer:
            found, messages = find_part(item, ("greetingOffer", "messages")), upsell.greetingOffer.messages or ()
            trees = found.items if found else ()
        else:
            found = find_part(item, ("closingOffer", "closingMessages"))
            closing = (upsell.closingOffer and upsell.closingOffer.closingMessages) or ()
            messages = [message.offerMessage for message in closing if message.offerMessage]
            trees = (
                [tree.fields["offerMessage"] for tree in found.items if "offerMessage" in tree.fields] if found else ()
            )
        return next((tree for tree, message in zip(trees, messages, strict=True) if message is drawn.message), None)


def _is_reported_in_file(never: NeverOffered) -> bool:
    """Whether a rule on one file reports the same if everything is in that file.

    `unreachable-upsell` only covers CEL upsells: whether a greeting or closing offer is made in every session also
    depends on the language of customers, which is only known when all levels are.
    """
    only_cel = all(upsell.celUpsell for upsell in never.predecessors)
    return only_cel if never.cause == "offers-used-up" else never.cause in ("listen-only", "limit")


def _has_type(upsell: UpsellConfig) -> bool:
    return bool(upsell.greetingOffer or upsell.closingOffer or upsell.celUpsell)


def _message_title(drawn: DrawnMessage) -> str:
    name = drawn.message.displayName
    return f'"{name}"' if name else f"a message of {drawn.upsell.title}"
