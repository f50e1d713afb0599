"""The messages that the server loads are those of its .proto files."""

from __future__ import annotations

import pytest
from google.protobuf import descriptor_pb2

from scripts import protos
from trialrun.server.grpc.messages import DESCRIPTORS


def test_the_compiled_messages_are_those_of_the_files() -> None:
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    compiled = descriptor_pb2.FileDescriptorSet.FromString(protos.compile_protos())
    checked_in = descriptor_pb2.FileDescriptorSet.FromString(DESCRIPTORS.read_bytes())
    assert [file for file in compiled.file if not file.name.startswith("google/")] == [
        file for file in checked_in.file if not file.name.startswith("google/")
    ], "run python scripts/protos.py"
