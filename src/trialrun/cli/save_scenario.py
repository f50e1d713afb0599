"""Writes sessions that were played as Scenario files; never over a file that is not one of these."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trialrun.cli.atomic_output import write_atomically
from trialrun.cli.report_file import is_other_file
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.outputs.recorded_scenario import RecordedSession

HEADER = "# A session as it was played; recorded by trialrun.\n"
NAME_PART = re.compile(r"[^a-z0-9]+")
MAX_FILE_NAME = 60


def save_scenario(file: str, name: str, session: RecordedSession) -> None:
    """Write a session as a Scenario with a name. Raises UsageError."""
    from trialrun.fix.canonical_yaml import canonical_yaml
    from trialrun.outputs.recorded_scenario import scenario_document

    if not file.lower().endswith((".yaml", ".yml")):
        raise UsageError(f"{file}: a scenario is a YAML file; choose a name that ends with .yaml")
    if is_other_file(file, HEADER):
        raise UsageError(f"{file} exists and is not a recorded scenario; choose another name")
    write_atomically(file, [HEADER, canonical_yaml(scenario_document(name, session))])


def scenario_file_name(name: str) -> str:
    """The file name of a scenario: its name in lower-case words with hyphens."""
    return (NAME_PART.sub("-", name.lower()).strip("-")[:MAX_FILE_NAME].rstrip("-") or "session") + ".yaml"
