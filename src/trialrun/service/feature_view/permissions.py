"""The permissions of the operations on FeatureViews, and the roles that have them."""

from __future__ import annotations

from trialrun.service.iam.role import build_roles

RESOURCE = "featureViews"
VIEW = ("get", "list")
READ = ("fetchFeatureValues", "streamingFetchFeatureValues", "searchNearestEntities", "generateFetchAccessToken")
WRITE = ("directWrite",)
EDIT = ("create", "patch", "delete", "sync")
POLICY = ("getIamPolicy", "setIamPolicy")
ROLES = build_roles(
    RESOURCE,
    {
        "viewer": VIEW,
        "dataViewer": (*VIEW, *READ),
        "dataWriter": (*VIEW, *WRITE),
        "editor": (*VIEW, *READ, *WRITE, *EDIT),
        "admin": (*VIEW, *READ, *WRITE, *EDIT, *POLICY),
    },
)
