"""A file that is checked can be opened and read.

What cannot be read cannot be checked, and a run that passes over it in silence would call it sound. A broken link, a
missing permission and a path that does not exist are findings, so that the run fails; every other file is still
checked.

Rests on: craft; the workspace opens the files and tells this finding at the file's first line.

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
"""

from trialrun.diagnostic import Severity

# no check: the workspace reports it
SEVERITY = Severity.ERROR
