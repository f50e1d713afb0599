"""How a command that cannot be carried out says why."""

from __future__ import annotations

import os
import sys

from trialrun.usage import UsageError


def refuse(error: UsageError) -> None:
    """Say on standard error what is wrong: with the lines of the files that it is about, where it is about files."""
    from trialrun.report.cells import visible

    if not error.diagnostics:
        print(f"error: {visible(str(error))}", file=sys.stderr, flush=True)
        return
    from trialrun.report.cells import columns
    from trialrun.report.color import painter, wanted
    from trialrun.report.finding import Page, finding

    paint = painter(color=wanted("auto", sys.stderr, os.environ))
    page = Page(error.sources.get, columns(sys.stderr, os.environ), paint)
    for diagnostic in error.diagnostics:
        print("\n".join([*finding(diagnostic, page), ""]), file=sys.stderr, flush=True)
