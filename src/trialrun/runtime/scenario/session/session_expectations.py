"""Expectations of a whole session: instructions and tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.scenario.events import Event, UnmetExpectation
from trialrun.runtime.scenario.origins import format_origin
from trialrun.runtime.scenario.session.format import collapse_spaces
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.scenario_steps import ExpectedSession
    from trialrun.runtime.channel_config.session.session import Session


def compare_session(expect: ExpectedSession | None, session: Session) -> Iterator[Event]:
    """What is expected of the instructions and the tools and is not so."""
    if expect is not None:
        yield from _compare_instructions(expect, session)
        yield from _compare_tools(expect, session)


def _compare_instructions(expect: ExpectedSession, session: Session) -> Iterator[Event]:
    instructions = [(collapse_spaces(instruction.text), instruction) for instruction in session.instructions]
    for index, text in enumerate(expect.instructions or ()):
        if not any(collapse_spaces(text) in instruction_text for instruction_text, _ in instructions):
            instruction_texts = (
                " / ".join(instruction_text for instruction_text, _ in instructions) or "no instructions"
            )
            yield UnmetExpectation(
                expect.location("instructions", index), f'an instruction with "{text}"', instruction_texts
            )
    for index, text in enumerate(expect.notInstructions or ()):
        for instruction_text, instruction in instructions:
            if collapse_spaces(text) in instruction_text:
                got = f'"{instruction_text}", by {format_origin(instruction.origin)}'
                yield UnmetExpectation(expect.location("notInstructions", index), f'no instruction with "{text}"', got)


def _compare_tools(expect: ExpectedSession, session: Session) -> Iterator[Event]:
    tools = {tool.name: tool for tool in session.tools}
    for index, name in enumerate(expect.tools or ()):
        if name not in tools:
            near = did_you_mean(name, tools)
            yield UnmetExpectation(
                expect.location("tools", index), f"the tool {name}", f"{', '.join(tools) or 'no tools'}{near}"
            )
    for index, name in enumerate(expect.notTools or ()):
        if name in tools:
            got = f"it, by {format_origin(tools[name].origin)}"
            yield UnmetExpectation(expect.location("notTools", index), f"no tool {name}", got)
