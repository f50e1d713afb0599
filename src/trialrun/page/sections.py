"""The sections of the page by name: each is one JSON object, embedded in the file or answered by a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources

SECTIONS: Final = ("stores", "upsells", "views", "findings", "scenarios", "changes")
"""The function `NAME_section` of the module of that name builds it from the sources; None leaves it out."""


def build_section(name: str, sources: PageSources) -> Any:
    """A section by its name; None where the workspace has nothing for it, or nobody asked for it."""
    build: Callable[[PageSources], Any] = getattr(import_module(f"trialrun.page.{name}_section"), f"{name}_section")
    return build(sources)


def build_sections(sources: PageSources) -> Iterator[tuple[str, Any]]:
    """Every section that the page has, the overview first."""
    from trialrun.page.overview_section import overview_section

    built = {name: build_section(name, sources) for name in SECTIONS}
    present = {name: section for name, section in built.items() if section is not None}
    yield "overview", overview_section(sources, present)
    yield from present.items()
