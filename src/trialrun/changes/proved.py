"""Proves that no session differs between two sides of a store, or plays one that does on both sides."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from trialrun.changes.canonical import means_the_same
from trialrun.changes.session_differences import PairedSearch, StorePair, is_heard
from trialrun.outputs.plan import DifferentSession, ProvedSessions, ProvedUpsell
from trialrun.prove.difference import ANY, OffersDifference, Wanted, compare_offers
from trialrun.prove.replay import Stage, recordings
from trialrun.prove.verdict import Never, Possible, Unknown, Verdict, Witness
from trialrun.runtime.channel_config.equivalence import differences
from trialrun.runtime.channel_config.explore.simulated_customer import Recording
from trialrun.runtime.channel_config.menu import BrandMenu, unpriced_items
from trialrun.runtime.channel_config.session.turn import Turn, upsell_name

MAX_KNOWN = 100
"""Sessions that are played at each further store: the latest that showed something new."""
Known = deque[tuple[BrandMenu, Recording]]
"""Sessions that differ at other stores, and the menus there."""


def prove_pair(pair: StorePair, begin: datetime, store: str, access: Sequence[str], known: Known) -> ProvedSessions:
    """What is proved of the sessions of two sides of a store, which `store` is the title of.

    What the `known` sessions show here as well is not asked; those that show more are added to them.
    """
    search = PairedSearch(pair, begin)
    stages = [
        Stage(config, menu, catalog.schema_for, begin)
        for config, menu, catalog in zip(pair.configs, search.menus, pair.catalogs, strict=True)
    ]
    example: DifferentSession | None = None

    def play(attempts: Iterable[Recording], wanted: Wanted | None = None) -> set[Wanted]:
        """What differs in sessions, up to one that shows what is wanted."""
        nonlocal example
        found: set[Wanted] = set()
        for recording in attempts:
            short = search.until_difference(recording)
            if short is not None and (turns := search.last_turns(short)) is not None:
                example = example or search.described(short, 0, store, access)
                if not found.issuperset(of_turns := _differences(*turns)):
                    found |= of_turns
                    known.extend([(search.menus[1], short)] if wanted else ())
                if wanted in found:
                    break
        return found

    def confirm(witness: Witness, earlier: Callable[[], Sequence[Witness]], wanted: Wanted) -> set[Wanted]:
        return play(_attempts(witness, stages[1], earlier), wanted)

    found: OffersDifference
    if reason := _other_workspace(pair, search):
        found = Unknown(reason), ()
    else:
        shown = play([recording for menu, recording in known if menu == search.menus[1]])
        unpriced = unpriced_items(search.menus[1], pair.catalogs[1].menus)
        found = compare_offers(stages[0], stages[1], unpriced, confirm, shown)
    verdict, differing = found
    reason = _other_fields(pair)
    if reason and isinstance(verdict, Never):
        verdict = Unknown(reason)
    if isinstance(verdict, Unknown) and play(recordings(Witness(start=begin), stages[1]), ANY):
        verdict = Possible(Witness())
    return _outcome(verdict, tuple(ProvedUpsell(*each) for each in differing), tuple(pair.names), example)


def _outcome(
    verdict: Verdict, upsells: Sequence[ProvedUpsell], stores: Sequence[str], example: DifferentSession | None
) -> ProvedSessions:
    match verdict:
        case Never(premises):
            return ProvedSessions(stores, len(stores), "same", "", (), premises, None)
        case Possible(premises=premises):
            return ProvedSessions(stores, len(stores), "differs", "", upsells, premises, example)
        case Unknown(reason, _, premises):
            return ProvedSessions(stores, len(stores), "unknown", reason, upsells, premises, None)


def _attempts(witness: Witness, stage: Stage, earlier: Callable[[], Sequence[Witness]]) -> Iterator[Recording]:
    """Sessions that bring a witness about, at last those after the states in which offers before are made."""
    yield from recordings(witness, stage)
    if states := earlier():
        yield from recordings(witness, stage, states)


def _differences(before: Turn, after: Turn) -> set[Wanted]:
    """What only one of two turns that differ offers."""
    old, new = ({upsell_name(offer.upsell) for offer in turn.offers} for turn in (before, after))
    return {ANY, *((name, "more") for name in new - old), *((name, "less") for name in old - new)}


def _other_workspace(pair: StorePair, search: PairedSearch) -> str | None:
    """What conditions are read by, and differs; None if nothing does."""
    schemas = [[schema.node for schema in catalog.schemas] for catalog in pair.catalogs]
    zones = [store.store.timeZone for store in pair.stores]
    sides = {"menus": search.menus, "session types": schemas, "time zones": zones}
    return next((f"the {name} differ" for name, (before, after) in sides.items() if before != after), None)


def _other_fields(pair: StorePair) -> str | None:
    """What sessions depend on beside the strategy, and differs; None if nothing does."""
    heard = [one.path for one in differences(*pair.configs) if is_heard(one.path) and not means_the_same(one)]
    others = [path for path in heard if len(path) < 2 or path[1] != "upsellStrategy"]
    return f"{others[0][-1] if others[0] else 'the configuration'} differs" if others else None
