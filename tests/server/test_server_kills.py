"""A server that is killed at any moment loses nothing that it answered."""

import json
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.server_process import RunningServer, connect_client, start_server, write_workspace
from tests.server.test_reload import wait_until
from tests.service.service_fixture import RIDERS, SERVING, SOURCE

KILLS, MORE_KILLS = 1, 50
LONGEST = 0.25
"""Seconds after which a server that has answered everybody is killed at the latest."""
BRAND = "projects/food/locations/us/brands/acme"
WRITTEN = f"{SERVING}/featureViews/written"
Value = int | None


@dataclass
class Track:
    """Something that one client changes step by step: what was answered last, and what is on its way.

    `change` makes it a number, or removes it, from what it was; `read` says which number it is.
    """

    change: Callable[[httpx.Client, Value, Value], httpx.Response]
    read: Callable[[httpx.Client], Value]
    removes: bool = False
    answered: Value = None
    pending: Value = None
    steps: int = 0
    answers: int = 0
    refusals: list[str] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)

    def run(self, address: str) -> None:
        """Change it again and again, until the server is gone."""
        with connect_client(address) as client:
            while True:
                before = self.answered
                self.steps += 1
                self.pending = None if self.removes and before is not None and self.steps % 4 == 0 else self.steps
                try:
                    answer = self.change(client, before, self.pending)
                except httpx.TransportError:
                    return
                if answer.status_code != 200:
                    self.refusals.append(f"{answer.request.method} {answer.request.url}: {answer.text}")
                    return
                self.answered = self.pending
                self.answers += 1
                if "/operations/" in answer.json().get("name", ""):
                    self.operations = [*self.operations[-3:], answer.json()["name"]]

    def lost(self, client: httpx.Client) -> list[str]:
        """What was answered, and is not there."""
        now = self.read(client)
        gone = [name for name in self.operations if client.get(f"/v1/{name}").status_code != 200]
        if now not in (self.answered, self.pending):
            gone.append(f"{self.answered} was answered, {self.pending} was on its way, and there is {now}")
        self.answered = now
        return gone


def resource_track(name: str, new: dict[str, Any], field: str, path: str = "") -> Track:
    """A resource that is created, patched and deleted; what changes is a field of it, or a member of a field."""
    collection, _, id_ = name.rpartition("/")
    id_field = f"{collection.rpartition('/')[2].removesuffix('s')}Id"

    def change(client: httpx.Client, before: Value, after: Value) -> httpx.Response:
        if after is None:
            return client.delete(f"/v1/{name}")
        body = {field: {path: str(after)} if path else str(after)}
        if before is None:
            return client.post(f"/v1/{collection}?{id_field}={id_}", json={**new, **body})
        return client.patch(f"/v1/{name}?updateMask={field}", json=body)

    def read(client: httpx.Client) -> Value:
        answer = client.get(f"/v1/{name}")
        if answer.status_code == 404:
            return None
        value = answer.json()[field]
        return int(value[path] if path else value)

    return Track(change, read, removes=True)


def write_track() -> Track:
    def change(client: httpx.Client, before: Value, after: Value) -> httpx.Response:
        features = [{"name": "n", "value": {"int64Value": str(after)}}]
        body = [{"dataKeyAndFeatureValues": [{"dataKey": {"key": "ana"}, "features": features}]}]
        return as_call(client.post(f"/v1beta1/{WRITTEN}:directWrite", json=body))

    def read(client: httpx.Client) -> Value:
        answer = client.post(f"/v1/{WRITTEN}:fetchFeatureValues", json={"dataKey": {"key": "ana"}, "dataFormat": 2})
        return None if answer.status_code != 200 else int(answer.json()["protoStruct"]["n"])

    return Track(change, read)


def as_call(answer: httpx.Response) -> httpx.Response:
    """The answer to a stream of one write, as that of a call."""
    content: dict[str, Any] = answer.json()[0]
    assert content["writeResponses"][0]["onlineStoreWriteTime"], content
    return httpx.Response(answer.status_code, json=content)


def policy_track() -> Track:
    def change(client: httpx.Client, before: Value, after: Value) -> httpx.Response:
        binding = {"role": "roles/featureViews.viewer", "members": [f"user:n{after}@acme.example"]}
        return client.post(f"/v1/{RIDERS}:setIamPolicy", json={"policy": {"bindings": [binding]}})

    def read(client: httpx.Client) -> Value:
        bindings = client.post(f"/v1/{RIDERS}:getIamPolicy").json().get("bindings")
        return int(bindings[0]["members"][0].removeprefix("user:n").partition("@")[0]) if bindings else None

    return Track(change, read)


def sync_track() -> Track:
    def read(client: httpx.Client) -> Value:
        syncs = client.get(f"/v1/{RIDERS}/featureViewSyncs?pageSize=1").json().get("featureViewSyncs")
        return int(syncs[0]["name"].rpartition("/")[2]) if syncs else None

    return Track(lambda client, before, after: client.post(f"/v1/{RIDERS}:sync", json={}), read)


def losses(server: RunningServer, tracks: list[Track]) -> list[str]:
    """What was answered before, and is not there."""
    with connect_client(server.http) as client:
        return [loss for track in tracks for loss in track.lost(client)]


def kill_while_changing(workspace: Path, tracks: list[Track], seconds: float) -> list[str]:
    """Start a server, look for what an earlier one lost, and kill it some seconds after all clients have an answer."""
    with start_server(workspace) as server:
        lost = losses(server, tracks)
        for track in tracks:
            track.steps = track.steps if track.answered is None else track.answered
        answers = [track.answers for track in tracks]
        threads = [threading.Thread(target=track.run, args=(server.http,)) for track in tracks]
        for thread in threads:
            thread.start()
        wait_until(
            lambda: (
                any(track.refusals for track in tracks)
                or all(track.answers > before for track, before in zip(tracks, answers, strict=True))
            ),
            60,
        )
        time.sleep(seconds)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(30)
        assert [refusal for track in tracks for refusal in track.refusals] == [], server.log[-5000:]
        for thread in threads:
            thread.join(60)
    return lost


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("seed", "kills"),
    [(17, KILLS), *(pytest.param(seed, MORE_KILLS, marks=pytest.mark.exhaustive) for seed in range(4))],
)
def test_nothing_that_was_answered_is_lost(tmp_path: Path, seed: int, kills: int) -> None:
    workspace = write_workspace(tmp_path / "workspace")
    documents = [{"kind": "FeatureView", "name": WRITTEN}, {"kind": "Brand", "name": BRAND}]
    (workspace / "more.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in documents))
    views = [f"{SERVING}/featureViews/{id_}" for id_ in ("one", "two")]
    tracks = [resource_track(view, {"warehouseSource": SOURCE}, "labels", "n") for view in views]
    tracks += [resource_track(f"{BRAND}/channelConfigs/voice", {"type": "AGENT_CUSTOMIZATION"}, "displayName")]
    tracks += [write_track(), policy_track(), sync_track()]
    chance = random.Random(seed)
    lost = [loss for _ in range(kills) for loss in kill_while_changing(workspace, tracks, chance.uniform(0, LONGEST))]
    with start_server(workspace) as server:
        lost += losses(server, tracks)
    assert lost == []
