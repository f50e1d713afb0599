"""Creates sessions from command options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.script import ScriptError, parse_setting
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, build_client_state

if TYPE_CHECKING:
    from trialrun.outputs.recorded_scenario import RecordedSession
    from trialrun.runtime.channel_config.menu import BrandMenu
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.workspace.store_dry_run import StoreDryRun


@dataclass
class SessionFactory:
    """A store, and the initial state of its sessions; `settings` are those of the command line."""

    trial: StoreDryRun
    seed: int
    language: str | None
    settings: Sequence[SetState]

    @property
    def menu(self) -> BrandMenu:
        """The menu of the store's brand."""
        return self.trial.menu

    def create_session(self, settings: Sequence[SetState] = ()) -> Session:
        """A new session, with the settings at the start of a script. Raises ActionError for an invalid setting."""
        given = [*self.settings, *settings]
        try:
            return self.trial.begin_session(seed=self.seed, language=self.language, state=build_client_state(given))
        except ActionError as error:
            culprit = _faulty_setting(error, settings)
            if culprit is not None:
                raise ActionError(culprit, str(error)) from error
            option = "--set" if isinstance(error.action, SetState) else "--language"
            raise UsageError(f"{option}: {error}") from error

    def record(self, session: Session, settings: Sequence[SetState], turns: Sequence[Turn]) -> RecordedSession:
        """A session of this store with its turns; `settings` are those at the start of its script."""
        from trialrun.outputs.recorded_scenario import RecordedSession

        return RecordedSession(
            self.trial.store.name,
            session.seed,
            session.begin,
            self.language,
            [*self.settings, *settings],
            turns,
            self.menu,
        )


def parse_settings(texts: Iterable[str]) -> list[SetState]:
    """Parse the values of `--set`. Raises UsageError."""
    try:
        return [parse_setting(text) for text in texts]
    except ScriptError as error:
        raise UsageError(f"--set: {error}") from error


def _faulty_setting(error: ActionError, settings: Sequence[SetState]) -> SetState | None:
    """The setting of a script that prevents the session from starting."""
    if not isinstance(error.action, SetState):
        return None
    steps = error.action.path
    return next(
        (setting for setting in reversed(settings) if setting.path[: len(steps)] == steps[: len(setting.path)]), None
    )
