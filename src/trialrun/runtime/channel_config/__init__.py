"""ChannelConfigs at work: what is effective at a store, and what the ordering agent does in a session there."""
