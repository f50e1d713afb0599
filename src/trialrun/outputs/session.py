"""What `session` prints as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import DocumentError, Moment
from trialrun.runtime.channel_config.dialogue.instructions import Instruction, Tool
from trialrun.runtime.channel_config.dialogue.understanding import UnreachableTerm
from trialrun.runtime.channel_config.session.turn import Turn
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.session import Session


class RefusedStore(TypedDict):
    """A store whose session cannot be simulated; the exit code is 1."""

    version: Literal[1]
    store: str
    errors: list[DocumentError]


class PlayedSession(TypedDict):
    """`trialrun session STORE --output-format json`."""

    version: Literal[1]
    store: str
    seed: int
    at: Moment
    instructions: tuple[Instruction, ...]
    tools: tuple[Tool, ...]
    unheard: tuple[UnreachableTerm, ...]
    turns: list[Turn]


SessionOutput = PlayedSession | RefusedStore


def session_object(store: str, session: Session, turns: Iterable[Turn]) -> dict[str, Any]:
    """A session from its welcome on."""
    played: PlayedSession = {
        "version": 1,
        "store": store,
        "seed": session.seed,
        "at": format_timestamp(session.begin),
        "instructions": session.instructions,
        "tools": session.tools,
        "unheard": session.unreachable_terms,
        "turns": list(turns),
    }
    written: dict[str, Any] = _writer().dump_python(played, mode="json", by_alias=True)
    return written


@cache
def _writer() -> TypeAdapter[PlayedSession]:
    return TypeAdapter(PlayedSession)
