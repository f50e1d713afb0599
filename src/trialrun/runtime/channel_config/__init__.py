"""Runtime of ChannelConfigs: the effective configuration of a store, and sessions of the ordering agent.

Decisions: docs/decisions/runtime.md
"""
