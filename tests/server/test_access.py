"""Access control of a server, by HTTP and by gRPC: tokens, policies, and sources of views with their own account."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="needs grpc; run pip install '.[grpc]'")

import grpc
import httpx

from tests.program import Run
from tests.server.grpc_fixture import GrpcClient, reason_of
from tests.server.server_process import RunningServer, start_server, write_workspace
from tests.service.service_fixture import MENU, RIDERS, SERVING, SOURCE, VECTORS
from trialrun.service.iam import service_account_email

ROOT, ANA, SYNCER = "root-0123456789abcdef", "ana-0123456789abcdef", "syncer-0123456789abcdef"
OWN, LIVE = f"{SERVING}/featureViews/own", f"{SERVING}/featureViews/live"
ACCOUNT = f"serviceAccount:{service_account_email(OWN)}"
SYNC_ACCOUNT = "serviceAccount:syncer@acme.example"


def binding(role: str, *members: str) -> dict[str, Any]:
    """A policy of one binding."""
    return {"bindings": [{"role": f"roles/{role}", "members": list(members)}]}


ACCESS: dict[str, Any] = {
    "tokens": {
        ROOT: "user:root@acme.example",
        ANA: ["user:ana@acme.example", "group:staff@acme.example"],
        SYNCER: SYNC_ACCOUNT,
    },
    "policies": {
        "*": binding("featureViews.admin", "user:root@acme.example"),
        VECTORS: binding("featureViews.viewer", "group:staff@acme.example"),
        RIDERS: binding("featureViews.editor", SYNC_ACCOUNT),
        SOURCE["uri"]: binding("dataViewer", ACCOUNT),
    },
}
GROUPS = {"featureGroups": [{"featureGroupId": "riders", "featureIds": ["trips"]}]}
TABLE = {
    "featureGroupId": "riders",
    "uri": SOURCE["uri"],
    "entityIdColumns": ["rider_id"],
    "features": [{"id": "trips"}],
}
OWN_AGENT = "SERVICE_AGENT_TYPE_FEATURE_VIEW"
VIEWS: list[dict[str, Any]] = [
    {"kind": "FeatureView", "name": OWN, "warehouseSource": SOURCE, "serviceAgentType": OWN_AGENT},
    {"kind": "FeatureView", "name": LIVE, "featureRegistrySource": GROUPS, "syncConfig": {"continuous": True}},
    {"kind": "FeatureGroupTable", **TABLE},
]
ANA_VIEWS = binding("featureViews.viewer", "user:ana@acme.example")


def new_workspace(folder: Path) -> Path:
    workspace = write_workspace(folder)
    (workspace / "more.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in VIEWS))
    return workspace


def write_access(folder: Path, content: Any = ACCESS) -> Path:
    file = folder / "access.json"
    file.write_text(json.dumps(content))
    file.chmod(0o600)
    return file


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server for tests that leave its policies as they are."""
    folder = tmp_path_factory.mktemp("access")
    options = ("--at", "2026-03-01T12:00:00Z", "--speed", "0", "--access", str(write_access(folder)))
    with start_server(new_workspace(folder / "workspace"), *options, grpc=True) as running:
        yield running


def send(server: RunningServer, path: str, body: Any = None, token: str = "", method: str = "") -> httpx.Response:
    headers = {"authorization": f"Bearer {token}".encode()} if token else {}
    method = method or ("GET" if body is None else "POST")
    return server.send(method, f"/v1/{path}", headers=headers, json=body)


def refused(response: httpx.Response) -> tuple[int, str, str]:
    error = response.json()["error"]
    return response.status_code, error["status"], error["details"][0]["reason"]


def refused_call(server: RunningServer, name: str, request: dict[str, Any], token: str = "") -> tuple[str, str]:
    assert server.grpc is not None
    metadata = [("authorization", f"Bearer {token}")] if token else []
    client = GrpcClient(int(server.grpc.rpartition(":")[2]), metadata=metadata)
    with pytest.raises(grpc.RpcError) as told:
        client.call(name, request)
    client.close()
    return told.value.code().name, reason_of(told.value)


def streamed(server: RunningServer, token: str) -> int:
    """How many entities a stream answers."""
    assert server.grpc is not None
    client = GrpcClient(int(server.grpc.rpartition(":")[2]), metadata=[("authorization", f"Bearer {token}")])
    (answer,) = client.stream("StreamingFetchFeatureValues", [{"featureView": RIDERS, "dataKeys": [{"key": "ana"}]}])
    client.close()
    return len(answer["data"])


FETCH = {"dataKey": {"key": "ana"}, "dataFormat": "PROTO_STRUCT"}


def fetch(server: RunningServer, token: str, view: str = RIDERS) -> httpx.Response:
    return send(server, f"{view}:fetchFeatureValues", FETCH, token)


def test_policies_decide_who_may_call_what(server: RunningServer) -> None:
    nobody = send(server, RIDERS)
    assert (refused(nobody), nobody.headers["www-authenticate"]) == ((401, "UNAUTHENTICATED", "no-caller"), "Bearer")
    assert refused(send(server, RIDERS, token="made-up-0123456789")) == (401, "UNAUTHENTICATED", "unknown-token")
    assert refused(send(server, RIDERS, token=ROOT + "x" * 30_000)) == (401, "UNAUTHENTICATED", "unknown-token")
    assert send(server, RIDERS, token=ROOT).json()["name"] == RIDERS
    denied = send(server, RIDERS, token=ANA)
    assert refused(denied) == (403, "PERMISSION_DENIED", "missing-permission")
    assert f'user:ana@acme.example needs "featureViews.get" on {RIDERS}' in denied.json()["error"]["message"]
    assert send(server, MENU, token=ANA).json()["name"] == MENU  # by the policy of the store, as one of a group
    assert refused(send(server, f"{MENU}:sync", {}, ANA)) == (403, "PERMISSION_DENIED", "missing-permission")

    get = {"name": RIDERS}
    assert refused_call(server, "GetFeatureView", get) == ("UNAUTHENTICATED", "no-caller")
    assert refused_call(server, "GetFeatureView", get, "made-up-0123456789") == ("UNAUTHENTICATED", "unknown-token")
    assert refused_call(server, "GetFeatureView", get, ANA) == ("PERMISSION_DENIED", "missing-permission")

    asked = {"permissions": ["featureViews.get", "featureViews.sync", "featureViews.setIamPolicy"]}
    for token, allowed in ((ROOT, asked["permissions"]), (SYNCER, asked["permissions"][:2]), (ANA, []), ("", [])):
        assert send(server, f"{RIDERS}:testIamPermissions", asked, token).json().get("permissions", []) == allowed


@pytest.mark.exhaustive
def test_a_policy_that_a_client_sets_decides_from_then_on_and_after_the_end_of_the_server(tmp_path: Path) -> None:
    here, access = new_workspace(tmp_path / "workspace"), write_access(tmp_path)
    options = ("--store", str(tmp_path / "store"), "--access", str(access))
    with start_server(here, *options) as server:
        assert refused(send(server, f"{RIDERS}:setIamPolicy", {"policy": ANA_VIEWS}, SYNCER))[0] == 403
        before = send(server, f"{RIDERS}:getIamPolicy", {}, ROOT).json()
        assert before["bindings"] == ACCESS["policies"][RIDERS]["bindings"]
        set_ = send(server, f"{RIDERS}:setIamPolicy", {"policy": {**ANA_VIEWS, "etag": before["etag"]}}, ROOT)
        assert set_.json()["bindings"] == ANA_VIEWS["bindings"]
        assert send(server, RIDERS, token=ANA).json()["name"] == RIDERS
        assert refused(send(server, RIDERS, token=SYNCER)) == (403, "PERMISSION_DENIED", "missing-permission")
        assert send(server, RIDERS, token=ROOT).status_code == 200  # by the policy of everything
        token = send(server, f"{MENU}:generateFetchAccessToken", {}, ROOT).json()["accessToken"]
        assert send(server, f"{MENU}:sync", {}, ROOT).status_code == 200
    with start_server(here, *options) as server:
        assert [send(server, RIDERS, token=sent).status_code for sent in (ANA, SYNCER)] == [200, 403]
        assert send(server, f"{MENU}:fetchFeatureValues", {"dataKey": {"key": "1"}}, token).status_code == 200


def test_a_fetch_token_reads_its_view_until_it_expires(server: RunningServer) -> None:
    assert send(server, f"{RIDERS}:sync", {}, SYNCER).status_code == 200
    made = send(server, f"{RIDERS}:generateFetchAccessToken", {}, SYNCER).json()
    token = made["accessToken"]
    assert made["expireTime"] == "2026-03-01T13:00:00Z"
    assert fetch(server, token).json()["protoStruct"]["trips"] == 12
    head, payload, signature = token.split(".")
    for changed in (f"{head}.{payload}x.{signature}", f"{head}.{payload}.{signature[:-1]}", f"{head}.", f"{head}.é.é"):
        assert refused(fetch(server, changed)) == (401, "UNAUTHENTICATED", "invalid-token")
    request = {"featureView": RIDERS, "dataKey": {"key": "ana"}}
    assert streamed(server, token) == 1
    assert refused_call(server, "FetchFeatureValues", request, token[:-1]) == ("UNAUTHENTICATED", "invalid-token")

    assert server.send("POST", "/trialrun/v1/clock", json={"advance": "59m"}).json()["complete"]
    assert fetch(server, token).status_code == 200
    assert server.send("POST", "/trialrun/v1/clock", json={"advance": "1m"}).json()["complete"]
    assert refused(fetch(server, token)) == (401, "UNAUTHENTICATED", "expired-token")


def test_a_long_running_operation_is_for_those_who_may_get_its_view(server: RunningServer) -> None:
    made = send(server, f"{RIDERS}?updateMask=labels", {"labels": {"a": "b"}}, ROOT, "PATCH").json()
    assert send(server, made["name"], token=SYNCER).json()["done"]
    assert refused(send(server, made["name"], token=ANA)) == (403, "PERMISSION_DENIED", "missing-permission")
    assert refused(send(server, f"{RIDERS}/operations"))[0] == 401
    assert refused_call(server, "GetOperation", {"name": made["name"]}, ANA)[0] == "PERMISSION_DENIED"
    assert refused_call(server, "ListOperations", {"name": RIDERS})[0] == "UNAUTHENTICATED"


def test_the_command_and_the_server_sync_the_same_views(server: RunningServer, tmp_path: Path, run: Run) -> None:
    here = new_workspace(tmp_path / "other")
    granted = run("sync", "own", "--access", str(write_access(tmp_path)), cwd=here)
    assert (granted.code, send(server, f"{OWN}:sync", {}, ROOT).status_code) == (0, 200)

    refusal = send(server, f"{LIVE}:sync", {}, ROOT)
    ran = run("sync", "live", cwd=here)
    assert refused(refusal) == (400, "FAILED_PRECONDITION", "continuous-view")
    assert ran.code == 1
    assert refusal.json()["error"]["message"] in " ".join(ran.err.split())
    assert "trialrun sync --due syncs it" in " ".join(ran.err.split())
    assert "live  synced" in run("sync", "--due", cwd=here).out


def test_without_a_grant_both_refuse_a_view_with_its_own_account(tmp_path: Path, run: Run) -> None:
    here = new_workspace(tmp_path / "workspace")
    ran = run("sync", "own", cwd=here)
    message = f"may not read {SOURCE['uri']}; grant roles/dataViewer on it to {ACCOUNT}"
    assert (ran.code, message in " ".join(ran.err.split())) == (1, True)
    with start_server(here) as server:
        refusal = send(server, f"{OWN}:sync", {})
        assert refused(refusal) == (403, "PERMISSION_DENIED", "missing-grant")
        assert message in refusal.json()["error"]["message"]


def test_the_document_of_a_source_says_who_may_read_it(tmp_path: Path, run: Run) -> None:
    here = new_workspace(tmp_path / "workspace")
    views = (here / "views.yaml").read_text()
    (here / "views.yaml").write_text(
        views.replace('"files": "riders.json"', f'"readers": ["{ACCOUNT}"], "files": "riders.json"')
    )
    with start_server(here, "--store", str(tmp_path / "store")) as server:
        assert send(server, f"{OWN}:sync", {}).status_code == 200
    assert run("sync", "own", cwd=here).code == 0


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "it is not one mapping; write tokens and policies"),
        ("- a\n", 1, "it is not one mapping"),
        ("tokens: {}\n---\ntokens: {}\n", 1, "it is not one mapping"),
        ("tokens: {}\ntoken: {}\n", 2, 'unknown key; did you mean "tokens"?'),
        ("policies: {}\ntokens:\n", 2, "tokens is a mapping"),
        ("tokens: {a: b\n", 1, ""),
        ("tokens:\n  short: user:ana@acme.example\n", 2, "the token is too short"),
        ("tokens:\n  ana-0123456789abcdef: ana-secret\n", 2, "write user:NAME@DOMAIN or serviceAccount"),
        ("tokens:\n  ana-0123456789abcdef: [group:a@b.example]\n", 2, "write user:NAME@DOMAIN or"),
        ("tokens:\n  ana-0123456789abcdef: {a: 1}\n", 2, "write user:NAME@DOMAIN or"),
        ("tokens:\n  ana-0123456789abcdef: []\n", 2, "write user:NAME@DOMAIN or"),
        ("policies:\n  project/a: {}\n", 2, '"project/a" is not a resource; write "*", a name from projects/ on'),
        ("policies:\n  '*':\n    - a\n", 2, ""),
        ("policies:\n  '*':\n    bindings:\n      - role: 7\n", 4, "bindings[0].role: input should be a valid string"),
        ("policies:\n  '*':\n    bindins: []\n", 3, 'bindins: unknown field; did you mean "bindings"?'),
        ("policies:\n  '*':\n    bindings:\n    - role: roles/featureViews.view\n", 4, 'roles/featureViews.viewer"'),
        ("policies: {projects/a/b: {}}\n", 1, '"projects/a/b" is not a resource'),
        ("ana-0123456789abcdef: user:ana@acme.example\n", 1, "unknown key"),
        ("policies:\n  bq://a.b.c:\n    bindings:\n    - role: roles/featureViews.viewer\n", 4, "roles/dataViewer"),
        (
            "policies:\n  '*':\n    bindings:\n    - role: roles/featureViews.viewer\n      members: [ana]\n",
            5,
            '"ana" is not a member',
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["serve", "sync"])
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, run: Run, command: str, text: str, line: int, message: str
) -> None:
    (tmp_path / "access.yaml").write_text(text)
    ran = run(*(("serve", ".") if command == "serve" else ("sync", "x")), "--access", "access.yaml")
    shown = " ".join(ran.err.split())
    assert (ran.code, f"access.yaml:{line}: " in shown, message in shown) == (2, True, True), ran.err
    assert "secret" not in shown and "0123456789" not in shown


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, run: Run) -> None:
    (tmp_path / "large.yaml").write_text("# " + "x" * 2**20)
    for file, message in (("none.yaml", "no such file"), ("large.yaml", "")):
        ran = run("sync", "x", "--access", file)
        assert (ran.code, f"--access: {file}" in ran.err, message in ran.err) == (2, True, True)
