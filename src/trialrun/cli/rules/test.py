"""`trialrun rules test`: what the pages of policies promise, run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import click

from trialrun.cli.check_options import note_other_owners
from trialrun.cli.options import ALLOW_PATH, require_working_folder
from trialrun.cli.rule_lookup import policies_in_use
from trialrun.errors import UsageError
from trialrun.lint.policy import Policies
from trialrun.report.terminal_width import escape_controls


@click.command("test")
@click.argument("paths", metavar="[PACK|PATH]...", nargs=-1, type=click.Path(readable=False))
@ALLOW_PATH
def command(paths: tuple[str, ...]) -> int:
    """Run the examples of policies: shipped packs, files or folders; without any, the policies that the workspace uses.

    Exit code 0: every example behaves as its page says; 1: one does not, or a page has none; 2: a policy cannot be
    read.
    """
    require_working_folder()
    from trialrun.lint.policy.packs import PolicyReferences, load_policies
    from trialrun.workspace import workspace_root
    from trialrun.workspace.check_request import allow_named_paths

    root = workspace_root(os.getcwd())
    allow_named_paths(root, [path for path in paths if os.path.lexists(path)])
    note_other_owners([root])
    policies = load_policies([PolicyReferences(paths, os.getcwd(), "rules test")]) if paths else policies_in_use()
    if not policies.all:
        raise UsageError("rules test: the workspace uses no policies; name a pack, a file or a folder")
    broken = 0
    for lines in _run_examples(policies):
        broken += len(lines) > 1
        sys.stdout.writelines(lines)
    total = len(policies.all)
    counted = f"{total} polic{'y' if total == 1 else 'ies'}"
    sys.stdout.write(f"\n{counted}, {f'{broken} not as documented' if broken else 'all as documented'}\n")
    return 1 if broken else 0


def _run_examples(policies: Policies) -> Iterator[Sequence[str]]:
    """The lines of each policy: `ok`, or a line for each thing that its page does not keep."""
    from trialrun.lint.policy.examples import check_policy_examples

    for policy in policies.all:
        broken = check_policy_examples(policy, policies)
        where = escape_controls(policy.path)
        yield [
            f"{'broken' if broken else 'ok':<6}  {policy.id}\n",
            *(
                f"        {where}:{example_problem.line}: {escape_controls(example_problem.text)}\n"
                for example_problem in broken
            ),
        ]
