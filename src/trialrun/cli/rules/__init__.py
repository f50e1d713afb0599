"""`trialrun rules`: every rule there is, the page of one, and what to do with policies; one file per subcommand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence

import click

from trialrun.cli.lazy_group import LazyGroup
from trialrun.cli.output import write_utf8
from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import parse_docs

SUBCOMMANDS = {
    "show": "Show the page of a rule.",
    "diff": "Show what the default rules of another edition would newly report.",
    "test": "Run the examples of policies.",
    "new": "Create a policy.",
}


@click.group("rules", cls=LazyGroup, package="trialrun.cli.rules", sentences=SUBCOMMANDS, invoke_without_command=True)
@click.option(
    "--output-format",
    type=click.Choice(("text", "json", "markdown")),
    default="text",
    show_default=True,
    help="A table, JSON for programs, or the catalogue as a page.",
)
@click.pass_context
def command(context: click.Context, output_format: str) -> int:
    """List the rules and the policies that the workspace uses; `rules show ID` prints the page of one."""
    if context.invoked_subcommand is not None:
        return 0
    if output_format == "markdown":
        from trialrun.lint.examples import rules_markdown

        write_utf8([rules_markdown()])
        return 0
    from trialrun.cli.rule_lookup import policies_in_use
    from trialrun.lint import registry

    rules = [*registry.everything(), *policies_in_use().rules.values()]
    if output_format == "json":
        write_utf8(as_json(rules))
    else:
        sys.stdout.writelines(as_table(rules))
    return 0


def as_table(rules: Sequence[Rule]) -> Iterator[str]:
    """A line for each rule, group by group."""
    width = max((len(rule.id) for rule in rules), default=0)
    group = ""
    for rule in rules:
        if rule.group != group:
            yield ("\n" if group else "") + f"{rule.group}\n"
            group = rule.group
        state = "" if rule.on else " (off)"
        yield f"  {rule.id:<{width}}  {rule.severity.word:<7}  {parse_docs(rule.doc).summary}{state}\n"


def as_json(rules: Sequence[Rule]) -> Iterator[str]:
    """One object."""
    listed = [
        {
            "id": rule.id,
            "group": rule.group,
            "severity": rule.severity.word,
            "default": rule.on,
            "law": parse_docs(rule.doc).summary,
            "specification": " ".join(parse_docs(rule.doc).specification.split()),
            "options": dict(rule.options),
        }
        for rule in rules
    ]
    yield json.dumps({"version": 1, "rules": listed}, indent=1, ensure_ascii=False) + "\n"
