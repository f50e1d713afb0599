"""Customer profile: probabilities of what a simulated customer does in a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class CustomerProfile:
    """Chances from 0 to 1, each a customer's in a turn, except for `foreign`, which is a session's.

    `accept` and `decline` are what becomes of an offer; of the rest nothing is said. `add` is to order something, again
    and again up to three times; `remove` and `quantity` are about what is in the order. `say` is to use a term that the
    disambiguation knows, `speak` to go on in another language, `foreign` to begin in one, `state` to be in a situation
    that a condition asks for, `finish` to be done before the last turn.
    """

    accept: float = 0.3
    decline: float = 0.4
    add: float = 0.75
    remove: float = 0.1
    quantity: float = 0.1
    say: float = 0.15
    speak: float = 0.05
    foreign: float = 0.25
    state: float = 0.75
    finish: float = 0.1


DEFAULT_PROFILE = CustomerProfile()
"""Customers who take three offers in ten, say no to four and pass over three."""
