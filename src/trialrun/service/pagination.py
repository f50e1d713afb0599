"""Pages of lists: sizes, orders and tokens that keep their place when resources come and go (AIP-132, AIP-158)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cmp_to_key
from typing import Any, Generic, TypeVar

from trialrun.blake2 import blake2b
from trialrun.lazy_dataclass import dataclass
from trialrun.service.error import ServiceError, invalid_argument
from trialrun.values.suggest import did_you_mean

MAX_PAGE_SIZE = 1000
Resource = TypeVar("Resource")
Key = tuple[Any, ...]
"""What a resource is ordered by: values that JSON can hold."""


@dataclass(frozen=True)
class Order(Generic[Resource]):
    """What to order by: how to read each value, and whether it descends."""

    fields: tuple[tuple[Callable[[Resource], Any], bool], ...]

    def key(self, resource: Resource) -> Key:
        """The values that a resource is ordered by."""
        return tuple(read(resource) for read, _ in self.fields)

    def compare(self, first: Key, second: Key) -> int:
        """Less than 0 where one comes before the other, more than 0 where it comes after."""
        for (_, descends), left, right in zip(self.fields, first, second, strict=True):
            if left != right:
                return -1 if (left < right) != descends else 1
        return 0


def parse_order(text: str, fields: Mapping[str, Callable[[Resource], Any]], *, tie: str) -> Order[Resource]:
    """The order that a text such as `create_time desc, feature_view_id` asks for; ties use the field `tie`.

    Fields are known in snake_case and in camelCase. Raises INVALID_ARGUMENT.
    """
    order_fields = [_parse_order_field(part, fields) for part in text.split(",")] if text.strip() else []
    field_names = {name for name, _ in order_fields}
    ties = [] if tie in field_names else [(tie, False)]
    return Order(tuple((fields[name], descends) for name, descends in [*order_fields, *ties]))


def _parse_order_field(text: str, fields: Mapping[str, object]) -> tuple[str, bool]:
    words = text.split()
    if not words or len(words) > 2 or (len(words) == 2 and words[1] not in ("asc", "desc")):
        raise invalid_argument(
            "orderBy",
            "invalid-order",
            f'"{text.strip()}" cannot be sorted by; write a field, optionally followed by "desc"',
        )
    name = next((name for name in fields if words[0] in (name, _camel_case(name))), None)
    if name is None:
        near = did_you_mean(words[0], fields) or f"; there are {', '.join(fields)}"
        raise invalid_argument("orderBy", "invalid-order", f'there is no field "{words[0]}" to order by{near}')
    return name, words[-1] == "desc"


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True)
class PageRequest:
    """Which page is asked for; `parameters` are the parameters that must stay the same from page to page."""

    size: int | None
    token: str
    parameters: Sequence[str]


def paginate(resources: Iterable[Resource], order: Order[Resource], page: PageRequest) -> tuple[list[Resource], str]:
    """The resources of a page, and the token of the next one, empty at the end. Raises INVALID_ARGUMENT."""
    size = _page_size(page.size)
    after = _last_key(page, len(order.fields))
    keyed = [(order.key(resource), resource) for resource in resources]
    try:
        rest = [(key, one) for key, one in keyed if after is None or order.compare(key, after) > 0]
    except TypeError as error:
        raise _invalid_token() from error
    in_order = cmp_to_key(order.compare)
    rest.sort(key=lambda keyed: in_order(keyed[0]))
    chosen = rest[:size]
    token = _next_token(page, chosen[-1][0]) if len(rest) > size else ""
    return [one for _, one in chosen], token


def _page_size(size: int | None) -> int:
    if size is not None and size < 0:
        raise invalid_argument("pageSize", "invalid-page-size", f"{size} is negative; omit it for {MAX_PAGE_SIZE}")
    return min(size or MAX_PAGE_SIZE, MAX_PAGE_SIZE)


def _next_token(page: PageRequest, last: Key) -> str:
    text = json.dumps([_parameters_digest(page), last], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode("ascii").rstrip("=")


def _last_key(page: PageRequest, width: int) -> Key | None:
    """The key of the last resource of the page before, None for the first page."""
    if not page.token:
        return None
    try:
        digest, last = json.loads(base64.urlsafe_b64decode(page.token + "=" * (-len(page.token) % 4)))
        key = tuple(tuple(value) if isinstance(value, list) else value for value in last)
    except (ValueError, TypeError, RecursionError) as error:
        raise _invalid_token() from error
    if digest != _parameters_digest(page) or len(key) != width:
        message = "the page token is of another list; parent, filter and orderBy must not change between pages"
        raise invalid_argument("pageToken", "invalid-page-token", message)
    return key


def _invalid_token() -> ServiceError:
    return invalid_argument("pageToken", "invalid-page-token", "this is not a page token; use nextPageToken")


def _parameters_digest(page: PageRequest) -> str:
    return blake2b(json.dumps(list(page.parameters)).encode(), digest_size=6).hexdigest()
