"""A session that was played as a Scenario, which expects of every turn what the agent did in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.report.format_value import format_rfc3339
from trialrun.runtime.channel_config.script import IDENTIFIER, format_actions
from trialrun.runtime.channel_config.session.actions import Add, SetState
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem
    from trialrun.runtime.channel_config.session.turn import MappedTerm, Offer, Turn, Utterance

UNEXPECTED_CODES = frozenset({"condition-false", "disabled", "listen-only"})
"""Reasons of skipped upsells that are not expected: a change of the config that they would notice is seen in offers."""


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session from its welcome on: what it began with, and its turns, each with the line of the customer."""

    store: str
    seed: int
    begin: datetime
    language: str | None
    settings: Sequence[SetState]
    turns: Sequence[Turn]
    menu: BrandMenu


def scenario_document(name: str, session: RecordedSession) -> dict[str, Any]:
    """The Scenario with a name, in the canonical form; it passes on the documents of the session."""
    state: dict[str, Any] = {}
    for setting in session.settings:
        _set_state(state, setting)
    step = {
        "store": session.store,
        **({"seed": session.seed} if session.seed else {}),
        **({} if session.language is None else {"language": session.language}),
        **({"state": state} if state else {}),
        "turns": [_turn(turn, session.menu) for turn in session.turns],
    }
    return {"kind": "Scenario", "name": name, "clock": format_rfc3339(session.begin), "steps": [{"session": step}]}


def _set_state(state: dict[str, Any], setting: SetState) -> None:
    """Add a value at its path; names that a dotted path cannot have are keys of a mapping at its end."""
    path = list(setting.path)
    plain = next((index for index, step in enumerate(path) if not IDENTIFIER.fullmatch(step)), len(path))
    value: Any = setting.value
    for step in reversed(path[plain:]):
        value = {step: value}
    key = ".".join(path[:plain])
    known = state.get(key)
    state[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    merged = dict(first)
    for key, value in second.items():
        known = merged.get(key)
        merged[key] = _merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def _turn(turn: Turn, menu: BrandMenu) -> dict[str, Any]:
    customer = {"customer": turn.customer} if turn.number else {}
    return {**customer, "expect": dict(_expectations(turn, menu))}


def _expectations(turn: Turn, menu: BrandMenu) -> Iterator[tuple[str, Any]]:
    suggestions = [offer for offer in turn.offers if offer.kind == "suggestion"]
    yield "offered", [_offer(offer) for offer in turn.offers if offer.kind != "suggestion"]
    if suggestions:
        yield "suggested", [_offer(offer) for offer in suggestions]
    if skipped := list(_skipped(turn)):
        yield "notOffered", skipped
    if said := [_utterance(utterance) for utterance in turn.utterances if utterance.kind != "instruction"]:
        yield "said", said
    if turn.mapped_terms:
        yield "mapped", [_mapped(term, menu) for term in turn.mapped_terms]
    if turn.number:
        yield "order", [_order_line(line_item, menu) for line_item in turn.order]


def _offer(offer: Offer) -> dict[str, Any]:
    modifiers = {"modifiers": list(offer.modifiers)} if offer.modifiers else {}
    return {"upsell": upsell_name(offer.upsell), "items": list(offer.items), **modifiers}


def _skipped(turn: Turn) -> Iterator[dict[str, Any]]:
    for skipped in turn.skipped:
        if skipped.reason.code not in UNEXPECTED_CODES:
            yield {"upsell": upsell_name(skipped.upsell), "because": skipped.reason.code}


def _utterance(utterance: Utterance) -> dict[str, Any]:
    language = {"language": utterance.language} if utterance.language else {}
    return {"text": utterance.text, "kind": utterance.kind, **language}


def _mapped(term: MappedTerm, menu: BrandMenu) -> dict[str, Any]:
    targets = [_order_line(target, menu) for target in term.targets]
    return {"term": term.term, "type": term.kind, "targets": targets}


def _order_line(line_item: OrderLineItem, menu: BrandMenu) -> str:
    return format_actions([Add(line_item)], menu).removeprefix("add ")
