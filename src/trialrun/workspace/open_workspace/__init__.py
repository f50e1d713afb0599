"""A workspace that stays open while it is edited: editor texts overlay the files, and results are kept up to date."""

from trialrun.workspace.open_workspace.open_workspace import Interrupted, OpenWorkspace
from trialrun.workspace.open_workspace.workspace_file import NodeAtOffset, ResourceInFile, WorkspaceFile

__all__ = ["Interrupted", "NodeAtOffset", "OpenWorkspace", "ResourceInFile", "WorkspaceFile"]
