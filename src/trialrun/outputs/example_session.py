"""The session that an example of `explore` shows, begun again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.script import parse, split_settings
from trialrun.runtime.channel_config.session.actions import SetState, build_client_state

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example
    from trialrun.runtime.channel_config.script import ScriptLine
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.workspace.store_dry_run import StoreDryRun


@dataclass(frozen=True)
class ExampleSession:
    """A session at its beginning, what its client sent before it, and the lines of its turns."""

    session: Session
    settings: Sequence[SetState]
    lines: Sequence[ScriptLine]

    def play(self, max_turns: int | None = None) -> list[Turn]:
        """The welcome and the turns, at most so many of them."""
        return [
            self.session.welcome(),
            *(self.session.turn(line.actions, line.text) for line in self.lines[:max_turns]),
        ]


def begin_example(example: Example, trial: StoreDryRun) -> ExampleSession:
    """The session of an example at its store."""
    recording = example.recording
    settings, lines = split_settings(parse("\n".join(example.lines), trial.menu))
    session = trial.begin_session(
        seed=recording.seed, begin=recording.begin, language=recording.language, state=build_client_state(settings)
    )
    return ExampleSession(session, settings, lines)
