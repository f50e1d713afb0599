"""The engine: rules as values, one walk over a document's model, findings into diagnostics.

Decisions: docs/decisions/rules.md
"""
