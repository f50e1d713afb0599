"""Pictures of the page as files of their own, for a chat or a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.page.drawing import drawing_svg

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources


class NothingToDraw(ValueError):
    """The workspace has nothing that the picture would show."""


def picture(name: str, sources: PageSources) -> str:
    """The SVG of the schedule of a week, or of the vectors. Raises NothingToDraw."""
    return _schedule(sources) if name == "schedule" else _vectors(sources)


def _schedule(sources: PageSources) -> str:
    from trialrun.page.schedule_drawing import week_drawing
    from trialrun.page.views_section import week_schedule

    if not sources.documents.views:
        raise NothingToDraw("the workspace declares no view")
    return "".join(drawing_svg([week_drawing(week_schedule(sources))]))


def _vectors(sources: PageSources) -> str:
    from trialrun.page.vectors_section import vector_drawings, vectors_section

    section = vectors_section(sources)
    if section is None:
        raise NothingToDraw("no view has an index with vectors that can be read")
    return "".join(drawing_svg(list(vector_drawings(section))))
