"""What can be done on the pages, by subject: each action with what the API has afterwards."""
