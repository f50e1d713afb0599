"""`trialrun rules new NAME`: a first policy, whose examples are true at once."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from trialrun.cli.options import require_working_folder
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target

if TYPE_CHECKING:
    from trialrun.lint.policy.policy import Scope


@click.command("new")
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
def command(name: str, on: str | None, field: str | None, scope: Scope, folder: str) -> int:
    """Create a policy called NAME in FOLDER/NAME.yaml, as a starting point; an existing file is never overwritten."""
    require_working_folder()
    from trialrun.lint.policy.packs import reason_against_name
    from trialrun.lint.policy.template import policy_template

    problem = reason_against_name(name)
    if problem:
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
    sys.stdout.write(
        f"wrote {file}\n"
        f"try it:  trialrun rules test {file}\n"
        f"use it:  policies = [{_quote(folder)}] in the settings, or trialrun check --policies {folder}\n"
    )
    return 0


def _quote(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
