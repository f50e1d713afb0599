"""Messages of gRPC: those of the .proto files, and the library's own JSON but for the differences that are meant."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, json_format

from scripts import protos
from tests.cases import each_of
from tests.server.grpc_fixture import filled
from trialrun.server.grpc.messages import AIPLATFORM, DESCRIPTORS, load_pool, message_class, parse_message, to_message
from trialrun.service.error import ServiceError

V1 = f"{AIPLATFORM}.v1"
REQUESTS = ("CreateFeatureViewRequest", "SearchNearestEntitiesRequest", "FeatureViewDirectWriteRequest")
RESPONSES = ("FeatureView", "FetchFeatureValuesResponse", "StreamingFetchFeatureValuesResponse", "FeatureViewSync")


def json_of(message: Any) -> dict[str, Any]:
    """What a server reads of a request."""
    return parse_message(message.SerializeToString(), type(message))


@each_of([*REQUESTS, *RESPONSES])
def test_json_is_that_of_the_library(name: str) -> None:
    message_type = message_class(f"{V1}.{name}")
    choose = random.Random(name)
    for _ in range(100):
        value = filled(message_type.DESCRIPTOR, choose)
        expected = json_format.ParseDict(value, message_type(), descriptor_pool=load_pool())
        assert to_message(value, message_type).SerializeToString(deterministic=True) == expected.SerializeToString(
            deterministic=True
        )
        if name in REQUESTS:
            assert json_of(expected) == json_format.MessageToDict(expected, descriptor_pool=load_pool())


@each_of([0.1, 9.99, 1 / 3, 16777216.0, 3.4028235e38, 1e-45, math.nan, math.inf])
def test_a_number_of_32_bits_is_as_short_as_the_library_writes_it(value: float) -> None:
    filters = {"query": {"numericFilters": [{"valueFloat": value}]}}
    message = to_message(filters, message_class(f"{V1}.SearchNearestEntitiesRequest"))
    assert json_of(message) == json_format.MessageToDict(message, descriptor_pool=load_pool())


def test_a_mask_keeps_its_paths() -> None:
    message = message_class(f"{V1}.UpdateFeatureViewRequest")()
    message.update_mask.paths.extend(["sync_config.cron", "syncConfig.continuous", "labels.my_team"])
    assert json_of(message) == {"updateMask": "sync_config.cron,syncConfig.continuous,labels.my_team"}


def test_what_a_message_has_no_field_for_is_left_out() -> None:
    value = {"name": "n", "assumptions": ["x"], "syncSummary": {"rowsRead": "3", "rowSynced": "2"}}
    message = to_message(value, message_class(f"{V1}.FeatureViewSync"))
    assert json_of(message) == {"name": "n", "syncSummary": {"rowSynced": "2"}}


def test_half_a_character_is_replaced() -> None:
    message = to_message({"name": "a\ud800", "labels": {"\udfff": "é"}}, message_class(f"{V1}.FeatureView"))
    assert json_of(message) == {"name": "a?", "labels": {"?": "é"}}


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05ab", b"\x0a\x01\xff", b"\x0a" * 1000])
def test_bytes_of_no_message_are_refused(data: bytes) -> None:
    with pytest.raises(ServiceError) as refused:
        parse_message(data, message_class(f"{V1}.GetFeatureViewRequest"))
    assert refused.value.reason == "invalid-message"


def test_a_time_that_there_is_not_is_refused() -> None:
    message = message_class(f"{V1}.CreateFeatureViewRequest")()
    message.feature_view.create_time.seconds = 2**62
    with pytest.raises(ServiceError) as refused:
        json_of(message)
    assert refused.value.reason == "invalid-message"


def test_a_message_of_an_unknown_type_is_named_alone() -> None:
    response = {"@type": "type.googleapis.com/google.cloud.aiplatform.v9.FeatureView", "name": "n"}
    message = to_message({"name": "o", "response": response}, message_class("google.longrunning.Operation"))
    assert (message.response.type_url, message.response.value) == (response["@type"], b"")


def test_the_compiled_messages_are_those_of_the_files() -> None:
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    compiled = descriptor_pb2.FileDescriptorSet.FromString(protos.compile_protos())
    checked_in = descriptor_pb2.FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    assert [file for file in compiled.file if not file.name.startswith("google/")] == [
        file for file in checked_in.file if not file.name.startswith("google/")
    ], "run python scripts/protos.py"
