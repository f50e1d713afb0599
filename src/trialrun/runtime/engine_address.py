"""Which engine reads the sources: the address that the user gave, and its options."""

from __future__ import annotations

from dataclasses import field

from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True)
class EngineAddress:
    """A remote engine by its address, which has no credentials.

    `options` are the engine's own settings, `python` is the interpreter of its workers. `roots` are the locations below
    which Sources may name rows beyond this machine. The secret is never shown.
    """

    address: str
    options: tuple[tuple[str, str], ...] = ()
    python: str | None = None
    secret: str | None = field(default=None, repr=False)
    roots: tuple[str, ...] = ()
