"""`trialrun resolve STORE`: what is effective at a store, and where each value comes from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.output import write_utf8
from trialrun.cli.workspace_options import AT, page_layout, workspace_options
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.cli.resolve.views import ResolveView


@click.command("resolve")
@click.argument("store", required=False, metavar="[STORE]")
@click.option(
    "--field", metavar="PATH", help="Show one field alone, such as operationsConfig.greetings[en-US] or tone."
)
@click.option("--all-stores", is_flag=True, help="Show which stores share everything, and what differs.")
@AT
@workspace_options
def command(store: str | None, field: str | None, all_stores: bool, **options: Any) -> int:
    """Show the configuration that is effective at a store, by type, with where each value comes from.

    A STORE is the name of a store of a Brand, or the end of one. Beside each value stand the level that sets it, the
    file and the line, and below it what it overrode and what clashes with it on one level. A field is a path with dots,
    its items by what they are called (operationsConfig.upsellStrategy.upsells[Fries with burgers]), or a JSON Pointer.
    Nothing in a Brand depends on time, so --at changes nothing. Exit code 1: there are errors in the documents that the
    answer is made of.
    """
    from trialrun.cli.resolve.views import view_of_all_stores, view_of_store

    if all_stores == (store is not None):
        raise UsageError("resolve takes one STORE, or --all-stores")
    asked = view_of_store(store, field, options) if store is not None else view_of_all_stores(field, options)
    if options["output_format"] == "json":
        from trialrun.report.json_encoding import json_text

        write_utf8([json_text(asked.object()), "\n"])
    else:
        width, paint = page_layout(options["color"])
        sys.stdout.writelines(asked.text(width, paint))
    return _report_errors(asked, options["color"])


def _report_errors(asked: ResolveView, color: str) -> int:
    """Say on standard error what is wrong in the documents; the exit code."""
    if asked.errors:
        from trialrun.cli.report_error import show_diagnostics

        sys.stdout.flush()
        show_diagnostics(asked.errors, asked.request.source, color=color)
    return int(bool(asked.errors))
