"""Plays scenarios and sessions on both sides of a plan, and says which changes what differs is attributed to.

Nothing is played where nothing differs. What could be played and is not is listed with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING

from trialrun.changes.change import Change, NotCompared, Plan, Played, SessionsDifference
from trialrun.changes.comparison import Comparison
from trialrun.changes.scenario_outcomes import PlayedScenario, Plays, play_scenarios
from trialrun.changes.session_differences import StorePair, count_session_stores, is_heard, session_stores
from trialrun.changes.sides import RUN_CHECK, Catalogs, SideCatalogs, Sides
from trialrun.changes.store_reach import Stores
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.report.summary import pluralize
from trialrun.runtime.options import Options
from trialrun.values.resource_name import last_id
from trialrun.workspace.relevant_diagnostics import diagnostics_of, documents_of_store, is_about

if TYPE_CHECKING:
    from trialrun.changes.session_differences import PairedSearch

MAX_CONFIGURATIONS = 10
"""Number of different configurations whose sessions are played: those of the most stores."""
Key = tuple[str, str, str]
"""Kind, name and path of a resource."""


def _ignore_progress(title: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class Player:
    """What is played for a plan: scenarios, and so many sessions at each configuration that differs.

    `access` are the options of a command that say which files are read; `on_progress` is told what is played, how much
    of it was, and of how much.
    """

    with_scenarios: bool = True
    sessions: int = 0
    access: Sequence[str] = ()
    on_progress: Callable[[str, int, int], None] = field(default=_ignore_progress)


NO_PLAYER = Player(with_scenarios=False)


@dataclass(frozen=True)
class PlanInput:
    """What a plan was made of."""

    sides: Sides
    comparison: Comparison
    catalogs: Catalogs
    stores: Stores | None
    options: Options


def play(plan: Plan, made_of: PlanInput, player: Player) -> Plan:
    """The plan with what playing shows, in the reach of its changes where it is attributed to them."""
    if not any(one.differences for one in made_of.comparison.resources):
        return plan
    plays = Plays()
    if player.with_scenarios:
        play_scenarios(made_of.sides, made_of.catalogs, made_of.comparison, plays, player.on_progress)
    if not plays.is_interrupted:
        _play_sessions(made_of, player, plays)
    keys = _keys_by_node(made_of.comparison)
    played = Played(
        plays.scenarios,
        plays.sessions,
        [one.outcome for one in plays.outcomes],
        plays.differences,
        [_causes_of_outcome(one, plan.changes, keys) for one in plays.outcomes],
        [_causes_of_difference(one, plan.changes) for one in plays.differences],
        plays.is_interrupted,
    )
    not_compared = {*plan.not_compared, *plays.not_compared}
    for one, causes in zip(played.outcomes, played.outcome_causes, strict=True):
        if not causes:
            why = f"{one.before} before and {one.after} after, and no change of the plan is behind it"
            not_compared.add(NotCompared(f"scenario {one.name}", why))
    return replace(
        plan,
        changes=[_with_reach(change, number, played) for number, change in enumerate(plan.changes)],
        not_compared=sorted(not_compared, key=lambda one: (one.what, one.why)),
        played=played,
    )


def _with_reach(change: Change, number: int, played: Played) -> Change:
    """The change with the scenarios and the sessions that are attributed to it."""
    outcomes = [one for one, causes in zip(played.outcomes, played.outcome_causes, strict=True) if number in causes]
    differences = [
        one for one, causes in zip(played.differences, played.difference_causes, strict=True) if number in causes
    ]
    if not outcomes and not differences:
        return change
    return replace(change, reach=replace(change.reach, scenarios=outcomes, sessions=differences))


def _play_sessions(made_of: PlanInput, player: Player, plays: Plays) -> None:
    """Play sessions at the stores that differ; an interrupt ends it, and what was not played is listed."""
    if made_of.stores is None:
        return
    if not player.sessions:
        if count := count_session_stores(made_of.stores):
            why = f"not played at the {pluralize(count, 'store')} where they may differ; --sessions N plays them"
            plays.not_compared.append(NotCompared("sessions", why))
        return
    pairs = session_stores(made_of.stores, made_of.options)
    few = f"only the {MAX_CONFIGURATIONS} configurations of the most stores are played"
    plays.not_compared += [NotCompared(_title(pair), few) for pair in pairs[MAX_CONFIGURATIONS:]]
    pairs = list(_without_errors(pairs[:MAX_CONFIGURATIONS], made_of, plays))
    for number, pair in enumerate(pairs):
        if plays.is_interrupted:
            plays.not_compared.append(NotCompared(_title(pair), "interrupted before they were played"))
        else:
            _play_pair(pair, made_of, player, plays, f"{number + 1} of {len(pairs)}")


def _title(pair: StorePair) -> str:
    others = pluralize(len(pair.names) - 1, "other store")
    return f"sessions at {last_id(pair.names[0])}{f' and {others}' if len(pair.names) > 1 else ''}"


def _without_errors(pairs: Sequence[StorePair], made_of: PlanInput, plays: Plays) -> Iterator[StorePair]:
    """The stores without errors in the documents of either side; the others are listed."""
    errors: dict[int, Diagnostic] = {}
    for number, catalogs in enumerate((made_of.catalogs.base, made_of.catalogs.head)):
        for pair, error in _errors(pairs, number, catalogs):
            errors.setdefault(id(pair), error)
    for pair in pairs:
        if wrong := errors.get(id(pair)):
            why = f"{wrong.path}:{wrong.range.start.line}: {wrong.message}; {RUN_CHECK}"
            plays.not_compared.append(NotCompared(_title(pair), why))
        else:
            yield pair


def _errors(pairs: Sequence[StorePair], number: int, catalogs: SideCatalogs) -> Iterator[tuple[StorePair, Diagnostic]]:
    request = catalogs.side.request
    documents = [(pair, documents_of_store(pair.stores[number], catalogs.brands, request)) for pair in pairs]
    everything = {id(document): document for _, group in documents for document in group}
    found = diagnostics_of(request, list(everything.values()))
    errors = [diagnostic for diagnostic in found if diagnostic.severity is Severity.ERROR]
    for pair, group in documents:
        error = next((error for error in errors if any(is_about(error, document) for document in group)), None)
        if error:
            yield pair, error


def _play_pair(pair: StorePair, made_of: PlanInput, player: Player, plays: Plays, place: str) -> None:
    from trialrun.changes.session_differences import PairedSearch

    search = PairedSearch(pair, player.sessions, made_of.sides.head.request.now)
    title = f"{last_id(pair.names[0])}, {place}"
    try:
        for done in search.play():
            player.on_progress(title, done, player.sessions)
    except KeyboardInterrupt:
        plays.is_interrupted = True
        why = f"interrupted after {search.sessions:,} of {player.sessions:,} sessions"
        plays.not_compared.append(NotCompared(_title(pair), why))
    plays.sessions += search.sessions
    if search.differing:
        title = _store_title(pair.names[0], made_of)
        plays.differences.append(_difference(search, title, player, plays))


def _store_title(name: str, made_of: PlanInput) -> str:
    """The id of a store; of a store whose id others have too, its name."""
    same = [other for other in made_of.stores.names if last_id(other) == last_id(name)] if made_of.stores else []
    return last_id(name) if len(same) == 1 else name


def _difference(search: PairedSearch, store: str, player: Player, plays: Plays) -> SessionsDifference:
    if not plays.is_interrupted:
        with suppress(KeyboardInterrupt):
            return search.difference(search.example(store, player.access))
        plays.is_interrupted = True
        why = "interrupted before the session that differs was made short"
        plays.not_compared.append(NotCompared(_title(search.pair), why))
    return search.difference(search.example(store, player.access, is_short=False))


def _keys_by_node(comparison: Comparison) -> dict[int, Key]:
    """The keys of the resources that differ by the identities of their models on both sides."""
    return {
        id(side.node): (one.pair.kind, one.pair.name, one.pair.resource.path)
        for one in comparison.resources
        if one.differences
        for side in (one.pair.before, one.pair.after)
        if side
    }


def _causes_of_outcome(one: PlayedScenario, changes: Sequence[Change], keys: dict[int, Key]) -> list[int]:
    """The changes of documents behind a scenario; of those at stores, the ones that reach its stores."""
    behind = {keys[node] for node in one.documents if node in keys}
    found = [number for number, change in enumerate(changes) if (change.kind, change.resource, change.path) in behind]
    stores = ((number, changes[number].reach.stores) for number in found)
    reaching = [number for number, reach in stores if reach is None or not one.stores.isdisjoint(reach.names)]
    return reaching or found


def _causes_of_difference(one: SessionsDifference, changes: Sequence[Change]) -> list[int]:
    """The changes that alter something at the stores that sessions depend on."""
    names = frozenset(one.stores)
    reaching = [
        (number, change.reach.stores)
        for number, change in enumerate(changes)
        if change.reach.stores is not None and not names.isdisjoint(change.reach.stores.names)
    ]
    heard = [
        number
        for number, reach in reaching
        if any(not names.isdisjoint(field.stores) and is_heard(_steps(field.path)) for field in reach.fields)
    ]
    return heard or [number for number, _ in reaching]


def _steps(path: str) -> Sequence[str]:
    """The names of the fields of a path as reports write it, in as far as sessions tell them apart."""
    head, _, item = path.partition("[")
    steps = head.split(".")
    if not item:
        return steps
    name, _, rest = item.rpartition("]")
    return (*steps, name, *filter(None, rest.split(".")))
