"""What a whole session is made of: what the agent is told to go by, and what it can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.events import Event, Unmet
from trialrun.runtime.scenario.format import did_you_mean
from trialrun.runtime.scenario.origins import origin_text
from trialrun.runtime.scenario.session.format import plain

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedSession
    from trialrun.runtime.channel_config.session.session import Session


def whole(expect: ExpectedSession | None, session: Session) -> Iterator[Event]:
    """What is expected of the instructions and the tools and is not so."""
    if expect is not None:
        yield from _instructions(expect, session)
        yield from _tools(expect, session)


def _instructions(expect: ExpectedSession, session: Session) -> Iterator[Event]:
    given = [(plain(one.text), one) for one in session.instructions]
    for index, text in enumerate(expect.instructions or ()):
        if not any(plain(text) in other for other, _ in given):
            told = " / ".join(other for other, _ in given) or "no instructions"
            yield Unmet(expect.at("instructions", index), f'an instruction with "{text}"', told)
    for index, text in enumerate(expect.notInstructions or ()):
        for other, one in given:
            if plain(text) in other:
                got = f'"{other}", by {origin_text(one.origin)}'
                yield Unmet(expect.at("notInstructions", index), f'no instruction with "{text}"', got)


def _tools(expect: ExpectedSession, session: Session) -> Iterator[Event]:
    tools = {one.name: one for one in session.tools}
    for index, name in enumerate(expect.tools or ()):
        if name not in tools:
            near = did_you_mean(name, tools)
            yield Unmet(expect.at("tools", index), f"the tool {name}", f"{', '.join(tools) or 'no tools'}{near}")
    for index, name in enumerate(expect.notTools or ()):
        if name in tools:
            got = f"it, by {origin_text(tools[name].origin)}"
            yield Unmet(expect.at("notTools", index), f"no tool {name}", got)
