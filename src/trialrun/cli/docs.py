"""`trialrun docs [PAGE]`: the pages of the documentation, as they were installed."""

from __future__ import annotations

import sys

import click

from trialrun.documentation import page_text, page_title, pages
from trialrun.errors import UsageError
from trialrun.values.suggest import did_you_mean


@click.command("docs")
@click.argument("page", metavar="[PAGE]", required=False)
def command(page: str | None) -> int:
    """Print PAGE of the documentation as Markdown; without PAGE, list the pages.

    The pages are part of the installation, so no network is needed.
    """
    if page is None:
        width = max(map(len, pages()), default=0)
        sys.stdout.writelines(f"{name:<{width}}  {page_title(name)}\n" for name in pages())
        return 0
    name = page.removesuffix(".md").rpartition("/")[2]
    if name not in pages():
        raise UsageError(f'there is no page "{page}"{did_you_mean(name, pages()) or "; trialrun docs lists them"}')
    sys.stdout.write(page_text(name))
    return 0
