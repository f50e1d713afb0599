"""The playground of the page: the menu of a store, and sessions.

A request has all turns so far, so that nothing of a session is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from trialrun.lazy_dataclass import dataclass
from trialrun.outputs.recorded_scenario import RecordedSession, scenario_document
from trialrun.outputs.session import session_object
from trialrun.runtime.channel_config.availability import Moment
from trialrun.runtime.channel_config.script import ScriptError, parse, parse_setting
from trialrun.runtime.channel_config.session.actions import ActionError, SetState, build_client_state
from trialrun.runtime.channel_config.session.plan import session_plan
from trialrun.service.error import BadRequest, FieldViolation, ServiceError, Status, invalid_argument, service_error
from trialrun.service.message import Message, Timestamp

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.runtime.channel_config.menu import BrandMenu, Item
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.workspace.store_dry_run import StoreDryRun

MAX_ITEMS = 2_000
"""Items that are listed, in the order of the menu; the others can be typed."""
MAX_TURNS = 200
MAX_LINE = 2000
MAX_VALUES = 100
MAX_SHOWN_ERRORS = 20
Line = Annotated[str, Field(max_length=MAX_LINE)]


def menu_json(trial: StoreDryRun) -> dict[str, Any]:
    """The items of a store's menu with their modifiers, at the time of the trial."""
    menu = trial.menu
    plan = session_plan(trial.active_config, menu, trial.catalog.schema_for)
    moment = Moment(trial.store.name, plan.local_time(trial.now))
    items = [_item(item, menu, moment) for item in menu.items[:MAX_ITEMS]]
    return {
        "store": trial.store.name,
        "isDeclared": menu.is_declared,
        "items": items,
        "omitted": max(0, len(menu.items) - MAX_ITEMS),
    }


def _item(item: Item, menu: BrandMenu, moment: Moment) -> dict[str, Any]:
    reason = menu.why_unavailable(item, moment)
    groups: dict[str, list[str]] = {}
    for modifier in menu.modifiers_of(item):
        groups.setdefault(modifier.group, []).append(modifier.name)
    return {
        "name": item.name,
        "id": item.id or None,
        "price": item.price,
        **({"unavailable": reason} if reason else {}),
        **({"modifiers": [{"group": group, "names": names} for group, names in groups.items()]} if groups else {}),
    }


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
    settings: list[SetState] = []
    for index, text in enumerate(request.state):
        try:
            settings.append(parse_setting(text))
        except ScriptError as error:
            raise invalid_argument(f"state[{index}]", "invalid-state", str(error)) from error
    try:
        session = trial.begin_session(seed=request.seed, language=request.language, state=build_client_state(settings))
    except ActionError as error:
        field = "state" if isinstance(error.action, SetState) else "language"
        raise invalid_argument(field, f"invalid-{field}", str(error)) from error
    turns = [session.welcome()]
    for text in request.turns:
        try:
            lines = parse(text, trial.menu)
            if len(lines) != 1:
                raise invalid_argument("turns", "invalid-turn", "a turn is one line that is not empty")
            turns.append(session.turn(lines[0].actions, lines[0].text))
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
