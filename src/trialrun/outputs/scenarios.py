"""Sessions as Scenarios, which expect of every turn what the agent did in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.script import IDENTIFIER, format_actions, parse, split_settings
from trialrun.runtime.channel_config.session.actions import Add, SetState, build_client_state
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example
    from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Offer, Turn
    from trialrun.workspace.store_dry_run import StoreDryRun


UNEXPECTED_CODES = frozenset({"condition-false", "disabled", "listen-only"})
"""Reasons of skipped upsells that are not expected: a change of the config that they would notice is seen in offers."""


def scenario_document(
    name: str,
    trial: StoreDryRun,
    session: Session,
    turns: Iterable[Turn],
    *,
    language: str | None,
    settings: Iterable[SetState],
) -> dict[str, Any]:
    """The Scenario of a session at a store, in the canonical form; it passes on the documents of the session.

    `turns` are those from the welcome on, each with the line of the customer; `language` and `settings` are what the
    session began with.
    """
    state: dict[str, Any] = {}
    for setting in settings:
        _set_state(state, setting)
    step = {
        "store": trial.store.name,
        **({"seed": session.seed} if session.seed else {}),
        **({} if language is None else {"language": language}),
        **({"state": state} if state else {}),
        "turns": [
            {**({"customer": turn.customer} if turn.number else {}), "expect": dict(_expectations(turn, trial.menu))}
            for turn in turns
        ],
    }
    return {"kind": "Scenario", "name": name, "clock": format_timestamp(session.begin), "steps": [{"session": step}]}


def _set_state(state: dict[str, Any], setting: SetState) -> None:
    """Add a value at its path; names that a dotted path cannot have are keys of a mapping at its end."""
    path = list(setting.path)
    plain = next((index for index, step in enumerate(path) if not IDENTIFIER.fullmatch(step)), len(path))
    value: Any = setting.value
    for step in reversed(path[plain:]):
        value = {step: value}
    state.update(_merged(state, {".".join(path[:plain]): value}))


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        merged[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _expectations(turn: Turn, menu: BrandMenu) -> Iterator[tuple[str, Any]]:
    yield "offered", [_offer(offer) for offer in turn.offers if offer.kind != "suggestion"]
    if suggestions := [_offer(offer) for offer in turn.offers if offer.kind == "suggestion"]:
        yield "suggested", suggestions
    unexpected = [skipped for skipped in turn.skipped if skipped.code not in UNEXPECTED_CODES]
    if unexpected:
        names = [(upsell_name(skipped.upsell), skipped.code) for skipped in unexpected]
        yield "notOffered", [{"upsell": name, "because": code} for name, code in names]
    said = [
        {"text": said.text, "kind": said.kind, **({"language": said.language} if said.language else {})}
        for said in turn.utterances
        if said.kind != "instruction"
    ]
    if said:
        yield "said", said
    if turn.mapped_terms:
        terms = [(term, [_order_line(target, menu) for target in term.targets]) for term in turn.mapped_terms]
        yield "mapped", [{"term": term.term, "type": term.kind, "targets": targets} for term, targets in terms]
    if turn.number:
        yield "order", [_order_line(line_item, menu) for line_item in turn.order]


def _offer(offer: Offer) -> dict[str, Any]:
    modifiers = {"modifiers": list(offer.modifiers)} if offer.modifiers else {}
    return {"upsell": upsell_name(offer.upsell), "items": list(offer.items), **modifiers}


def _order_line(line_item: OrderLineItem, menu: BrandMenu) -> str:
    return format_actions([Add(line_item)], menu).removeprefix("add ")


def play_example(
    example: Example, trial: StoreDryRun, *, max_turns: int | None = None
) -> tuple[Session, list[SetState], list[Turn]]:
    """The session of an example at its store: what its client sent before it, and its turns, the welcome first."""
    recording = example.recording
    settings, lines = split_settings(parse("\n".join(example.lines), trial.menu))
    session = trial.begin_session(
        seed=recording.seed, begin=recording.begin, language=recording.language, state=build_client_state(settings)
    )
    turns = [session.welcome(), *(session.turn(line.actions, line.text) for line in lines[:max_turns])]
    return session, settings, turns
