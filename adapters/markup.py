"""How each platform dresses a post's words: one row a platform, read by ``adapters.html``.

Rows only. Each was checked against the captured pages of its platform, all of which show the same
made-up thread; rows without an adapter yet serve the adapters to come. Selectors join by ``>``:
matching "somewhere below" takes quadratic time on deep nests, and players can make those.
"""

from typing import Final

from adapters.html import Markup

# phpBB 3.3: emoji become pictures too. The spoiler is a custom BBCode or an extension.
PHPBB: Final = Markup(
    code="div.codebox",
    furniture=(
        "blockquote > div > cite, div.codebox > p, div.spoiler-title, div.notice, div.signature"
    ),
    smilies=(("img.emoji", "alt"), ("img.smilies", "alt")),
)

# MyBB 1.8 keeps only a smiley's name. These are the ones that it comes with, as its own posting
# form lists them; another smiley comes out as its name, which spoils the tag that it stands in and
# is reported there.
MYBB: Final = Markup(
    quotes="blockquote.mycode_quote",
    code="div.codeblock",
    furniture="blockquote.mycode_quote > cite, div.codeblock > div.title, span.edited_post",
    smilies=(("img.smilie", "alt"),),
    smiley_codes={
        "Smile": ":)",
        "Wink": ";)",
        "Cool": ":cool:",
        "Big Grin": ":D",
        "Tongue": ":P",
        "Rolleyes": ":rolleyes:",
        "Shy": ":shy:",
        "Sad": ":(",
        "At": ":at:",
        "Angel": ":angel:",
        "Angry": ":@",
        "Blush": ":blush:",
        "Confused": ":s",
        "Dodgy": ":dodgy:",
        "Exclamation": ":exclamation:",
        "Heart": ":heart:",
        "Huh": ":huh:",
        "Idea": ":idea:",
        "Sleepy": ":sleepy:",
        "Undecided": ":-/",
    },
)

SMF: Final = Markup(
    code="code.bbc_code, pre",
    furniture="blockquote > cite, div.codeheader",
    smilies=(("img.smiley", "alt"),),
)

# Misago's spoiler is a blockquote too, and it cuts the scheme off every link.
MISAGO: Final = Markup(
    quotes="aside.quote-block, blockquote:not(.spoiler-body)",
    furniture="div.quote-heading, div.spoiler-overlay",
    markdown=True,
    drops_scheme=True,
)

SPIRIT: Final = Markup(smilies=(("i.tw", "title"),), markdown=True)

MACHINA: Final = Markup(markdown=True, underscores=True)

FLASKBB: Final = Markup(furniture="div.post-signature", markdown=True)

# NodeBB tells in the title what was typed, be it ``:D`` or the emoji itself.
NODEBB: Final = Markup(smilies=(("img.emoji", "title"),), markdown=True)

# The cooked HTML of Discourse; its adapter prefers the raw text. A previewed link shows the title
# of the page it leads to, so only its address is the author's.
DISCOURSE: Final = Markup(
    quotes="aside.quote, blockquote",
    furniture="aside.quote > .title, a.anchor",
    smilies=(
        ("aside.onebox", "data-onebox-src"),
        ("a.onebox, a.inline-onebox", "href"),
        ("img.emoji", "title"),
    ),
    markdown=True,
)

# Flarum 1: s9e's Markdown and BBCode, as its source has them; no page of it was captured. Its
# smilies become plain emoji, which the adapter turns back; a reply begins with a link to the post
# that it answers.
FLARUM: Final = Markup(
    furniture="blockquote > div > cite, a.PostMention, span.PostMention",
    markdown=True,
)

# XenForo 2: what public programs that read its boards agree on; no page of it was captured. A
# spoiler is a block beside a button, and counts. An unfolded link shows another page's words.
XENFORO: Final = Markup(
    code="div.bbCodeBlock--code, pre.bbCodeCode",
    furniture=(
        "blockquote > div.bbCodeBlock-title, div.bbCodeBlock > div.bbCodeBlock-title, "
        "div.bbCodeBlock-expandLink"
    ),
    smilies=(
        ("div.bbCodeBlock--unfurl", "data-url"),
        ("span.smilie", "data-alt"),
        ("img.smilie", "alt"),
    ),
)
