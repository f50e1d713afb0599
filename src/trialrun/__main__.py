"""`python -m trialrun` is `trialrun`."""

from trialrun.cli import run

run()
