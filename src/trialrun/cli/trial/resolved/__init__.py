"""What is effective at stores, for people and for programs."""
