"""Texts that commands start a user with: a first workspace, and a first document of each kind."""
