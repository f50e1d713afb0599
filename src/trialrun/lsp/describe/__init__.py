"""What there is to say about what stands in a file: fields, schedules, zones, languages, conditions and stores."""
