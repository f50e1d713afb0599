"""Rule that failed because of a bug in trialrun.

This finding names the rule that failed and how to report the bug. The other rules and files are still checked, and the
exit code is 3, so that the run does not pass as clean.

Basis: best practice; the engine reports this finding at the first line of the file.

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
"""

from trialrun.diagnostic import Severity

# no check: the engine reports it
SEVERITY = Severity.ERROR
