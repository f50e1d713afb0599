"""File that cannot be opened or read.

A file that cannot be read cannot be checked, and a run that silently skips it would report it as valid. A broken link,
a missing permission and a path that does not exist are findings, so that the run fails; every other file is still
checked.

Basis: best practice; the workspace opens the files and reports this finding at the first line of the file.

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
"""

from trialrun.diagnostic import Severity

# no check: the workspace reports it
SEVERITY = Severity.ERROR
