"""The expiry of snapshots: plan, commits, proof and ending of one attempt. Called by the worker only."""
