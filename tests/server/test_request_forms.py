"""The forms in which clients send requests by HTTP: bodies, methods, parts and batches, and the document of them."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from tests.server.server_fixture import HttpClient
from tests.server.test_guards import GuardedClient, reason
from tests.service.service_fixture import RIDERS, SERVING
from trialrun.server.http.guards import BodyReader
from trialrun.server.json_body import MAX_VALUES, parse_json
from trialrun.server.operations import RPCS

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded", "X-HTTP-Method-Override": "GET"}
ANA = json.dumps({"dataKey": {"key": "ana"}}).encode()
VIEWS = f"/v1/{SERVING}/featureViews"

BATCH = {"Content-Type": "multipart/mixed; boundary=xyz"}
FETCH, STREAM = f"/v1/{RIDERS}:fetchFeatureValues", f"/v1/{RIDERS}:streamingFetchFeatureValues"
CREATE = f"/v1/{SERVING}/featureViews?featureViewId=large"
MANY = MAX_VALUES + 1
PATH = "/$discovery/rest"


@pytest.fixture
def client(tmp_path: Path) -> GuardedClient:
    client = GuardedClient(tmp_path)
    client.send("POST", f"/v1/{RIDERS}:sync", json={})
    return client


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        (
            "POST",
            FETCH.replace(":", "%3A"),
            f"there is no operation POST {FETCH}; write its colon as it is, not as %3A",
        ),
        (
            "POST",
            f"{CREATE}&runSyncImmediately=True",
            'runSyncImmediately: "True" is not a boolean; write true or false',
        ),
        (
            "PATCH",
            f"/v1/{RIDERS}?updateMask.paths=labels",
            "updateMask.paths: updateMask is a text with nothing in it; send updateMask=…",
        ),
    ],
)
def test_a_wrong_form_is_told_with_the_right_one(client: GuardedClient, method: str, path: str, message: str) -> None:
    assert client.send(method, path, json={}).json()["error"]["message"] == message


def raw_deflate(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(ANA)),
        ("x-gzip", gzip.compress(ANA)),
        ("GZIP", gzip.compress(ANA)),
        ("deflate", zlib.compress(ANA)),
        ("deflate", raw_deflate(ANA)),
        ("identity", ANA),
    ],
    ids=["gzip", "x-gzip", "GZIP", "deflate", "raw-deflate", "identity"],
)
def test_a_compressed_body_is_read(client: GuardedClient, encoding: str, body: bytes) -> None:
    response = client.send("POST", FETCH, headers={**JSON, "Content-Encoding": encoding}, content=body)
    assert response.json()["keyValues"]["features"]


@pytest.mark.parametrize(
    ("encoding", "body", "code", "why"),
    [
        ("br", ANA, 415, "content-encoding"),
        ("gzip, gzip", gzip.compress(gzip.compress(ANA)), 415, "content-encoding"),
        ("gzip", ANA, 400, "invalid-encoding"),
        ("gzip", gzip.compress(ANA)[:-9], 400, "invalid-encoding"),
        ("gzip", gzip.compress(ANA) + b"more", 400, "invalid-encoding"),
        ("deflate", ANA, 400, "invalid-encoding"),
        ("gzip", gzip.compress(b"0" * (2**25 + 1)), 413, "body-too-large"),
    ],
    ids=["br", "twice", "plain", "cut", "more", "plain-deflate", "bomb"],
)
def test_what_cannot_be_decompressed_is_refused(
    client: GuardedClient, encoding: str, body: bytes, code: int, why: str
) -> None:
    response = client.send("POST", FETCH, headers={**JSON, "Content-Encoding": encoding}, content=body)
    assert (response.status_code, reason(response)) == (code, why)
    assert "Content-Encoding" in response.text or code == 413


def test_the_bound_is_that_of_the_body_after_it_is_decompressed(tmp_path: Path) -> None:
    client = GuardedClient(tmp_path, bodies=BodyReader(most=100))
    headers = {**JSON, "Content-Encoding": "gzip"}
    assert client.send("POST", FETCH, headers=headers, content=gzip.compress(b" " * 99 + b"{")).status_code == 400
    assert client.send("POST", FETCH, headers=headers, content=gzip.compress(b" " * 100 + b"{")).status_code == 413


def test_a_post_is_the_method_that_it_says(client: GuardedClient) -> None:
    override = {"X-HTTP-Method-Override": "PATCH"}
    patched = client.send("POST", f"/v1/{RIDERS}?updateMask=labels", headers=override, json={"labels": {"by": "post"}})
    assert patched.json()["response"]["labels"] == {"by": "post"}
    assert client.send("POST", f"/v1/{RIDERS}", headers={"X-HTTP-Method-Override": "DELETE"}).status_code == 200
    assert client.send("GET", f"/v1/{RIDERS}").status_code == 404


def test_a_get_that_is_too_long_comes_as_a_form(client: GuardedClient) -> None:
    chosen = " OR ".join(f"labels.team = team-{number}" for number in range(150))
    found = client.send("POST", VIEWS, headers=FORM, content=urlencode({"filter": f"{chosen} OR labels.team = search"}))
    assert [view["name"] for view in found.json()["featureViews"]] == [RIDERS]
    assert client.send("POST", f"{VIEWS}?pageSize=1", headers=FORM, content="orderBy=create_time").status_code == 200


@pytest.mark.parametrize(
    ("headers", "code", "why"),
    [
        ({"Content-Type": FORM["Content-Type"]}, 415, "content-type"),
        ({**FORM, "X-HTTP-Method-Override": "PATCH"}, 415, "content-type"),
        ({**FORM, "X-HTTP-Method-Override": "PUT"}, 405, "method"),
        ({**FORM, "Origin": "http://evil.example"}, 403, "foreign-origin"),
        ({**FORM, "Sec-Fetch-Site": "same-site"}, 403, "foreign-origin"),
    ],
)
def test_a_form_is_nothing_but_a_query(client: GuardedClient, headers: dict[str, str], code: int, why: str) -> None:
    response = client.send("POST", VIEWS, headers=headers, content="pageSize=1")
    assert (response.status_code, reason(response)) == (code, why)


def test_a_method_is_overridden_on_post_alone(client: GuardedClient) -> None:
    assert client.send("GET", f"/v1/{RIDERS}", headers={"X-HTTP-Method-Override": "DELETE"}).json()["name"] == RIDERS


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("fields=nextPageToken", {"nextPageToken": ""}),
        ("$fields=featureViews/name&filter=featureViewId%3Driders", {"featureViews": [{"name": RIDERS}]}),
        (
            "fields=featureViews(name,warehouseSource(uri),labels/team)&filter=labels.team%3Dsearch",
            {
                "featureViews": [
                    {
                        "name": RIDERS,
                        "warehouseSource": {"uri": "bq://acme.serving.riders"},
                        "labels": {"team": "search"},
                    }
                ]
            },
        ),
        (
            "fields=feature_views(labels/*),next_page_token&filter=labels.team%3Dsearch",
            {"featureViews": [{"labels": {"team": "search"}}], "nextPageToken": ""},
        ),
        (
            "fields=featureViews/labels,featureViews(name)&filter=labels.team%3Dsearch",
            {"featureViews": [{"name": RIDERS, "labels": {"team": "search"}}]},
        ),
    ],
)
def test_fields_ask_for_a_part_of_the_response(client: GuardedClient, query: str, part: dict[str, Any]) -> None:
    assert client.send("GET", f"{VIEWS}?{query}").json() == part


def test_everything_is_asked_for_by_a_star(client: GuardedClient) -> None:
    assert client.send("GET", f"{VIEWS}?fields=*").json() == client.send("GET", VIEWS).json()
    kept = client.send("PATCH", f"/v1/{RIDERS}?fields=done,response(labels)", json={"labels": {"a": "b"}}).json()
    assert kept == {"done": True, "response": {"labels": {"a": "b"}}}


@pytest.mark.parametrize(
    "fields",
    ["featureView", "featureViews(nam)", "featureViews(name", "a,,b", "/", "name)", "a(" * 60, "a/" * 60 + "a"],
)
def test_fields_that_mean_nothing_are_refused(client: GuardedClient, fields: str) -> None:
    response = client.send("GET", f"{VIEWS}?fields={fields}")
    assert (response.status_code, reason(response)) == (400, "invalid-fields")
    assert response.json()["error"]["message"].startswith("fields: ")


def test_system_parameters_do_what_they_say_or_are_refused(client: GuardedClient) -> None:
    assert client.send("GET", f"{VIEWS}?prettyPrint=true").text.startswith('{\n  "featureViews"')
    assert client.send("GET", f"{VIEWS}?key=k&quotaUser=u&$alt=json;enum-encoding%3Dint&$.xgafv=1").status_code == 200
    for query in ("alt=media", "$alt=proto", "callback=f"):
        assert reason(client.send("GET", f"{VIEWS}?{query}")) == "unsupported-parameter"
    assert reason(client.send("GET", f"{VIEWS}?$filter=a")) == "unknown-field"


def batch(*calls: str) -> str:
    parts = [
        f"--xyz\nContent-Type: application/http\nContent-ID: <b + {at}>\n\n{call}\n" for at, call in enumerate(calls)
    ]
    return "".join([*parts, "--xyz--"])


def answers(response: httpx.Response) -> list[tuple[str, int, Any]]:
    """The id, the status code and the JSON of each answer to a batch."""
    found = []
    for part in response.text.split("--batch_trialrun\r\n")[1:]:
        about, head, body = part.split("\r\n\r\n", 2)
        identity = about.partition("Content-ID: ")[2]
        found.append((identity, int(head.split()[1]), json.loads(body.partition("\r\n--batch_trialrun--")[0])))
    return found


def test_the_calls_of_a_batch_are_answered_one_by_one(client: GuardedClient) -> None:
    fetch = f"POST {FETCH} HTTP/1.1\nContent-Type: application/json\n\n{ANA.decode()}"
    patch = (
        f"PATCH /v1/{RIDERS}?updateMask=labels HTTP/1.1\nContent-Type: application/json\n\n" + '{"labels":{"a":"b"}}'
    )
    response = client.send(
        "POST",
        "/batch",
        headers=BATCH,
        content=batch(fetch, patch, f"GET {VIEWS}?fields=no HTTP/1.1", f"GET /v1/{RIDERS}"),
    )
    assert response.headers["content-type"] == "multipart/mixed; boundary=batch_trialrun"
    first, second, third, fourth = answers(response)
    assert (first[:2], "keyValues" in first[2]) == (("<response-b + 0>", 200), True)
    assert (second[:2], second[2]["response"]["labels"]) == (("<response-b + 1>", 200), {"a": "b"})
    assert third[:2] == ("<response-b + 2>", 400)
    assert (fourth[:2], fourth[2]["labels"]) == (("<response-b + 3>", 200), {"a": "b"})


@pytest.mark.parametrize(
    ("headers", "content", "code", "why"),
    [
        (JSON, "{}", 415, "content-type"),
        ({"Content-Type": "multipart/mixed"}, batch("GET /healthz"), 400, "invalid-batch"),
        (BATCH, "nothing", 400, "invalid-batch"),
        (BATCH, batch("GET /healthz").removesuffix("--"), 400, "invalid-batch"),
        (BATCH, batch("hello"), 400, "invalid-batch"),
        (BATCH, batch("POST /batch HTTP/1.1"), 400, "invalid-batch"),
        (BATCH, batch(*["GET /healthz"] * 1001), 400, "invalid-batch"),
        (BATCH, batch("GET /healthz\n" + "a: b\n" * 20_000), 400, "invalid-batch"),
        ({**BATCH, "Origin": "http://evil.example"}, batch("GET /healthz"), 403, "foreign-origin"),
    ],
)
def test_what_is_no_batch_is_refused(
    client: GuardedClient, headers: dict[str, str], content: str, code: int, why: str
) -> None:
    response = client.send("POST", "/batch", headers=headers, content=content)
    assert (response.status_code, reason(response)) == (code, why)


def test_a_call_of_a_batch_is_guarded_as_alone(client: GuardedClient) -> None:
    plain = f"POST {FETCH} HTTP/1.1\nContent-Type: text/plain\nHost: evil.example\n\n{ANA.decode()}"
    ((_, code, answer),) = answers(client.send("POST", "/batch", headers=BATCH, content=batch(plain)))
    assert (code, answer["error"]["details"][0]["reason"]) == (415, "content-type")


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        (FETCH, "{" + ",".join(f'"k{number}":1' for number in range(MANY)) + "}", "too-many-values"),
        (FETCH, "{" + ",".join(f'"k{number}":1' for number in range(MANY // 4)) + "}", "unknown-field"),
        (FETCH, '{"a":' * MANY + "1" + "}" * MANY, "too-many-values"),
        (FETCH, "[" * 100_000 + "]" * 100_000, "invalid-json"),
        (FETCH, '{"a":[' + "[]," * MANY + "[]]}", "too-many-values"),
        (FETCH, '{"a":1' + "1" * 10_000 + "}", "invalid-json"),
        (FETCH, '{"a":1.' + "1" * 10_000 + "}", "invalid-json"),
        (FETCH, '{"dataKey":{"key":"' + "a" * 100_000 + '"}}', "wrong-type"),
        (STREAM, "[" + "{}," * 20_000 + "{}]", "wrong-type"),
        (STREAM, '[{"dataKeys":[' + "{}," * 20_000 + "{}]}]", "wrong-type"),
        (CREATE, json.dumps({"labels": {"a": "b" * 2**20}}), "wrong-type"),
        (CREATE, json.dumps({f"k{number}": 1 for number in range(1_000)}), "unknown-field"),
        ("/trialrun/v1/clock", json.dumps({"time": "a" * 300_000}), "body-too-large"),
        (f"/v1/{RIDERS}:testIamPermissions", json.dumps({"permissions": ["a"] * 1_000}), "wrong-type"),
    ],
    ids=range(14),
)
def test_what_is_too_much_is_refused_in_few_words(client: GuardedClient, path: str, body: str, why: str) -> None:
    response = client.send("POST", path, headers=JSON, content=body)
    assert 400 <= response.status_code < 500
    assert len(response.content) < 50_000
    if why != "wrong-type" or path != STREAM:
        assert reason(response) == why


def test_values_in_a_text_are_none() -> None:
    commas = '[{",' * MANY
    assert parse_json(json.dumps({"a": [commas, 'b"\\']}).encode()) == {"a": [commas, 'b"\\']}


def test_a_filter_of_very_many_words_is_refused(client: GuardedClient) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-HTTP-Method-Override": "GET"}
    body = "filter=" + "+OR+".join(["labels.a=b"] * 4_000)
    assert reason(client.send("POST", f"/v1/{SERVING}/featureViews", headers=headers, content=body)) == "invalid-filter"


def document(folder: Path, dialect: Any = "specification", query: str = "?version=v1") -> Any:
    return HttpClient(folder, dialect=dialect).send("GET", f"{PATH}{query}").json()


def methods(resources: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in resources.values():
        yield from resource.get("methods", {}).values()
        yield from methods(resource.get("resources", {}))


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for part in value.values():
            yield from references(part)


def test_every_operation_of_the_table_is_in_it(tmp_path: Path) -> None:
    described = document(tmp_path)
    found = [method for method in methods(described["resources"]) if ".operations." not in method["id"]]
    assert len(found) == len(RPCS)
    assert {method["path"].partition("/")[0] for method in found} == {"v1"}
    assert set(references(described)) <= set(described["schemas"])


def test_schemas_have_the_names_of_the_dialect(tmp_path: Path) -> None:
    own, vendor = (document(tmp_path, dialect)["schemas"] for dialect in ("specification", "vendor"))
    assert "warehouseSource" in own["FeatureView"]["properties"]
    assert {"bigQuerySource", "vertexRagSource"} <= set(vendor["FeatureView"]["properties"])
    assert "warehouseSource" not in vendor["FeatureView"]["properties"]
    assert set(vendor["SyncSummary"]["properties"]) == {"rowSynced"}
    assert own["SyncSummary"]["properties"]["rowSynced"] == {"type": "string", "format": "int64"}
    assert vendor["FeatureView"]["properties"]["createTime"]["readOnly"] is True


def test_a_version_of_the_api_is_chosen(tmp_path: Path) -> None:
    assert document(tmp_path, query="?version=v1beta1")["version"] == "v1beta1"
    assert document(tmp_path, query="")["version"] == "v1"
    assert document(tmp_path, query="?version=v2")["error"]["details"][0]["reason"] == "unknown-version"


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_it_is_read_alone(tmp_path: Path, method: str) -> None:
    assert HttpClient(tmp_path).send(method, PATH).status_code in (404, 405)
