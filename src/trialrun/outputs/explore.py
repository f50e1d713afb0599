"""What `explore` finds, and prints: how often each upsell is offered, and surprises with reasons and examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, get_args

from pydantic import Field, InstanceOf, PlainSerializer, SerializationInfo, TypeAdapter
from pydantic.dataclasses import dataclass
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.model.channel_config import UpsellConfig
from trialrun.outputs.origin import Assumptions, DocumentError, Severity, document_errors
from trialrun.outputs.replay import SessionExample, example_object
from trialrun.outputs.session import RefusedStore
from trialrun.runtime.channel_config.active_config import ConfigOrigin, origin_object
from trialrun.runtime.channel_config.dialogue.messages import OFFER_KINDS
from trialrun.runtime.channel_config.explore.anomaly import (
    GREETING_POSITION,
    NOTES,
    AnomalyKind,
    Example,
    OccurrenceKey,
)
from trialrun.runtime.channel_config.explore.search import AnomalyEvidence, Search
from trialrun.runtime.channel_config.explore.simulated_customer import CustomerProfile, replay
from trialrun.runtime.channel_config.explore.static_analysis import why_limit_unreachable
from trialrun.runtime.channel_config.script import format_actions
from trialrun.runtime.channel_config.session.turn import OfferKind, upsell_name
from trialrun.serialization import Hidden, omits
from trialrun.values import join_words
from trialrun.values.cel.syntax_tree import operands
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic

DIGITS = 6
ASSUMPTIONS = ("explore-sessions", "explore-habits", "explore-values", "explore-surprises", "explore-never")
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def _example_object(example: Example | None, info: SerializationInfo[Any]) -> dict[str, Any] | None:
    return None if example is None else example_object(example, *info.context)


Share = Annotated[
    float,
    PlainSerializer(lambda share: round(share, DIGITS), return_type=Annotated[float, Field(ge=0, le=1)]),
    Field(description="share of the sessions"),
]
FROM = Field(serialization_alias="from")


@dataclass(frozen=True, slots=True)
class KeptBack:
    """How often an upsell was skipped for a reason."""

    reason: str
    sessions: int
    turns: int


@dataclass(frozen=True, slots=True)
class UpsellShare:
    """How often an upsell was offered."""

    upsell: Annotated[InstanceOf[UpsellConfig], PlainSerializer(upsell_name, return_type=str)]
    kind: Literal["greeting-offer", "closing-offer", "upsell", "suggestion"]
    disabled: bool
    offered: Share
    accepted: Share
    declined: Share
    passed_over: Sequence[KeptBack]
    """What kept it back, the most often first."""
    origin: Annotated[ConfigOrigin, FROM]


@dataclass(frozen=True, slots=True)
class Surprise:
    """Behavior that may be unintended."""

    kind: Annotated[AnomalyKind, PlainSerializer(str)]
    severity: Severity
    message: str
    upsells: tuple[str, ...]
    """Those that it is about, as reports call them."""
    sessions: int
    """In how many it was seen."""
    certain: Annotated[bool, Field(description="whether it is proven from the config, rather than only not observed")]
    origin: Annotated[ConfigOrigin | SkipJsonSchema[None], FROM] = None
    passed_over: Sequence[KeptBack] = ()
    """What kept back an upsell that was never offered, the most often first."""
    nearest: str = ""
    """How near its condition was."""
    example: Annotated[InstanceOf[Example] | None, PlainSerializer(_example_object, return_type=SessionExample)] = None
    is_proved: Annotated[bool, Hidden] = False
    """Whether a solver proved what is certain."""


@dataclass(frozen=True, slots=True)
class Explored:
    """`trialrun explore STORE --output-format json`."""

    version: Literal[1]
    store: str
    seed: int
    at: Annotated[datetime, PlainSerializer(format_timestamp, return_type=str), Field(description="RFC 3339")]
    sessions: Annotated[int, Field(ge=0, description="sessions played; fewer than requested after Ctrl-C")]
    sessions_wanted: int
    turns: int
    habits: Annotated[
        InstanceOf[CustomerProfile],
        PlainSerializer(asdict, return_type=dict[str, float]),
        Field(description="probabilities from 0 to 1"),
    ]
    command: Annotated[
        Sequence[str],
        PlainSerializer(" ".join, return_type=str),
        Field(description="the command that replays the same sessions"),
    ]
    """In parts that stay on a line each."""
    upsells: Sequence[UpsellShare]
    surprises: Sequence[Annotated[Surprise, omits("from", "passed_over", "nearest", "example")]]
    assumptions: Assumptions
    summary: Annotated[dict[str, int], Field(description="number of surprises by severity")]


class ExploredGroup(TypedDict):
    """Stores with equal configurations, of which the first was explored, or what prevents that."""

    stores: list[str]
    result: NotRequired[Explored]
    errors: NotRequired[list[DocumentError]]


class ExploredStores(TypedDict):
    """`trialrun explore --all-stores --output-format json`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    groups: list[ExploredGroup]
    summary: Annotated[dict[str, int], Field(description="number of different surprises by severity")]


ExploreOutput = Explored | ExploredStores | RefusedStore


def explore_object(explored: Explored, access: Sequence[str]) -> dict[str, Any]:
    """The object of a search; `access` are the options of which files are read, for commands that replay examples."""
    context = explored.store, access
    written: dict[str, Any] = TypeAdapter(Explored).dump_python(explored, by_alias=True, context=context)
    return written


def explored_stores_object(
    groups: Sequence[tuple[Sequence[str], Sequence[Diagnostic], Explored | None]], access: Sequence[str]
) -> dict[str, Any]:
    """What was found at groups of stores: the names of each, errors of its documents, and the result of a search."""
    surprises = [surprise for _, _, explored in groups if explored for surprise in explored.surprises]
    different = {(surprise.kind, surprise.message, surprise.severity) for surprise in surprises}
    return {
        "version": 1,
        "stores": sum(len(stores) for stores, _, _ in groups),
        "groups": [
            {
                "stores": list(stores),
                **({"result": explore_object(explored, access)} if explored else {"errors": document_errors(errors)}),
            }
            for stores, errors, explored in groups
        ],
        "summary": _summary(severity for _, _, severity in different),
    }


def _summary(severities: Iterable[Severity]) -> dict[str, int]:
    counts = Counter(severities)
    return {severity: counts[severity] for severity in SEVERITIES}


SAMPLED_SESSIONS = 200
"""The sessions of which the parts of a condition are looked at that never held."""
MAX_NAMES = 4
LIMITS = {"maxUpsellOffers": "max-offers", "maxUpsellDeclines": "max-declines", "maxItemsInCart": "max-items"}


def build_explored(search: Search, sessions_wanted: int, command: Sequence[str] = ()) -> Explored:
    """All that was found in the sessions that a search played of the wanted ones; `command` makes it again."""
    order = get_args(AnomalyKind)
    surprises = tuple(sorted(_surprises(search), key=lambda surprise: order.index(surprise.kind)))
    simulation, statistics = search.simulation, search.statistics
    return Explored(
        version=1,
        store=search.active_config.store.name,
        seed=simulation.seed,
        at=simulation.begin,
        sessions=statistics.sessions,
        sessions_wanted=sessions_wanted,
        turns=statistics.turns,
        habits=simulation.profile,
        command=command,
        upsells=tuple(_shares(search)),
        surprises=surprises,
        assumptions=list(ASSUMPTIONS),
        summary=_summary(surprise.severity for surprise in surprises),
    )


def _shares(search: Search) -> Iterator[UpsellShare]:
    statistics = search.statistics
    played = statistics.sessions or 1
    for place, upsell in enumerate(search.upsells):
        kind: OfferKind = "suggestion" if upsell.celUpsell and upsell.celUpsell.suggestionOnly else "upsell"
        kind = next((offer_kind for name, offer_kind in OFFER_KINDS.items() if getattr(upsell, name)), kind)
        yield UpsellShare(
            upsell,
            kind,
            bool(upsell.disabled),
            offered=statistics.in_sessions[place, "offered", None] / played,
            accepted=statistics.in_turns[place, "accepted", None] / played,
            declined=statistics.in_turns[place, "declined", None] / played,
            passed_over=_kept_back(search, place),
            origin=origin_object(search.active_config.origin_of(upsell)),
        )


def _kept_back(search: Search, place: int) -> list[KeptBack]:
    return [KeptBack(*count) for count in search.statistics.skip_counts(place)]


def _surprises(search: Search) -> Iterator[Surprise]:
    if not search.statistics.sessions:
        return
    for key in sorted(search.seen, key=lambda key: (key[1], key[2])):
        yield _surprise_of(search, key, search.seen[key])
    yield from _never_offered(search)
    yield from _limits(search)
    yield from _always_true(search)


def _surprise_of(search: Search, key: OccurrenceKey, evidence: AnomalyEvidence) -> Surprise:
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
    names, severity = _names(*upsells), _severity(kind)
    return Surprise(kind, severity, message, names, evidence.sessions, certain=False, origin=origin, example=example)


def _severity(kind: AnomalyKind) -> Severity:
    """How much a surprise of a kind weighs."""
    if kind == "condition-error":
        return "error"
    return "note" if kind in NOTES else "warning"


def _names(*upsells: UpsellConfig) -> tuple[str, ...]:
    return tuple(map(upsell_name, upsells))


def _example(search: Search, evidence: AnomalyEvidence, shows: str = "") -> Example:
    lines = tuple(format_actions(moves, search.menu) for moves in evidence.recording.turns)
    return Example(evidence.recording, lines, evidence.turn, shows, evidence.is_shortest)


def _join_words(words: Iterable[str], *, last: str = "or") -> str:
    return join_words(list(dict.fromkeys(words)), last, most=MAX_NAMES)


def _origin(search: Search, kind: str, upsell: UpsellConfig | None) -> ConfigOrigin | None:
    """What to look at: the condition, the items or the messages of an upsell, or the greetings."""
    config = search.active_config
    if upsell is None:
        greetings = config.origin("operationsConfig", "greetings")
        return None if greetings is None else origin_object(greetings)
    cel = upsell.celUpsell
    if cel is None:
        return origin_object(config.origin_of(upsell, "greetingOffer" if upsell.greetingOffer else "closingOffer"))
    field = "suggestedMenuItems" if kind == "offered-twice" and cel.suggestedMenuItems else "conditionExpression"
    return origin_object(config.origin_of(cel, field))


def _never_offered(search: Search) -> Iterator[Surprise]:
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
                reason = next((skipped.reason for skipped in turn.skipped if skipped.upsell is upsell), "")
                example = _example(search, evidence, f"nearest: {reason}")
        yield Surprise(
            "never-offered",
            _severity("never-offered"),
            f"{upsell.title} was never offered",
            _names(upsell),
            sessions=0,
            certain=False,
            origin=_origin(search, "never-offered", upsell),
            passed_over=_kept_back(search, place),
            nearest=nearest,
            example=example,
        )
    for reason, upsells in certain.items():
        titles = _join_words((upsell.title for upsell in upsells), last="and")
        message = f"{titles} {'is' if len(upsells) == 1 else 'are'} never offered: {reason}"
        origin = origin_object(search.active_config.origin_of(upsells[0]))
        is_proved = any(id(upsell) in search.proved_never for upsell in upsells)
        severity, names = _severity("never-offered"), _names(*upsells)
        yield Surprise("never-offered", severity, message, names, 0, certain=True, origin=origin, is_proved=is_proved)


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


def _limits(search: Search) -> Iterator[Surprise]:
    """Limits that kept nothing back, where anything could be offered at all."""
    strategy = search.active_config.upsell_strategy
    if all(search.why_never(upsell) for upsell in search.upsells if not upsell.disabled):
        return
    for field, code in LIMITS.items():
        value = getattr(strategy, field, None)
        is_reached = any(happening[1:] == ("skipped", code) for happening in search.statistics.in_sessions)
        if strategy is None or value is None or is_reached:
            continue
        origin = origin_object(search.active_config.origin_of(strategy, field))
        explanation = why_limit_unreachable(field, strategy)
        verb = "stops" if explanation else "stopped"
        message = f"{field} of {value} never {verb} an upsell{f': {explanation}' if explanation else ''}"
        kind: AnomalyKind = "limit-never-reached"
        yield Surprise(kind, _severity(kind), message, (), 0, certain=bool(explanation), origin=origin)


def _always_true(search: Search) -> Iterator[Surprise]:
    """Conditions that held whenever they were looked at; those that never did keep their upsells from being offered."""
    statistics = search.statistics
    for place, upsell in enumerate(search.upsells):
        turns, *others = (statistics.in_turns[place, "condition", value] for value in (True, False, None))
        if turns and not any(others):
            yield Surprise(
                "condition-always-true",
                _severity("condition-always-true"),
                f"the condition of {upsell.title} was true in all {turns:,} turns",
                _names(upsell),
                statistics.in_sessions[place, "condition", True],
                certain=search.checks[place].constant is not None,
                origin=_origin(search, "condition-always-true", upsell),
            )
