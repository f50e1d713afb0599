"""Reports of scenario results: text, JSON and JUnit."""
