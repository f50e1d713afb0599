"""A file that is checked can be opened and read.

What cannot be read cannot be checked, and a run that passes over it in silence would call it sound. A broken link, a
missing permission and a path that does not exist are findings, so that the run fails; every other file is still
checked.

Rests on: craft; the workspace opens the files and tells this finding at the file's first line.

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
"""

from trialrun.diagnostic import Finding, Place, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.lint.unreadable import Unreadable


@rule(Unreadable, severity=Severity.ERROR)
def check(file: Unreadable) -> Findings:
    """Say why the file could not be read."""
    yield Finding(f"the file cannot be read: {file.reason}", Place(None))
