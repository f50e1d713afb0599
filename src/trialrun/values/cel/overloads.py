"""Messages about operators and functions with operands of wrong types."""

from __future__ import annotations

from trialrun.values.cel.syntax_tree import Node, is_macro
from trialrun.values.problem import Problem

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
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
    if (
        node.kind == "call"
        and node.receiver
        and node.name in _TEXT_FUNCTIONS
        and types[0].startswith(("list(", "map("))
    ):
        return _type_problem(
            node, f"{node.name}() is called on a text, not on {types[0]}; {_collection_advice(node, types[0])}"
        )
    if node.kind == "call":
        taken = f"({', '.join(types)})"
        return _type_problem(node, f"{node.name}() does not take {taken}; check the types of its arguments")
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
        return _logic_problem(node, types)
    if len(types) == 1:
        operand_text = "a bool" if name.startswith("!") else "an int or a double"
        return _type_problem(node, f'"{name}" needs {operand_text}, not {types[0]}; {_unary_advice(name)}')
    left, right = types[0], types[1]
    if name in _COMPARISONS:
        return _type_problem(node, f'"{name}" cannot compare {left} with {right}; {_comparison_advice(left, right)}')
    if name == "in":
        return _type_problem(node, f'"in" cannot look for {left} in {right}; {_membership_advice(right)}')
    advice = "convert one, as in double(a)" if {left, right} <= set(_NUMBERS) else "convert one, as in string(a)"
    return _type_problem(node, f'"{name}" cannot combine {left} with {right}; {advice}')


def _logic_problem(node: Node, types: list[str]) -> Problem | None:
    wrong = sorted({type_ for type_ in types if type_ not in ("bool", "dyn", _ERROR_TYPE)})
    if not wrong:
        return None
    return _type_problem(
        node, f'"{node.name}" joins bool with bool, not with {" and ".join(wrong)}; compare it with something'
    )


def _unary_advice(name: str) -> str:
    return "compare it with something" if name.startswith("!") else "remove it"


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


def _membership_advice(right: str) -> str:
    if right == "string":
        return "write text.contains(part)"
    if right.startswith(("list(", "map(")):
        return "look for what it holds"
    return "the right side is a list or a map"


def _type_problem(node: Node, message: str) -> Problem:
    return Problem("type", node.name_start, node.name_end, message)
