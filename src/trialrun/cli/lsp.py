"""`trialrun lsp`: the Language Server Protocol server for editors."""

from __future__ import annotations

from typing import Any

import click

from trialrun.cli.options import ALLOW_PATH, AT_HELP, parse_time
from trialrun.cli.run_lsp import run_lsp
from trialrun.documentation import EDITORS, editor_settings
from trialrun.values.time_zone import IANA_VERSION
from trialrun.version import __version__


@click.command("lsp")
@click.option("--select", multiple=True, metavar="RULE", help="Run only these rules or groups; may be repeated.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Skip these rules or groups; may be repeated.")
@click.option(
    "--policies",
    multiple=True,
    metavar="PACK|PATH",
    help="Also check these policies: a shipped pack, a file or a folder; may be repeated.",
)
@click.option("--no-cache", is_flag=True, help="Do not read or write the cache.")
@click.option("--at", metavar="TIME", help=AT_HELP)
@click.option("--isolated", is_flag=True, help="Do not read settings files.")
@ALLOW_PATH
@click.option(
    "--settings",
    type=click.Choice([*EDITORS]),
    metavar="EDITOR",
    help=f"Print the settings for an editor, and end: {', '.join(EDITORS)}.",
)
@click.version_option(__version__, "--version", message=f"trialrun %(version)s (time zones of tzdata {IANA_VERSION})")
@click.option(
    "--stdio",
    is_flag=True,
    hidden=True,
    help="Accepted because some editors add it; standard input and output are always used.",
)
def command(**options: Any) -> int:
    """Run the language server: findings while you type, fixes, and where a value comes from.

    The editor starts it and talks to it over standard input and output; docs/editors.md shows how to set it up.
    Findings are those of check in the folder that is open in the editor.
    """
    if options["settings"]:
        print(editor_settings(options["settings"]), end="")
        return 0
    return run_lsp(
        select=_join_names(options["select"]),
        ignore=_join_names(options["ignore"]),
        policies=options["policies"],
        now=None if options["at"] is None else parse_time(options["at"]),
        is_isolated=options["isolated"],
        cache=not options["no_cache"],
    )


def _join_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for given in names for name in given.split(",") if name.strip())
