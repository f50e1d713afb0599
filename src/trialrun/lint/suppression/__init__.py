"""Suppressions: comments and tables of the settings that silence a rule at a node, and what is said about them.

Decisions: docs/decisions/rules.md
"""
