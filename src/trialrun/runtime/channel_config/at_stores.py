"""What is hardly meant in the configurations that are effective at stores, each once, at the place that causes it.

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
from trialrun.runtime.channel_config.config_sets import Lineup, PlainBrand, Use, lineups
from trialrun.runtime.channel_config.explore.static_analysis import Never, Selling
from trialrun.runtime.channel_config.level import LEVELS, TYPES, ResolvedType
from trialrun.runtime.channel_config.overlay import Lists, Tree, overlay, part, setters
from trialrun.runtime.channel_config.plain_upsells import Upsells, constant

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.dialogue.messages import Drawn
    from trialrun.runtime.options import MessageDraw

Sort = Literal["tie", "unused", "unreachable", "other-type", "absent"]
OPERATIONS: Final = "operationsConfig"
STRATEGY: Final = (OPERATIONS, "upsellStrategy")
UPSELLS: Final = (*STRATEGY, "upsells")
LABELS: Final = ("displayName", "description")
OF_BRANDS: Final = ("brand-default", "brand-binding")
TOLD_OF_FILES: Final = {"condition", "frequency"}
"""Causes that are of one file, or told as messages that are not used."""


class By(NamedTuple):
    """A config at its level; `place` is its place among those of its type."""

    level: int
    place: int
    config: int


class Spot(NamedTuple):
    """A place of a config, by field names and indexes of the model."""

    config: int
    path: Path


@dataclass(slots=True)
class AtStores:
    """Something to say of a place: `what` stands there, `why` is the reason, where there is one to tell.

    `about` are the upsells or messages that it speaks of, by their titles; `others` are places that have to do with
    it, each with a word; `values` are what is set and what is taken instead, where both are scalars. `stores` are the
    names of the stores, among the `count` stores of their brands.
    """

    sort: Sort
    spot: Spot
    what: str
    why: str = ""
    values: tuple[Any, Any] | None = None
    about: dict[str, None] = field(default_factory=dict)
    others: dict[Spot, str] = field(default_factory=dict)
    stores: list[str] = field(default_factory=list)
    brands: dict[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many stores the brands have at whose stores it was found."""
        return sum(self.brands.values())


@dataclass(frozen=True, slots=True)
class Found:
    """Something found at the stores of a lineup, before it is put together with the same of others."""

    sort: Sort
    spot: Spot
    what: str
    about: str = ""
    why: str = ""
    others: Sequence[tuple[Spot, str]] = ()
    values: tuple[Any, Any] | None = None


Outline = Callable[[int], Mapping[str, Any]]


class Judge:
    """Judges the stores of brands; `outline` has what a config sets, `type_of` its type, by its number.

    Nothing is said of stores at which one of the `unclear` configs applies.
    """

    def __init__(
        self,
        outline: Outline,
        type_of: Callable[[int], str | None],
        unclear: set[int],
        *,
        lists: Lists = "replace",
        message_draw: MessageDraw = "offer",
    ) -> None:
        self._outline, self._type_of, self._unclear = outline, type_of, unclear
        self._lists, self._message_draw = lists, message_draw
        self._trees: dict[tuple[By, ...], Tree[By] | None] = {}
        self._upsells = Upsells()
        self._pairs: dict[tuple[Any, ...], list[Found]] = {}
        self._strategies: dict[tuple[Any, ...], list[Found]] = {}
        self._said: dict[tuple[Sort, Spot], AtStores] = {}
        self._present: set[Spot] = set()
        self._doubted: set[int] = set()

    def judge(self, brand: PlainBrand[int, Any]) -> Iterator[None]:
        """Judge the stores of a brand; it can be left for a while at each step."""
        yield
        for lineup in lineups(brand):
            yield
            if any(use.config in self._unclear for use in lineup.uses):
                self._doubted.update(use.config for use in lineup.uses)
            else:
                self._take(lineup, id(brand), len(brand.stores))

    @property
    def said(self) -> list[AtStores]:
        """What was found at the stores that were judged, in the order of configs and places."""
        told = [one for one in self._said.values() if one.sort != "absent" or self._is_certain(one.spot)]
        return sorted(told, key=lambda one: (one.spot.config, list(map(str, one.spot.path))))

    def _is_certain(self, spot: Spot) -> bool:
        """Whether an override has nothing to override at any store."""
        return spot not in self._present and spot.config not in self._doubted

    def _take(self, lineup: Lineup[int, Any], brand: int, count: int) -> None:
        """Add what is found at the stores of a lineup to what was found at others."""
        names = [store.name for store in lineup.stores]
        for one in self._of_lineup(lineup):
            said = self._said.get((one.sort, one.spot))
            if said is None:
                said = self._said[one.sort, one.spot] = AtStores(one.sort, one.spot, one.what, one.why, one.values)
            said.about[one.about] = None
            said.others.update(one.others)
            said.brands[brand] = count
            if said.stores[-len(names) :] != names:  # the same place may be told of several times at one store
                said.stores += names

    def _of_lineup(self, lineup: Lineup[int, Any]) -> list[Found]:
        rows = {kind: self._row(lineup.uses, kind) for kind in TYPES}
        key = tuple(rows.values())
        if key not in self._pairs:
            trees = {kind: self._tree(row) for kind, row in rows.items()}
            self._pairs[key] = [*self._sold(trees, rows), *other_types(trees)]
        return self._pairs[key]

    def _row(self, uses: Sequence[Use[int, Any]], kind: ResolvedType) -> tuple[By, ...]:
        ours = [use for use in uses if self._type_of(use.config) == kind]
        return tuple(By(LEVELS.index(use.level), place, use.config) for place, use in enumerate(ours))

    def _tree(self, row: tuple[By, ...]) -> Tree[By] | None:
        """What configs make together; what the stores of a brand share is laid once."""
        if row in self._trees or not row:
            return self._trees.get(row)
        *before, last = row
        tree = overlay(self._tree(tuple(before)), last, self._outline(last.config), lists=self._lists)
        if LEVELS[last.level] in OF_BRANDS:
            self._trees[row] = tree
        return tree

    def _sold(
        self, trees: Mapping[ResolvedType, Tree[By] | None], rows: Mapping[ResolvedType, tuple[By, ...]]
    ) -> list[Found]:
        """What is found in the strategy in force, once for stores that differ in nothing that it depends on."""
        kind = next((one for one in TYPES if (tree := trees[one]) and part(tree, STRATEGY)), None)
        tree = trees[kind] if kind else None
        if kind is None or tree is None:
            return []
        mode, default = (_taken(trees, name) for name in ("interactionMode", "defaultLanguageCode"))
        key = kind, rows[kind], mode and (mode.by, mode.value), default and default.value
        if key not in self._strategies:
            strategy = _Strategy(tree, mode, default, self._upsells, self._message_draw)
            self._strategies[key] = list(strategy.found())
            self._present |= strategy.overrides
        return self._strategies[key]


def _taken(trees: Mapping[ResolvedType, Tree[By] | None], name: str) -> Tree[By] | None:
    """The field of operationsConfig that a session takes: of the config for the agent, else of that for upsells."""
    every = (trees[kind] for kind in reversed(TYPES))
    return next((found for tree in every if tree and (found := part(tree, (OPERATIONS, name)))), None)


class _Strategy:
    """The strategy that is in force at some stores, with the places of its parts."""

    def __init__(
        self,
        tree: Tree[By],
        mode: Tree[By] | None,
        default: Tree[By] | None,
        upsells: Upsells,
        message_draw: MessageDraw,
    ) -> None:
        self._tree = part(tree, STRATEGY)
        self._mode = mode
        listed = part(tree, UPSELLS)
        self._items: Sequence[Tree[By]] = listed.items if listed else ()
        fields = self._tree.fields if self._tree else {}
        others = {name: field.value for name, field in fields.items() if name != "upsells"}
        strategy = upsells.strategy(others, [item.value for item in self._items])
        self._upsells = strategy.upsells or []
        self._places = {id(upsell): place for place, upsell in enumerate(self._upsells)}
        self._selling = Selling(
            strategy,
            constant,
            listens_only=mode is not None and mode.value == "LISTEN_ONLY",
            default_language=str(default.value) if default else None,
            message_draw=message_draw,
        )

    def found(self) -> Iterator[Found]:
        """Whatever is to be said of it."""
        yield from self._ties()
        yield from self._unused()
        yield from self._unreachable()
        yield from self._absent()

    def _ties(self) -> Iterator[Found]:
        first: dict[int, int] = {}
        for place, upsell in enumerate(self._upsells):
            if upsell.priority is None or upsell.disabled:
                continue
            other = first.setdefault(upsell.priority, place)
            if other == place:
                continue
            here, there = self._part(place, "priority"), self._part(other, "priority")
            if here.by == there.by:
                continue  # one file says both, and is told of it
            late, early = (place, other) if here.by > there.by else (other, place)
            about = self._upsells[early].title
            related = [(_spot(self._part(early, "priority")), f"{about} has it here")]
            why = str(upsell.priority)
            yield Found("tie", _spot(self._part(late, "priority")), self._upsells[late].title, about, why, related)

    def _unused(self) -> Iterator[Found]:
        """Messages without a frequency that are weighed together with one of another level that has one."""
        for lots in (one for every in self._selling.weighed.values() for one in every):
            used = next((one for one in lots.messages if one.share), None)
            for message in lots.messages if used else ():
                if message.share or used is None:
                    continue
                mine, its = self._message(message.upsell, message.message), self._message(used.upsell, used.message)
                if mine is None or its is None or mine.by == its.by:
                    continue
                name, other = _title(message), _title(used)
                if mine.by > its.by:
                    yield Found("unused", _spot(mine), "message", name, other, [(_spot(its), "the one that has one")])
                else:
                    spot, related = _spot(its.fields["messageFrequency"]), [(_spot(mine), "this one is not used")]
                    yield Found("unused", spot, "frequency", name, other, related)

    def _unreachable(self) -> Iterator[Found]:
        for place, upsell in enumerate(self._upsells):
            if upsell.disabled or not _has_type(upsell):
                continue
            never = self._selling.never(upsell)
            if never is None or never.cause in TOLD_OF_FILES:
                continue
            causes = [self._items[place], *self._causes(never)]
            if len({one.by for one in causes}) == 1 and _is_told_of_file(never):
                continue
            victim = self._items[place]
            late = max(causes, key=lambda one: (one.by.level, one is not victim, one.by))
            related = [
                (_spot(one), f"{upsell.title} stands here" if one is victim else "this has a part in it")
                for one in causes
                if one is not late
            ]
            what = "upsell" if late is victim else "cause"
            yield Found("unreachable", _spot(late), what, upsell.title, never.words, related)

    def _causes(self, never: Never) -> Iterator[Tree[By]]:
        """The values that keep an upsell from being offered."""
        if never.cause == "listen-only" and self._mode:
            yield self._mode
        if never.limit and self._tree:
            yield self._tree.fields[never.limit]
        for upsell in never.front:
            yield self._items[self._places[id(upsell)]]

    def _absent(self) -> Iterator[Found]:
        """Disabling overrides of an upsell that no earlier level has."""
        for place, upsell in enumerate(self._upsells):
            if upsell.disabled and not _has_type(upsell):
                yield Found("absent", _spot(self._items[place]), upsell.title)

    @property
    def overrides(self) -> set[Spot]:
        """The parts of configs that disable, or enable, an upsell that has a type."""
        found: set[Spot] = set()
        for item, upsell in zip(self._items, self._upsells, strict=True):
            is_set = upsell.disabled is not None and _has_type(upsell)
            here = item.fields.get("disabled") if is_set else None
            while here is not None:
                found.add(Spot(here.by.config, here.path[:-1]))
                here = here.beneath
        return found

    def _part(self, place: int, name: str) -> Tree[By]:
        return self._items[place].fields[name]

    def _message(self, upsell: Any, message: Any) -> Tree[By] | None:
        """Where a message of an offer comes from."""
        item = self._items[self._places[id(upsell)]]
        if upsell.greetingOffer:
            listed, messages = part(item, ("greetingOffer", "messages")), upsell.greetingOffer.messages
        else:
            listed = part(item, ("closingOffer", "closingMessages"))
            messages = [one.offerMessage for one in upsell.closingOffer.closingMessages]
        place = next((at for at, one in enumerate(messages) if one is message), None)
        if listed is None or place is None:
            return None
        return listed.items[place] if upsell.greetingOffer else listed.items[place].fields["offerMessage"]


def _is_told_of_file(never: Never) -> bool:
    """Whether a rule on one file tells the same where all of it stands in that file.

    `unreachable-upsell` speaks of CEL upsells alone: whether a greeting or closing offer is made in every session
    depends on the language of customers as well, which is known where all levels are.
    """
    if never.cause == "offers-used-up":
        return all(upsell.celUpsell for upsell in never.front)
    return never.cause in ("listen-only", "limit")


def _has_type(upsell: UpsellConfig) -> bool:
    return bool(upsell.greetingOffer or upsell.closingOffer or upsell.celUpsell)


def _title(drawn: Drawn) -> str:
    """What a finding calls a message."""
    name = drawn.message.displayName
    return f'"{name}"' if name else f"a message of {drawn.upsell.title}"


def _spot(tree: Tree[By]) -> Spot:
    return Spot(tree.by.config, tree.path)


def other_types(trees: Mapping[ResolvedType, Tree[By] | None]) -> Iterator[Found]:
    """The fields that sessions take from the one type although the other one sets them, to something else."""
    sells, speaks = (trees[kind] for kind in TYPES)
    if sells is None or speaks is None:
        return
    for path, theirs in _fields(speaks):
        mine = part(sells, path)
        if mine is None or mine.value == theirs.value:
            continue
        idle, taken = (theirs, mine) if path == STRATEGY else (mine, theirs)
        for by in dict.fromkeys(setters(idle)):
            values = None if taken.fields or taken.items else (idle.value, taken.value)
            related = [(_spot(taken), "taken here")]
            yield Found("other-type", Spot(by.config, path), str(path[-1]), others=related, values=values)


def _fields(tree: Tree[By]) -> Iterator[tuple[Path, Tree[By]]]:
    """What a session takes as a whole from one type: the fields of a config and those of its operations."""
    for name, inner in tree.fields.items():
        if name != OPERATIONS:
            yield (name,), inner
        else:
            yield from (((name, step), one) for step, one in inner.fields.items() if step not in LABELS)


class JudgedStores:
    """All stores of some brands of plain tuples, judged step by step; `said` is whole after the last step."""

    def __init__(self, judge: Judge, brands: Iterable[Any]) -> None:
        self._judge, self._brands = judge, [PlainBrand.of(*brand) for brand in brands]

    def steps(self) -> Iterator[None]:
        """Judge all stores; it can be left for a while at each step."""
        for brand in self._brands:
            yield from self._judge.judge(brand)

    @property
    def said(self) -> list[AtStores]:
        """What was found."""
        return self._judge.said


def judge_stores(
    brands: Iterable[Any],
    outline: Outline,
    type_of: Callable[[int], str | None],
    unclear: set[int],
    options: Mapping[str, Any],
) -> JudgedStores:
    """The judgement of all stores of some brands, under the settings `list-merge` and `message-draw`."""
    judge = Judge(outline, type_of, unclear, lists=options["list-merge"], message_draw=options["message-draw"])
    return JudgedStores(judge, brands)


__all__ = ["AtStores", "Spot", "judge_stores"]
