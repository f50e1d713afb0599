"""Dialogue of the agent: languages, greetings, messages, customer terms, instructions and tools."""
