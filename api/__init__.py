"""The HTTP API: validates and authorizes requests, calls services, and builds answers. No decisions here."""
