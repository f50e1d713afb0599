"""Report of an exploration: offer shares, then anomalies with reasons and examples; stores that are equal are one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import get_args

from trialrun.model.channel_config import UpsellConfig
from trialrun.runtime.channel_config.active_config import ActiveConfig, Origin
from trialrun.runtime.channel_config.dialogue.messages import OFFER_KINDS
from trialrun.runtime.channel_config.explore.anomaly import (
    GREETING_POSITION,
    Anomaly,
    AnomalyKind,
    Example,
    Exploration,
    OccurrenceKey,
    OfferShare,
)
from trialrun.runtime.channel_config.explore.search import AnomalyEvidence, Search
from trialrun.runtime.channel_config.explore.simulated_customer import replay
from trialrun.runtime.channel_config.explore.static_analysis import why_limit_unreachable
from trialrun.runtime.channel_config.menu import BrandMenu, brand_menu
from trialrun.runtime.channel_config.script import format_actions
from trialrun.runtime.channel_config.session.turn import OfferKind, upsell_name
from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import condition_reads, operands

SAMPLED_SESSIONS = 200
"""The sessions of which the parts of a condition are looked at that never held."""
MAX_NAMES = 4
LIMITS = {"maxUpsellOffers": "max-offers", "maxUpsellDeclines": "max-declines", "maxItemsInCart": "max-items"}


def build_exploration(search: Search, session_count: int) -> Exploration:
    """All that was found in the sessions that a search played of the wanted ones."""
    order = get_args(AnomalyKind)
    anomalies = sorted(_anomalies(search), key=lambda anomaly: order.index(anomaly.kind))
    simulation = search.simulation
    return Exploration(
        store=search.active_config.store.name,
        seed=simulation.seed,
        begin=simulation.begin,
        requested_sessions=session_count,
        sessions=search.statistics.sessions,
        turns=search.statistics.turns,
        profile=simulation.profile,
        shares=tuple(_shares(search)),
        anomalies=tuple(anomalies),
    )


def _shares(search: Search) -> Iterator[OfferShare]:
    statistics = search.statistics
    for place, upsell in enumerate(search.upsells):
        kind: OfferKind = "suggestion" if upsell.celUpsell and upsell.celUpsell.suggestionOnly else "upsell"
        kind = next((offer_kind for name, offer_kind in OFFER_KINDS.items() if getattr(upsell, name)), kind)
        yield OfferShare(
            upsell,
            kind,
            search.active_config.origin_of(upsell),
            offered=statistics.in_sessions[place, "offered", None],
            accepted=statistics.in_turns[place, "accepted", None],
            declined=statistics.in_turns[place, "declined", None],
            skip_counts=statistics.skip_counts(place),
        )


def _anomalies(search: Search) -> Iterator[Anomaly]:
    if not search.statistics.sessions:
        return
    for key in sorted(search.seen, key=lambda key: (key[1], key[2])):
        yield _anomaly_of(search, key, search.seen[key])
    yield from _never_offered(search)
    yield from _limits(search)
    yield from _always_true(search)


def _anomaly_of(search: Search, key: OccurrenceKey, evidence: AnomalyEvidence) -> Anomaly:
    kind, places, text = key
    upsells = [search.upsells[place] for place in places if place != GREETING_POSITION]
    titles = [upsell.title for upsell in upsells] or ["the greeting"]
    details = sorted(evidence.details)
    items = _join_words(item for words in details for item in words)
    languages = _join_words(words[0] for words in details if words)
    match kind:
        case "condition-error":
            message = f"the condition of {titles[0]} fails: {text}"
        case "offered-twice":
            message = f"{items} is offered by {titles[0]} and again by {titles[1]} in one session"
        case "modifies-order":
            message = f"{titles[0]} offers {items} with modifiers while it is in the order"
        case "offered-in-order":
            message = f"{titles[0]} offers {items} while it is in the order"
        case "no-message":
            message = f"{titles[0]} is not offered to customers who speak {languages}"
        case "unavailable-item":
            message = f"{titles[0]} is not offered where it would be: {details[0][0]}"
        case _:
            used = _join_words(words[1] for words in details)
            message = f"customers who speak {languages} hear {titles[0]} in {used}"
    origin = _origin(search, kind, upsells[-1] if upsells else None)
    example = _example(search, evidence)
    return Anomaly(kind, message, origin, evidence.sessions, example, upsells=_names(*upsells))


def _names(*upsells: UpsellConfig) -> tuple[str, ...]:
    return tuple(map(upsell_name, upsells))


def _example(search: Search, evidence: AnomalyEvidence, shows: str = "") -> Example:
    lines = tuple(format_actions(moves, search.menu) for moves in evidence.recording.turns)
    return Example(evidence.recording, lines, evidence.turn, shows, evidence.is_shortest)


def _join_words(words: Iterable[str], *, last: str = "or") -> str:
    unique_words = list(dict.fromkeys(words))
    if len(unique_words) > MAX_NAMES:
        unique_words = [*unique_words[: MAX_NAMES - 1], f"{len(unique_words) - MAX_NAMES + 1} more"]
    return f" {last} ".join(filter(None, [", ".join(unique_words[:-1]), *unique_words[-1:]]))


def _origin(search: Search, kind: str, upsell: UpsellConfig | None) -> Origin | None:
    """What to look at: the condition, the items or the messages of an upsell, or the greetings."""
    if upsell is None:
        return search.active_config.origin("operationsConfig", "greetings")
    cel = upsell.celUpsell
    if cel is None:
        kind_of_offer = "greetingOffer" if upsell.greetingOffer else "closingOffer"
        return search.active_config.origin_of(upsell, kind_of_offer)
    field = "suggestedMenuItems" if kind == "offered-twice" and cel.suggestedMenuItems else "conditionExpression"
    return search.active_config.origin_of(cel, field)


def _never_offered(search: Search) -> Iterator[Anomaly]:
    """Upsells that are enabled and were never made; all of one certain reason are one surprise."""
    certain: dict[str, list[UpsellConfig]] = {}
    uncertain: dict[int, UpsellConfig] = {}
    for place, upsell in enumerate(search.upsells):
        if not search.is_never_offered(place):
            continue
        if reason := search.why_never(upsell):
            certain.setdefault(reason, []).append(upsell)
        else:
            uncertain[place] = upsell
    conditions = _near_conditions(
        search, {place: upsell for place, upsell in uncertain.items() if id(upsell) not in search.proved_possible}
    )
    for place, upsell in uncertain.items():
        nearest, example = conditions.get(place, ""), search.proved_possible.get(id(upsell))
        if place in search.near_miss_reasons:
            nearest, evidence = "", search.near_misses.get(place)
            if evidence:
                turn = replay(evidence.recording, search.open_session).turns[evidence.turn]
                reason = next((skipped.reason.text for skipped in turn.skipped if skipped.upsell is upsell), "")
                example = _example(search, evidence, f"nearest: {reason}")
        yield Anomaly(
            "never-offered",
            f"{upsell.title} was never offered",
            _origin(search, "never-offered", upsell),
            example=example,
            skip_counts=search.statistics.skip_counts(place),
            near_miss=nearest,
            upsells=_names(upsell),
        )
    for reason, upsells in certain.items():
        titles = _join_words((upsell.title for upsell in upsells), last="and")
        message = f"{titles} {'is' if len(upsells) == 1 else 'are'} never offered: {reason}"
        origin = search.active_config.origin_of(upsells[0])
        is_proved = any(id(upsell) in search.proved_never for upsell in upsells)
        names = _names(*upsells)
        yield Anomaly("never-offered", message, origin, is_certain=True, is_proved=is_proved, upsells=names)


def _near_conditions(search: Search, uncertain: Mapping[int, UpsellConfig]) -> Mapping[int, str]:
    """In words, how near each condition came to hold that never did, by its parts in the first sessions."""
    parts: dict[int, dict[tuple[int, int], str]] = {}
    for place, upsell in uncertain.items():
        check = search.checks.get(place)
        was_true = search.statistics.in_turns[place, "condition", True]
        if check and check.tree and upsell.celUpsell and not was_true:
            text, tree = upsell.celUpsell.conditionExpression or "", check.tree
            joined = operands(tree) if (tree.kind, tree.name) == ("operator", "&&") else ()
            spans = {(node.start, node.end): " ".join(text[node.start : node.end].split()) for node in joined}
            parts |= {place: spans} if spans else {}
    turns: Counter[int] = Counter()
    held: Counter[tuple[int, tuple[int, int]]] = Counter()
    alone: Counter[tuple[int, tuple[int, int]]] = Counter()
    for number in range(min(SAMPLED_SESSIONS, search.statistics.sessions) if parts else 0):
        for turn in search.simulation.play(number, search.open_session).turns:
            for condition in turn.conditions:
                place = search.statistics.positions[id(condition.upsell)]
                if place not in parts:
                    continue
                turns[place] += 1
                true = {(part.start, part.end) for part in condition.parts if part.value is True}
                held.update((place, span) for span in parts[place] if span in true)
                missing = [(place, span) for span in parts[place] if span not in true]
                alone.update(missing if len(missing) == 1 else ())
    texts: dict[int, str] = {}
    for place in turns:
        spans, count = parts[place], f"{turns[place]:,}"
        decisive = max(spans, key=lambda span: alone[place, span])
        never = [text for span, text in spans.items() if not held[place, span]]
        if alone[place, decisive]:
            texts[place] = f"{spans[decisive]} alone was not true in {alone[place, decisive]:,} of {count} turns"
        elif never:
            texts[place] = f"{' and '.join(never)} was true in none of {count} turns"
        else:
            texts[place] = f"each part was true in some of {count} turns, but never all of them together"
    return texts


def _limits(search: Search) -> Iterator[Anomaly]:
    """Limits that kept nothing back, where anything could be offered at all."""
    strategy = search.active_config.upsell_strategy
    if all(search.why_never(upsell) for upsell in search.upsells if not upsell.disabled):
        return
    for field, code in LIMITS.items():
        value = getattr(strategy, field, None)
        is_reached = any(happening[1:] == ("skipped", code) for happening in search.statistics.in_sessions)
        if strategy is None or value is None or is_reached:
            continue
        origin = search.active_config.origin_of(strategy, field)
        explanation = why_limit_unreachable(field, strategy)
        verb = "stops" if explanation else "stopped"
        message = f"{field} of {value} never {verb} an upsell{f': {explanation}' if explanation else ''}"
        yield Anomaly("limit-never-reached", message, origin, is_certain=bool(explanation))


def _always_true(search: Search) -> Iterator[Anomaly]:
    """Conditions that held whenever they were looked at; those that never did keep their upsells from being offered."""
    statistics = search.statistics
    for place, upsell in enumerate(search.upsells):
        turns, *others = (statistics.in_turns[place, "condition", value] for value in (True, False, None))
        if turns and not any(others):
            yield Anomaly(
                "condition-always-true",
                f"the condition of {upsell.title} was true in all {turns:,} turns",
                _origin(search, "condition-always-true", upsell),
                statistics.in_sessions[place, "condition", True],
                is_certain=search.checks[place].constant is not None,
                upsells=_names(upsell),
            )


def count_by_severity(anomalies: Sequence[Anomaly]) -> dict[str, int]:
    """How many surprises there are of each weight."""
    return {weight: sum(anomaly.severity == weight for anomaly in anomalies) for weight in ("error", "warning", "note")}


def reads_store(config: ActiveConfig) -> bool:
    """Whether a condition depends on which store it is; assumed of one that cannot be read."""
    store_path = ("session", "store")  # the value of the state by which a condition can tell stores apart
    strategy = config.upsell_strategy
    for upsell in (strategy.upsells if strategy else None) or ():
        text = upsell.celUpsell.conditionExpression if upsell.celUpsell else None
        tree = parse(text).tree if text else None
        reads = condition_reads(tree) if tree else ()
        if text and (tree is None or any(read.path == store_path[: len(read.path)] for read in reads)):
            return True
    return False


def sold_at(store: DeclaredStore, catalog: BrandCatalog) -> Hashable:
    """What tells the menu of a store from that of another of its brand: the lists that name it, and its time zone."""
    menus: dict[int, BrandMenu] = catalog.cache.setdefault("menus of brands", {})
    if id(store.brand) not in menus:
        menus[id(store.brand)] = brand_menu(store.brand, catalog)
    menu = menus[id(store.brand)]
    return store.store.timeZone if menu.depends_on_time else None, menu.store_lists(store.name)
