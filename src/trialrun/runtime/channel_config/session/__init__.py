"""A session: the order, the state that conditions read, and what is offered turn by turn."""
