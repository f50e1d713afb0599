"""Servers for the tests with real clients, one for each module and dialect.

Their workspace has views of both kinds of stores, configs, a brand and a menu.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.server_process import RunningServer, start_server, write_workspace

BRAND = "projects/acme/locations/us/brands/smash"
DRIVE = f"{BRAND}/channelConfigs/drive"
CHUNKS = "projects/acme/locations/us/featureOnlineStores/serving/featureViews/chunks"
CHUNK_ROW = {
    "corpus_id": "7",
    "file_id": "f",
    "chunk_id": "c-1",
    "chunk_data_type": "text",
    "chunk_data": "Fries are hot",
    "embeddings": [0.5, 1.0],
    "file_original_uri": "gs://acme/f",
}
FURTHER: list[dict[str, Any]] = [
    {"kind": "Source", "uri": "bq://acme.serving.chunks", "files": "chunks.json", "format": "JSON"},
    {"kind": "FeatureView", "name": CHUNKS, "ragSource": {"uri": "bq://acme.serving.chunks", "ragCorpusId": "7"}},
    {"kind": "ChannelConfig", "name": DRIVE, "displayName": "Drive-through", "type": "AGENT_CUSTOMIZATION"},
    {
        "kind": "Brand",
        "name": BRAND,
        "displayName": "Smash",
        "defaults": [DRIVE],
        "stores": [{"name": "berlin", "displayName": "Berlin", "timeZone": "Europe/Berlin"}],
    },
    {"kind": "Brand", "name": "projects/acme/locations/us/brands/tacos", "displayName": "Tacos"},
    {"kind": "Menu", "name": "smash-menu", "brand": "smash", "items": [{"name": "Fries"}, {"name": "Cola"}]},
]


OF_THE_VENDOR = ("test_descriptors.py", "test_python_client.py", "test_python_sdks.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what a run does not ask for: the vendor's clients take longer to import than all other modules."""
    return True if collection_path.name in OF_THE_VENDOR and "not client" in config.option.markexpr else None


@contextmanager
def serve(folder: Path, dialect: str, *, grpc: bool = False) -> Iterator[RunningServer]:
    """A server over the workspace, where it is noon forever."""
    workspace = write_workspace(folder / "workspace")
    (workspace / "chunks.json").write_text(json.dumps(CHUNK_ROW), encoding="utf-8")
    (workspace / "more.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in FURTHER))
    options = ("--dialect", dialect, "--at", "2026-03-01T12:00:00Z", "--speed", "0")
    with start_server(workspace, *options, grpc=grpc) as server:
        yield server


@pytest.fixture(scope="module")
def vendor_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server in the dialect of the vendor."""
    with serve(tmp_path_factory.mktemp("vendor"), "vendor", grpc=True) as server:
        yield server


@pytest.fixture(scope="module")
def specification_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in the dialect of the specification."""
    with serve(tmp_path_factory.mktemp("specification"), "specification") as server:
        yield server.http
