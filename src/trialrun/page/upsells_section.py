"""The section of upsells: how far each reaches in random sessions, what is surprising, and sessions turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from itertools import islice
from shlex import quote
from typing import Any

from trialrun.model.scenario import Scenario, SessionStep
from trialrun.outputs.explore import Explored, build_explored, explore_object
from trialrun.outputs.origin import store_titles
from trialrun.outputs.replay import replay_command
from trialrun.outputs.scenarios import play_example
from trialrun.page.sources import PageSources
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.equivalence import stores_alike
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.menu import unpriced_items
from trialrun.runtime.channel_config.session.actions import ActionError
from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, Turn, upsell_name
from trialrun.runtime.declaration import DeclaredResource, UndeclaredError
from trialrun.runtime.scenario.environment import InvalidTimeError, ScenarioError, parse_time
from trialrun.runtime.scenario.store_steps import open_session
from trialrun.values import shorten
from trialrun.values.cel import json_state
from trialrun.values.timestamp import format_timestamp
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
MAX_PROVED, MAX_PROVED_TOGETHER = 40, 20
"""Upsells that no session offered of which a page asks for a proof, in all and of one configuration.

Most are decided in 50 ms, the worst in 5 s; of 28 in one strategy, the solver took 700 MiB and decided few.
"""
ReachedStores = tuple[StoreDryRun, Sequence[str], Explored | None, Mapping[int, str] | None]
"""A store, all that sessions cannot tell from it, what they showed, and the verdicts on its upsells by identity.

There is no result where it has errors, and there are no verdicts where nothing is proved.
"""


def upsells_section(sources: PageSources) -> dict[str, Any] | None:
    """What random sessions at each configuration show, and conversations; None without stores."""
    if not sources.stores:
        return None
    titles = store_titles(sources.brands.stores)
    explored = list(_explored(sources))
    conversations: list[dict[str, Any]] = []
    reach = []
    for trial, names, exploration, verdicts in explored:
        stores = [titles[name] for name in names]
        found: dict[str, Any] = {"errors": True}
        if exploration is not None:
            found = _found(exploration, trial, stores, conversations, sources, verdicts)
        reach.append({"stores": stores, **found})
    shown = {store.name for store in sources.stores}
    of_scenarios = (one for one in _scenario_conversations(sources) if one["store"] in shown)
    for conversation in islice(of_scenarios, MAX_SCENARIO_SESSIONS):
        conversations.append({**conversation, "store": titles[conversation["store"]]})
    return {
        "reach": reach,
        "conversations": [{**conversation, "id": str(at)} for at, conversation in enumerate(conversations, start=1)],
        "sessions": sources.sessions,
    }


def _explored(sources: PageSources) -> Iterator[ReachedStores]:
    """Stores that sessions cannot tell apart, and what they showed at the first of them.

    The configurations of the most stores come first, as far as the work is bounded.
    """
    work, unproved = 0, MAX_PROVED if find_spec("z3") and sources.trial is None else 0
    sessions = sources.sessions
    for configs in stores_alike(sources.active_configs, sources.brands, partial(_has_errors, sources)):
        first = configs[0]
        strategy = first.upsell_strategy
        square = max(1, len((strategy and strategy.upsells) or ())) ** 2
        played = min(sessions, max(MIN_SESSIONS, MAX_CONFIGURATION_WORK // square))
        work += (played + SHORTENING) * square
        if not sessions or work > MAX_WORK:
            return
        trial = StoreDryRun(sources.request, sources.brands, sources.options, first.store)
        exploration, verdicts = None, None
        if not _has_errors(sources, first):
            schema_for = trial.catalog.schema_for
            search = Search(trial.active_config, trial.menu, schema_for, begin=trial.now, turns=TURNS)
            for _ in search.play(played):
                pass
            asked = sum(map(search.is_never_offered, range(len(search.upsells))))
            if unproved and asked <= min(unproved, MAX_PROVED_TOGETHER):
                unproved, verdicts = unproved - asked, _verdicts(search, trial)
            for _ in islice(search.shorten(), MAX_SHORTENED):
                pass
            exploration = build_explored(search, played)
        yield trial, [config.store.name for config in configs], exploration, verdicts


def _verdicts(search: Search, trial: StoreDryRun) -> dict[int, str]:
    """By the identity of each enabled upsell, whether a session offers each: one that was played, or as is proved."""
    from trialrun.prove.replay import Stage
    from trialrun.prove.store import prove_offers

    stage = Stage(trial.active_config, trial.menu, trial.catalog.schema_for, trial.now)
    prove_offers(search, stage, unpriced_items(trial.menu, trial.catalog.menus))
    verdicts: dict[int, str] = {}
    for place, upsell in enumerate(search.upsells):
        is_shown = not search.is_never_offered(place) or id(upsell) in search.proved_possible
        if not upsell.disabled:
            verdicts[id(upsell)] = "possible" if is_shown else "never" if search.why_never(upsell) else "unknown"
    return verdicts


def _has_errors(sources: PageSources, config: ActiveConfig) -> bool:
    """Whether a file that a store depends on has errors: what is wrong in it has no effect."""
    return any(document.path in sources.files_with_errors for document in config.documents)


def _found(
    result: Explored,
    trial: StoreDryRun,
    stores: Sequence[str],
    conversations: list[dict[str, Any]],
    sources: PageSources,
    verdicts: Mapping[int, str] | None,
) -> dict[str, Any]:
    """What was found at stores; its examples are added to the conversations."""
    access = sources.access
    found = explore_object(result, access)
    sessions, at = f"--sessions {result.sessions or result.sessions_wanted}", f"--at {found['at']}"
    proved = [] if verdicts is None else ["--prove"]
    command = " ".join([f"trialrun explore {quote(stores[0])}", sessions, at, *proved, *access])
    surprises = []
    for number, (plain, surprise) in enumerate(zip(found["surprises"], result.surprises, strict=True)):
        shown = {key: value for key, value in plain.items() if key not in ("example", "passed_over")}
        if surprise.example is not None and number < MAX_EXAMPLES:
            conversations.append(
                {
                    "kind": "example",
                    "title": surprise.message,
                    "store": stores[0],
                    "turn": surprise.example.turn,
                    "command": replay_command(trial.store.name, surprise.example, access),
                    "turns": list(map(_turn, play_example(surprise.example, trial, max_turns=MAX_TURNS)[-1])),
                }
            )
            shown["conversation"] = str(len(conversations))
        surprises.append(shown)
    upsells = [
        {
            **{key: share[key] for key in ("upsell", "offered", "accepted", "declined")},
            "passed_over": [[entry["reason"], entry["sessions"]] for entry in share["passed_over"]],
            **({"verdict": verdicts[id(of.upsell)]} if verdicts and id(of.upsell) in verdicts else {}),
        }
        for of, share in zip(result.upsells, found["upsells"], strict=True)
    ]
    numbers = {key: found[key] for key in ("sessions", "turns", "seed")}
    return {**numbers, "command": command, "upsells": upsells, "surprises": surprises}


def _scenario_conversations(sources: PageSources) -> Iterator[dict[str, Any]]:
    """The sessions of scenarios, unless a document behind them has errors."""
    for scenario, result in sources.played:
        title = scenario.node.name or "a scenario without a name"
        for session in _scenario_sessions(scenario, sources) if result.was_played else ():
            yield {"kind": "scenario", "title": title, **session}


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
        "passed_over": [
            {
                "upsell": upsell_name(skipped.upsell),
                "reason": skipped.reason,
                **({"further": [reason.text for reason in further]} if (further := skipped.reasons[1:]) else {}),
            }
            for skipped in turn.skipped
        ],
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
    return shorten(text, MAX_VALUE)


def _scenario_sessions(scenario: DeclaredResource[Scenario], sources: PageSources) -> Iterator[dict[str, Any]]:
    """The sessions of a scenario; those that cannot be played, which the scenario reports, are left out."""
    node = scenario.node
    steps = node.steps or ()
    try:
        clock = parse_time(node.clock or (steps[0].clock if steps else None) or format_timestamp(sources.now))
        for step in steps:
            clock = parse_time(step.clock) if step.clock else clock
            if step.wait is not None and step.wait.until:
                clock = parse_time(step.wait.until)
            session = None if step.session is None else _play(step.session, clock, sources)
            if step.session is not None and session is not None:
                line = scenario.locate(step.session.location()).start.line
                yield {**session, "path": scenario.path, "line": line}
    except InvalidTimeError:
        return


def _play(node: SessionStep, clock: datetime, sources: PageSources) -> dict[str, Any] | None:
    """A session of a scenario: the welcome and what customers do; None where it cannot be played."""
    try:
        store = sources.brands.store(node.store or "")
        given, context, session = open_session(node, store, sources.brands, sources.options, clock)
    except (UndeclaredError, ScenarioError, ActionError):
        return None
    # what the runtime refuses is a turn that says why
    turns = [_turn(session.welcome())]
    for customer in [turn.customer for turn in given if turn.customer is not None][:MAX_TURNS]:
        try:
            actions = context.parse_actions(customer, node.location())
            turns.append(_turn(session.turn(actions, customer)))
        except (ActionError, ScenarioError) as error:
            turns.append({"customer": customer, "language": session.language, "refused": str(error)})
    return {"store": store.name, "seed": session.seed, "turns": turns}
