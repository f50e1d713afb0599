"""Policies, roles and access tokens: who may call what."""

from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_of
from tests.service.service_fixture import (
    MENU,
    NOON,
    RIDERS,
    SERVING,
    SOURCE,
    policy,
    refusal,
    run,
    sent,
    service,
    stream,
    syncing,
)
from trialrun.runtime.clock import FixedClock
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.feature_value import DataKey
from trialrun.service.iam import OWNER, AccessEnabled, Binding, Caller, Policy, Signer
from trialrun.service.listing import GetRequest, ListRequest

ADMIN, ANA = Caller("user:root@acme.example"), Caller("user:ana@acme.example")
ALL = [
    "featureViews.get",
    "featureViews.fetchFeatureValues",
    "featureViews.directWrite",
    "featureViews.sync",
    "featureViews.setIamPolicy",
]


@pytest.fixture
def open_(tmp_path: Path) -> FeatureViewService:
    """A service without access control."""
    return service(tmp_path)


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> FeatureViewService:
    """A service with access control, of which root is the admin."""
    return service(tmp_path, clock=clock, access=AccessEnabled(policy(admin=ADMIN.name)))


@pytest.fixture
def synced(here: FeatureViewService) -> FeatureViewService:
    """The same with values."""
    run(here.sync(m.SyncFeatureViewRequest(featureView=RIDERS), ADMIN))
    return here


def let(here: FeatureViewService, caller: Caller = ADMIN, mask: str | None = None, **members: str) -> Policy:
    request = m.SetIamPolicyRequest(resource=RIDERS, policy=policy(**members), updateMask=mask)
    return run(here.set_iam_policy(request, caller))


def set_(here: FeatureViewService, given: dict[str, Any], mask: str | None = None) -> Policy:
    request = {"resource": RIDERS, "policy": given, "updateMask": mask}
    return run(here.set_iam_policy(m.SetIamPolicyRequest.model_validate(request)))


def policy_of(here: FeatureViewService, version: int = 1) -> Policy:
    return run(here.get_iam_policy(m.GetIamPolicyRequest(resource=RIDERS, requestedPolicyVersion=version)))


def held(here: FeatureViewService, caller: Caller, *permissions: str, view: str = RIDERS) -> list[str]:
    request = m.TestIamPermissionsRequest(resource=view, permissions=list(permissions or ALL))
    return run(here.test_iam_permissions(request, caller)).permissions


def fetch(here: FeatureViewService, caller: Caller, view: str = RIDERS) -> Coroutine[Any, Any, Any]:
    request = m.FetchFeatureValuesRequest(featureView=view, dataKey=DataKey(key="ana"))
    return here.fetch_feature_values(request, caller)


def token(here: FeatureViewService, view: str = RIDERS) -> str:
    request = m.GenerateFetchAccessTokenRequest(featureView=view)
    return run(here.generate_fetch_access_token(request, ADMIN)).accessToken


def test_a_policy_is_got_as_it_was_set(open_: FeatureViewService) -> None:
    made = let(open_, OWNER, viewer=ANA.name)
    assert policy_of(open_) == made
    assert made.bindings == [Binding(role="roles/featureViews.viewer", members=[ANA.name])]


def test_without_a_policy_there_is_an_empty_one_with_an_etag(open_: FeatureViewService) -> None:
    assert (policy_of(open_).bindings, bool(policy_of(open_).etag)) == ([], True)


def test_a_stale_etag_of_a_policy_is_refused(open_: FeatureViewService) -> None:
    etag = policy_of(open_).etag
    assert set_(open_, {"etag": etag, "bindings": []}).etag != etag
    with pytest.raises(ServiceError, match="the policy was changed by another request") as told:
        set_(open_, {"etag": etag, "bindings": []})
    assert told.value.status.name == "ABORTED"


def test_without_an_etag_a_policy_is_overwritten(open_: FeatureViewService) -> None:
    let(open_, OWNER, viewer=ANA.name)
    assert let(open_, OWNER, editor=ANA.name).bindings[0].role == "roles/featureViews.editor"


def test_a_mask_leaves_the_rest_of_a_policy(open_: FeatureViewService) -> None:
    let(open_, OWNER, viewer=ANA.name)
    after = set_(open_, {"version": 3}, "version")
    assert (after.version, len(after.bindings)) == (3, 1)


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"version": 2}, "policy.version", "there is no version 2; the versions are 0, 1 and 3"),
        ({"bindings": [{"role": "roles/featureViews.view"}]}, "policy.bindings[0].role", 'featureViews.viewer"?'),
        (
            {"bindings": [{"role": "roles/featureViews.viewer", "members": ["ana"]}]},
            "policy.bindings[0].members[0]",
            '"ana" is not a member; write one such as user:ana@acme.example',
        ),
        (
            {"bindings": [{"role": "roles/featureViews.viewer", "condition": {"expression": "true"}}]},
            "policy.bindings[0].condition",
            "conditions are not evaluated here",
        ),
    ],
)
def test_what_is_no_policy(open_: FeatureViewService, given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ServiceError) as told:
        set_(open_, given)
    assert told.value.field_violations[0].field == field and message in told.value.message


def test_a_mask_of_a_policy_names_what_there_is(open_: FeatureViewService) -> None:
    with pytest.raises(ServiceError, match='a policy has no field "binding"; did you mean "bindings"'):
        set_(open_, {}, "binding")


def test_a_version_that_is_asked_for_is_one_that_there_is(open_: FeatureViewService) -> None:
    assert policy_of(open_, version=3).version == 1
    with pytest.raises(ServiceError, match="there is no version 2"):
        policy_of(open_, version=2)


def test_the_owner_of_an_open_service_has_every_permission(open_: FeatureViewService) -> None:
    assert held(open_, OWNER) == ALL


@pytest.mark.parametrize(
    ("role", "permissions"),
    [
        ("viewer", ["featureViews.get"]),
        ("dataViewer", ["featureViews.get", "featureViews.fetchFeatureValues"]),
        ("dataWriter", ["featureViews.get", "featureViews.directWrite"]),
        ("editor", ALL[:-1]),
        ("admin", ALL),
    ],
)
def test_the_permissions_of_a_role(here: FeatureViewService, role: str, permissions: list[str]) -> None:
    let(here, **{role: ANA.name})
    assert held(here, ANA) == permissions


def test_a_policy_is_of_one_view_alone(here: FeatureViewService) -> None:
    let(here, admin=ANA.name)
    assert held(here, ANA, view=MENU) == []


@pytest.mark.parametrize(
    ("member", "caller", "is_one"),
    [
        ("allUsers", Caller(), True),
        ("allAuthenticatedUsers", Caller(), False),
        ("allAuthenticatedUsers", ANA, True),
        ("domain:acme.example", ANA, True),
        ("user:Ana@Acme.example", ANA, True),
        ("domain:Acme.example", ANA, True),
        ("user:straße@acme.example", Caller("user:strasse@acme.example"), False),
        ("user:\N{KELVIN SIGN}im@acme.example", Caller("user:kim@acme.example"), False),
        ("user:\ud800@acme.example", ANA, False),
        ("serviceAccount:ana@acme.example", ANA, False),
        ("domain:acme.example", Caller("user:eve@sub.acme.example"), False),
        ("domain:acme.example", Caller("serviceAccount:x@acme.example"), False),
        ("group:staff@acme.example", ANA, False),
        ("group:staff@acme.example", Caller(ANA.name, groups=("group:staff@acme.example",)), True),
    ],
)
def test_who_a_member_is(here: FeatureViewService, member: str, caller: Caller, is_one: bool) -> None:
    let(here, viewer=member)
    assert bool(held(here, caller, "featureViews.get")) == is_one


def test_an_unknown_permission_is_refused_with_its_near_name(open_: FeatureViewService) -> None:
    message = r'^permissions\[1\]: there is no permission "featureViews\.synk"; did you mean "featureViews\.sync"\?$'
    with pytest.raises(ServiceError, match=message):
        held(open_, OWNER, "featureViews.get", "featureViews.synk")


def test_permissions_on_a_view_that_there_is_not_are_told_to_who_may_see_it(here: FeatureViewService) -> None:
    assert held(here, ANA, view=RIDERS + "x") == []
    with pytest.raises(ServiceError, match='there is no FeatureView "ridersx"'):
        held(here, ADMIN, view=RIDERS + "x")


CREATION = m.CreateFeatureViewRequest(parent=SERVING, featureViewId="x", featureView={"warehouseSource": SOURCE})
OPERATIONS: dict[str, tuple[Any, Any]] = {
    "create": (FeatureViewService.create, CREATION),
    "get": (FeatureViewService.get, GetRequest(name=RIDERS)),
    "list": (FeatureViewService.list, ListRequest(parent=SERVING)),
    "patch": (FeatureViewService.patch, m.PatchFeatureViewRequest(featureView={"name": RIDERS, "labels": {}})),
    "delete": (FeatureViewService.delete, m.DeleteFeatureViewRequest(name=RIDERS)),
    "sync": (FeatureViewService.sync, m.SyncFeatureViewRequest(featureView=RIDERS)),
    "fetchFeatureValues": (
        FeatureViewService.fetch_feature_values,
        m.FetchFeatureValuesRequest(featureView=RIDERS, dataKey=DataKey(key="ana")),
    ),
    "searchNearestEntities": (
        FeatureViewService.search_nearest_entities,
        m.SearchNearestEntitiesRequest(featureView=RIDERS, query=m.NearestNeighborQuery()),
    ),
    "generateFetchAccessToken": (
        FeatureViewService.generate_fetch_access_token,
        m.GenerateFetchAccessTokenRequest(featureView=RIDERS),
    ),
    "getIamPolicy": (FeatureViewService.get_iam_policy, m.GetIamPolicyRequest(resource=RIDERS)),
    "setIamPolicy": (FeatureViewService.set_iam_policy, m.SetIamPolicyRequest(resource=RIDERS, policy=Policy())),
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_needs_a_caller_with_its_permission(here: FeatureViewService, operation: str) -> None:
    call, request = OPERATIONS[operation]
    error = refusal(call(here, request, ANA))
    assert (error.status.name, error.reason) == ("PERMISSION_DENIED", "missing-permission")
    assert error.message.startswith(f'user:ana@acme.example needs "featureViews.{operation}" on ')
    assert refusal(call(here, request, OWNER)).status.name == "UNAUTHENTICATED"


def test_streams_need_their_permissions_request_by_request(synced: FeatureViewService) -> None:
    asked = m.StreamingFetchFeatureValuesRequest(featureView=RIDERS, dataKeys=[DataKey(key="ana")])
    write = m.DirectWriteRequest(featureView=RIDERS, dataKeyAndFeatureValues=[])
    (told,) = stream(synced.streaming_fetch_feature_values(sent(asked), ANA))
    (refused,) = stream(synced.direct_write(sent(write), ANA))
    assert (told.status.code, refused.status.code) == (7, 7)
    let(synced, dataViewer=ANA.name)
    (told,) = stream(synced.streaming_fetch_feature_values(sent(asked), ANA))
    assert told.status.code == 0


def test_who_may_not_is_told_the_same_of_a_view_that_there_is_not(here: FeatureViewService) -> None:
    error = refusal(fetch(here, ANA, RIDERS + "x"))
    assert (error.status.name, error.reason) == ("PERMISSION_DENIED", "missing-permission")
    assert refusal(fetch(here, ADMIN, RIDERS + "x")).status.name == "NOT_FOUND"


def test_a_token_reads_in_place_of_a_permission(synced: FeatureViewService) -> None:
    good = token(synced)
    assert run(fetch(synced, Caller(access_token=good))).keyValues is not None
    assert run(fetch(synced, Caller(ANA.name, access_token=good))).keyValues is not None
    asked = m.StreamingFetchFeatureValuesRequest(featureView=RIDERS, dataKeys=[DataKey(key="ana")])
    (told,) = stream(synced.streaming_fetch_feature_values(sent(asked), Caller(access_token=good)))
    assert told.status.code == 0


def test_a_token_gives_nothing_but_reading(here: FeatureViewService) -> None:
    sync = m.SyncFeatureViewRequest(featureView=RIDERS)
    assert refusal(here.sync(sync, Caller(access_token=token(here)))).status.name == "UNAUTHENTICATED"


def test_a_token_of_another_view_is_refused(here: FeatureViewService) -> None:
    error = refusal(fetch(here, Caller(access_token=token(here, MENU))))
    assert (error.status.name, error.reason) == ("PERMISSION_DENIED", "token-of-another-resource")
    assert f"is for {MENU}, not for {RIDERS}" in error.message


def test_a_token_expires(here: FeatureViewService, clock: FixedClock) -> None:
    answer = run(here.generate_fetch_access_token(m.GenerateFetchAccessTokenRequest(featureView=RIDERS), ADMIN))
    assert answer.expireTime == NOON + timedelta(hours=1)
    clock.set(answer.expireTime)
    assert refusal(fetch(here, Caller(access_token=answer.accessToken))).reason == "expired-token"


def test_a_wrong_token_is_refused_even_where_the_caller_may_read(here: FeatureViewService) -> None:
    assert refusal(fetch(here, Caller(ADMIN.name, access_token="made.up.token"))).reason == "invalid-token"


def test_a_search_takes_tokens_too(synced: FeatureViewService) -> None:
    request = m.SearchNearestEntitiesRequest(featureView=RIDERS, query=m.NearestNeighborQuery(entityId="ana"))
    assert refusal(synced.search_nearest_entities(request, Caller(access_token="bad"))).reason == "invalid-token"
    assert (
        refusal(synced.search_nearest_entities(request, Caller(access_token=token(synced)))).reason == "not-searchable"
    )


def test_the_tokens_of_a_deleted_view_do_not_read_the_next_of_its_name(here: FeatureViewService) -> None:
    old = token(here)
    run(here.delete(m.DeleteFeatureViewRequest(name=RIDERS), ADMIN))
    again = m.CreateFeatureViewRequest(parent=SERVING, featureViewId="riders", featureView={"warehouseSource": SOURCE})
    run(here.create(again, ADMIN))
    assert "that was deleted" in refusal(fetch(here, Caller(access_token=old))).message


def test_without_access_control_a_token_is_not_looked_at(open_: FeatureViewService) -> None:
    run(syncing(open_))
    assert run(fetch(open_, Caller(access_token="anything"))).keyValues is not None


NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
SIGNER = Signer(b"k" * 32, timedelta(minutes=5))
TOKEN, EXPIRES = SIGNER.sign("views/a", "1", now=NOW)


def test_a_token_is_good_until_it_expires() -> None:
    assert SIGNER.verify(TOKEN, "views/a", now=EXPIRES - timedelta(microseconds=1)) == "1"


def test_one_key_clock_and_resource_make_one_token() -> None:
    assert SIGNER.sign("views/a", "1", now=NOW)[0] == TOKEN


@each_of(range(len(TOKEN)))
def test_a_token_that_was_changed_anywhere_is_refused(at: int) -> None:
    changed = TOKEN[:at] + ("A" if TOKEN[at] != "A" else "B") + TOKEN[at + 1 :]
    with pytest.raises(ServiceError, match="not issued by this service"):
        SIGNER.verify(changed, "views/a", now=NOW)


@each_of(["", "x", "trialrun1..", "trialrun1.é.é", f"{TOKEN}=", f"{TOKEN} ", "trialrun1.e30."])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(ServiceError, match="not issued by this service"):
        SIGNER.verify(token, "views/a", now=NOW)


def test_a_token_of_another_key_is_refused() -> None:
    with pytest.raises(ServiceError, match="not issued by this service"):
        Signer(b"other").verify(TOKEN, "views/a", now=NOW)
