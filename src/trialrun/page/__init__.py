"""The page of a workspace: what it says as JSON, section by section, and the HTML file that shows it."""
