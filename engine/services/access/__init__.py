"""Authentication and visibility: API keys, tokens, teams, the audit log. Called by the API; imports no other room."""
