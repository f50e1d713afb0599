"""`trialrun rules`: every rule there is, the page of one, and what to do with policies."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.explain import policies_in_use, show_rule
from trialrun.cli.options import (
    ALLOW_PATH,
    COLOR,
    TEXT_OR_JSON,
    check_request,
    note_other_owners,
    request_options,
    require_working_folder,
)
from trialrun.cli.output import write_utf8
from trialrun.cli.program import SuggestingGroup
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.lint import registry, selection
from trialrun.outputs.checks import Rule, RulesDiff, rules_diff, rules_object
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.workspace import workspace_root
from trialrun.workspace.check_request import allow_named_paths

if TYPE_CHECKING:
    from trialrun.lint.policy.policy import Scope


@click.group("rules", cls=SuggestingGroup, invoke_without_command=True)
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
    listed = rules_object([*registry.everything(), *policies_in_use().rules.values()])
    if output_format == "json":
        write_utf8([json.dumps(listed, indent=1, ensure_ascii=False), "\n"])
    else:
        sys.stdout.writelines(_table(listed["rules"]))
    return 0


def _table(rules: list[Rule]) -> Iterator[str]:
    """A line for each rule, group by group."""
    width = max((len(rule["id"]) for rule in rules), default=0)
    group = ""
    for rule in rules:
        if rule["group"] != group:
            yield ("\n" if group else "") + f"{rule['group']}\n"
            group = rule["group"]
        state = "" if rule["default"] else " (off)"
        yield f"  {rule['id']:<{width}}  {rule['severity']:<7}  {rule['law']}{state}\n"


@command.command("show", short_help="Show the page of a rule.")
@click.argument("rule_id", metavar="ID")
@COLOR
def show(rule_id: str, color: str) -> int:
    """Show the page of the rule ID."""
    return show_rule(rule_id, color)


@command.command("diff", short_help="Show what the default rules of another edition would newly report.")
@click.argument("edition")
@request_options
@TEXT_OR_JSON
def diff(edition: str, output_format: str, **options: Any) -> int:
    """Show what the default rules of EDITION would newly report here.

    The current edition is the one in the settings, else the newest; workspaces inside this one use their own.
    """
    if edition not in selection.ADDED:
        raise UsageError(f'there is no edition "{edition}"; use one of {", ".join(selection.ADDED)}')
    found = rules_diff(check_request((), options, with_baselines=True), edition)
    if output_format == "json":
        write_utf8([json.dumps(found, indent=1), "\n"])
    else:
        sys.stdout.writelines(_diff_text(found))
    return 0


def _diff_text(found: RulesDiff) -> Iterator[str]:
    yield f"from edition {found['from']} to {found['to']}\n"
    for nested in found["nested"]:
        yield f"in {escape_controls(nested['path'])} from edition {nested['edition']}\n"
    counts = Counter(diagnostic["rule"] for diagnostic in found["diagnostics"])
    width = max(map(len, (*found["added"], *found["removed"])), default=0)
    for rule in found["added"]:
        yield f"  + {rule:<{width}}  {pluralize(counts[rule], 'finding')}\n"
    for rule in found["removed"]:
        yield f"  - {rule}\n"
    if not found["added"] and not found["removed"]:
        yield "  the same rules\n"
    for diagnostic in found["diagnostics"]:
        where = f"{escape_controls(diagnostic['path'])}:{diagnostic['line']}:{diagnostic['column']}"
        what = f"{diagnostic['severity']} {diagnostic['rule']} {escape_controls(diagnostic['message'])}"
        yield f"{where}: {what}\n"
    yield f"{pluralize(len(found['diagnostics']), 'finding')} would be new\n"


@command.command("test", short_help="Run the examples of policies.")
@click.argument("paths", metavar="[PACK|PATH]...", nargs=-1, type=click.Path(readable=False))
@ALLOW_PATH
def test(paths: tuple[str, ...]) -> int:
    """Run the examples of policies: shipped packs, files or folders; without any, the policies that the workspace uses.

    Exit code 0: every example behaves as its page says; 1: one does not, or a page has none; 2: a policy cannot be
    read.
    """
    from trialrun.lint.examples import check_policy_examples
    from trialrun.lint.policy.packs import load_policies, policy_files

    require_working_folder()
    root = workspace_root(os.getcwd())
    allow_named_paths(root, [path for path in paths if os.path.lexists(path)])
    note_other_owners([root])
    policies = load_policies(policy_files(paths, os.getcwd(), "rules test")) if paths else policies_in_use()
    if not policies.all:
        raise UsageError("rules test: the workspace uses no policies; name a pack, a file or a folder")
    broken = 0
    for policy in policies.all:
        problems = check_policy_examples(policy, policies)
        broken += bool(problems)
        sys.stdout.write(f"{'broken' if problems else 'ok':<6}  {policy.id}\n")
        for line, text in problems:
            sys.stdout.write(f"        {escape_controls(policy.path)}:{line}: {escape_controls(text)}\n")
    total = len(policies.all)
    counted = f"{total} polic{'y' if total == 1 else 'ies'}"
    sys.stdout.write(f"\n{counted}, {f'{broken} not as documented' if broken else 'all as documented'}\n")
    return 1 if broken else 0


@command.command("new", short_help="Create a policy.")
@click.argument("name")
@click.option("--on", metavar="MESSAGE", help="Message that the policy checks. Default: FeatureView.")
@click.option("--field", metavar="FIELD", help="Field that the policy requires. Default: a field of MESSAGE.")
@click.option(
    "--scope",
    type=click.Choice(("document", "workspace")),
    default="document",
    show_default=True,
    help="What the policy sees: each document by itself, or all documents of the workspace.",
)
@click.option(
    "--folder", metavar="FOLDER", default="policies", show_default=True, help="Folder to write to; created if missing."
)
def new(name: str, on: str | None, field: str | None, scope: Scope, folder: str) -> int:
    """Create a policy called NAME in FOLDER/NAME.yaml, as a starting point; an existing file is never overwritten."""
    from trialrun.lint.policy.packs import reason_against_name
    from trialrun.lint.policy.template import policy_template

    require_working_folder()
    if problem := reason_against_name(name):
        raise UsageError(f"rules new: {problem}")
    if scope == "workspace" and field:
        raise UsageError("rules new: --field is for a policy on one document; leave it out, or --scope workspace")
    text = policy_template(name, on or "FeatureView", field if field or on else "labels", scope)
    file = os.path.join(folder, f"{name}.yaml")
    try:
        resolve_target(file, named_in=os.getcwd())
        os.makedirs(folder, exist_ok=True)
        with open(resolve_target(file, named_in=os.getcwd()), "x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise UsageError(f"rules new: {file} already exists; choose another name") from error
    except OSError as error:
        raise UsageError(f"rules new: {file} cannot be written: {os_error_reason(error)}") from error
    quoted = json.dumps(folder, ensure_ascii=False)
    sys.stdout.write(
        f"wrote {file}\n"
        f"try it:  trialrun rules test {file}\n"
        f"use it:  policies = [{quoted}] in the settings, or trialrun check --policies {folder}\n"
    )
    return 0
