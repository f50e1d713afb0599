"""The lint engine: rules as values, one walk over the model of a document, findings resolved to diagnostics.

Decisions: docs/decisions/linter.md
"""
