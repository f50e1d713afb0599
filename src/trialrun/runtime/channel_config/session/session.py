"""A session at a store: the welcome, then turn by turn what the customer does and what the agent does about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.dialogue.greeting import greeting, why_silent
from trialrun.runtime.channel_config.menu import Ordered
from trialrun.runtime.channel_config.session.actions import Move, SetState, Speak
from trialrun.runtime.channel_config.session.cel_state import Known
from trialrun.runtime.channel_config.session.offering import Offers, by_message, by_rules
from trialrun.runtime.channel_config.session.order import cart, subtotal
from trialrun.runtime.channel_config.session.plan import plan_of
from trialrun.runtime.channel_config.session.reducer import moved
from trialrun.runtime.channel_config.session.session_state import Full, Progress
from trialrun.runtime.channel_config.session.turn import Offered, Turn

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.dialogue.instructions import Instruction
    from trialrun.runtime.channel_config.dialogue.interpretation import Unheard
    from trialrun.runtime.channel_config.dialogue.tools import Tool
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.session.turn import Mapped
    from trialrun.values.cel import Schema


class Session:
    """A session of one customer at a store, the same for the same seed.

    `types` are the types that the conditions of a file may read, by its path; `begin` is the time at which the session
    begins, with an offset; `state` are values that the client sends at once, by variable and field. Raises CannotMove
    for a language that is none and for a state that the types do not have.
    """

    def __init__(
        self,
        in_force: InForce,
        menu: MenuOfBrand,
        *,
        types: Callable[[str], Schema],
        seed: int,
        begin: datetime,
        language: str | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        if begin.utcoffset() is None:
            raise ValueError("the time at which a session begins has no offset; give it a time zone")
        self._plan = plan_of(in_force, menu, types)
        self.seed, self.begin = seed, begin.astimezone(UTC)
        moves: list[Move] = [Speak(language)] if language else []
        moves += _sent(state or {})
        self._progress = moved(Progress(None), moves, self._plan).progress
        self._welcome: Turn | None = None

    def welcome(self) -> Turn:
        """Turn 0: the greeting and the greeting offer; later the same turn again."""
        if self._welcome is None:
            self._welcome = self._welcomed()
        return self._welcome

    def turn(self, moves: Sequence[Move], customer: str = "") -> Turn:
        """The next turn: all moves of the customer, then what the agent does about them.

        Raises CannotMove, and then nothing of the turn was done. `customer` is what the turn is shown with.
        """
        self.welcome()
        before = self._progress
        after = moved(replace(before, number=before.number + 1), moves, self._plan)
        now = self._filled(after.progress)
        offers = self._offers(now, finishing=now.finished and not before.finished)
        self._progress = offers.progress
        return Turn(
            number=now.number,
            customer=customer,
            language=self.language,
            said=after.said + offers.said,
            offered=offers.offered,
            passed_over=offers.passed_over,
            conditions=offers.conditions,
            mapped=after.mapped,
            order=self.order,
            finished=now.finished,
        )

    def fork(self) -> Session:
        """Another session that is where this one is, and goes on by itself."""
        return copy(self)

    @property
    def number(self) -> int:
        """The number of the last turn; 0 is the welcome, -1 before it."""
        return self._progress.number

    @property
    def language(self) -> str:
        """The language that the customer speaks, else the default one, empty where there is none."""
        return self._progress.language or self._plan.default_language or ""

    @property
    def order(self) -> tuple[Ordered, ...]:
        """The order as it is now."""
        return tuple(line.ordered for line in self._progress.lines)

    @property
    def cart(self) -> int:
        """How many items are in the cart."""
        return cart(self._progress.lines)

    @property
    def subtotal(self) -> float:
        """The price of the order."""
        return subtotal(self._progress.lines)

    @property
    def finished(self) -> bool:
        """Whether the customer said that the order is complete."""
        return self._progress.finished

    @property
    def open(self) -> tuple[Offered, ...]:
        """What can be accepted: the offer that waits for an answer, then what is only suggested."""
        waiting = (self._progress.open,) if self._progress.open else ()
        return waiting + self._progress.shown

    @property
    def questions(self) -> tuple[Mapped, ...]:
        """What the agent asked and nobody answered."""
        return self._progress.questions

    @property
    def state(self) -> dict[str, Any]:
        """The state as conditions read it now, of plain values; times are datetimes in UTC."""
        return self._plan.shapes[0].plain(self._known(self._progress), self._progress.sent)

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """What the agent is told to go by, each with its origin."""
        return self._plan.instructions

    @property
    def unheard(self) -> tuple[Unheard, ...]:
        """The customer terms that never mean anything here, each with the reason and its origin."""
        return self._plan.hearing.unheard

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the agent can do, each with its origin."""
        return self._plan.tools

    def _welcomed(self) -> Turn:
        now = replace(self._progress, number=0)
        spoken = self.language or None
        greeted = greeting(self._plan.in_force, spoken, self.seed)
        silence = None if greeted else why_silent(self._plan.in_force, spoken)
        offers = by_message("greetingOffer", now, self._plan, self.seed)
        self._progress = offers.progress
        said = ((greeted,) if greeted else ()) + offers.said
        return Turn(0, "", self.language, said, offers.offered, offers.passed_over, silence=silence)

    def _offers(self, now: Progress, *, finishing: bool) -> Offers:
        if finishing:
            return by_message("closingOffer", now, self._plan, self.seed)
        if now.finished:
            return Offers(now)
        return by_rules(now, self._plan, self._known(now))

    def _filled(self, now: Progress) -> Progress:
        """The session, with the moment at which the order has more items than maxItemsInCart."""
        most = self._plan.strategy.maxItemsInCart
        if most is None or now.full or cart(now.lines) <= most:
            return now
        return replace(now, full=Full(now.number, cart(now.lines)))

    def _known(self, now: Progress) -> Known:
        language = now.language or self._plan.default_language or ""
        store = self._plan.in_force.store.name
        return Known(store, language, max(now.number, 0), now.offers, now.declines, self.begin, now.lines)


def _sent(state: Mapping[str, Any]) -> Iterator[Move]:
    for variable, value in state.items():
        if isinstance(value, Mapping):
            yield from (SetState((variable, field), held) for field, held in value.items())
        else:
            yield SetState((variable,), value)
