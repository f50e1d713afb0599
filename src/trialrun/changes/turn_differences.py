"""What differs between a turn of a session on one side and the same turn on the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from trialrun.runtime.channel_config.explore.runner import PlayedSession
from trialrun.runtime.channel_config.session.turn import MappedTerm, Offer, Turn, upsell_name

NOTHING = "nothing"
Signature = Hashable


def first_difference(before: PlayedSession, after: PlayedSession) -> int | None:
    """The first turn that customers tell apart; None where there is none."""
    for number, (first, second) in enumerate(zip(before.turns, after.turns, strict=False)):
        if not is_same(first, second):
            return number
    shorter = min(len(before.turns), len(after.turns))
    return None if len(before.turns) == len(after.turns) else shorter


def is_same(first: Turn, second: Turn) -> bool:
    """Whether the agent does the same in two turns: offers, texts, terms that it knows, and the order."""
    return (
        list(map(_offer, first.offers)) == list(map(_offer, second.offers))
        and _said(first) == _said(second)
        and list(map(_term, first.mapped_terms)) == list(map(_term, second.mapped_terms))
        and order(first) == order(second)
    )


def difference_key(first: Turn, second: Turn) -> frozenset[Signature]:
    """What two turns differ in: the upsells that only one of them offers, else the kind of the difference."""
    before, after = ({upsell_name(offer.upsell) for offer in turn.offers} for turn in (first, second))
    if before != after:
        return frozenset({(name, name in before) for name in before ^ after})
    if _said(first) != _said(second):
        return frozenset({"said"})
    return frozenset({"other"})


def offers_differ(first: Turn, second: Turn) -> bool:
    """Whether two turns have other offers."""
    return list(map(_offer, first.offers)) != list(map(_offer, second.offers))


def _offer(offer: Offer) -> tuple[Hashable, ...]:
    return upsell_name(offer.upsell), offer.kind, offer.items, offer.modifiers


def _said(turn: Turn) -> list[tuple[str, str, str | None]]:
    """The texts that customers hear: instructions are for the agent alone."""
    return [(one.kind, one.text, one.language) for one in turn.utterances if one.kind != "instruction"]


def _term(term: MappedTerm) -> tuple[Hashable, ...]:
    return term.term, term.kind, tuple(line.item.name for line in term.targets)


def order(turn: Turn) -> list[tuple[str, int, tuple[str, ...]]]:
    """The order after a turn, by names."""
    return [(line.item.name, line.quantity, tuple(modifier.name for modifier in line.modifiers)) for line in turn.order]


def describe_differences(first: Turn, second: Turn) -> tuple[Sequence[str], Sequence[str]]:
    """What the agent does in two turns, each without what it does in both; all of it if only the order differs."""
    before, after = list(_describe(first, second)), list(_describe(second, first))
    if sorted(before) == sorted(after):
        return before or [NOTHING], after or [NOTHING]
    lost = [line for line in before if line not in after]
    gained = [line for line in after if line not in before]
    return lost or [NOTHING], gained or [NOTHING]


def _describe(turn: Turn, other: Turn) -> Iterator[str]:
    for offer in turn.offers:
        modifiers = f" with {', '.join(offer.modifiers)}" if offer.modifiers else ""
        verb = "suggests" if offer.kind == "suggestion" else "offers"
        yield f'{verb} "{upsell_name(offer.upsell)}": {", ".join(offer.items)}{modifiers}'
    wanted = {upsell_name(offer.upsell) for offer in other.offers}
    for skipped in turn.skipped:
        if upsell_name(skipped.upsell) in wanted:
            yield f'skips "{upsell_name(skipped.upsell)}": {skipped.reason.text}'
    yield from (f'says "{text}"' for _, text, _ in _said(turn))
    yield from (f'understands "{term.term}"' for term in turn.mapped_terms)
    if order(turn) != order(other):
        names = ", ".join(f"{quantity} {name}" for name, quantity, _ in order(turn))
        yield f"has the order {names or 'empty'}"
