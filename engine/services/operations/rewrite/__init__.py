"""The rewrite operation: plan, work, commit, proof and ending of one attempt. Called by the worker only."""
