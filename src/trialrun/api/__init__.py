"""The library: what `import trialrun` offers. `trialrun docs library` is its page."""
