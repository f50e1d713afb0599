"""Proves that no session differs between two sides of a store, or plays one that does on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain

from trialrun.changes.session_differences import PairedSearch, StorePair, is_heard
from trialrun.outputs.plan import DifferentSession, ProvedSessions, ProvedUpsell
from trialrun.prove.difference import OffersDifference, Wanted, compare_offers
from trialrun.prove.replay import Stage, recordings
from trialrun.prove.verdict import Never, Possible, Unknown, Witness
from trialrun.runtime.channel_config.equivalence import differences
from trialrun.runtime.channel_config.menu import unpriced_items
from trialrun.runtime.channel_config.session.turn import Turn, upsell_name

ANY: Wanted = ("", "both")


def prove_pair(pair: StorePair, begin: datetime, store: str, access: Sequence[str]) -> ProvedSessions:
    """What is proved of the sessions of two sides of a store, which `store` is the title of."""
    search = PairedSearch(pair, begin)
    stages = [
        Stage(config, menu, catalog.schema_for, begin)
        for config, menu, catalog in zip(pair.configs, search.menus, pair.catalogs, strict=True)
    ]
    example: DifferentSession | None = None

    def differ(witness: Witness, earlier: Sequence[Witness] = (), wanted: Wanted = ANY) -> bool:
        nonlocal example
        attempts = recordings(witness, stages[1])
        for recording in chain(attempts, recordings(witness, stages[1], earlier) if earlier else ()):
            short = search.until_difference(recording)
            if short is not None and _shows(search.last_turns(short), wanted):
                example = example or search.described(short, 0, store, access)
                return True
        return False

    names = tuple(pair.names)
    if reason := _other_workspace(pair, search):
        found = OffersDifference(Unknown(reason))
    else:
        found = compare_offers(stages[0], stages[1], unpriced_items(search.menus[1], pair.catalogs[1].menus), differ)
    reason = _other_fields(pair)
    if reason and isinstance(found.verdict, Never):
        found = OffersDifference(Unknown(reason))
    if isinstance(found.verdict, Unknown) and differ(Witness(start=begin)):
        found = OffersDifference(Possible(Witness()), found.upsells)
    upsells = tuple(ProvedUpsell(*each) for each in found.upsells)
    match found.verdict:
        case Never(premises):
            return ProvedSessions(names, len(names), "same", "", (), premises, None)
        case Possible(premises=premises):
            return ProvedSessions(names, len(names), "differs", "", upsells, premises, example)
        case Unknown(reason, _, premises):
            return ProvedSessions(names, len(names), "unknown", reason, upsells, premises, None)


def _shows(turns: tuple[Turn, Turn] | None, wanted: Wanted) -> bool:
    """Whether the turns of both sides that differ are of an upsell that only the wanted side offers."""
    if turns is None or not wanted[0]:
        return turns is not None
    before, after = ({upsell_name(offer.upsell) for offer in turn.offers} for turn in turns)
    return wanted[0] in (after - before if wanted[1] == "more" else before - after)


def _other_workspace(pair: StorePair, search: PairedSearch) -> str | None:
    """What conditions are read by, and differs; None if nothing does."""
    schemas = [[schema.node for schema in catalog.schemas] for catalog in pair.catalogs]
    zones = [store.store.timeZone for store in pair.stores]
    sides = {"menus": search.menus, "session types": schemas, "time zones": zones}
    return next((f"the {name} differ" for name, (before, after) in sides.items() if before != after), None)


def _other_fields(pair: StorePair) -> str | None:
    """What sessions depend on beside the strategy, and differs; None if nothing does."""
    heard = [one.path for one in differences(*pair.configs) if is_heard(one.path)]
    others = [path for path in heard if len(path) < 2 or path[1] != "upsellStrategy"]
    return f"{others[0][-1] if others[0] else 'the configuration'} differs" if others else None
