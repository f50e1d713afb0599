"""Access tokens and policies."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trialrun.service.iam.policy import Policy
from trialrun.service.message import Message, Timestamp


class GenerateFetchAccessTokenRequest(Message):
    """generateFetchAccessToken: a token for reading the values of a view."""

    featureView: str


class GenerateFetchAccessTokenResponse(Message):
    """The token, and when it expires."""

    accessToken: str
    expireTime: Timestamp


class GetIamPolicyRequest(Message):
    """getIamPolicy: the policy of a view."""

    resource: str
    requestedPolicyVersion: int = 1


class SetIamPolicyRequest(Message):
    """setIamPolicy: a policy for a view; the mask names `bindings` or `version`, both without one."""

    resource: str
    policy: Policy
    updateMask: str | None = None


class TestIamPermissionsRequest(Message):
    """testIamPermissions: which of some permissions the caller has on a view."""

    __test__ = False

    resource: str
    permissions: Annotated[list[str], Field(max_length=100)]


class TestIamPermissionsResponse(Message):
    """Those that the caller has."""

    __test__ = False

    permissions: list[str]
