"""`trialrun resolve STORE`: the effective configuration of a store, with the origin of each value."""

from __future__ import annotations

import sys
from typing import Any

import click

from trialrun.cli.output import write_utf8
from trialrun.cli.workspace_options import AT, page_layout, workspace_options
from trialrun.errors import UsageError


@click.command("resolve")
@click.argument("store", required=False, metavar="[STORE]")
@click.option(
    "--field", metavar="PATH", help="Show only this field, such as operationsConfig.greetings[en-US] or tone."
)
@click.option("--all-stores", is_flag=True, help="Compare all stores: which are equal, and what differs.")
@AT
@workspace_options
def command(store: str | None, field: str | None, all_stores: bool, **options: Any) -> int:
    """Show the effective configuration of a store, by type, with the origin of each value.

    A STORE is the name of a store of a Brand, or the end of one. Next to each value are the level that sets it, the
    file and the line, and below it the values that it overrode and those that conflict with it on the same level. A
    field is a path with dots, with list items by their names (operationsConfig.upsellStrategy.upsells[Fries with
    burgers]), or a JSON Pointer. Nothing in a Brand depends on time, so --at has no effect. Exit code 1: the documents
    that the result depends on have errors.
    """
    from trialrun.cli.resolve.views import resolve_view

    if all_stores == (store is not None):
        raise UsageError("give either a STORE or --all-stores")
    view = resolve_view(store, field, options)
    if options["output_format"] == "json":
        from trialrun.report.json_encoding import json_text

        write_utf8([json_text(view.object()), "\n"])
    else:
        width, paint = page_layout(options["color"])
        sys.stdout.writelines(view.text(width, paint))
    return view.stores.report_errors(options["color"])
