"""The discovery document of the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_fixture import HttpClient
from trialrun.server.bindings import BINDINGS

PATH = "/$discovery/rest"


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
    assert len(found) == len(BINDINGS)
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
