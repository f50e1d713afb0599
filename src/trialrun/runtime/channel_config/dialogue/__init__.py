"""What the agent says and hears: languages, greetings, messages, customer terms, instructions and tools."""
