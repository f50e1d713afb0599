"""Sessions that the playground plays: a request has all turns so far, so that nothing of a session is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.recorded_scenario import RecordedSession, scenario_document
from trialrun.outputs.session import session_object
from trialrun.runtime.channel_config.script import ScriptError, parse, parse_setting
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, build_client_state
from trialrun.service.error import BadRequest, FieldViolation, ServiceError, Status, invalid_argument, service_error
from trialrun.service.message import Message, Timestamp

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.workspace.store_dry_run import StoreDryRun

MAX_TURNS = 200
MAX_LINE = 2000
MAX_VALUES = 100
MAX_SHOWN_ERRORS = 20
Line = Annotated[str, Field(max_length=MAX_LINE)]


class PlayRequest(Message):
    """A session at a store: what it begins with, and what the customer does in each turn, as lines of a script."""

    store: Annotated[str, Field(max_length=MAX_LINE)]
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] = 0
    at: Timestamp | None = None
    language: Annotated[str, Field(max_length=100)] | None = None
    state: Annotated[list[Line], Field(max_length=MAX_VALUES, default_factory=list)]
    turns: Annotated[list[Line], Field(max_length=MAX_TURNS, default_factory=list)]


class RecordRequest(PlayRequest):
    """A session to record as a Scenario with a name."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


@dataclass(frozen=True)
class PlayedSession:
    """A session with the turns that could be played, and what is wrong with the one after them."""

    session: Session
    settings: list[SetState]
    turns: list[Turn]
    mistake: str | None


def play(request: PlayRequest, trial: StoreDryRun) -> PlayedSession:
    """Play a session. Raises INVALID_ARGUMENT."""
    settings = [_setting(text, index) for index, text in enumerate(request.state)]
    session = _session(request, trial, settings)
    turns = [session.welcome()]
    for text in request.turns:
        try:
            turns.append(_turn(session, text, trial))
        except (ScriptError, ActionError) as error:
            return PlayedSession(session, settings, turns, str(error))
    return PlayedSession(session, settings, turns, None)


def played_json(played: PlayedSession, trial: StoreDryRun) -> dict[str, Any]:
    """The JSON of `trialrun session`, and `mistake`: why the turn after the last one cannot be played."""
    return {**session_object(trial.store.name, played.session, played.turns), "mistake": played.mistake}


def scenario(request: RecordRequest, played: PlayedSession, trial: StoreDryRun) -> dict[str, Any]:
    """The Scenario that expects what the agent did. Raises INVALID_ARGUMENT for turns that cannot be played."""
    if played.mistake is not None:
        raise invalid_argument(f"turns[{len(played.turns) - 1}]", "invalid-turn", played.mistake)
    session = played.session
    recorded = RecordedSession(
        trial.store.name, session.seed, session.begin, request.language, played.settings, played.turns, trial.menu
    )
    return scenario_document(request.name, recorded)


def _setting(text: str, index: int) -> SetState:
    try:
        return parse_setting(text)
    except ScriptError as error:
        raise invalid_argument(f"state[{index}]", "invalid-state", str(error)) from error


def _session(request: PlayRequest, trial: StoreDryRun, settings: list[SetState]) -> Session:
    try:
        return trial.begin_session(seed=request.seed, language=request.language, state=build_client_state(settings))
    except ActionError as error:
        field = "state" if isinstance(error.action, SetState) else "language"
        raise invalid_argument(field, f"invalid-{field}", str(error)) from error


def _turn(session: Session, text: str, trial: StoreDryRun) -> Turn:
    lines = parse(text, trial.menu)
    if len(lines) != 1:
        raise invalid_argument("turns", "invalid-turn", "a turn is one line that is not empty")
    return session.turn(lines[0].actions, lines[0].text)


def document_errors(errors: list[Diagnostic]) -> ServiceError:
    """FAILED_PRECONDITION with the errors of the documents that a session needs."""
    violations = [
        FieldViolation(
            field=f"{error.path}:{error.range.start.line}:{error.range.start.column}",
            description=error.message,
            reason=error.rule,
        )
        for error in errors[:MAX_SHOWN_ERRORS]
    ]
    first = violations[0]
    message = f"the documents of the store have errors; {first.field}: {first.description}"
    return service_error(Status.FAILED_PRECONDITION, first.reason, message, BadRequest(fieldViolations=violations))
