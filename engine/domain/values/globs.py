"""Patterns in which `*` stands for any characters and `?` for one; nothing else is special."""


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches a whole text.

    It takes at most the product of both lengths in steps; a regular expression made of `a*a*a*…b` could take
    exponential time.
    """
    at = position = resume = 0
    star = -1
    while position < len(text):
        if at < len(pattern) and pattern[at] == "*":
            star, resume = at, position
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", text[position]):
            at += 1
            position += 1
        elif star >= 0:
            at, resume = star + 1, resume + 1
            position = resume
        else:
            return False
    return not pattern[at:].strip("*")
