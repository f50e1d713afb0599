"""Sessions as conversations: who said what, what was offered, and why every other upsell was passed over."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.outputs.example_session import begin_example
from trialrun.outputs.session import json_state
from trialrun.runtime.channel_config.session.actions import ActionError
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.model.scenario import Scenario, ScenarioStep
    from trialrun.page.sources import PageSources
    from trialrun.runtime.channel_config.explore.anomaly import Example
    from trialrun.runtime.channel_config.session.turn import EvaluatedCondition, SkippedUpsell, Turn
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.store_dry_run import StoreDryRun

MAX_VALUE = 60
"""Characters of the value of a part of a condition."""
MAX_TURNS = 40


def turns_object(turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """The turns of a session from its welcome on, each with the decisions that were made in it."""
    return [_turn(turn) for turn in turns]


def _turn(turn: Turn) -> dict[str, Any]:
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


def example_turns(example: Example, trial: StoreDryRun) -> list[dict[str, Any]]:
    """The turns of a session that shows something surprising."""
    return turns_object(begin_example(example, trial).play(MAX_TURNS))


def scenario_sessions(scenario: DeclaredResource[Scenario], sources: PageSources) -> Iterator[dict[str, Any]]:
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
    from trialrun.runtime.channel_config.active_config import resolve_active_config
    from trialrun.runtime.channel_config.menu import brand_menu
    from trialrun.runtime.declaration import UndeclaredError
    from trialrun.runtime.scenario.events import ScenarioError
    from trialrun.runtime.scenario.session.context import SessionContext
    from trialrun.runtime.scenario.session.table import parse_turns
    from trialrun.runtime.scenario.steps.session import nest_state

    node = step.session
    if node is None:
        return None
    try:
        store = sources.brands.store(node.store or "")
        turns, locations = parse_turns(node)
        config = resolve_active_config(store, sources.brands, sources.options)
        context = SessionContext(config, brand_menu(store.brand, sources.brands, store.store), locations)
        session = Session(
            config,
            context.menu,
            types=sources.brands.schema_for,
            seed=node.seed or 0,
            begin=clock,
            language=node.language,
            state=nest_state(node.state or {}),
        )
    except (UndeclaredError, ScenarioError, ActionError):
        return None
    customers = [turn.customer for turn in turns if turn.customer is not None]
    return {"store": store.name, "seed": session.seed, "turns": _played(session, context, customers, node)}


def _played(session: Session, context: Any, customers: Sequence[str], node: Any) -> list[dict[str, Any]]:
    """The welcome and what customers do; what the runtime refuses is a turn that says why."""
    from trialrun.runtime.scenario.session.context import ScriptTextError

    turns = turns_object([session.welcome()])
    for customer in customers[:MAX_TURNS]:
        try:
            actions = context.parse_actions(customer, node.location())
            turns += turns_object([session.turn(actions, customer)])
        except (ActionError, ScriptTextError) as error:
            turns.append({"customer": customer, "language": session.language, "refused": str(error)})
    return turns
