"""The two resources exactly as the specifications have them, and the companion documents of a workspace.

Decisions: docs/decisions/linter.md
"""

import os

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # a plugin that happens to be installed changes no verdict
