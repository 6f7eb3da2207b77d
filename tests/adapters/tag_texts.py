"""The texts of tags in a post, found without the referee: what adapters must hand on."""

import re


def tag_texts(words: str) -> list[str]:
    """Outermost pairs of brackets with a colon in them, each as one line."""
    found: list[str] = []
    depth = begin = 0
    for place, letter in enumerate(words):
        if letter == "[":
            begin = place if depth == 0 else begin
            depth += 1
        elif letter == "]" and depth:
            depth -= 1
            text = words[begin : place + 1]
            if depth == 0 and re.match(r"\[+\s*\w+\s*:", text):
                found.append(" ".join(text.split()))
    return found
