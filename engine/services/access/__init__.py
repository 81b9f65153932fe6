"""Who calls, and what exists for them: keys, tokens, teams, audit. Called by the API first; asks no other room."""
