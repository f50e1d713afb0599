"""The process that knows: an open workspace, its findings, and the answers to questions."""
