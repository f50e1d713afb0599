"""Messages of gRPC as JSON, which the operations take and give."""

from __future__ import annotations

from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from trialrun.server.grpc.message_types import load_pool
from trialrun.service.error import ServiceError, Status, service_error

Json = dict[str, Any]
MASK = "update_mask"


def parse_message(data: bytes, message_type: type[Any]) -> Any:
    """The message that bytes are. Raises INVALID_ARGUMENT."""
    try:
        return message_type.FromString(data)
    except DecodeError as error:
        raise _invalid_message(message_type, "its bytes do not fit") from error


def message_json(message: Any) -> Json:
    """A message as JSON, with its mask as it came: paths have keys of maps too. Raises INVALID_ARGUMENT."""
    mask = ""
    if MASK in message.DESCRIPTOR.fields_by_name:
        mask = ",".join(message.update_mask.paths)
        message.ClearField(MASK)
    try:
        found: Json = json_format.MessageToDict(message, descriptor_pool=load_pool())
    except (json_format.Error, ValueError) as error:
        raise _invalid_message(type(message), str(error)) from error
    return {**found, "updateMask": mask} if mask else found


def to_message(value: Json, message_type: type[Any]) -> Any:
    """A response as a message; what the message has no field for is left out."""
    return json_format.ParseDict(value, message_type(), ignore_unknown_fields=True, descriptor_pool=load_pool())


def _invalid_message(message_type: type[Any], reason: str) -> ServiceError:
    name = message_type.DESCRIPTOR.name
    return service_error(Status.INVALID_ARGUMENT, "invalid-message", f"the request is not a valid {name}: {reason}")
