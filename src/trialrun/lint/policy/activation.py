"""The variables of policies: the messages of one document as mappings.

The engine copies every mapping that it receives, key by key, which costs more than most checks. Therefore a mapping
contains only the fields that its policies read.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from trialrun.diagnostic import SymbolicLocation
from trialrun.lint.policy.policy import PARTIAL_TYPES, WorkBudget, default_value, is_refused, kinds_by_message, messages
from trialrun.model import proto_json
from trialrun.model.node import Node, SymbolKind, TextFormat, field_spec, message_fields
from trialrun.values.cel.field_presence import PRESENCE_SUFFIX, TEXTS_KEY, FieldReads, FieldSet

if TYPE_CHECKING:
    from trialrun.lint.policy.policy import Policy
    from trialrun.lint.rule import Rule
    from trialrun.model.node import Node
    from trialrun.values.cel.field_presence import FieldSet


MARSHAL_VERSION = 2
"""The marshal version that writes equal values identically, regardless of their memory addresses."""
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_NO_FIELDS: FieldSet = frozenset()
ValueForm = Literal["plain", "integer", "double", "message", "messages"]


@dataclass(frozen=True, slots=True)
class FieldRead:
    """A field that policies read: how to read its value, None if only its presence is tested.

    `set_key` is the key that represents presence, None if it is not tested.
    """

    name: str
    form: ValueForm | None
    set_key: str | None
    default: Any = None


class FieldMask:
    """The fields of every message type that some policies read, and the `variables` that they use."""

    def __init__(self, reads: Iterable[FieldReads]) -> None:
        every = list(reads)
        self._values = frozenset[tuple[str, str]]().union(*(field_reads.values for field_reads in every))
        self._asked = frozenset[tuple[str, str]]().union(*(field_reads.presence for field_reads in every))
        self.with_texts = frozenset(message for message, name in self._values if name == TEXTS_KEY)
        self._everything = any(field_reads.whole_messages for field_reads in every)
        self.variables = sorted(frozenset[str]().union(*(field_reads.variables for field_reads in every)))
        self._wanted: dict[type[Node], list[FieldRead]] = {}

    def fields_of(self, model: type[Node]) -> list[FieldRead]:
        """The fields of a message that are read."""
        found = self._wanted.get(model)
        if found is None:
            found = self._wanted[model] = [
                field_read for name in model.model_fields if (field_read := self._field_read(model, name)) is not None
            ]
        return found

    def unset_view(self, model: type[Node]) -> dict[str, Any]:
        """The mapping of a message without set fields."""
        view = {
            field_read.name: field_read.default for field_read in self.fields_of(model) if field_read.form is not None
        }
        return {**view, TEXTS_KEY: []} if model.__name__ in self.with_texts else view

    def _field_read(self, model: type[Node], name: str) -> FieldRead | None:
        pair = (model.__name__, name)
        is_read, is_asked = self._everything or pair in self._values, self._everything or pair in self._asked
        if not (is_read or is_asked):
            return None
        shape = proto_json.field_type(model, name)
        set_key = name + PRESENCE_SUFFIX if is_asked else None
        if not is_read:
            return FieldRead(name, None, set_key)
        is_message = shape.model is not None and not shape.is_list
        value = self.unset_view(shape.model) if is_message and shape.model is not None else default_value(model, name)
        return FieldRead(name, _value_form(shape), set_key, value)


class MessageViews:
    """The mappings of one document's messages for some policies, each built once, and the `budget` of their file.

    A field with a refused value is absent from its mapping instead of unset: its value is not known.
    """

    def __init__(self, root: Node, document: dict[str, str], needs: FieldMask, budget: WorkBudget) -> None:
        self.budget = budget
        self._root, self._document, self._needs = root, document, needs
        self._views: dict[int, dict[str, Any]] = {}
        self._refused: dict[int, FieldSet] = {}
        self._root_view: dict[str, Any] | None = None
        self._root_key: bytes | None = None

    def activation(self, node: Node) -> dict[str, Any]:
        """The variables of a policy for a message."""
        if "root" not in self._needs.variables:
            return {"self": self.view(node), "document": self._document}
        if self._root_view is None:
            self._root_view = self._view_of_root(node)
        return {"self": self.view(node), "root": self._root_view, "document": self._document}

    def key(self, node: Node, names: Iterable[str]) -> bytes:
        """Bytes that are equal for messages whose variables of these names are equal. Raises ValueError.

        The document around them is in it by its digest, which is computed once.
        """
        state = self.activation(node)
        own = _content([state[name] for name in names if name != "root"])
        if "root" not in names:
            return own
        if self._root_key is None:
            self._root_key = blake2b(_content(state["root"]), digest_size=16).digest()
        return own + self._root_key

    def refused_fields(self, node: Node) -> FieldSet:
        """The fields with refused values, by message, in a message and in the document."""
        if not self._refused:
            return _NO_FIELDS
        return self._refused.get(id(node), _NO_FIELDS) | self._refused.get(id(self._root), _NO_FIELDS)

    def refused_fields_of(self, node: Node) -> FieldSet:
        """The fields with refused values, by message, in a message."""
        self.view(node)
        return self._refused.get(id(node), _NO_FIELDS)

    def _view_of_root(self, node: Node) -> dict[str, Any]:
        """The mapping of the document; an unset one for a message without a document, as in an example."""
        if self.has_document(node):
            return self.view(self._root)
        kind = kinds_by_message()[type(node).__name__]
        return self._needs.unset_view(messages(kind)[kind])

    def has_document(self, node: Node) -> bool:
        """Whether a message is in a document, rather than alone as in an example."""
        return type(self._root).__name__ == kinds_by_message()[type(node).__name__]

    def view(self, node: Node) -> dict[str, Any]:
        """The mapping of a message."""
        made = self._views.get(id(node))
        if made is None:
            made = self._views[id(node)] = self._build_view(node)
        return made

    def _build_view(self, node: Node) -> dict[str, Any]:
        made: dict[str, Any] = {}
        values, refused = node.__dict__, set[tuple[str, str]]()
        for field_read in self._needs.fields_of(node.__class__):
            value = values[field_read.name]
            if value is None and field_read.name not in node.__pydantic_fields_set__:
                if field_read.form is not None:
                    made[field_read.name] = field_read.default
            elif (
                value is None
                or isinstance(value, PARTIAL_TYPES)
                or (field_read.form == "integer" and not (_LOWEST <= value <= _HIGHEST))
            ):
                refused.add((node.__class__.__name__, field_read.name))
            else:
                if field_read.form is not None:
                    made[field_read.name] = self._convert(value, field_read.form, refused)
                if field_read.set_key is not None:
                    made[field_read.set_key] = True
        if self._needs.with_texts and node.__class__.__name__ in self._needs.with_texts:
            texts = texts_of(node)
            if texts is None:
                refused.add((node.__class__.__name__, TEXTS_KEY))
            else:
                made[TEXTS_KEY] = texts
        if refused:
            self._refused[id(node)] = frozenset(refused)
        return made

    def _convert(self, value: Any, form: ValueForm, refused: set[tuple[str, str]]) -> Any:
        if form == "message":
            return self._inner_view(value, refused)
        if form == "messages":
            return [self._inner_view(item, refused) for item in value]
        return float(value) if form == "double" else value

    def _inner_view(self, node: Node, refused: set[tuple[str, str]]) -> dict[str, Any]:
        view = self.view(node)
        if self._refused:
            refused |= self._refused.get(id(node), _NO_FIELDS)
        return view


def _content(value: Any) -> bytes:
    """The bytes of a value. Raises ValueError for one of a type of its own, which the engine may take all the same."""
    return marshal.dumps(value, MARSHAL_VERSION)


def _value_form(shape: proto_json.FieldType) -> ValueForm:
    if shape.model is not None:
        return "messages" if shape.is_list else "message"
    if shape.is_list or shape.scalar not in (int, float):
        return "plain"
    return "integer" if shape.scalar is int else "double"


FORMATS: tuple[TextFormat, ...] = ("free-text", "cel-condition", "cel-expression")
DECLARED: tuple[SymbolKind, ...] = ("upsell", "customer term")
"""What texts hold that people wrote, rather than names of something else; names in words are among them."""


def texts_of(node: Node) -> list[str] | None:
    """The texts of a message, in the order of its fields; None if one was refused, so that not all are known."""
    texts: list[str] = []
    for name, is_message in _text_fields(type(node)):
        value = node.__dict__[name]
        if is_refused(node, name, value):
            return None
        if value is None:
            continue
        if not is_message:
            texts += _strings(value)
            continue
        for inner in value if isinstance(value, list) else (value,):
            below = texts_of(inner)
            if below is None:
                return None
            texts += below
    return texts


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


@cache
def _text_fields(model: type[Node]) -> tuple[tuple[str, bool], ...]:
    """The fields with texts, and whether each is a message with texts; in the order of the model."""
    specs = ((name, field_spec(model, name)) for name in model.model_fields)
    texts = {name: False for name, spec in specs if spec.format in FORMATS or spec.declares in DECLARED}
    inner = {name: True for name, _, of in message_fields(model) if _text_fields(of)}
    found = texts | inner
    return tuple((name, found[name]) for name in model.model_fields if name in found)


class PolicyFact(NamedTuple):
    """What a policy on the workspace reads of a message, whose type is `message`.

    `role` is "subject" for a message that the policy judges: `view` has the variables that the policy reads of it,
    without the document around it. It is "root" for that document, once for all of its messages, and "document" for one
    that the policy reads by `documents`; there `view` is None if a value that the policy reads was refused.
    """

    role: Literal["subject", "root", "document"]
    message: str
    view: Mapping[str, Any] | None


FACT_TYPES: Mapping[str, type[Any]] = {PolicyFact.__name__: PolicyFact}
"""The class of the facts of policies, by name."""


@dataclass(frozen=True, eq=False)
class PolicyGatherer:
    """Gathers the facts of one policy from the messages of one type; `rule` is the policy as a rule.

    The policy judges the messages (`is_subject`), reads them by `documents` (`is_read`), or as `root` (`is_root`).
    """

    policy: Policy
    rule: Rule
    field_mask: FieldMask
    is_subject: bool
    is_read: bool
    is_root: bool

    @staticmethod
    def is_message(value: Any) -> bool:
        """Whether a fact is about a message that the policy judges."""
        return isinstance(value, PolicyFact) and value.role == "subject"

    def facts(self, node: Node, views: MessageViews) -> Iterator[tuple[SymbolicLocation, Any]]:
        """The facts about a message, each with its location."""
        message = type(node).__name__
        if self.is_read:
            view = None if self._reads_any(views.refused_fields_of(node)) else views.view(node)
            yield SymbolicLocation(node), PolicyFact("document", message, view)
        if self.is_root:
            yield SymbolicLocation(node), PolicyFact("root", message, views.view(node))
        if self.is_subject:
            state = views.activation(node)
            if not self._reads_any(views.refused_fields(node)):
                names = self.policy.reads.variables - ({"root"} if views.has_document(node) else set())
                variables = {name: value for name, value in state.items() if name in names}
                yield policy_location(self.policy, node), PolicyFact("subject", message, variables)

    def _reads_any(self, refused: FieldSet) -> bool:
        """Whether the policy reads a value that the model refused."""
        return bool(refused) and self.policy.reads.reads_any(refused)


def policy_gatherers(
    name: str, policies: list[tuple[Policy, Rule]], masks: dict[str, FieldMask]
) -> Iterator[PolicyGatherer]:
    """What gathers the facts of policies from messages of a type; `masks` has what each policy reads."""
    for policy, rule in policies:
        is_subject, is_read = policy.on == name, name in policy.kinds
        is_root = "root" in policy.reads.variables and name == kinds_by_message()[policy.on]
        if is_subject or is_read or is_root:
            mask = masks.setdefault(policy.id, FieldMask([policy.reads]))
            yield PolicyGatherer(policy, rule, mask, is_subject, is_read, is_root)


def policy_location(policy: Policy, node: Node) -> SymbolicLocation:
    """The location of a finding: as far along `at` as the file has content."""
    steps: list[str] = []
    here: object = node
    for step in policy.at:
        if isinstance(here, Node) and here.has(step):
            here = getattr(here, step)
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            break
        steps.append(step)
    return SymbolicLocation(node, tuple(steps))
