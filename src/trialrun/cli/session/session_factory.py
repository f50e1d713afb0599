"""Sessions made as a command asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trialrun.errors import UsageError
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.script import ScriptError, path_and_value
from trialrun.runtime.channel_config.session.actions import CannotMove, SetState, sent_state

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.workspace.store_dry_run import StoreTrial


@dataclass
class Staging:
    """A store under trial, and with what its sessions begin: `settings` are those of the command line."""

    trial: StoreTrial
    seed: int
    language: str | None
    settings: Sequence[SetState]

    @property
    def menu(self) -> MenuOfBrand:
        """The menu of the store's brand."""
        return self.trial.menu

    def session(self, settings: Sequence[SetState] = ()) -> Session:
        """A new session, with what a script sets before its first deed. Raises CannotMove for what it sets."""
        from trialrun.runtime.channel_config.session.session import Session

        given = [*self.settings, *settings]
        try:
            return Session(
                self.trial.in_force,
                self.menu,
                types=self.trial.catalog.types,
                seed=self.seed,
                begin=self.trial.now,
                language=self.language,
                state=sent_state(given),
            )
        except CannotMove as error:
            culprit = _culprit(error, settings)
            if culprit is not None:
                raise CannotMove(culprit, str(error)) from error
            option = "--set" if isinstance(error.move, SetState) else "--language"
            raise UsageError(f"{option}: {error}") from error


def settings_of(texts: Iterable[str]) -> list[SetState]:
    """What the options `--set` say. Raises UsageError."""
    try:
        return [path_and_value(text) for text in texts]
    except ScriptError as error:
        raise UsageError(f"--set: {error}") from error


def _culprit(error: CannotMove, settings: Sequence[SetState]) -> SetState | None:
    """The setting of a script for which the session does not begin."""
    if not isinstance(error.move, SetState):
        return None
    steps = error.move.path
    return next((one for one in reversed(settings) if one.path[: len(steps)] == steps[: len(one.path)]), None)
