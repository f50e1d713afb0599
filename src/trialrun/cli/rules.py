"""`trialrun rules`: every rule there is, and the page of one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from trialrun.cli.rules_diff import command as diff

if TYPE_CHECKING:
    from trialrun.lint.rule import Rule


@click.group("rules", invoke_without_command=True)
@click.option("--output-format", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True)
@click.pass_context
def command(context: click.Context, output_format: str) -> int:
    """List the rules; `rules show ID` prints the page of one."""
    if context.invoked_subcommand is not None:
        return 0
    if output_format == "markdown":
        from trialrun.lint.catalogue_page import catalogue_page

        sys.stdout.write(catalogue_page())
        return 0
    from trialrun.lint import catalogue

    parts = _json(catalogue.everything()) if output_format == "json" else _table(list(catalogue.everything()))
    sys.stdout.writelines(parts)
    return 0


@command.command("show")
@click.argument("rule_id", metavar="ID")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
def show(rule_id: str, color: str) -> int:
    """Show the page of the rule ID."""
    from trialrun.cli import explain

    return explain.show(rule_id, color)


command.add_command(diff)


def _table(rules: list[Rule]) -> Iterator[str]:
    from trialrun.lint.page import page

    width = max((len(rule.id) for rule in rules), default=0)
    group = ""
    for rule in rules:
        if rule.group != group:
            yield ("\n" if group else "") + f"{rule.group}\n"
            group = rule.group
        state = "" if rule.on else " (off)"
        yield f"  {rule.id:<{width}}  {rule.severity.word:<7}  {page(rule.doc).law}{state}\n"


def _json(rules: Iterator[Rule]) -> Iterator[str]:
    from trialrun.lint.page import page

    listed = [
        {
            "id": rule.id,
            "group": rule.group,
            "severity": rule.severity.word,
            "default": rule.on,
            "law": page(rule.doc).law,
            "specification": " ".join(page(rule.doc).specification.split()),
            "options": dict(rule.options),
        }
        for rule in rules
    ]
    yield json.dumps({"version": 1, "rules": listed}, indent=1, ensure_ascii=False) + "\n"
