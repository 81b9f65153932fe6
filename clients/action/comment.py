"""Post the comment of a check on its pull request, or update the one of an earlier check.

Run by `action.yml` with its settings in the environment. The comment is found by a marker in its first line and by its
author: a token of a workflow may change the comments of everyone, and anyone may write the marker.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

_TIMEOUT_SECONDS = 30
_PAGE = 100


def main(environment: Mapping[str, str]) -> str:
    """Post or update the comment; return what was done.

    Without differences nothing is posted, but a comment of an earlier check is updated.
    """
    key, text = environment["COMMENT_KEY"], Path(environment["COMMENT_FILE"]).read_text(encoding="utf-8")
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", key):
        sys.exit(f"comment-key: {key!r} has other characters than letters, digits, '_', '.' and '-'")
    if not text.strip():
        return "no comment: the check printed none"
    body = {"body": f"<!-- packhouse:{key} -->\n{text}"}
    repository = f"/repos/{environment['GITHUB_REPOSITORY']}/issues"
    headers = {"Authorization": f"Bearer {environment['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"}
    with httpx.Client(base_url=environment["GITHUB_API_URL"], headers=headers, timeout=_TIMEOUT_SECONDS) as github:
        path = f"{repository}/{int(environment['PULL_REQUEST'])}/comments"
        for comment in _comments(github, path):
            author, old = (comment["user"] or {}).get("login"), comment["body"] or ""
            if author == environment["AUTHOR"] and old.startswith(body["body"].partition("\n")[0]):
                github.patch(f"{repository}/comments/{int(comment['id'])}", json=body).raise_for_status()
                return "comment updated"
        if environment["RESULT"] == "none":
            return "no comment: nothing differs"
        github.post(path, json=body).raise_for_status()
        return "comment posted"


def _comments(github: httpx.Client, path: str) -> Iterator[Any]:
    number = 1
    while page := github.get(path, params={"per_page": _PAGE, "page": number}).raise_for_status().json():
        yield from page
        number += 1


if __name__ == "__main__":
    try:
        print(main(os.environ))
    except httpx.HTTPError as error:
        hint = "the job needs `permissions: pull-requests: write`; workflows of forks have read-only tokens"
        sys.exit(f"the comment can't be written: {error}; {hint}")
