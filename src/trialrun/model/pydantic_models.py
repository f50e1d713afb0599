"""pydantic's models of the messages: they make JSON Schemas, write JSON, and read values for users of the library.

A model is made of the declarations of its message, so that there is one definition of each field. The compiled
validator and serializer take and make the messages themselves: pydantic's schema of the model, with the class of the
message in place of that of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import GenericAlias, new_class
from typing import Annotated, Any, ClassVar, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, SchemaSerializer, SchemaValidator

from trialrun.model.field_declaration import UNSPECIFIED, FieldDeclaration, Limits, MessageType, without_none


class DerivedModel(BaseModel):
    """A model made of the declarations of a message."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False, protected_namespaces=()
    )
    declared_by: ClassVar[MessageType]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Refuse null, `…_UNSPECIFIED` and a missing, empty required field in the compiled validator."""
        schema = handler(source)
        for name, info in _model_fields(schema).items():
            is_required = cls.declared_by.model_fields[name].spec.mode == "required"
            info["schema"] = _strict_schema(info["schema"], required=is_required)
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON Schema of the model, also where the schema makes messages."""
        return handler(cast("CoreSchema", {**schema, "cls": cls}) if schema["type"] == "model" else schema)


@cache
def pydantic_model(message: MessageType) -> type[DerivedModel]:
    """pydantic's model of a message."""
    fields = message.model_fields
    namespace: dict[str, Any] = {name: _pydantic_field(declared) for name, declared in fields.items()}
    namespace["__annotations__"] = {name: _pydantic_type(declared.annotation) for name, declared in fields.items()}
    namespace |= {"__module__": message.__module__, "__qualname__": message.__qualname__, "__doc__": message.__doc__}
    model: type[DerivedModel] = new_class(
        message.__name__, (DerivedModel,), exec_body=lambda body: body.update(namespace)
    )
    model.declared_by = message
    return model


def _pydantic_field(declared: FieldDeclaration) -> Any:
    limits = declared.limits
    return Field(
        default=None,
        description=declared.description,
        ge=limits.minimum,
        le=limits.maximum,
        max_length=limits.max_length,
        json_schema_extra=declared.spec,
    )


def _pydantic_type(annotation: Any) -> Any:
    """A type with models in place of messages, and with pydantic's bounds in place of ours."""
    if isinstance(annotation, MessageType):
        return pydantic_model(annotation)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[(_pydantic_type(arguments[0]), *map(_pydantic_marker, arguments[1:]))]
    if (inner := without_none(annotation)) is not annotation:
        return _pydantic_type(inner) | None
    if origin in (list, dict):
        return GenericAlias(origin, tuple(map(_pydantic_type, arguments)))
    return annotation


def _pydantic_marker(marker: Any) -> Any:
    if not isinstance(marker, Limits):
        return marker
    return Field(ge=marker.minimum, le=marker.maximum, max_length=marker.max_length)


@cache
def core_schema_of(message: MessageType) -> CoreSchema:
    """pydantic's schema of a message, which makes and takes the message itself."""
    model = pydantic_model(message)
    model.model_rebuild()
    return cast("CoreSchema", _of_messages(model.__pydantic_core_schema__))


def _of_messages(schema: Any) -> Any:
    """A schema with messages in place of the models that were made of them."""
    if isinstance(schema, list):
        return [_of_messages(part) for part in schema]
    if isinstance(schema, type) and issubclass(schema, DerivedModel):
        return schema.declared_by
    if isinstance(schema, dict):
        return {key: _of_messages(part) for key, part in schema.items()}
    return schema


@cache
def schema_validator(message: MessageType) -> SchemaValidator:
    """pydantic's compiled validator of a message, of values and of JSON."""
    return SchemaValidator(core_schema_of(message))


@cache
def compiled_validator(message: MessageType) -> Callable[..., Any]:
    """How pydantic validates values as a message. Raises ValueError, that of pydantic."""
    return schema_validator(message).validate_python


@cache
def serializer(message: MessageType) -> SchemaSerializer:
    """pydantic's compiled serializer of a message."""
    return SchemaSerializer(core_schema_of(message))


def _model_fields(schema: Any) -> dict[str, Any]:
    while schema.get("type") in {"function-wrap", "function-before", "function-after", "model", "definitions"}:
        schema = schema["schema"]
    fields: dict[str, Any] = schema.get("fields", {}) if schema.get("type") == "model-fields" else {}
    return fields


def _strict_schema(schema: Any, *, required: bool) -> Any:
    inner = schema["schema"] if schema["type"] == "default" else schema
    if inner["type"] == "nullable":
        inner = inner["schema"]
    if inner["type"] == "literal":
        inner = {**inner, "expected": [word for word in inner["expected"] if not word.endswith(UNSPECIFIED)]}
    if not required:
        return {**schema, "schema": inner} if schema["type"] == "default" else inner
    if inner["type"] in {"str", "list", "dict"}:
        inner = {**inner, "min_length": 1}
    return inner
