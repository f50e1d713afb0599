"""The two resources exactly as the specifications have them, and the companion documents of a workspace.

Decisions: docs/decisions/models.md
"""

from trialrun.model import disable_pydantic_plugins

disable_pydantic_plugins.disable()
