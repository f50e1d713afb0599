"""`trialrun explore --save-scenarios FOLDER`: the sessions that show something as Scenario files."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

from trialrun.cli.files import save_scenario, scenario_file_name
from trialrun.errors import UsageError, os_error_reason
from trialrun.outputs.recorded_scenario import RecordedSession, begin_example

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.explore.anomaly import Example, Exploration
    from trialrun.workspace.store_dry_run import StoreDryRun


def save_examples(folder: str, trial: StoreDryRun, exploration: Exploration, files: list[str]) -> None:
    """Write a file for each session that shows something, and add it to `files`, whose names are taken.

    Raises UsageError.
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be created: {os_error_reason(error)}") from error
    for anomaly in exploration.anomalies:
        if anomaly.example is not None:
            file = _free_name(os.path.join(folder, scenario_file_name(anomaly.message)), files)
            save_scenario(file, anomaly.message, _record(anomaly.example, trial))
            files.append(file)


def _free_name(file: str, taken: list[str]) -> str:
    """The name of a file, with a number where another one of this run has it."""
    stem, ending = os.path.splitext(file)
    numbered = (f"{stem}-{number}{ending}" for number in count(2))
    return file if file not in taken else next(name for name in numbered if name not in taken)


def _record(example: Example, trial: StoreDryRun) -> RecordedSession:
    begun, recording = begin_example(example, trial), example.recording
    return RecordedSession(
        trial.store.name, recording.seed, recording.begin, recording.language, begun.settings, begun.play(), trial.menu
    )
