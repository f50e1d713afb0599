"""A fault of ours never passes for a verdict on a file.

When a rule fails, this finding says which one and how to report it. The other rules and the other files are still
checked, and the run ends with exit code 3, so that nobody takes it for a clean one.

Rests on: craft; the engine tells this finding at the file's first line.

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
"""

from trialrun.diagnostic import Severity

# no check: the engine reports it
SEVERITY = Severity.ERROR
