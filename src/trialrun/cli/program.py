"""The commands by name, as click runs them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from trialrun.cli.exit_codes import USAGE_EXIT
from trialrun.cli.lazy_group import LazyGroup
from trialrun.cli.report_error import report_error
from trialrun.values.time_zone import IANA_VERSION
from trialrun.version import __version__

COMMANDS = {
    "init": "Write a first workspace to a folder, or settings and a hook for the documents there.",
    "new": "Print a small sound document of a kind, or a copy of one under another name.",
    "check": "Lint files, folders or the whole workspace.",
    "sync": "Read the sources of views and serve their values, or show what that would do.",
    "fetch": "Show the values that a view serves for entities.",
    "search": "Find the entities of a view that are nearest to an entity or a vector.",
    "suppressions": "List the suppressions, with reason and expiry.",
    "baseline": "Write the known findings to a file, or remove those that are fixed.",
    "rules": "List the rules, show one, or create and test policies.",
    "explain": "Show the page of a rule, an assumption or a change.",
    "docs": "Show a page of the documentation.",
    "schema": "Print the JSON Schema of a kind of document.",
    "session": "Simulate an order at a store, scripted or interactively, and show what the agent does.",
    "schedule": "Show when views are synced next, with a timeline.",
    "resolve": "Show the effective configuration of a store and where each value comes from.",
    "languages": "Show what customers of each language hear, gaps first.",
    "explore": "Run random sessions at a store and report unexpected behavior.",
    "plan": "Show what the changes between two git revisions do, and whom they reach.",
    "test": "Run the scenarios of the workspace and report failed expectations.",
    "serve": "Serve the operations of both APIs to unchanged clients on this machine.",
    "report": "Write one HTML file that shows the workspace to people.",
    "lsp": "Run the language server: findings while you type, fixes, and where a value comes from.",
    "export": "Print documents as the JSON of the API, or as canonical YAML.",
    "import": "Write the resources of an API, of Terraform and of other programs as documents.",
    "settings": "Show the effective settings and where each comes from.",
}


@click.group(
    cls=LazyGroup,
    package="trialrun.cli",
    sentences=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Lint FeatureView and ChannelConfig files, and give them a trial run before production does.",
)
@click.version_option(
    __version__, "-V", "--version", message=f"trialrun %(version)s (time zones of tzdata {IANA_VERSION})"
)
def program() -> None:
    """Lint and run resource files."""


def run_program(arguments: Sequence[str]) -> int:
    """Carry out a command as click reads the command line; the exit code."""
    try:
        code = program.main(list(arguments), prog_name="trialrun", standalone_mode=False)
    except click.ClickException as error:
        report_error(error)
        return USAGE_EXIT
    except click.exceptions.Abort as error:
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0
