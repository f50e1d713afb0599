"""Requests with very much in them are refused with a reason, before much is made of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.test_guards import GuardedClient, reason
from tests.service.service_fixture import RIDERS, SERVING
from trialrun.server.json_body import MAX_VALUES, parse_json

JSON = {"Content-Type": "application/json"}
FETCH, STREAM = f"/v1/{RIDERS}:fetchFeatureValues", f"/v1/{RIDERS}:streamingFetchFeatureValues"
CREATE = f"/v1/{SERVING}/featureViews?featureViewId=large"
MANY = MAX_VALUES + 1


@pytest.fixture
def client(tmp_path: Path) -> GuardedClient:
    return GuardedClient(tmp_path)


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
