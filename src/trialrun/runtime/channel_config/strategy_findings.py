"""Findings in effective upsell strategies: equal priorities, unused messages, upsells that are never offered.

They are found on plain values, since configurations from the cache have no models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

from trialrun.diagnostic import Path
from trialrun.lazy_dataclass import dataclass
from trialrun.model.upsell_title import upsell_title
from trialrun.runtime.channel_config.explore.static_analysis import NeverOffered, StaticAnalysis
from trialrun.runtime.channel_config.overlay import MergedTree, find_part

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig, UpsellStrategy
    from trialrun.runtime.channel_config.dialogue.messages import DrawnMessage
    from trialrun.runtime.options import MessageDraw


Plain = Mapping[str, Any]


class _PlainMessage:
    """A message of a config: the attributes are the fields that are set; any other that has to do with offers is None.

    These are in the class, since looking up what an instance does not have would take most of the time.
    """

    def __init__(self, plain: Plain) -> None:
        self.__dict__.update(plain)

    def has(self, name: str) -> bool:
        """Whether a field is set."""
        return name in self.__dict__


class _Strategy(_PlainMessage):
    maxUpsellOffers = maxUpsellDeclines = maxItemsInCart = upsells = None


class _Upsell(_PlainMessage):
    displayName = priority = disabled = greetingOffer = closingOffer = celUpsell = None
    skipOnMultiQuantityUpsoldFromItem = skipOnPreviousTurnUpsell = None

    @property
    def title(self) -> str:
        """What a message calls this upsell."""
        return upsell_title(self.displayName, self.priority)


class _Offer(_PlainMessage):
    messages = closingMessages = None


class _Cel(_PlainMessage):
    conditionExpression = suggestedMenuItems = priority = suggestionOnly = None


class _Closing(_PlainMessage):
    offerMessage = skipTerms = None


class _Message(_PlainMessage):
    displayName = messageFrequency = messageConfigs = upsoldItems = upsoldItemIds = None


class _Text(_PlainMessage):
    languageCode = messageText = None


class PlainUpsells:
    """The parts that plain upsells are, the same for the same plain value."""

    def __init__(self) -> None:
        self._cache: dict[int, tuple[Plain, UpsellConfig]] = {}

    def strategy(self, plain: Plain, upsells: Iterable[Any]) -> UpsellStrategy:
        """The strategy of a plain value, with the upsells that are given; these may be shared with others."""
        return cast("UpsellStrategy", _Strategy({**plain, "upsells": [self.upsell(upsell) for upsell in upsells]}))

    def upsell(self, plain: Plain) -> UpsellConfig:
        """The upsell of a plain value."""
        cached = self._cache.get(id(plain))
        if cached is None:
            cached = self._cache[id(plain)] = plain, cast("UpsellConfig", _build_upsell(plain))
        return cached[1]


def _build_upsell(plain: Plain) -> _PlainMessage:
    upsell = _Upsell(plain)
    if "greetingOffer" in plain:
        messages = plain["greetingOffer"].get("messages", ())
        upsell.__dict__["greetingOffer"] = _Offer({"messages": [_build_message(message) for message in messages]})
    if "closingOffer" in plain:
        closing = plain["closingOffer"].get("closingMessages", ())
        upsell.__dict__["closingOffer"] = _Offer(
            {"closingMessages": [_build_closing_message(message) for message in closing]}
        )
    if "celUpsell" in plain:
        upsell.__dict__["celUpsell"] = _Cel(plain["celUpsell"])
    return upsell


def _build_closing_message(plain: Plain) -> _PlainMessage:
    return _Closing(
        {**plain, "offerMessage": _build_message(plain["offerMessage"])} if "offerMessage" in plain else plain
    )


def _build_message(plain: Plain) -> _PlainMessage:
    return _Message({**plain, "messageConfigs": [_Text(text) for text in plain.get("messageConfigs", ())]})


def constant_condition(upsell: UpsellConfig) -> bool | None:
    """The value that a condition always has, where the plain value says so in place of the condition."""
    text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
    return {"true": True, "false": False}.get(text or "")


FindingKind = Literal["tie", "unused", "unreachable", "other-type", "absent"]
OPERATIONS_FIELD: Final = "operationsConfig"
STRATEGY_PATH: Final = (OPERATIONS_FIELD, "upsellStrategy")
UPSELLS_PATH: Final = (*STRATEGY_PATH, "upsells")
FILE_LEVEL_CAUSES: Final = {"condition", "frequency"}
"""Causes that a rule on one file reports, or that are reported as unused messages."""


class LayerKey(NamedTuple):
    """A config at its level; `rank` is its position among those of its type."""

    level: int
    rank: int
    config: int


class ConfigLocation(NamedTuple):
    """A location in a config, by field names and indexes of the model."""

    config: int
    path: Path


@dataclass(frozen=True, slots=True)
class ConfigSetFinding:
    """A finding at stores with the same configs, before it is merged with equal ones."""

    kind: FindingKind
    location: ConfigLocation
    subject: str
    about: str = ""
    reason: str = ""
    related: Sequence[tuple[ConfigLocation, str]] = ()
    values: tuple[Any, Any] | None = None


class StrategyChecker:
    """Checks the strategy that is effective at some stores; knows the origins of its parts."""

    def __init__(
        self,
        tree: MergedTree[LayerKey],
        mode: MergedTree[LayerKey] | None,
        default: MergedTree[LayerKey] | None,
        upsells: PlainUpsells,
        message_draw: MessageDraw,
        is_always_sold: Callable[[Sequence[str]], bool],
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
            lambda items, form: is_always_sold(items),
            listens_only=mode is not None and mode.value == "LISTEN_ONLY",
            default_language=str(default.value) if default else None,
            message_draw=message_draw,
        )

    def findings(self) -> Iterator[ConfigSetFinding]:
        """All findings."""
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
                continue  # both are in one file, where another rule reports it
            late, early = (
                (position, first_position) if priority.setter > first_priority.setter else (first_position, position)
            )
            first_title = self._upsells[early].title
            related = [(location_of(self._upsell_field(early, "priority")), f"{first_title} has it here")]
            reason = str(upsell.priority)
            yield ConfigSetFinding(
                "tie",
                location_of(self._upsell_field(late, "priority")),
                self._upsells[late].title,
                first_title,
                reason,
                related,
            )

    def _unused_messages(self) -> Iterator[ConfigSetFinding]:
        """Messages without a frequency that compete with one of another level that has a frequency."""
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
                        location_of(unused_tree),
                        "message",
                        name,
                        used_name,
                        [(location_of(used_tree), "this message has one")],
                    )
                else:
                    location, related = (
                        location_of(used_tree.fields["messageFrequency"]),
                        [(location_of(unused_tree), "this one is not used")],
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
                (location_of(cause), f"{upsell.title} is here" if cause is victim else "this contributes to it")
                for cause in causes
                if cause is not latest
            ]
            subject = "upsell" if latest is victim else "cause"
            yield ConfigSetFinding("unreachable", location_of(latest), subject, upsell.title, never.reason, related)

    def _causes(self, never: NeverOffered) -> Iterator[MergedTree[LayerKey]]:
        """The values that prevent an upsell from being offered."""
        if never.cause == "listen-only" and self._mode:
            yield self._mode
        if never.limit and self._tree:
            yield self._tree.fields[never.limit]
        for upsell in never.predecessors:
            yield self._items[self._positions[id(upsell)]]

    def _missing_targets(self) -> Iterator[ConfigSetFinding]:
        """Overrides that disable an upsell which no earlier level has."""
        for position, upsell in enumerate(self._upsells):
            if upsell.disabled and not _has_type(upsell):
                yield ConfigSetFinding("absent", location_of(self._items[position]), upsell.title)

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

    def _upsell_field(self, position: int, name: str) -> MergedTree[LayerKey]:
        return self._items[position].fields[name]

    def _message_tree(self, upsell: Any, message: Any) -> MergedTree[LayerKey] | None:
        """The origin of a message of an offer."""
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
    """Whether a rule on one file reports the same if everything is in that file.

    `unreachable-upsell` only covers CEL upsells: whether a greeting or closing offer is made in every session also
    depends on the language of customers, which is only known when all levels are.
    """
    if never.cause == "offers-used-up":
        return all(upsell.celUpsell for upsell in never.predecessors)
    return never.cause in ("listen-only", "limit")


def _has_type(upsell: UpsellConfig) -> bool:
    return bool(upsell.greetingOffer or upsell.closingOffer or upsell.celUpsell)


def _message_title(drawn: DrawnMessage) -> str:
    """The title of a message in findings."""
    name = drawn.message.displayName
    return f'"{name}"' if name else f"a message of {drawn.upsell.title}"


def location_of(tree: MergedTree[LayerKey]) -> ConfigLocation:
    """The location of the effective value."""
    return ConfigLocation(tree.setter.config, tree.path)


__all__ = ["PlainUpsells", "constant_condition"]
