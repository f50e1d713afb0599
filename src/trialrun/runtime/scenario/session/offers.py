"""Upsells as they are expected: offered, only shown, or passed over for a reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.runtime.channel_config.session.turn import called
from trialrun.runtime.scenario.events import Event, Mistake, Unmet
from trialrun.runtime.scenario.format import did_you_mean
from trialrun.runtime.scenario.session.context import Scene
from trialrun.runtime.scenario.session.format import condition_text, offered_text, plain

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.model.scenario_steps import ExpectedCondition, ExpectedOffer, ExpectedPass, ExpectedTurn
    from trialrun.runtime.channel_config.session.turn import Offered, PassedOver, Turn

WORDS: dict[Literal["offered", "suggested"], tuple[str, str]] = {
    "offered": ("offered", "offer"),
    "suggested": ("shown", "suggestion"),
}


def offers(expect: ExpectedTurn, turn: Turn, scene: Scene) -> Iterator[Event]:
    """What is offered and what is shown: all of it, where either is expected."""
    made = [one for one in turn.offered if one.kind != "suggestion"]
    shown = [one for one in turn.offered if one.kind == "suggestion"]
    if expect.offered is not None:
        yield from _all(expect, "offered", expect.offered, made, turn, scene)
    if expect.suggested is not None:
        yield from _all(expect, "suggested", expect.suggested, shown, turn, scene)
    for one in expect.notOffered or ():
        yield from _not_offered(one, turn, scene)


def _all(
    expect: ExpectedTurn,
    name: Literal["offered", "suggested"],
    wanted: Sequence[ExpectedOffer],
    made: Sequence[Offered],
    turn: Turn,
    scene: Scene,
) -> Iterator[Event]:
    deed, noun = WORDS[name]
    made_by_name = {called(one.upsell): one for one in made}
    for one in wanted:
        upsell, got = upsell_of(one, scene), made_by_name.get(one.upsell or "")
        if isinstance(upsell, Mistake):
            yield upsell
        elif got is None:
            yield Unmet(scene.at(one, "upsell"), f'"{one.upsell}" to be {deed}', why_not(upsell, turn))
        else:
            yield from _one(one, got, scene)
    names = {one.upsell for one in wanted}
    further = [one for one in made if called(one.upsell) not in names]
    if further and len(made) > len(names):  # else they take the place of one that is missing, which is told
        none = f"no {noun} but those named" if wanted else f"no {noun}"
        yield Unmet(scene.at(expect, name), none, ", ".join(f"{offered_text(one)}: {one.reason}" for one in further))


def _one(wanted: ExpectedOffer, got: Offered, scene: Scene) -> Iterator[Event]:
    if wanted.items is not None and sorted(wanted.items) != sorted(got.items):
        yield Unmet(scene.at(wanted, "items"), _listed(wanted.items), _listed(got.items))
    if wanted.modifiers is not None and sorted(wanted.modifiers) != sorted(got.modifiers):
        yield Unmet(scene.at(wanted, "modifiers"), _listed(wanted.modifiers), _listed(got.modifiers))
    if wanted.text is not None:
        words = plain(got.said.text) if got.said else ""
        if plain(wanted.text) not in words:
            instead = f'"{words}"' if words else "no words of the config; the conversational model finds them"
            yield Unmet(scene.at(wanted, "text"), f'words with "{wanted.text}"', instead)


def _not_offered(wanted: ExpectedPass, turn: Turn, scene: Scene) -> Iterator[Event]:
    upsell = upsell_of(wanted, scene)
    if isinstance(upsell, Mistake):
        yield upsell
        return
    made = next((one for one in turn.offered if called(one.upsell) == wanted.upsell), None)
    if made is not None:
        yield Unmet(scene.at(wanted, "upsell"), f'"{wanted.upsell}" not to be made', f"{_sort(made)}: {made.reason}")
        return
    if wanted.because is None:
        return
    passed = _passed_over(upsell, turn)
    if passed is None or not _is_because(wanted.because, passed):
        yield Unmet(scene.at(wanted, "because"), f"the reason {wanted.because}", why_not(upsell, turn))


def _sort(made: Offered) -> str:
    return "a suggestion" if made.kind == "suggestion" else "an offer"


def _is_because(because: str, passed: PassedOver) -> bool:
    return because == passed.reason.code or plain(because).casefold() in plain(passed.reason.text).casefold()


def why_not(upsell: UpsellConfig, turn: Turn) -> str:
    """Why an upsell is not made in a turn."""
    made = next((one for one in turn.offered if called(one.upsell) == called(upsell)), None)
    if made is not None:
        return "it is only shown (suggestionOnly)" if made.kind == "suggestion" else "it is offered, not only shown"
    passed = _passed_over(upsell, turn)
    if passed is None:
        return f"nothing of it: {_moment(upsell)}"
    if passed.reason.code in ("condition-false", "condition-error"):
        condition = next((one for one in turn.conditions if called(one.upsell) == called(upsell)), None)
        if condition is not None:
            return f"{passed.reason.code}: {condition_text(condition)}"
    return f"{passed.reason.code}: {passed.reason.text}"


def _passed_over(upsell: UpsellConfig, turn: Turn) -> PassedOver | None:
    return next((one for one in turn.passed_over if called(one.upsell) == called(upsell)), None)


def _moment(upsell: UpsellConfig) -> str:
    if upsell.greetingOffer:
        return "greeting offers are made at the welcome"
    if upsell.closingOffer:
        return "closing offers are made when the order is complete"
    return "conditions are asked in the turns of the order"


def upsell_of(wanted: ExpectedOffer | ExpectedPass | ExpectedCondition, scene: Scene) -> UpsellConfig | Mistake:
    """The upsell of the strategy that an expectation names, or the mistake that there is none."""
    found = scene.upsells.get(wanted.upsell or "")
    if found is not None:
        return found
    near = did_you_mean(wanted.upsell or "", scene.upsells)
    none = "" if scene.upsells else "; there is no upsell in it"
    return Mistake(scene.at(wanted, "upsell"), f'the strategy has no upsell "{wanted.upsell}"{near or none}')


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
