"""Which part of a response a client asks for: `fields=nextPageToken,featureViews(name,syncConfig/cron)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trialrun.server.dialect.field_names import FieldNames
from trialrun.server.dialect.messages import Model, message_in
from trialrun.server.http.request_json import camel_case
from trialrun.service.error import ServiceError, invalid_argument
from trialrun.values.suggest import did_you_mean

FIELDS = "fields"
TOKEN = re.compile(r"[,/()]|[^,/()\s]+")
EVERY = "*"
MAX_DEPTH = 50
Selection = dict[str, Any]
"""Selected fields by name, each with what is selected inside of it; an empty selection is everything."""


def parse_fields(text: str) -> Selection:
    """What a text such as `a,b(c,d),e/f` selects. Raises INVALID_ARGUMENT."""
    tokens = TOKEN.findall(text)[::-1]
    selection: Selection = {}
    if tokens:
        _read_list(tokens, selection, 0)
    if tokens:
        raise _invalid(f'"{tokens[-1]}" is not expected there')
    return selection


def select(value: Any, selection: Selection) -> Any:
    """The part of a value that is selected; of a list, that part of each item."""
    if not selection:
        return value
    if isinstance(value, list):
        return [select(item, selection) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: select(item, inner) for name, item in value.items() if (inner := _inside(selection, name)) is not None
    }


def require_known(selection: Selection, model: Model, names: FieldNames) -> Selection:
    """The selection by the names of responses. Raises INVALID_ARGUMENT for a field that a message does not have."""
    fields = {names.name_of(model, field): field for field in names.fields(model)}
    known: Selection = {}
    for written, inner in selection.items():
        name = written if written in fields or written == EVERY else camel_case(written)
        if name != EVERY and name not in fields:
            raise _invalid(f'{model.__name__} has no field "{written}"{did_you_mean(written, fields)}')
        message = message_in(model, fields[name]) if name in fields else None
        known[name] = require_known(inner, message, names) if message else inner
    return known


def _inside(selection: Mapping[str, Selection], name: str) -> Selection | None:
    """What is selected inside of a field, None where the field is not."""
    found = [selection[key] for key in (EVERY, name) if key in selection]
    if not found:
        return None
    return {} if {} in found else {key: value for inner in found for key, value in inner.items()}


def _read_list(tokens: list[str], selection: Selection, depth: int) -> None:
    _read_path(tokens, selection, depth)
    while tokens and tokens[-1] == ",":
        tokens.pop()
        _read_path(tokens, selection, depth)


def _read_path(tokens: list[str], selection: Selection, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _invalid(f"it is nested more than {MAX_DEPTH} deep")
    inner = selection.setdefault(_name(tokens), {})
    match tokens.pop() if tokens and tokens[-1] in "/(" else "":
        case "/":
            _read_path(tokens, inner, depth + 1)
        case "(":
            _read_list(tokens, inner, depth + 1)
            if not tokens or tokens.pop() != ")":
                raise _invalid('a ")" is missing')
        case _:
            inner[EVERY] = {}


def _name(tokens: list[str]) -> str:
    if not tokens or tokens[-1] in ",/()":
        raise _invalid("the name of a field is missing; write fields such as name,labels/team,syncConfig(cron)")
    return tokens.pop()


def _invalid(message: str) -> ServiceError:
    return invalid_argument(FIELDS, "invalid-fields", message)
