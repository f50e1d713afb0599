"""Measures the server by gRPC: `python -m benchmarks.serve_grpc [--streams 200] [--messages 1000]`.

Every stream asks for one entity a message, another one each time, and looks whether the answers are those of its
requests in their order. The client is in this process and the server in another, so both share the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.server.server_process import start_server

STORE = "projects/p/locations/l/featureOnlineStores/serving"
USERS = f"{STORE}/featureViews/users"
ENTITIES, FEATURES = 1_000, 10
SOURCE = {"uri": "bq://p.d.users", "entityIdColumns": ["user_id"]}
DOCUMENTS = [
    {"kind": "FeatureOnlineStore", "name": STORE, "type": "KEY_VALUE"},
    {"kind": "Source", "uri": SOURCE["uri"], "files": "users.json", "format": "JSON"},
    {"kind": "FeatureView", "name": USERS, "warehouseSource": SOURCE},
]
SERVING = "google.cloud.aiplatform.v1beta1.FeatureOnlineStoreService"


@dataclass(frozen=True)
class Exchange:
    """What came of streams at once: messages that got no answer, and answers that have another place."""

    streams: int
    messages: int
    lost: int
    reordered: int
    seconds: float


def write_workspace(folder: Path) -> Path:
    """A workspace with a view of many entities, in a new folder."""
    folder.mkdir()
    rows = (
        {"user_id": f"u{number}", **{f"f{at}": number * at for at in range(FEATURES)}} for number in range(ENTITIES)
    )
    (folder / "users.json").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in DOCUMENTS))
    return folder


def exchange_streams(address: str, streams: int, messages: int) -> Exchange:
    """Send messages by streams at once, and compare the answers."""
    return asyncio.run(_exchange_streams(address, streams, messages))


async def _exchange_streams(address: str, streams: int, messages: int) -> Exchange:
    import grpc.aio

    async with grpc.aio.insecure_channel(address) as channel:
        began = time.perf_counter()
        got = await asyncio.gather(*(_exchange(channel, number, messages) for number in range(streams)))
        seconds = time.perf_counter() - began
    lost = sum(max(messages - len(keys), 0) for keys in got)
    reordered = sum(
        key != _key(number, at) for number, keys in enumerate(got) for at, key in enumerate(keys[:messages])
    )
    return Exchange(streams, messages, lost, reordered, seconds)


async def _exchange(channel: Any, stream: int, messages: int) -> list[str]:
    """The keys that a stream is answered."""
    from trialrun.server.grpc.messages import service_methods

    method = next(method for method in service_methods(SERVING) if method.name == "StreamingFetchFeatureValues")

    async def requests() -> AsyncIterator[bytes]:
        for at in range(messages):
            request = method.request(feature_view=USERS)
            request.data_keys.add().key = _key(stream, at)
            yield request.SerializeToString()

    call = channel.stream_stream(method.path)(requests())
    return [method.response.FromString(data).data[0].data_key.key async for data in call]


def _key(stream: int, at: int) -> str:
    return f"u{(stream * 7 + at) % ENTITIES}"


def sync(address: str) -> None:
    """Sync the view."""
    _call(address, "google.cloud.aiplatform.v1.FeatureOnlineStoreAdminService", "SyncFeatureView", feature_view=USERS)


def fetch_times(address: str, count: int) -> Sequence[float]:
    """Seconds of fetches one after the other, by a kept connection."""
    import grpc

    from trialrun.server.grpc.messages import service_methods

    method = next(method for method in service_methods(SERVING) if method.name == "FetchFeatureValues")
    times = []
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary(method.path)
        for number in range(count):
            request = method.request(feature_view=USERS)
            request.data_key.key = _key(0, number)
            began = time.perf_counter()
            call(request.SerializeToString())
            times.append(time.perf_counter() - began)
    return times


def _call(address: str, service: str, name: str, **fields: Any) -> Any:
    import grpc

    from trialrun.server.grpc.messages import service_methods

    method = next(method for method in service_methods(service) if method.name == name)
    with grpc.insecure_channel(address) as channel:
        return method.response.FromString(
            channel.unary_unary(method.path)(method.request(**fields).SerializeToString())
        )


def main() -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--fetches", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-serve-grpc-") as name:
        folder = Path(name, "workspace")
        with start_server(write_workspace(folder), grpc=True) as server:
            address = str(server.grpc)
            sync(address)
            times = fetch_times(address, options.fetches)
            print(f"fetch of one entity, median of {options.fetches:,}: {median(times) * 1000:.2f} ms")
            result = exchange_streams(address, options.streams, options.messages)
    count = result.streams * result.messages
    print(
        f"{result.streams} streams at once, {result.messages:,} messages each: {result.lost} lost, "
        f"{result.reordered} reordered; {result.seconds:.1f} s, {count / result.seconds:,.0f} messages a second"
    )


if __name__ == "__main__":
    main()
