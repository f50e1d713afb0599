"""Suppressions: comments and settings tables that silence a rule at a node, and diagnostics about them.

Decisions: docs/decisions/linter.md
"""
