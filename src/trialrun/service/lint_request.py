"""The linter's verdict on a resource of a request: the same engine and the same rules as for files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

from pydantic import ValidationError

from trialrun.diagnostic import Severity, pointer_steps
from trialrun.lint.engine import Linter
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.rule import SessionTypes, session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules
from trialrun.service.error import (
    MAX_VIOLATIONS,
    BadRequest,
    ErrorInfo,
    FieldViolation,
    ServiceError,
    Status,
    field_path,
    service_error,
)
from trialrun.service.message import Message
from trialrun.values.suggest import did_you_mean

Json = Mapping[str, Any]
LIST_INDEX = re.compile(r"0|[1-9][0-9]*", re.ASCII)
"""A step of a pointer that counts the items of a list."""


class LintWarning(Message):
    """A finding of the linter that is not an error: the rule, how grave it is, the field and what is to say of it."""

    rule: str
    severity: str
    field: str
    message: str


@dataclass(frozen=True)
class Document:
    """A resource as JSON: the path that it is known by, its kind, and its content."""

    path: str
    kind: str
    content: Json

    @cached_property
    def text(self) -> bytes:
        """The resource as a file would have it."""
        return json.dumps({"kind": self.kind, **self.content}).encode()


class RequestLinter:
    """Judges resources under one selection of rules, beside the other resources of a service.

    `companions` are the documents that say what there is: stores, feature groups, menus. `kinds` are further ones that
    requests bring, and `session` gives the types that conditions read, without it those that the linter ships.
    """

    def __init__(
        self,
        selection: Selection,
        companions: Iterable[Document],
        *,
        now: Callable[[], datetime],
        kinds: Iterable[str] = (),
        session: Callable[[], SessionTypes] = lambda: session_types(()),
    ) -> None:
        self._companions = list(companions)
        self._selection = selection.for_declared_kinds({*kinds, *(companion.kind for companion in self._companions)})
        self._now = now
        self._session = session
        self._linter: tuple[date, Linter] | None = None
        self._facts: dict[str, tuple[Document, list[Fact]]] = {}

    def check(
        self, document: Document, others: Iterable[Document], *, field: str, status: Status = Status.INVALID_ARGUMENT
    ) -> list[LintWarning]:
        """What is to say about a resource beside its errors. Raises INVALID_ARGUMENT, or another status, with these.

        `others` are all further resources of the service; `field` is what the request calls the resource.
        """
        report = self._lint(document)
        all_ = {one.path: one for one in (*self._companions, *others, document)}
        self._facts = {path: known for path, known in self._facts.items() if path in all_}
        around = (self._facts_of(one) for path, one in all_.items() if path != document.path)
        facts = [*report.facts, *chain.from_iterable(around)]
        locations = FactLocations(lambda path: all_[path].text if path in all_ else None)
        judged = [one for one in run_workspace_rules(facts, self._selection, locations) if one.path == document.path]
        placed = [(one, _field_of(one.pointer, field)) for one in (*report.diagnostics, *judged)]
        errors = [(one, path) for one, path in placed if one.severity is Severity.ERROR]
        if not errors:
            return [
                LintWarning(rule=one.rule, severity=one.severity.word, field=path, message=one.message)
                for one, path in placed[:MAX_VIOLATIONS]
            ]
        violations = [
            FieldViolation(field=path, description=one.message, reason=one.rule)
            for one, path in errors[:MAX_VIOLATIONS]
        ]
        first, more = violations[0], len(errors) - 1
        message = f"{first.field}: {first.description}" + (f" (and {more} more)" if more else "")
        rules = ",".join(sorted({violation.reason for violation in violations}))
        info = ErrorInfo(reason=first.reason, metadata={"rules": rules})
        raise ServiceError(status, message, (info, BadRequest(fieldViolations=violations)))

    def _facts_of(self, document: Document) -> list[Fact]:
        cached = self._facts.get(document.path)
        if cached is None or cached[0] is not document:
            cached = self._facts[document.path] = document, self._lint(document).facts
        return cached[1]

    def _lint(self, document: Document) -> FileResult:
        now = self._now()
        if self._linter is None or self._linter[0] != now.date():
            self._linter = now.date(), Linter(self._selection, now=now, session_types=self._session)
        return self._linter[1].lint(document.text, document.path, is_explicit=True)


def _field_of(pointer: str, field: str) -> str:
    steps = (int(step) if LIST_INDEX.fullmatch(step) else step for step in pointer_steps(pointer))
    return field_path((field, *steps))


Request = TypeVar("Request", bound=Message)


def parse_request(model: type[Request], value: Any) -> Request:
    """The request that a JSON object is. Raises INVALID_ARGUMENT with every field that is wrong."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        violations = [_violation(item, model) for item in errors[:MAX_VIOLATIONS]]
    first = violations[0]
    message = f"{first.field}: {first.description}" if first.field else first.description
    raise service_error(Status.INVALID_ARGUMENT, first.reason, message, BadRequest(fieldViolations=violations))


def _violation(error: Mapping[str, Any], model: type[Message]) -> FieldViolation:
    steps = error["loc"]
    reason = "missing-field" if error["type"] == "missing" else "wrong-type"
    description = str(error["msg"]).removeprefix("Value error, ")
    description = description[:1].lower() + description[1:]
    if error["type"] == "extra_forbidden":
        near = did_you_mean(str(steps[-1]), model.model_fields) if len(steps) == 1 else ""
        reason, description = "unknown-field", f"unknown field{near}"
    return FieldViolation(field=field_path(steps), description=description, reason=reason)
