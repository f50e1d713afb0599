"""A session as it is shown, for people and for programs, and as it is typed."""
