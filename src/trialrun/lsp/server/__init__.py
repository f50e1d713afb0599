"""The server process: speaks the language server protocol with the client, and lints nothing itself."""
