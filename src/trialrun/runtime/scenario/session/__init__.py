"""Sessions in scenarios: their turns as they are written, what is expected of each, and what they exercise."""
