"""The variables of a policy that are the same for all messages: the day of the run, and the values of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.parameters import parameter_values
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.rewrite import NOW
from trialrun.lint.policy.types import VARIABLES
from trialrun.values.cel.policy_functions import LIBRARY


@dataclass(frozen=True, slots=True)
class RunVariables:
    """The variables of a run, with the names of all variables, and the library of functions."""

    names: tuple[str, ...]
    values: Mapping[str, Any]
    library: str = ""


NO_RUN = RunVariables(VARIABLES, {})
"""What policies have that use nothing of the run."""


def run_variables(policy: Policy, day: datetime, given: Mapping[str, Any]) -> RunVariables:
    """The variables of a policy that stands alone; `given` are the values of parameters in the settings."""
    from trialrun.values.cel.evaluate import convert_time

    values: dict[str, Any] = {"now": convert_time(day), NOW: convert_time(day)} if policy.uses_date else {}
    if policy.parameters:
        values["parameters"] = parameter_values(policy.parameters, given)
    return RunVariables((*VARIABLES, "now", NOW, "parameters"), values, LIBRARY)
