"""Extension libraries of CEL, their functions, and uses of disabled ones in conditions.

Our engine has all of them, but nothing says that the engine of the service does. So only the standard library and its
macros are enabled by default.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from trialrun.values.cel.builtins import (
    LIBRARY_MEMBERS,
    NAMESPACE_LIBRARIES,
    NAMESPACES,
    STANDARD_MEMBER_FUNCTIONS,
)
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_macro, walk
from trialrun.values.problem import Problem

EXTENSIONS = ("strings", "math", "sets", "lists", "optional", "bindings", "two-var-comprehensions")
ALL_EXTENSIONS = frozenset(EXTENSIONS)
NO_EXTENSIONS: frozenset[str] = frozenset()
"""Only the standard library and its macros."""


@lru_cache(maxsize=64)
def enabled_members(extensions: frozenset[str]) -> frozenset[str]:
    """The member functions with some extension libraries enabled."""
    return STANDARD_MEMBER_FUNCTIONS.union(
        *(names for library, names in LIBRARY_MEMBERS.items() if library in extensions)
    )


@lru_cache(maxsize=64)
def enabled_namespaces(extensions: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """The namespaces of functions with some extension libraries enabled."""
    return {name: names for name, names in NAMESPACES.items() if namespace_library(name) in extensions}


def namespace_library(namespace: str) -> str:
    """The extension library of a namespace."""
    return NAMESPACE_LIBRARIES.get(namespace, namespace)


def extension_uses(tree: Node, extensions: Collection[str]) -> tuple[Problem, ...]:
    """The uses of disabled extension libraries in a condition, with the library as code."""
    uses = (use for node in walk(tree) if node.kind == "call" or node.optional for use in _uses(node, extensions))
    return tuple(sorted(uses, key=lambda use: use.start))


def _uses(node: Node, extensions: Collection[str]) -> Iterator[Problem]:
    libraries = _libraries_of(node)
    if not libraries or any(library in extensions for library in libraries):
        return
    library, use_text = libraries[0], _describe_use(node)
    advice = f'avoid it, or add "{library}" to cel-extensions if the service has it'
    message = f'{use_text} is not in the standard library of CEL but in its extension "{library}"; {advice}'
    yield Problem(library, *_range_of_use(node), message)


def _libraries_of(node: Node) -> list[str]:
    """The extension libraries that define a function; none if it is in the standard library."""
    if node.optional:
        return ["optional"]
    if node.kind != "call" or not node.receiver:
        return []
    namespace = node.children[0].name if node.children[0].kind == "name" else ""
    if node.name in NAMESPACES.get(namespace, ()):
        return [namespace_library(namespace)]
    if node.name in STANDARD_MEMBER_FUNCTIONS:
        return ["two-var-comprehensions"] if is_macro(node) and len(bound_variables(node)) > 1 else []
    libraries = [library for library, names in LIBRARY_MEMBERS.items() if node.name in names]
    # reverse() turns texts and lists around, by the library of each
    of_list = node.children[0].type.startswith("list(") and "lists" in libraries
    return ["lists"] if of_list else libraries


def _describe_use(node: Node) -> str:
    if node.kind != "call":
        return 'reading what may be absent with "?"'
    namespace = node.children[0].name if node.children[0].kind == "name" else ""
    if node.name in NAMESPACES.get(namespace, ()):
        return f"{namespace}.{node.name}()"
    variables = f"{', '.join(bound_variables(node))}, …" if is_macro(node) and len(bound_variables(node)) > 1 else ""
    return f"{node.name}({variables})"


def _range_of_use(node: Node) -> tuple[int, int]:
    namespace = node.children[0] if node.children and node.children[0].kind == "name" else None
    if node.kind == "call" and namespace is not None and node.name in NAMESPACES.get(namespace.name, ()):
        return namespace.start, node.name_end
    return node.name_start, node.name_end
