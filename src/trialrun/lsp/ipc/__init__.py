"""Communication between the server process and the analysis process."""
