"""The section of upsells: how far each reaches in random sessions, what is surprising, and sessions turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.example_session import begin_example
from trialrun.outputs.explore import explore_object
from trialrun.outputs.replay import replay_command
from trialrun.outputs.session import json_state
from trialrun.outputs.store_titles import store_titles
from trialrun.runtime.channel_config.session.actions import ActionError
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.scenario import Scenario, ScenarioStep
    from trialrun.page.sources import PageSources
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.explore.anomaly import Anomaly, Exploration
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SkippedUpsell, Turn
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.store_dry_run import StoreDryRun

MAX_WORK = 420_000
"""Sessions times the square of upsells that are explored, configurations of the most stores first: a few seconds."""
MAX_CONFIGURATION_WORK = 30_000
"""The same for one configuration: of many upsells, fewer sessions are played."""
MIN_SESSIONS = 20
MAX_SHORTENED = 10
"""Sessions of a configuration that are made as short as they can be."""
SHORTENING = 200
"""As many sessions as making these short takes."""
MAX_EXAMPLES = 6
"""Sessions of a configuration that are shown turn by turn, the weightiest surprises first."""
MAX_SCENARIO_SESSIONS = 200
TURNS = 8
MAX_VALUE = 60
"""Characters of the value of a part of a condition."""
MAX_TURNS = 40


def upsells_section(sources: PageSources) -> dict[str, Any] | None:
    """What random sessions at each configuration show, and conversations; None without stores."""
    if not sources.stores:
        return None
    titles = store_titles(sources.brands.stores)
    explored = list(_explored(sources))
    conversations: list[dict[str, Any]] = []
    reach = [_reach(each, titles, conversations, sources) for each in explored]
    conversations += _scenario_conversations(sources, titles)
    return {
        "reach": reach,
        "conversations": [{**conversation, "id": str(at)} for at, conversation in enumerate(conversations, start=1)],
        "sessions": sources.choices.sessions,
    }


@dataclass(frozen=True)
class ExploredGroup:
    """Stores that sessions cannot tell apart, and what they showed at the first of them; None if it has errors."""

    trial: StoreDryRun
    stores: Sequence[str]
    exploration: Exploration | None


def _explored(sources: PageSources) -> Iterator[ExploredGroup]:
    """The configurations that are explored, those of the most stores first, as far as the work is bounded."""
    from trialrun.runtime.channel_config.equivalence import group_stores
    from trialrun.workspace.store_dry_run import StoreDryRun

    work = 0
    sessions = sources.choices.sessions
    for group in group_stores(sources.active_configs):
        for configs in _alike(group.stores, sources):
            first = configs[0]
            strategy = first.upsell_strategy
            square = max(1, len((strategy and strategy.upsells) or ())) ** 2
            played = min(sessions, max(MIN_SESSIONS, MAX_CONFIGURATION_WORK // square))
            work += (played + SHORTENING) * square
            if not sessions or work > MAX_WORK:
                return
            trial = StoreDryRun(sources.request, sources.brands, sources.options, first.store)
            names = [config.store.name for config in configs]
            yield ExploredGroup(trial, names, None if _has_errors(first, sources) else _explore(trial, played))


def _alike(configs: Sequence[ActiveConfig], sources: PageSources) -> list[list[ActiveConfig]]:
    """Stores of equal configurations that sessions cannot tell apart: each alone if a condition asks for the store."""
    from trialrun.runtime.channel_config.explore.report import reads_store, sold_at

    if reads_store(configs[0]):
        return [[config] for config in configs]
    groups: dict[Any, list[ActiveConfig]] = {}
    for config in configs:
        key = (id(config.store.brand), sold_at(config.store, sources.brands), _has_errors(config, sources))
        groups.setdefault(key, []).append(config)
    return list(groups.values())


def _has_errors(config: ActiveConfig, sources: PageSources) -> bool:
    """Whether a file that a store depends on has errors: what is wrong in it has no effect."""
    paths = {config.store.brand.path}
    paths |= {layer.config.path for effective in config.types.values() for layer in effective.layers}
    return bool(paths & sources.files_with_errors)


def _explore(trial: StoreDryRun, sessions: int) -> Exploration:
    from trialrun.runtime.channel_config.explore.report import build_exploration
    from trialrun.runtime.channel_config.explore.search import Search

    search = Search(trial.active_config, trial.menu, trial.catalog.schema_for, begin=trial.now, turns=TURNS)
    for _ in search.play(sessions):
        pass
    for _ in islice(search.shorten(), MAX_SHORTENED):
        pass
    return build_exploration(search, sessions)


def _reach(
    explored: ExploredGroup, titles: dict[str, str], conversations: list[dict[str, Any]], sources: PageSources
) -> dict[str, Any]:
    """What was found at a group; its examples are added to the conversations."""
    stores = [titles[name] for name in explored.stores]
    if explored.exploration is None:
        return {"stores": stores, "errors": True}
    again = _command(stores[0], explored.exploration, sources)
    found = explore_object(explored.exploration, again, sources.choices.access)
    keys = ("sessions", "turns", "seed", "command")
    surprises = []
    for number, (plain, anomaly) in enumerate(zip(found["surprises"], explored.exploration.anomalies, strict=True)):
        surprise = {key: value for key, value in plain.items() if key not in ("example", "passed_over")}
        if anomaly.example is not None and number < MAX_EXAMPLES:
            conversations.append(_example(anomaly, explored.trial, stores, sources))
            surprise["conversation"] = str(len(conversations))
        surprises.append(surprise)
    numbers = {key: found[key] for key in keys}
    return {"stores": stores, **numbers, "upsells": list(map(_share, found["upsells"])), "surprises": surprises}


def _share(share: dict[str, Any]) -> dict[str, Any]:
    """How often an upsell is offered, and what kept it back the most often."""
    keys = ("upsell", "offered", "accepted", "declined")
    passed_over = [[entry["reason"], entry["sessions"]] for entry in share["passed_over"]]
    return {**{key: share[key] for key in keys}, "passed_over": passed_over}


def _command(store: str, exploration: Exploration, sources: PageSources) -> list[str]:
    from shlex import quote

    from trialrun.report.format_value import format_rfc3339

    sessions = f"--sessions {exploration.sessions or exploration.requested_sessions}"
    at = f"--at {format_rfc3339(exploration.begin)}"
    return [f"trialrun explore {quote(store)}", sessions, at, *sources.choices.access]


def _example(anomaly: Anomaly, trial: StoreDryRun, stores: Sequence[str], sources: PageSources) -> dict[str, Any]:
    assert anomaly.example is not None
    return {
        "kind": "example",
        "title": anomaly.message,
        "store": stores[0],
        "turn": anomaly.example.turn,
        "command": replay_command(trial.store.name, anomaly.example, sources.choices.access),
        "turns": list(map(_turn, begin_example(anomaly.example, trial).play(MAX_TURNS))),
    }


def _scenario_conversations(sources: PageSources, titles: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The sessions of scenarios at the stores that are shown, unless a document behind them has errors."""
    shown = {store.name for store in sources.stores}
    left = MAX_SCENARIO_SESSIONS
    for run in sources.played:
        scenario = run.scenario
        for session in _scenario_sessions(scenario, sources) if run.outcome is not None else ():
            if session["store"] in shown and left:
                left -= 1
                named = {"kind": "scenario", "title": scenario.node.name or "a scenario without a name"}
                yield {**named, **session, "store": titles[session["store"]]}


def _turn(turn: Turn) -> dict[str, Any]:
    """A turn of a session, with the decisions that were made in it."""
    entries = {
        "said": [{"text": said.text, "kind": said.kind, "language": said.language} for said in turn.utterances],
        "offered": [
            {
                "upsell": upsell_name(offer.upsell),
                "kind": offer.kind,
                "reason": offer.reason,
                "items": list(offer.items),
                **({"text": offer.utterance.text} if offer.utterance else {}),
            }
            for offer in turn.offers
        ],
        "passed_over": [_passed_over(skipped) for skipped in turn.skipped],
        "conditions": [_condition(condition) for condition in turn.conditions],
        "mapped": [
            {"heard": term.heard, "kind": term.kind, "targets": [target.item.name for target in term.targets]}
            for term in turn.mapped_terms
        ],
        "order": [[line.quantity, line.item.name] for line in turn.order],
    }
    silence = {} if turn.silence is None else {"silence": turn.silence}
    told = {name: values for name, values in entries.items() if values}
    return {"customer": turn.customer, "language": turn.language, **told, **silence}


def _passed_over(skipped: SkippedUpsell) -> dict[str, Any]:
    further = {"further": [reason.text for reason in skipped.further]} if skipped.further else {}
    return {"upsell": upsell_name(skipped.upsell), "reason": skipped.reason.text, **further}


def _condition(condition: EvaluatedCondition) -> dict[str, Any]:
    cel = condition.upsell.celUpsell
    text = (cel and cel.conditionExpression) or ""
    error = {} if condition.error is None else {"error": condition.error}
    return {
        "upsell": upsell_name(condition.upsell),
        "value": condition.value,
        "text": text,
        "parts": [
            [part.start, part.end, _value_text(part.value, part.error)]
            for part in condition.parts
            if part.text != _value_text(part.value, part.error) and part.end - part.start < len(text)
        ],
        **error,
    }


def _value_text(value: Any, error: str | None) -> str:
    if error is not None:
        return error
    if isinstance(value, list | tuple) and value:
        return f"[{len(value)} item{'' if len(value) == 1 else 's'}]"
    text = json.dumps(json_state(value), ensure_ascii=False, separators=(", ", ": "))
    return text if len(text) <= MAX_VALUE else f"{text[: MAX_VALUE - 1]}…"


def _scenario_sessions(scenario: DeclaredResource[Scenario], sources: PageSources) -> Iterator[dict[str, Any]]:
    """The sessions of a scenario; those that cannot be played, which the scenario reports, are left out."""
    from trialrun.runtime.scenario.format import InvalidTimeError, parse_time
    from trialrun.values.timestamp import format_timestamp

    node = scenario.node
    steps = node.steps or ()
    try:
        clock = parse_time(node.clock or (steps[0].clock if steps else None) or format_timestamp(sources.now))
        for step in steps:
            clock = parse_time(step.clock) if step.clock else clock
            if step.wait is not None and step.wait.until:
                clock = parse_time(step.wait.until)
            session = _step_session(step, clock, sources)
            if session is not None:
                line = scenario.line() if step.session is None else scenario.locate(step.session.location()).start.line
                yield {**session, "path": scenario.path, "line": line}
    except InvalidTimeError:
        return


def _step_session(step: ScenarioStep, clock: datetime, sources: PageSources) -> dict[str, Any] | None:
    from trialrun.runtime.declaration import UndeclaredError
    from trialrun.runtime.scenario.environment import ScenarioError
    from trialrun.runtime.scenario.store_steps import open_session

    node = step.session
    if node is None:
        return None
    try:
        store = sources.brands.store(node.store or "")
        turns, context, session = open_session(node, store, sources.brands, sources.options, clock)
    except (UndeclaredError, ScenarioError, ActionError):
        return None
    customers = [turn.customer for turn in turns if turn.customer is not None]
    return {"store": store.name, "seed": session.seed, "turns": _played(session, context, customers, node)}


def _played(session: Session, context: Any, customers: Sequence[str], node: Any) -> list[dict[str, Any]]:
    """The welcome and what customers do; what the runtime refuses is a turn that says why."""
    from trialrun.runtime.scenario.environment import ScenarioError

    turns = [_turn(session.welcome())]
    for customer in customers[:MAX_TURNS]:
        try:
            actions = context.parse_actions(customer, node.location())
            turns.append(_turn(session.turn(actions, customer)))
        except (ActionError, ScenarioError) as error:
            turns.append({"customer": customer, "language": session.language, "refused": str(error)})
    return turns
