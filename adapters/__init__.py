"""The platforms: the only code that knows a forum's URLs, forms, tokens, markup and error pages.

Nothing here knows a rule, the meaning of a tag, the database or the clock of a round.
"""
