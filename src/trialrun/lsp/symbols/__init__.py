"""Symbol index of a workspace: where each name is declared and used, and which declaration each use refers to."""
