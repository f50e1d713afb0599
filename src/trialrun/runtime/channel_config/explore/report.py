"""What a search found, told: shares of offers first, then every surprise with its reasons and its example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.runtime.channel_config.explore.anomaly import (
    WEIGHTS,
    Example,
    Exploration,
    Share,
    Surprise,
    SurpriseKind,
)
from trialrun.runtime.channel_config.explore.checks import GREETING, Key
from trialrun.runtime.channel_config.explore.condition import checked
from trialrun.runtime.channel_config.explore.runner import again
from trialrun.runtime.channel_config.explore.search import Search, Seen
from trialrun.runtime.channel_config.explore.static_analysis import beyond
from trialrun.runtime.channel_config.explore.unreached import Operands, kept, near
from trialrun.runtime.channel_config.script import written
from trialrun.runtime.channel_config.session.turn import called

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.origin import Origin

SAMPLE = 200
"""The sessions of which the parts of a condition are looked at that never held."""
MOST_NAMED = 4
LIMITS = {"maxUpsellOffers": "max-offers", "maxUpsellDeclines": "max-declines", "maxItemsInCart": "max-items"}


def exploration(search: Search, wanted: int) -> Exploration:
    """All that was found in the sessions that a search played of the wanted ones."""
    order = list(WEIGHTS)
    surprises = sorted(_surprises(search), key=lambda one: order.index(one.kind))
    cast = search.cast
    return Exploration(
        store=search.in_force.store.name,
        seed=cast.seed,
        begin=cast.begin,
        wanted=wanted,
        sessions=search.tally.sessions,
        turns=search.tally.turns,
        most_turns=cast.turns,
        habits=cast.habits,
        shares=tuple(_shares(search)),
        surprises=tuple(surprises),
    )


def _shares(search: Search) -> Iterator[Share]:
    for upsell, counts in zip(search.upsells, search.tally.upsells, strict=True):
        origin = search.in_force.origin_of(upsell)
        numbers = counts.offered, counts.accepted, counts.declined
        yield Share(upsell, _sort(upsell), origin, *numbers, kept(counts))


def _sort(upsell: UpsellConfig) -> Literal["greeting-offer", "closing-offer", "upsell", "suggestion"]:
    if upsell.greetingOffer is not None:
        return "greeting-offer"
    if upsell.closingOffer is not None:
        return "closing-offer"
    return "suggestion" if upsell.celUpsell and upsell.celUpsell.suggestionOnly else "upsell"


def _surprises(search: Search) -> Iterator[Surprise]:
    if not search.tally.sessions:
        return
    for key in sorted(search.seen, key=lambda one: (one[1], one[2])):
        yield _of_sighting(search, key, search.seen[key])
    yield from _never(search)
    yield from _limits(search)
    yield from _always_true(search)


def _of_sighting(search: Search, key: Key, seen: Seen) -> Surprise:
    kind, places, text = key
    upsells = [search.upsells[place] for place in places if place != GREETING]
    titles = [upsell.title for upsell in upsells]
    first = [words[0] for words in sorted(seen.words) if words]
    items = _listed(item for words in sorted(seen.words) for item in words)
    told: SurpriseKind = kind  # narrowed by what follows
    match kind:
        case "condition-error":
            message = f"the condition of {titles[0]} fails: {text}"
        case "offered-twice":
            message = f"{items} is offered by {titles[0]} and again by {titles[1]} in one session"
        case "offered-in-order" if text:
            told, message = (
                "modifies-order",
                f"{titles[0]} offers {items} with modifiers while it is in the order",
            )
        case "offered-in-order":
            message = f"{titles[0]} offers {items} while it is in the order"
        case "no-message":
            message = f"{titles[0]} is not made to customers who speak {_listed(first)}"
        case "other-language":
            message = _other_language(titles[0] if titles else "the greeting", seen)
    origin = _origin(search, kind, upsells[-1] if upsells else None)
    names = tuple(called(upsell) for upsell in upsells)
    return Surprise(told, message, origin, seen.sessions, _example(search, seen), upsells=names)


def _example(search: Search, seen: Seen, shows: str = "") -> Example:
    lines = tuple(written(moves, search.menu) for moves in seen.visit.turns)
    return Example(seen.visit, lines, seen.turn, shows, seen.short)


def _other_language(title: str, seen: Seen) -> str:
    wanted = _listed(words[0] for words in sorted(seen.words))
    told = _listed(words[1] for words in sorted(seen.words))
    return f"customers who speak {wanted} hear {title} in {told}"


def _listed(words: Iterable[str], *, last: str = "or") -> str:
    every = list(dict.fromkeys(words))
    if len(every) > MOST_NAMED:
        every = [*every[: MOST_NAMED - 1], f"{len(every) - MOST_NAMED + 1} more"]
    return f" {last} ".join(filter(None, [", ".join(every[:-1]), *every[-1:]]))


def _origin(search: Search, kind: str, upsell: UpsellConfig | None) -> Origin | None:
    """What to look at: the condition, the items or the messages of an upsell, or the greetings."""
    if upsell is None:
        return search.in_force.origin("operationsConfig", "greetings")
    cel = upsell.celUpsell
    if cel is None:
        kind_of_offer = "greetingOffer" if upsell.greetingOffer else "closingOffer"
        return search.in_force.origin_of(upsell, kind_of_offer)
    field = "suggestedMenuItems" if kind == "offered-twice" and cel.suggestedMenuItems else "conditionExpression"
    return search.in_force.origin_of(cel, field)


def _never(search: Search) -> Iterator[Surprise]:
    """Upsells that are enabled and were never made; all of one certain reason are one surprise."""
    certain: dict[str, list[UpsellConfig]] = {}
    unseen: dict[int, UpsellConfig] = {}
    for place, (upsell, counts) in enumerate(zip(search.upsells, search.tally.upsells, strict=True)):
        if counts.offered or upsell.disabled:
            continue
        reason = search.certainly(upsell)
        if reason:
            certain.setdefault(reason, []).append(upsell)
        else:
            unseen[place] = upsell
    asked = _operands(search, unseen)
    for place, upsell in unseen.items():
        yield _not_seen(search, place, upsell, near(asked[place].count, asked[place].parts) if place in asked else "")
    for reason, upsells in certain.items():
        titles = _listed((upsell.title for upsell in upsells), last="and")
        are = "is" if len(upsells) == 1 else "are"
        origin = search.in_force.origin_of(upsells[0])
        names = tuple(called(upsell) for upsell in upsells)
        message = f"{titles} {are} never offered: {reason}"
        yield Surprise("never-offered", message, origin, certain=True, upsells=names)


def _not_seen(search: Search, place: int, upsell: UpsellConfig, near_words: str) -> Surprise:
    reasons = kept(search.tally.upsells[place])
    message = f"{upsell.title} was never offered"
    origin = _origin(search, "never-offered", upsell)
    if place not in search.missed:
        return Surprise("never-offered", message, origin, kept=reasons, near=near_words, upsells=(called(upsell),))
    seen = search.nearest.get(place)
    example = _example(search, seen, f"nearest: {_words(search, seen, upsell)}") if seen else None
    return Surprise("never-offered", message, origin, example=example, kept=reasons, upsells=(called(upsell),))


def _words(search: Search, seen: Seen, upsell: UpsellConfig) -> str:
    """Why an upsell was passed over in the turn of a session."""
    turn = again(seen.visit, search.opened).turns[seen.turn]
    return next((one.reason.text for one in turn.passed_over if one.upsell is upsell), "")


def _operands(search: Search, unseen: Mapping[int, UpsellConfig]) -> Mapping[int, Operands]:
    """How the parts of conditions came out that never held, in the first sessions."""
    found: dict[int, Operands] = {}
    for place, upsell in unseen.items():
        of_condition = checked(upsell, search.in_force, search.types)
        if of_condition and of_condition.tree and upsell.celUpsell and not search.tally.upsells[place].values[True]:
            found[place] = Operands(of_condition.tree, upsell.celUpsell.conditionExpression or "")
    for number in range(min(SAMPLE, search.tally.sessions) if found else 0):
        for turn in search.cast.session(number, search.opened).turns:
            for condition in turn.conditions:
                if asked := found.get(search.tally.places[id(condition.upsell)]):
                    asked.add(condition)
    return found


def _limits(search: Search) -> Iterator[Surprise]:
    """Limits that kept nothing back, where anything could be offered at all."""
    strategy = search.in_force.upsell_strategy
    enabled = [upsell for upsell in search.upsells if not upsell.disabled]
    if all(search.certainly(upsell) for upsell in enabled):
        return
    for field, code in LIMITS.items():
        value = getattr(strategy, field, None)
        if strategy is None or value is None or search.tally.reasons[code]:
            continue
        origin = search.in_force.origin_of(strategy, field)
        why = beyond(field, strategy)
        message = f"{field} of {value} never {'keeps' if why else 'kept'} an upsell back{f': {why}' if why else ''}"
        yield Surprise("limit-never-reached", message, origin, certain=bool(why))


def _always_true(search: Search) -> Iterator[Surprise]:
    """Conditions that held whenever they were looked at; those that never did keep their upsells from being offered."""
    for upsell, counts in zip(search.upsells, search.tally.upsells, strict=True):
        turns = counts.values[True]
        if turns and not counts.values[False] and not counts.values[None]:
            message = f"the condition of {upsell.title} was true in all {turns:,} turns"
            origin = _origin(search, "condition-always-true", upsell)
            certain = search.is_constant(upsell)
            names = (called(upsell),)
            yield Surprise("condition-always-true", message, origin, counts.asked, certain=certain, upsells=names)


def weights(surprises: Sequence[Surprise]) -> dict[str, int]:
    """How many surprises there are of each weight."""
    return {weight: sum(one.weight == weight for one in surprises) for weight in ("error", "warning", "note")}
