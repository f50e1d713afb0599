"""The operations of both endpoint tables: requests are checked by the same rules as files, then carried out.

Decisions: docs/decisions/runtime.md
"""
