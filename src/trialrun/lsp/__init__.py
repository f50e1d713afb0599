"""The editor server: diagnostics, fixes and language features of trialrun over the language server protocol.

Decisions: docs/decisions/editor.md
"""
