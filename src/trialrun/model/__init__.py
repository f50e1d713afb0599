"""The two resources exactly as the specifications have them, and the companion documents of a workspace."""

from trialrun.model import disable_pydantic_plugins

disable_pydantic_plugins.disable()
