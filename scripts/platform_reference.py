"""Write docs/platforms.md from the adapters' own capabilities; ``--check`` only compares.

usage: python scripts/platform_reference.py [--write]
"""

import sys
from pathlib import Path

from adapters.profiled import Profiled, capabilities_of
from adapters.registry import ADAPTERS
from referee.profiles import builtin, builtin_names

PAGE = Path(__file__).resolve().parent.parent / "docs" / "platforms.md"
HEAD = """# Platforms

Generated from `adapters/` by `scripts/platform_reference.py`; a test keeps it true.
*Letters*: whether secret declarations by private message can be read.

A poll of a thread without news is one request on every platform, however long the thread is; every
tenth visit at most looks back at the pages before. All threads of a host share its pace.

| adapter | dialect | edits | longest post | folds | guards twins | settles | joins | letters |
|---|---|---|---|---|---|---|---|---|
"""
# What each was built from, what could not be learnt, and how a game master gets the referee in.
NOTES = {
    "folder": """Our own: a directory for each thread, a text file for each post. Private messages
are files in a directory `privado` beside the threads.""",
    "phpbb": """Built from captured pages of 3.3.15 and a fake that enforces its forms, tokens and
sessions; never run against a live board. The account needs a user name and a password, nothing
else.

- The account must see all posts, by time, oldest first (*Board preferences > Edit display
  options*).
- Where the board lets a form be sent sooner or later than after a second, or shows no new posts
  before it takes a reply, say so: `options: {min_form_age_s: 3, post_review: false}`.
- Posts of users whom the account ignores count like all others; deleted users' are a guest's.
- What the board says is understood in English and Spanish; in other languages a page that only
  says something is told by its status and by the topic's own page, and a refused post is tried
  again.
- Secret declarations are read in the inbox: a request for it and one or two for each player who is
  awaited. This part was built from the templates and the source of 3.3 and never seen live. The
  account must be allowed to read private messages. phpBB dates them for people only, so one counts
  in one thread, however old it is: let players write a new one each time. A message that a rule of
  the account's has moved out of the inbox is not found.""",
    "mybb": """Built from captured pages of 1.8.37, its source, and a fake that enforces its
keys, floods, doubles and merges; never run against a live board. The account needs a user name and
a password, nothing else. Friendly addresses (`thread-7.html`) are understood.

- MyBB makes one post of two that an account makes within an hour and without another's between
  them. The referee copes, but a secret then waits until somebody else has posted: if a fight begins
  right after the referee's first post, the first round shows once a player has posted (who may
  declare already). Let the administrator except its group (*Excluded User Groups* of post merging)
  and set `options: {merges: ""}`.
- Where the board merges after another time than an hour, say so: `options: {merge_window_s: 600}`.
- The account must see threads in linear mode, oldest post first.
- Dates are in the account's own zone or relative: the time of a post is when it was first read.
- A smiley that is not one of MyBB's own comes out as its name; `(c)`, `(r)` and `(tm)` as
  the sign.
- Of what the Spanish language pack says only the flood limit was seen on a real board; the other
  sentences are told by their likely words, and what is not understood counts as "not known".
- Secret declarations are read in the inbox: a request for it and one or two for each player who is
  awaited. This part was built from the templates and the source of 1.8.37 and never seen live. The
  account's group must be allowed to use private messages. They bear no date that a program could
  read, so one counts in one thread, however old it is: let players write a new one each time.""",
    "smf": """Built from captured pages of 2.1.5, its source, and a fake that enforces its sessions,
form numbers, warnings and floods; never run against a live board. The account needs a user name and
a password, nothing else.

- A form is taken only once, so the board itself refuses twins.
- It says that a topic is missing when it is only off limits: look at the account's permissions.
- The account must see the oldest post first, and must not be asked for a picture to read before
  each post (an administrator's setting for accounts with few posts).
- It rewrites typographic quotes and ellipses, so what was declared is kept as the board shows it.
- Dates are in the account's own zone: the time of a post is when it was first read.
- Where the board's limit of 20,000 characters was changed, say so:
  `options: {max_post_chars: 9000}`.
- What the board says is told by the ids that it carries, in every language; only "your session
  timed out" over a form is known by its words, and in another language is tried again all the same.
  The page of the flood limit was never seen on a real board: its id is from the source.
- Secret declarations are read in the inbox, which shows a page of messages in full: one request.
  Where the account has them shown one at a time or by conversation, it is one or two more for each
  player who is awaited. This part was built from the templates and the source of 2.1.4 and never
  seen live. The account must be allowed to read personal messages. They bear no date that a program
  could read, so one counts in one thread, however old it is: let players write a new one each
  time.""",
    "spirit": """Built against the real software, which the tests start.

Private messages are private topics to which the account has been invited: of those that were active
last, two for each player who is awaited, the last page is read. They bear no date, so one counts in
one thread, however old it is: let players write a new one each time.""",
    "machina": """django-machina 1.3, the forum of many Django sites. Built against the real
software, which the tests start, and against pages captured from it.

`base_url` is the address of the forum's own front page, with its path (`https://x.org/forum/`); the
login page is found wherever the site has it, as long as it asks for a name and a password and
nothing else. A topic is named by its number (the last one in its address) or its address.

- The forum shows no button to reply where a topic is locked and where the account has no leave to
  reply: the referee says that it is one of the two. It cannot edit its posts in a locked topic.
- Posts that wait for approval count once they are approved.
- Markdown of the old kind: no tables, no folding, and code only where it is indented, so tables are
  shown as lists. What players type like `<this>` is cut out by the forum, from tags too.
- Nothing keeps twins or floods away, private messages there are none, and no date is written so
  that a program could read it: posts are told apart by their numbers.""",
    "misago": """Built against the real software (0.39.6), which the tests start on PostgreSQL, and
against answers captured from it. The account needs a user name and a password, nothing else.

- A thread is named by its number or any address of it. A private thread is read and answered like
  any other, by its address, once somebody has invited the account to it.
- Secret declarations are read on the last page of private threads that an awaited player has begun
  or spoken in last, two for each.
- A poll is one request. A refusal is a sentence in the board's language; the thread itself is asked
  whether it is closed. Misago wants three seconds between two posts, and may have limits for the
  hour and the day: the referee waits. A moderator may exempt the account.
- Posts that wait for approval count once they are approved, hidden ones not. Posts of deleted
  accounts are nobody's.
- No tables, so they are shown as lists. Dice and evidence stand in a
  spoiler, which Misago blurs until somebody wants to see it; the post stays as long.
- Misago repeats words before a mention of somebody who is not there; they are taken once. A single
  word of thousands of letters keeps it busy for minutes.""",
    "discourse": """Built from the vendor's documentation and source and a fake that enforces them,
never run against a live site.

An administrator makes the key: *Admin > API > New API Key*, user level *Single User* (the
referee's), scope *Global* or a granular one that reads and writes topics and posts. Put it in
`api_key_env`. A *User API key*, which an account makes for itself, will do too: then
`options: {user_key: true}`; it allows 20 requests a minute.

- New accounts may post little, slowly and with approval: raise the referee's trust level, or exempt
  it, and let it edit its posts for as long as a fight lasts (*post edit time limit*). Two posts
  that say the same within five minutes are refused, and so are too many in a row.
- Whispers, small actions, hidden and deleted posts do not count. What readers see decides: the
  source of a post is read where both say the same, what is shown otherwise.
- Long topics cost no more than short ones: only their beginning tells the numbers of all posts.
- Private messages are topics too, and are read and answered like them by whoever takes part. Secret
  declarations are read in the newest with an awaited player, two for each: a request for the list
  and one for each topic, three where it is long. A granular key that reads topics alone will not do
  for that: it must read everything (*global*).""",
    "nodebb": """Built from captured answers of 4.9.2, the source of 4.15 and a fake that enforces
both; the adapter itself was never run against a live forum.

An administrator makes the token: *ACP > Settings > API Access > Create Token*, with the referee's
own user id (a token with user id 0 belongs to nobody and is refused). Put it in `api_key_env`.
Without an administrator, `password_env` will do: the referee then opens a session as a browser
does, where the forum has no second factor and no captcha at its login. A new account's first posts
wait for a moderator and must keep 120 seconds apart until it has some reputation: let the
administrator put the account into a group that is exempt (*ACP > Settings > Posts* and *User*).
Long threads cost no more than short ones.

Secret declarations are read in chats, but for public rooms: a request for the list and one for each
chat with an awaited player, two at most, of which it tells the newest fifty messages. The account
needs the privilege to chat. That part is from the sources of 3.0 and 4.15.""",
    "flarum": """Built from the source of 1.8.7 (and of s9e/TextFormatter, which makes its pages)
and a fake that enforces both; never run against a live forum. Flarum 1.3 or later. Of Flarum 2 only
its development source was seen, which has the same interface; what differs is told, not guessed.

The account makes its own key: *Settings > Security > Developer tokens*, where the forum allows its
group to (*Create access token*). Put it in `api_key_env`. A key of the whole site, which an
administrator puts into the database, wants the account's number too: `options: {user_id: "5"}`.
Without either, `password_env` will do: the referee then opens a session as a browser does.

- Let the administrator allow the account to edit its posts at any time (*Allow post editing*): by
  default nobody may once somebody has answered, and the status post then stays as it was.
- By default ten seconds must lie between two posts; a group can be exempt (*Reply multiple
  times without waiting*). Posts that wait for approval count once they are approved.
- `:)`, `:D` and seven more become faces even inside words; they are read as typed, and so is a face
  that was typed as one. Discussions that only members may see look as if they were not there.
- Spoilers count, events (renamed, locked) do not. Flarum itself has no
  private messages, and private discussions of extensions are not known.
- The last page of a long discussion is looked for on the first visit only; a poll is one
  request.""",
    "xenforo": """Built from the vendor's OpenAPI document, from what a public client of that API
found on a real board, and from markup that public readers of XenForo boards agree on. Nobody has
run it against a board: it is commercial software. XenForo 2.1 or later.

Only a super administrator can make the key: *Setup > API keys*, of the type *User key* for the
referee's account, with the scopes that read and write threads and posts. Put it in `api_key_env`.
With a *Super user key* say whom it stands for: `options: {user_id: "5"}`; permissions are never
bypassed. There is no reading without a key.

- Certain: addresses, fields, paging, the user of each answer, posts that wait or were deleted.
- Likely, not certain: how quotes, code, spoilers and smilies look, and the codes for "too soon" and
  "thread closed". A code that is not known shows in `referee status` with the board's own words,
  and the post is tried again later.
- Not known: whether a board without friendly addresses answers below `/api/`, and what add-ons
  change. A kind of thread that sorts posts by votes (questions) is refused when it does: play in a
  thread of the ordinary kind.
- Secret declarations are read in conversations, if the key has the scope that reads them: a request
  for the list, and one or two for each of the newest two with an awaited player.""",
}

PROFILES = """
## Profiles

`adapter: profile` reads and writes any HTML forum by a [selector profile](profiles.md). These come
with the program. None was made from a live board: they stand on what public programs and templates
show, and `referee check --online` tells what fits a forum and what does not.

| profile | dialect | posts | edits | longest post |
|---|---|---|---|---|
"""


def page() -> str:
    """The page as it should be."""
    rows, names = [], []
    for make in ADAPTERS:
        if make.platform == Profiled.platform:
            continue
        names.append(make.platform)
        can = make("https://forum.example.org").capabilities
        guard = f"{can.token_lifetime_s / 60:.0f} min" if can.token_lifetime_s else "no"
        if not can.remote:
            guard = "always"
        joins = f"for {can.merge_window_s / 60:.0f} min" if can.merges else "no"
        rows.append(
            f"| `{make.platform}` | {can.dialect} | {'yes' if can.edits else 'no'} "
            f"| {can.max_post_chars} | {can.spoilers or 'no'} | {guard} | {can.settle_s:.0f} s "
            f"| {joins} | {'yes' if can.letters else 'no'} |"
        )
    notes = [f"\n## {name}\n\n{NOTES[name]}\n" for name in names]
    return HEAD + "\n".join(rows) + "\n" + "".join(notes) + profiles()


def profiles() -> str:
    """What the shipped profiles can do, and how sure each of their fields is."""
    rows, parts = [], []
    for name in builtin_names():
        profile = builtin(name)[0]
        can = capabilities_of(profile)
        rows.append(
            f"| `{name}` | {can.dialect} | {'yes' if profile.reply else '**no: read only**'} "
            f"| {'yes' if can.edits else 'no'} | {can.max_post_chars} |"
        )
        like = f" Otherwise like `{profile.like}`." if profile.like else ""
        seen = ", ".join(f"`{field}`" for field in profile.about.seen) or "nothing"
        assumed = ", ".join(f"`{field}`" for field in profile.about.assumed) or "nothing more"
        parts.append(
            f"- `{name}`: {profile.about.text}{like} Seen in public sources: {seen}. "
            f"Assumed, so that it may need mending: {assumed}."
        )
    return PROFILES + "\n".join(rows) + "\n\n" + "\n".join(parts) + "\n"


def main() -> int:
    """Write the page, or say whether it is current."""
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    return 0 if PAGE.read_text(encoding="utf-8") == page() else 1


if __name__ == "__main__":
    sys.exit(main())
