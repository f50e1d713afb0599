"""Our messages against those of the vendor's Python client: the same numbers, names and types of fields."""

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from trialrun.server.grpc.messages import AIPLATFORM, load_pool, service_methods
from trialrun.server.operations import VERSIONS

for package in ("google.cloud.aiplatform_v1", "google.iam.v1.iam_policy_pb2", "google.longrunning.operations_pb2"):
    pytest.importorskip(package, reason="needs the vendor's client; run pip install '.[client-tests]'")
pytestmark = pytest.mark.client
SERVICES = ("FeatureOnlineStoreAdminService", "FeatureOnlineStoreService")
ONLY_IN_THE_OTHER_VERSION = {
    "v1": {
        "FeatureOnlineStore.embeddingManagement",
        "FeatureView.vectorSearchConfig",
        "FeatureViewDirectWriteRequest.DataKeyAndFeatureValues.Feature.valueAndTimestamp",
        "FetchFeatureValuesRequest.format",
        "FetchFeatureValuesRequest.id",
        "PrivateServiceConnectConfig.enableSecurePrivateServiceConnect",
    },
    "v1beta1": {"FeatureView.SyncConfig.continuous"},
}
"""Both versions have one set of messages here; these fields the vendor has in one of them."""
MESSAGES_OF_BETA = {
    "FeatureOnlineStore.EmbeddingManagement",
    "FeatureView.VectorSearchConfig",
    "FeatureView.VectorSearchConfig.BruteForceConfig",
    "FeatureView.VectorSearchConfig.TreeAHConfig",
    "FeatureViewDirectWriteRequest.DataKeyAndFeatureValues.Feature.FeatureValueAndTimestamp",
    "StreamingFetchFeatureValuesRequest",
    "StreamingFetchFeatureValuesResponse",
}
NOT_SERVED = {"PrivateServiceConnectConfig.pscAutomationConfigs"}
"""Fields of the vendor's that nothing here has."""


def vendor_message(full_name: str) -> Descriptor | None:
    """A message of the vendor's client, None where it has none."""
    package, _, name = full_name.partition(f"{AIPLATFORM}.")
    if package or not name:
        return foreign_message(full_name)
    version, _, path = name.partition(".")
    found: Any = importlib.import_module(f"google.cloud.aiplatform_{version}")
    for step in path.split("."):
        found = getattr(found, step, None)
    return found.pb().DESCRIPTOR if found is not None else None


def foreign_message(full_name: str) -> Descriptor:
    from google.protobuf import descriptor_pool

    for module in ("google.iam.v1.iam_policy_pb2", "google.longrunning.operations_pb2", "google.type.interval_pb2"):
        importlib.import_module(module)
    importlib.import_module("google.rpc.error_details_pb2")
    found: Descriptor = descriptor_pool.Default().FindMessageTypeByName(full_name)
    return found


def messages_of(descriptor: Descriptor, seen: dict[str, Descriptor]) -> None:
    if descriptor.full_name in seen or descriptor.full_name.startswith("google.protobuf."):
        return
    seen[descriptor.full_name] = descriptor
    for field in descriptor.fields:
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            messages_of(field.message_type, seen)


def served_messages(*services: str) -> dict[str, Descriptor]:
    """The messages that the methods of services take and give."""
    seen: dict[str, Descriptor] = {}
    for service in services:
        for method in service_methods(service):
            messages_of(method.request.DESCRIPTOR, seen)
            messages_of(method.response.DESCRIPTOR, seen)
    return seen


def field_facts(descriptor: Descriptor, package: str) -> dict[str, tuple[Any, ...]]:
    """What is on the wire of each field of a message, and the union that it is in."""
    return {
        f"{descriptor.full_name.removeprefix(package)}.{field.json_name}": (
            field.number,
            field.type,
            field.is_repeated,
            field.has_presence,
            type_name(field),
            field.containing_oneof.name if field.containing_oneof else None,
        )
        for field in descriptor.fields
    }


def type_name(field: FieldDescriptor) -> Any:
    if field.enum_type is not None:
        return sorted((value.number, value.name) for value in field.enum_type.values)
    if field.message_type is None:
        return None
    if field.message_type.GetOptions().map_entry:
        return [type_name(part) for part in field.message_type.fields]
    return field.message_type.full_name


@pytest.mark.parametrize("version", VERSIONS)
def test_fields_are_those_of_the_vendor(version: str) -> None:
    package = f"{AIPLATFORM}.{version}."
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    unknown: set[str] = set()
    for name, descriptor in served_messages(*(package + service for service in SERVICES)).items():
        vendors = vendor_message(name)
        if vendors is None:
            unknown.add(name.removeprefix(package))
            continue
        ours |= field_facts(descriptor, package)
        theirs |= field_facts(vendors, package)
    assert unknown == (MESSAGES_OF_BETA if version == "v1" else set())
    ours = {name: facts for name, facts in ours.items() if name not in ONLY_IN_THE_OTHER_VERSION[version]}
    theirs = {name: facts for name, facts in theirs.items() if name not in NOT_SERVED}
    assert len(ours) > 100
    assert ours == theirs


def test_messages_of_other_packages_are_those_of_the_vendor() -> None:
    optional = {"google.longrunning.ListOperationsRequest.returnPartialSuccess"}
    optional |= {"google.longrunning.ListOperationsResponse.unreachable"}
    optional |= {"google.rpc.BadRequest.FieldViolation.localizedMessage"}
    for name, descriptor in other_messages():
        theirs = field_facts(foreign_message(name), "")
        assert field_facts(descriptor, "") == {key: facts for key, facts in theirs.items() if key not in optional}, name


def other_messages() -> Iterator[tuple[str, Descriptor]]:
    yield from served_messages("google.longrunning.Operations", "google.iam.v1.IAMPolicy").items()
    for name in ("google.rpc.ErrorInfo", "google.rpc.BadRequest", "google.rpc.ResourceInfo", "google.type.Interval"):
        yield name, load_pool().FindMessageTypeByName(name)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("service", SERVICES)
def test_methods_are_those_of_the_vendor(version: str, service: str) -> None:
    """Every method but those that change stores, which are documents here."""
    snake = {"FeatureOnlineStoreAdminService": "feature_online_store_admin_service"}.get(
        service, "feature_online_store_service"
    )
    module = importlib.import_module(f"google.cloud.aiplatform_{version}.services.{snake}.transports.grpc")
    transport = getattr(module, f"{service}GrpcTransport")
    methods = {name.title().replace("_", "") for name in vars(transport) if isinstance(vars(transport)[name], property)}
    ours = {method.name for method in service_methods(f"{AIPLATFORM}.{version}.{service}")}
    others = {"CreateFeatureOnlineStore", "UpdateFeatureOnlineStore", "DeleteFeatureOnlineStore"}
    of_mixins = {name for name in methods if name.endswith(("Operation", "Operations", "Locations", "Location"))}
    of_policies = {"GetIamPolicy", "SetIamPolicy", "TestIamPermissions"}
    added = {"StreamingFetchFeatureValues"} if version == "v1" and service == SERVICES[1] else set()
    left = methods - others - of_mixins - of_policies - {"GrpcChannel", "OperationsClient", "Kind"}
    assert ours - added == left
