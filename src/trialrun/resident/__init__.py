"""The resident process: `trialrun check` asks it, so that nothing has to be imported first; it is started by command.

`client` asks, `process` listens and forks, `question` is the forked process that carries out one check.
"""
