"""The editor server: the verdicts and the knowledge of trialrun while a person types."""
