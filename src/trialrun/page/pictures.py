"""The picture of the page as a file of its own, for a chat or a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.page.drawing import drawing_svg

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources


class NothingToDraw(ValueError):
    """The workspace has nothing that the picture would show."""


def schedule_picture(sources: PageSources) -> str:
    """The SVG of the schedule of a week. Raises NothingToDraw."""
    from trialrun.page.schedule_drawing import week_drawing
    from trialrun.page.views_section import week_schedule

    if not sources.documents.views:
        raise NothingToDraw("the workspace declares no view")
    return "".join(drawing_svg([week_drawing(week_schedule(sources))]))
