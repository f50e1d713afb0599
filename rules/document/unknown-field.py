"""Every key is a field that the message has.

A misspelt key is not an error for most readers: they skip it, and the setting that somebody wrote never takes effect.

Specification: feature-view, section 2, and channel-config, section 2: the field tables list every field of a message.
The fields of AutomaticResources beyond two and those of ConfigApplicationRule are not shown: an unknown key is a
warning in the former and passes in the latter.

Good, as SyncConfig:

    cron: 0 3 * * *

Bad, as SyncConfig:

    cronn: 0 3 * * *  # <- SyncConfig has no field "cronn"; did you mean "cron"?

Fixed, as SyncConfig:

    cron: 0 3 * * *

Bad, as AutomaticResources:

    scaleDown: slowly  # <- AutomaticResources has no field "scaleDown" that the specification shows
"""

from trialrun.diagnostic import Fix, Rename, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import UnknownField


@rule(UnknownField, severity=Severity.ERROR)
def check(misfit: UnknownField) -> Findings:
    """Flag the key, and name the field that it was meant to be."""
    key, model = misfit.path[-1], misfit.model.__name__
    lenient = misfit.model.further_fields == "not shown"
    shown = " that the specification shows" if lenient else ""
    meant = f'; did you mean "{misfit.candidate}"?' if misfit.candidate else ""
    fix = Fix(f"rename to {misfit.candidate}", (Rename(misfit.place, misfit.candidate),)) if misfit.candidate else None
    yield misfit.flag(
        f'{model} has no field "{key}"{shown}{meant}',
        at="key",
        severity=Severity.WARNING if lenient else None,
        fix=fix if misfit.candidate_is_free else None,
    )
