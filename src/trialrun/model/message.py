"""Messages: frozen objects with the fields that their class declares, and the methods of pydantic's models.

Equality, hash, copies and `repr` are those of a frozen model of pydantic. What needs pydantic itself, such as writing
JSON or saying what is wrong with a value, imports it when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

from trialrun.model.field_declaration import MessageType
from trialrun.model.plain_validator import make_message, validate_plainly

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class MessageState:
    """What a message has besides its fields: which of them are set."""

    __slots__ = ("__dict__", "__pydantic_fields_set__", "__weakref__")

    __pydantic_fields_set__: set[str]


class Message(MessageState, metaclass=MessageType):
    """An object with the fields of its class, which are None where they have no value."""

    def __init__(self, **values: Any) -> None:
        """Take the values of fields. Raises ValueError, that of pydantic, for one that is refused."""
        node = type(self).model_validate(values)
        object.__setattr__(self, "__dict__", node.__dict__)
        object.__setattr__(self, "__pydantic_fields_set__", node.__pydantic_fields_set__)

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that have a value, and those whose value was refused."""
        return self.__pydantic_fields_set__

    @property
    def model_extra(self) -> None:
        """Fields beyond those of the class, which no message has."""

    @classmethod
    def model_validate(cls, value: Any, **options: Any) -> Self:
        """The message of a value; options are those of pydantic. Raises ValueError, that of pydantic, if refused."""
        node = None if options else validate_plainly(value, cls)
        if node is None:
            from trialrun.model.pydantic_models import compiled_validator

            node = compiled_validator(cls)(value, **options)
        assert isinstance(node, cls)
        return node

    @classmethod
    def model_validate_json(cls, text: str | bytes | bytearray, **options: Any) -> Self:
        """The message of JSON; options are those of pydantic. Raises ValueError, that of pydantic, if refused."""
        from trialrun.model.pydantic_models import schema_validator

        node = schema_validator(cls).validate_json(text, **options)
        assert isinstance(node, cls)
        return node

    @classmethod
    def model_json_schema(cls, **options: Any) -> dict[str, Any]:
        """The JSON Schema of the fields as pydantic makes it; `trialrun schema` says more."""
        from trialrun.model.pydantic_models import pydantic_model

        return pydantic_model(cls).model_json_schema(**options)

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """A message of values that are known to be right; `_fields_set` are its fields, by default those given."""
        known = {name: values.get(name) for name in cls.model_fields}
        present = {name for name in values if name in known} if _fields_set is None else _fields_set
        return make_message(cls, known, present)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values of some fields, which are not validated; `deep` copies the messages inside, too."""
        update = update or {}
        values = deepcopy(self.__dict__) if deep else self.__dict__
        return make_message(type(self), {**values, **update}, {*self.__pydantic_fields_set__, *update})

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] = "python",
        exclude: Collection[str] | Mapping[str, Any] | None = None,
        exclude_unset: bool = False,
        exclude_none: bool = False,
        warnings: bool = True,
        **options: Any,
    ) -> dict[str, Any]:
        """The fields as a dict, with the messages in them as dicts, too; in mode `json`, as values of JSON.

        `exclude` leaves out fields of this message, or what it maps them to; `exclude_unset` and `exclude_none` leave
        out fields at every level. Other options are those of pydantic.
        """
        if mode == "json" or options or isinstance(exclude, Mapping):
            options |= {"exclude_unset": exclude_unset, "exclude_none": exclude_none, "warnings": warnings}
            return self._dump_by_pydantic(mode, exclude, options)

        def included(node: Message) -> dict[str, Any]:
            return {
                name: _plain(value, included)
                for name, value in node.__dict__.items()
                if not (exclude_none and value is None)
                and not (exclude_unset and name not in node.__pydantic_fields_set__)
            }

        return {name: value for name, value in included(self).items() if name not in (exclude or ())}

    def _dump_by_pydantic(
        self, mode: str, exclude: Collection[str] | Mapping[str, Any] | None, options: dict[str, Any]
    ) -> dict[str, Any]:
        from trialrun.model.pydantic_models import serializer

        content: dict[str, Any] = serializer(type(self)).to_python(
            self, mode=mode, exclude=_fields_or_mapping(exclude), **options
        )
        return content

    def model_dump_json(self, *, exclude: Collection[str] | Mapping[str, Any] | None = None, **options: Any) -> str:
        """The fields as JSON; options are those of pydantic, such as `exclude_unset`, `exclude_none` and `indent`."""
        from trialrun.model.pydantic_models import serializer

        return serializer(type(self)).to_json(self, exclude=_fields_or_mapping(exclude), **options).decode()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """How pydantic validates and writes a message in a model of its own."""
        from trialrun.model.pydantic_models import core_schema_of

        return core_schema_of(cls)

    # pydantic's compiled validator sets these on each message; a message has neither
    __pydantic_extra__ = property(lambda self: None, lambda self, value: None)
    __pydantic_private__ = property(lambda self: None, lambda self, value: None)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen; make a copy with model_copy")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen; make a copy with model_copy")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False if isinstance(other, Message) else NotImplemented
        return self.__dict__ == other.__dict__

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """The fields and their values, so that `dict` has them without what is in them becoming dicts."""
        yield from self.__dict__.items()

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def __reduce__(self) -> tuple[Callable[..., Message], tuple[Any, ...]]:
        return make_message, (type(self), {**self.__dict__}, {*self.__pydantic_fields_set__})


def _fields_or_mapping(exclude: Collection[str] | Mapping[str, Any] | None) -> Any:
    """What pydantic's serializer leaves out: it takes sets and mappings."""
    return exclude if isinstance(exclude, Mapping) else set(exclude or ()) or None


def _plain(value: Any, included: Callable[[Message], dict[str, Any]]) -> Any:
    if isinstance(value, Message):
        return included(value)
    if isinstance(value, list):
        return [_plain(item, included) for item in value]
    if isinstance(value, dict):
        return {key: _plain(inner, included) for key, inner in value.items()}
    return value
