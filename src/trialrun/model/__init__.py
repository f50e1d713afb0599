"""The two resources exactly as the specifications have them, and the companion documents of a workspace."""

import os

# A pydantic plugin that happens to be installed must not change verdicts; looking for plugins also costs time.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
