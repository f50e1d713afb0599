"""Sessions in scenarios: parsing of turns, expectations and coverage."""
