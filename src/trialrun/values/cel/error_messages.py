"""Translates type errors of the engine to messages for authors, with exact ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from trialrun.values import Problem
from trialrun.values.cel.builtins import (
    ALL_EXTENSIONS,
    LENGTH_SYNONYMS,
    MAX_LISTED,
    MEMBER_FUNCTIONS,
    describe_function,
    enabled_members,
    enabled_namespaces,
    global_functions,
    namespace_functions,
    suggest_name,
)
from trialrun.values.cel.environment import PACKAGE
from trialrun.values.cel.literals import declared_type
from trialrun.values.cel.syntax_tree import (
    COMPARISONS,
    MACROS,
    Node,
    bound_variables,
    is_has,
    is_macro,
    namespace,
    walk,
)
from trialrun.values.cel.type_schema import Schema
from trialrun.values.suggest import NameIndex

LITERALS_ELSEWHERE = {"true": "true", "false": "false", **dict.fromkeys(("null", "none", "nil", "undefined"), "null")}
"""Names in lower case that are literals in other languages, and the literals of CEL."""
FUNCTIONS_ELSEWHERE = {"get": "a[key]", "equals": "a == b", "isEmpty": "a.size() == 0", "is_empty": "a.size() == 0"}
"""Functions that are called on a value in other languages, and what CEL writes."""


def undeclared_field(node: Node, field: str, type_name: str, schema: Schema) -> Problem:
    """A field that a type of the schema does not have."""
    field_node = node.children[0] if is_has(node) else node
    fields = _field_index(schema, type_name)
    near = suggest_name(field, fields)
    advice = f'did you mean "{near}"?' if near else f"its fields are {_format_names(fields)}"
    message = f'{type_name} has no field "{field}"; {advice}'
    return Problem("undeclared", field_node.name_start, field_node.name_end, message, near)


def undeclared_name(node: Node, around: tuple[Node, ...], schema: Schema) -> Problem | None:
    """A name that neither the schema declares nor a macro around it binds; None if another problem says it."""
    root = node.children[0] if is_has(node) else node
    while root.kind == "select":
        root = root.children[0]
    scope = [name for node in around if is_macro(node) for name in bound_variables(node)]
    calls = [call for call in around if call.kind == "call"]
    if calls and root.name in namespace_functions(schema.library):
        return None
    # the variable of a macro that is misspelt or lacks an argument
    if any(_looks_like_macro(call) and _first_name(call) == root.name for call in calls):
        return None
    if literal := LITERALS_ELSEWHERE.get(root.name.lower()):
        message = f'there is no "{root.name}"; write {literal}'
        return Problem("undeclared", root.name_start, root.name_end, message, literal)
    variables = _variable_index(schema)
    near = suggest_name(root.name, variables, *scope)
    # `items.exists(i.a > 1)`: the variable that the condition reads is not introduced
    if near is None and any(call.receiver and call.name in MACROS and len(call.arguments) == 1 for call in calls):
        return None
    advice = f'did you mean "{near}"?' if near else f"the names are {_format_names(variables, *scope)}"
    return Problem("undeclared", root.name_start, root.name_end, f'there is no "{root.name}"; {advice}', near)


def _first_name(call: Node) -> str | None:
    return next((argument.name for argument in call.arguments if argument.kind == "name"), None)


def _looks_like_macro(call: Node) -> bool:
    """A call with a variable of its own: a macro's name misspelt, or a function that CEL has not, as `sum(i, i.a)`."""
    macros = ["bind"] if _first_name(call) and call.receiver and call.children[0].name == "cel" else list(MACROS)
    if is_macro(call):
        return False
    has_variable = len(call.arguments) > 1 and call.arguments[0].kind == "name"
    if call.receiver and has_variable and call.name not in MEMBER_FUNCTIONS:
        return True
    return call.name in macros or suggest_name(call.name, MEMBER_FUNCTIONS | set(macros)) in macros


def undeclared_function(node: Node, schema: Schema, extensions: frozenset[str]) -> Problem:
    """A function that CEL does not have, or has in another form; none of a library that is off is proposed."""
    name, count = node.name, len(node.arguments)
    if name in ("not", "NOT", "Not") and not node.receiver and count == 1:
        return _problem_at("syntax", node, f'"{name}" is not a function of CEL; write !', "!")
    if name in LENGTH_SYNONYMS and name != "size" and (count == 0 if node.receiver else count == 1):
        return _problem_at("syntax", node, f"CEL has no {name}(); write size()", "size")
    if node.receiver and name in FUNCTIONS_ELSEWHERE:
        return _problem_at("undeclared", node, f"CEL has no {name}(); write {FUNCTIONS_ELSEWHERE[name]}")
    if (library := namespace(node)) in namespace_functions(schema.library):
        return _undeclared_in_namespace(node, library, schema, extensions)
    globals_ = frozenset(function.name for function in global_functions(schema.library))
    known_functions = MEMBER_FUNCTIONS if node.receiver else globals_
    call_form = f"a.{name}()" if node.receiver else f"{name}()"
    if name in known_functions:
        message = f"{call_form} is not called with {_count_arguments(count)}; {_usage_hint(name, schema)}"
        return _type_problem(node, message)
    if name in (MEMBER_FUNCTIONS | globals_):
        return _type_problem(node, f"{call_form} is not how {name} is called; {_usage_hint(name, schema)}")
    return _unknown_function(node, name, enabled_members(extensions) if node.receiver else globals_)


def _undeclared_in_namespace(node: Node, namespace: str, schema: Schema, extensions: frozenset[str]) -> Problem:
    """A function that a namespace does not have, or has with other arguments."""
    of_library = frozenset(function.name for function in namespace_functions(schema.library)[namespace])
    name, usage = f"{namespace}.{node.name}", describe_function(f"{namespace}.{node.name}", schema.library)
    if node.name in of_library and usage is not None and namespace not in enabled_namespaces(ALL_EXTENSIONS):
        message = f"{name}() is not called with {_count_arguments(len(node.arguments))}; write {usage[0]}"
        return _type_problem(node, message)
    enabled = enabled_namespaces(extensions).get(namespace, ())
    return _unknown_function(node, name, enabled if namespace in enabled_namespaces(ALL_EXTENSIONS) else of_library)


def _unknown_function(node: Node, call_text: str, known_names: Iterable[str]) -> Problem:
    of_other_calls = {name for name, counts in MACROS.items() if len(node.arguments) not in counts}
    near = suggest_name(node.name, set(known_names) - of_other_calls)
    advice = f'did you mean "{near}"?' if near else "check the spelling"
    return _problem_at("undeclared", node, f"there is no function {call_text}(); {advice}", near)


def _count_arguments(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def _usage_hint(name: str, schema: Schema) -> str:
    if name in MACROS:
        return f"write list.{name}(x, …) with a condition on x"
    if name == "has":
        return "write has(a.b)"
    if name == "size":
        return "write a.size()"
    usage = describe_function(name, schema.library) if describe_function(name) is None else None
    if usage is not None:
        return f"write {usage[0]}"
    is_global = any(function.name == name for function in global_functions(""))
    return f"write {name}(a)" if is_global and name not in MEMBER_FUNCTIONS else f"write a.{name}(…)"


def not_a_message(node: Node, type_name: str, around: tuple[Node, ...], extensions: frozenset[str]) -> Problem:
    """A field that is asked of a value that has no fields: a text, a number, a list."""
    has_size = type_name in ("string", "bytes") or type_name.startswith(("list(", "map("))
    if has_size and node.name in LENGTH_SYNONYMS and not (around and is_has(around[-1])):
        return _problem_at("syntax", node, f"CEL has no .{node.name} without a call; write .size()", "size()")
    if node.name in enabled_members(extensions) and node.name not in MACROS:
        return _problem_at("undeclared", node, f"{node.name} is a function; write {node.name}()", f"{node.name}()")
    advice = "read it from one item, as in .exists(x, x.…)" if type_name.startswith("list(") else "remove it"
    return _problem_at("undeclared", node, f'{type_name} has no field "{node.name}"; {advice}')


def _problem_at(code: str, node: Node, message: str, replacement: str | None = None) -> Problem:
    return Problem(code, node.name_start, node.name_end, message, replacement)


@lru_cache(maxsize=64)
def _field_index(schema: Schema, type_name: str) -> NameIndex:
    return NameIndex(schema.types.get(type_name, ()))


@lru_cache(maxsize=4)
def _variable_index(schema: Schema) -> NameIndex:
    return NameIndex(schema.variables)


def _format_names(names: NameIndex, *further: str) -> str:
    every = sorted({*names.sorted_names[: MAX_LISTED + 1], *further})
    return ", ".join(every[:MAX_LISTED]) + (", …" if len(every) > MAX_LISTED else "") or "none"


_ISSUE = re.compile(r"^(?:[A-Z_]+: )?ERROR: <input>:(-?\d+):(-?\d+): (.*)$", re.MULTILINE)
_CONTAINER = re.compile(r" \(in container '.*?'\)")
_LIMIT = re.compile(r"(?i)recursion (?:limit|depth)|codepoint limit|node count exceeded|^CANCELLED")
_TOO_MANY = "maximum number of ERROR issues exceeded"
_CASCADE = "'*error*'"


class Issue(NamedTuple):
    """One message of the engine at a code point of the text; -1 without a position."""

    offset: int
    message: str


def parse_issues(text: str, refusal: str) -> list[Issue]:
    """The issues in an error message in text order, without those that are consequences of others."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    issues = {Issue(_offset(starts, match), _clean_message(match[3])) for match in _ISSUE.finditer(refusal)}
    # an invalid part has no type, which makes its uses invalid, too
    real = {issue for issue in issues if _CASCADE not in issue.message and _TOO_MANY not in issue.message}
    return sorted(issue for issue in real if issue.message)


def is_limit(refusal: str) -> bool:
    """Whether the text exceeds a limit of the engine, which does not mean that it is invalid."""
    # the messages of the engine without the quoted lines of the text
    messages = [match[3] for match in _ISSUE.finditer(refusal)]
    return any(map(_LIMIT.search, messages or [refusal]))


def _offset(starts: list[int], match: re.Match[str]) -> int:
    line, column = int(match[1]), int(match[2])
    if not 1 <= line < len(starts) or column < 1:
        return -1
    return min(starts[line - 1] + column - 1, starts[-1] - 1)


def _clean_message(message: str) -> str:
    text = _CONTAINER.sub("", message).replace(f"{PACKAGE}.", "").replace(" [INVALID_ARGUMENT]", "")
    text = re.sub(r"\bgoogle\.protobuf\.(?=Timestamp\b|Duration\b)", "", text)
    text = re.sub(r"\b(Timestamp|Duration)\b", lambda match: match[1].lower(), text)
    text = re.sub(r"\bT%\d+", "dyn", text)
    return re.sub(r"\bwrapper\((\w+)\)", r"\1?", text).replace("null_type", "null")


_NUMBERS = ("int", "uint", "double")
_ERROR_TYPE = "*error*"
_TEXT_FUNCTIONS = ("contains", "startsWith", "endsWith", "matches")


def overload_problem(node: Node, function: str, given: str) -> Problem | None:
    """The problem of an operation that does not exist for its operand types; `given` is the engine's list of them.

    None if an operand itself has a problem, so that one mistake is reported once.
    """
    types = split_types(given)
    if _ERROR_TYPE in given and not (node.kind == "operator" and node.name in ("&&", "||")):
        return None
    if is_macro(node):
        return _macro_condition_problem(node, function, types)
    if node.kind == "conditional":
        return _conditional_problem(node, types)
    if node.kind == "index":
        return _type_problem(node, f"{types[0]} is not read by {types[-1]}; {_index_advice(types[0])}")
    if node.kind == "call":
        message = f"{node.name}() does not take ({', '.join(types)}); check the types of its arguments"
        if node.receiver and node.name in _TEXT_FUNCTIONS and types[0].startswith(("list(", "map(")):
            message = f"{node.name}() is called on a text, not on {types[0]}; {_collection_advice(node, types[0])}"
        return _type_problem(node, message)
    return _operator_problem(node, types)


def _collection_advice(node: Node, type_name: str) -> str:
    """Advice to test the elements of a list, or the keys of a map, instead of the whole."""
    if node.name == "contains" and type_name.startswith("map("):
        return "write key in map"
    if node.name == "contains" and not type_name[len("list(")].isupper():
        return "write value in list"
    if node.name == "contains":
        return "write exists(x, x.… == …) with the intended field"
    return f"write exists(x, x.….{node.name}(…)) with the intended field"


def split_types(given: str) -> list[str]:
    """The types in a list of types, which may contain commas."""
    parts, depth = [""], 0
    for letter in given:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _macro_condition_problem(node: Node, function: str, types: list[str]) -> Problem:
    """The problem of exists(), all() or filter() with a condition that is not a bool, for which the engine names
    operators.
    """
    has_result = node.name.startswith(("map", "transform"))
    condition = node.arguments[-2 if has_result and len(node.arguments) > 2 else -1]
    condition_type = types[0] if function == "_?_:_" else types[-1]
    message = f"the condition of {node.name}() is {condition_type}, not bool; compare it with something"
    return Problem("type", condition.start, condition.end, message)


def _conditional_problem(node: Node, types: list[str]) -> Problem:
    if types[0] not in ("bool", "dyn"):
        condition = node.children[0]
        message = f'the condition before "?" is {types[0]}, not bool; compare it with something'
        return Problem("type", condition.start, condition.end, message)
    return _type_problem(node, f"the two values of ? : are {types[1]} and {types[2]}; give both one type")


def _index_advice(type_name: str) -> str:
    if type_name.startswith("list("):
        return "write a number, as in [0]"
    if type_name.startswith("map("):
        return f"write a key of type {split_types(type_name[4:-1])[0]}"
    return "read a field with .name" if type_name[:1].isupper() else "only lists and maps can be indexed"


def _operator_problem(node: Node, types: list[str]) -> Problem | None:
    name = node.name
    if name in ("&&", "||"):
        wrong = sorted({type_ for type_ in types if type_ not in ("bool", "dyn", _ERROR_TYPE)})
        message = f'"{name}" joins bool with bool, not with {" and ".join(wrong)}; compare it with something'
        return _type_problem(node, message) if wrong else None
    if len(types) == 1:
        is_not = name.startswith("!")
        needed, advice = ("a bool", "compare it with something") if is_not else ("an int or a double", "remove it")
        return _type_problem(node, f'"{name}" needs {needed}, not {types[0]}; {advice}')
    left, right = types[0], types[1]
    if name in COMPARISONS:
        inner, advice = node.children[0], _comparison_advice(left, right)
        is_chained = inner.kind == "operator" and inner.name in COMPARISONS and inner.start == inner.children[0].start
        if is_chained:
            advice = f"write a {inner.name} b && b {name} c"
        return _type_problem(node, f'"{name}" cannot compare {left} with {right}; {advice}')
    if name == "in":
        is_collection = right.startswith(("list(", "map("))
        advice = "look for what it holds" if is_collection else "the right side is a list or a map"
        advice = "write text.contains(part)" if right == "string" else advice
        return _type_problem(node, f'"in" cannot look for {left} in {right}; {advice}')
    advice = "convert one, as in double(a)" if {left, right} <= set(_NUMBERS) else "convert one, as in string(a)"
    return _type_problem(node, f'"{name}" cannot combine {left} with {right}; {advice}')


def _comparison_advice(left: str, right: str) -> str:
    pair = {left, right}
    if "string" in pair and pair & set(_NUMBERS):
        return "compare numbers with numbers and texts with texts"
    if "null" in pair:
        return "use has(a.b) to check that it is set"
    if "string" in pair and pair & {"timestamp", "duration"}:
        return f"write {(pair - {'string'}).pop()}('…')"
    if any(type_.startswith("list(") for type_ in pair):
        return "search a list with in or exists()"
    return "make both one type"


def _type_problem(node: Node, message: str) -> Problem:
    return _problem_at("type", node, message)


Around = tuple[Node, ...]
"""The parts around a part, outermost first."""
_UNDEFINED_FIELD = re.compile(r"undefined field '(.*)' not found in struct '(.*)'")
_UNDECLARED = re.compile(r"undeclared reference to '(.*)'")
_UNSELECTABLE = re.compile(r"expression of type '(.*)' cannot be the operand of a select")
_RANGE = re.compile(r"expression of type '(.*)' cannot be the range of a comprehension")
_OVERLOAD = re.compile(r"found no matching overload for '(.*)' applied to '\((.*)\)'")
_VARIABLE = re.compile(r"([\w.]+)\(\).* variable name must be a simple identifier")


def problems_of(
    text: str, tree: Node, issues: list[Issue], schema: Schema, extensions: frozenset[str]
) -> Iterator[Problem]:
    """The problems that describe the issues of a text."""
    places = dict(_places(tree, ()))
    for issue in issues:
        place = places.get(issue.offset) or _in_chain(tree, issue.offset)
        if place is None:
            start = min(max(issue.offset, 0), len(text))
            end = min(start + 1, len(text)) if issue.offset >= 0 else len(text)
            yield Problem("type", start, end, _advised(issue.message))
        elif problem := _to_problem(issue.message, *place, text, schema, extensions):
            yield problem


def _places(node: Node, around: Around) -> Iterator[tuple[int, tuple[Node, Around]]]:
    """The parts by their position in the engine."""
    yield node.engine_offset, (node, around)
    for child in node.children:
        yield from _places(child, (*around, node))


def _in_chain(tree: Node, place: int) -> tuple[Node, Around] | None:
    """A later operator of a chain `a && b && c`, for which the engine reports the position of the first."""
    for node in walk(tree):
        between = pairwise(node.children) if node.name in ("&&", "||") and node.kind == "operator" else ()
        if any(left.end <= place < right.start for left, right in between):
            return replace(node, name_start=place, name_end=place + 2), ()
    return None


def _to_problem(
    said: str, node: Node, around: Around, text: str, schema: Schema, extensions: frozenset[str]
) -> Problem | None:
    """The problem that a message of the engine at a part is about; None if another problem says it."""
    if match := _UNDEFINED_FIELD.match(said):
        return undeclared_field(node, match[1], match[2], schema)
    if _UNDECLARED.match(said):
        if node.kind == "call":
            return undeclared_function(node, schema, extensions)
        if node.kind == "message":
            message = f'there is no type "{node.name}" to construct here; compare the fields one by one'
            return _problem_at("undeclared", node, message)
        return undeclared_name(node, around, schema)
    if match := _UNSELECTABLE.match(said):
        return not_a_message(node.children[0] if is_has(node) else node, match[1], around, extensions)
    if match := _RANGE.match(said):
        macro = next((outer for outer in reversed(around) if is_macro(outer)), node)
        return _type_problem(macro, f"{macro.name}() iterates over a list or a map, not {match[1]}; call it on one")
    if match := _OVERLOAD.match(said):
        return overload_problem(node, match[1], match[2])
    if said.startswith("has() argument must be"):
        return _has_problem(node, around, text, schema)
    if match := _VARIABLE.match(said):
        message = f"{match[1]}() needs a plain name for its variable; write {match[1]}(x, …)"
        return Problem("type", node.start, node.end, message)
    return _type_problem(node, _advised(said))


def _advised(message: str) -> str:
    first = message.splitlines()[0] if message else "the engine refuses this"
    return first[:200].rstrip(".").replace("; ", ", ") + "; change it"


def _has_problem(node: Node, around: Around, text: str, schema: Schema) -> Problem:
    test = _presence_test(node, around, text, schema) if node.kind == "index" and around else None
    if test is None:
        return Problem("type", node.start, node.end, "has() needs a field; write has(a.b)")
    call, *outer = reversed(around)
    binds_closer = outer and outer[0].kind == "operator" and outer[0].name not in ("&&", "||")
    replacement = f"({test})" if binds_closer and not test.startswith("has(") else test
    message = f"has() takes a field, not an index; write {test}"
    return Problem("type", node.start, node.end, message, replacement, (call.start, call.end))


def _presence_test(node: Node, around: Around, text: str, schema: Schema) -> str | None:
    """How CEL asks whether an index is there: the key of a map, the place of a list, the field of a message."""
    holder, key = node.children
    bound = frozenset(name for outer in around if is_macro(outer) for name in bound_variables(outer))
    declared = declared_type(holder, schema, bound)
    of, at = (text[part.start : part.end].strip() for part in (holder, key))
    if declared is not None and declared.name in schema.fields:
        return f"has({of}.{at[1:-1]})" if key.value in schema.fields[declared.name] else None
    if key.kind == "literal" and key.name == "int" and (declared is None or declared.name == "list"):
        return f"size({of}) > {at}"
    if declared.name != "map" if declared else at[1:-1].isidentifier():
        return None
    return f"({at}) in {of}" if key.kind in ("operator", "conditional") else f"{at} in {of}"
