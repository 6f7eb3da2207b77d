"""What the fake phpBB answers: pages with the ids and classes of prosilver, and little else.

Written by hand after the captured pages. ``at`` turns an address into what stands in a page: it
appends the session id for visitors who do not send cookies back, as phpBB does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Final

At = Callable[[str], str]

WORDS: Final[dict[str, Mapping[str, str]]] = {
    "en": {
        "flood": "You cannot make another post so soon after your last.",
        "token": "The submitted form was invalid. Try submitting again.",
        "empty": "Your message contains too few characters.",
        "long": "Your message contains 70000 characters. The maximum number is 60000.",
        "locked": "This topic is locked, you cannot edit posts or make further replies.",
        "no_reply": "You cannot reply in this forum.",
        "no_read": "You are not authorised to read this forum.",
        "no_edit": "You are not allowed to edit this post.",
        "no_topic": "The requested topic does not exist.",
        "no_post": "The requested post does not exist.",
        "disabled": "Sorry but this board is currently unavailable.",
        "approval": "This message has been submitted successfully, but it will need to be approved "
        "by a moderator before it is publicly viewable.",
        "password": "You have specified an incorrect password.",
        "captcha": "You exceeded the maximum allowed number of login attempts. In addition to your "
        "username and password you now also have to pass the CAPTCHA test.",
        "login_to_reply": "You need to login in order to reply to topics within this forum.",
        "login_to_read": "You are required to log in to read this forum.",
        "review": "At least one new post has been made to this topic. You may wish to review your "
        "post in light of this.",
        "review_title": "Post review",
        "information": "Information",
        "edited": "Last edited by {name} on {when}, edited {times} times in total.",
        "no_letters": "You may not read private messages.",
        "no_letter": "That message could not be found.",
        "unapproved": "This post is not visible to other users until it has been approved",
        "by_foe": "This post was made by {name} who is currently on your ignore list.",
        "show": "Display this post",
    },
    "es": {
        "flood": "No puede enviar otro mensaje tan pronto.",
        "token": "El formulario enviado no es válido. Intente enviarlo de nuevo.",
        "empty": "Su mensaje contiene muy pocos caracteres.",
        "long": "Su mensaje contiene 70000 caracteres. El número máximo permitido es 60000.",
        "locked": "Este tema está cerrado, no puede editar mensajes ni publicar nuevas respuestas.",
        "no_reply": "No puede responder en este foro.",
        "no_read": "No está autorizado para leer este foro.",
        "no_edit": "No está autorizado para editar este mensaje.",
        "no_topic": "El tema solicitado no existe.",
        "no_post": "El mensaje solicitado no existe.",
        "disabled": "Lo sentimos, pero este foro no está disponible en este momento.",
        "approval": "El mensaje se ha enviado correctamente, pero debe ser aprobado por un "
        "moderador antes de ser visible públicamente.",
        "password": "Ha introducido una contraseña incorrecta.",
        "captcha": "Ha excedido el número máximo de intentos de identificación.",
        "login_to_reply": "Necesita identificarse para responder a los temas de este foro.",
        "login_to_read": "Necesita identificarse para leer este foro.",
        "review": "Se ha publicado al menos un nuevo mensaje en este tema. Quizá quiera revisar el "
        "suyo.",
        "review_title": "Revisión del mensaje",
        "information": "Información",
        "edited": "Última edición por {name} el {when}, editado {times} veces en total.",
        "no_letters": "No puede leer mensajes privados.",
        "no_letter": "No se ha encontrado ese mensaje.",
        "unapproved": "Este mensaje no es visible para otros usuarios hasta que se apruebe",
        "by_foe": "Este mensaje es de {name}, a quien tiene en su lista de ignorados.",
        "show": "Mostrar este mensaje",
    },
}


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom a page is made; id 1 is a guest."""

    id: int
    name: str
    lang: str
    sid: str

    @property
    def is_guest(self) -> bool:
        """Whether nobody is logged in."""
        return self.id == 1

    def says(self, key: str) -> str:
        """A sentence in the viewer's language."""
        return WORDS[self.lang][key]


@dataclass(frozen=True, slots=True)
class ShownPost:
    """A post as its reader gets it."""

    id: int
    author_id: int
    author: str
    at: float
    body: str
    subject: str
    signature: str = ""
    edits: int = 0
    edited_at: float = 0.0
    approved: bool = True
    deleted: bool = False
    ignored: bool = False
    editable: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What a posting form holds."""

    action: str
    title: str
    topic: int
    subject: str
    message: str
    hidden: Mapping[str, str]
    error: str = ""
    review: Sequence[ShownPost] = ()
    older: Sequence[ShownPost] = ()


def page(
    viewer: Viewer, at: At, title: str, body: str, *, head: str = "", where: str = "viewtopic"
) -> str:
    """The frame of every page."""
    if viewer.is_guest:
        account = (
            '<li class="rightside" data-skip-responsive="true">'
            f'<a href="{at("./ucp.php?mode=login")}" title="Login" role="menuitem">'
            "<span>Login</span></a></li>"
        )
    else:
        profile = at(f"./memberlist.php?mode=viewprofile&u={viewer.id}")
        account = (
            '<li id="username_logged_in" class="rightside " data-skip-responsive="true">'
            f'<a href="./ucp.php" class="header-avatar"><span class="username">'
            f"{escape(viewer.name)}</span></a><ul>"
            f'<li><a href="{profile}" title="Profile" role="menuitem"><span>Profile</span></a></li>'
            f'<li><a href="./ucp.php?mode=logout&amp;sid={viewer.sid}" title="Logout" '
            'role="menuitem"><span>Logout</span></a></li></ul></li>'
        )
    return f"""<!DOCTYPE html>
<html dir="ltr" lang="{viewer.lang}">
<head>
<meta charset="utf-8" />
{head}<title>{escape(title)} - Taberna de pruebas</title>
</head>
<body id="phpbb" class="nojs notouch section-{where} ltr ">
<div id="wrap" class="wrap">
<div id="page-header"><div class="headerbar" role="banner"><h1>Taberna de pruebas</h1>
<form action="{at("./search.php")}" method="get" id="search"><fieldset>
<input name="keywords" id="keywords" type="search" value="" /></fieldset></form></div>
<div class="navbar" role="navigation"><ul id="nav-main" class="nav-main linklist">{account}</ul>
<ul id="nav-breadcrumbs"><li class="breadcrumbs"><a href="{at("./index.php")}">Board index</a></li>
</ul></div></div>
<div id="page-body" class="page-body" role="main">
{body}
</div>
<div id="page-footer" class="page-footer" role="contentinfo">
<a href="{at("/app.php/user/delete_cookies")}">Delete cookies</a>
<span class="footer-copyright">Powered by a fake</span></div>
</div>
</body>
</html>
"""


def message(viewer: Viewer, at: At, key: str, *, refresh: str = "") -> str:
    """A page that only says something."""
    head = f'<meta http-equiv="refresh" content="10; url={refresh}" />\n' if refresh else ""
    body = (
        '<div class="panel" id="message"><div class="inner">'
        f'<h2 class="message-title">{viewer.says("information")}</h2>'
        f"<p>{escape(viewer.says(key), quote=False)}</p></div></div>"
    )
    return page(viewer, at, viewer.says("information"), body, head=head, where="message")


def login(
    viewer: Viewer,
    at: At,
    hidden: Mapping[str, str],
    *,
    title: str = "Login",
    error: str = "",
    captcha: str = "",
) -> str:
    """The login form, with a CAPTCHA after too many mistakes."""
    trouble = f'<div class="error">{escape(error, quote=False)}</div>' if error else ""
    puzzle = (
        '<dl><dt><label for="confirm_code">Confirmation code:</label></dt><dd>'
        '<input type="text" name="confirm_code" id="confirm_code" size="8" />'
        f'<input type="hidden" name="confirm_id" id="confirm_id" value="{captcha}" /></dd></dl>'
        if captcha
        else ""
    )
    body = f"""<form action="{at("./ucp.php?mode=login")}" method="post" id="login">
<div class="panel"><div class="inner"><div class="content">
<h2 class="login-title">{escape(title)}</h2><fieldset class="fields1">{trouble}
<input type="text" name="username" id="username" size="25" value="" class="inputbox" />
<input type="password" id="password" name="password" size="25" class="inputbox" />{puzzle}
<input type="checkbox" name="autologin" id="autologin" />
<input type="checkbox" name="viewonline" id="viewonline" />
{_hidden(hidden)}
<input type="submit" name="login" value="Login" class="button1" />
</fieldset></div></div></div></form>"""
    return page(viewer, at, "Login", body, where="ucp")


def code(viewer: Viewer, at: At) -> str:
    """What an extension for two-step verification asks for once the password was right."""
    body = """<form action="./ucp.php?mode=code" method="post"><div class="panel"><fieldset>
<input type="text" name="code" autocomplete="one-time-code" value="" />
<input type="submit" name="submit" value="Submit" class="button1" /></fieldset></div></form>"""
    return page(viewer, at, "Verification", body)


def topic(
    viewer: Viewer,
    at: At,
    *,
    topic_id: int,
    title: str,
    locked: bool,
    posts: Sequence[ShownPost],
    start: int,
    per_page: int,
    total: int,
    base: str,
    quick_reply: str = "",
) -> str:
    """A page of a topic."""
    canonical = f"{base}/viewtopic.php?t={topic_id}" + (f"&amp;start={start}" if start else "")
    label = "Locked" if locked else "Post Reply"
    icon = "lock" if locked else "reply"
    hint = viewer.says("locked") if locked else "Post a reply"
    bar = f"""<div class="action-bar bar-top">
<a href="{at(f"./posting.php?mode=reply&t={topic_id}")}" class="button" title="{escape(hint)}">
<span>{label}</span> <i class="icon fa-{icon} fa-fw" aria-hidden="true"></i></a>
{_pagination(at, topic_id, start, per_page, total)}</div>"""
    heading = at(f"./viewtopic.php?t={topic_id}")
    body = "\n".join(
        [
            f'<h2 class="topic-title"><a href="{heading}">{escape(title, quote=False)}</a></h2>',
            bar,
            *(_post(viewer, at, post) for post in posts),
            quick_reply,
            _pagination(at, topic_id, start, per_page, total),
        ]
    )
    return page(viewer, at, title, body, head=f'<link rel="canonical" href="{canonical}">\n')


def inbox(viewer: Viewer, at: At, letters: Sequence[ShownPost]) -> str:
    """The first page of the inbox, the newest message first."""
    rows = "".join(_letter_row(at, letter) for letter in letters)
    shown = (
        f'<ul class="topiclist cplist pmlist responsive-show-all two-columns">{rows}</ul>'
        if rows
        else "<p><strong>No messages</strong></p>"
    )
    body = f"""<form id="viewfolder" method="post"
action="{at("./ucp.php?i=pm&mode=view&action=view_folder&f=0")}">
<div class="panel"><div class="inner">
<ul class="topiclist two-columns"><li class="header"><dl><dt><div class="list-inner">Message</div>
</dt><dd class="mark">Mark</dd></dl></li></ul>{shown}</div></div></form>"""
    return page(viewer, at, "Private messages", _control_panel(body), where="ucp")


def _letter_row(at: At, letter: ShownPost) -> str:
    view = at(f"./ucp.php?i=pm&mode=view&f=0&p={letter.id}")
    title = f'<a href="{view}" class="topictitle">{escape(letter.subject, quote=False)}</a>'
    unread = f'<a href="{view}" class="row-item-link"></a>'
    if letter.deleted:
        remove = at(f"./ucp.php?i=pm&mode=compose&action=delete&p={letter.id}")
        title = f'<a href="{remove}" class="topictitle">Delete</a><br />'
        unread = ""
    return f"""<li class="row bg{letter.id % 2 + 1}"><dl class="row-item pm_unread"><dt>{unread}
<div class="list-inner">{title} <br />by {_author(at, letter)} &raquo; {_date(letter.at)}</div></dt>
<dd class="mark"><input type="checkbox" name="marked_msg_id[]" value="{letter.id}" /></dd></dl>
</li>"""


def letter(viewer: Viewer, at: At, shown: ShownPost, *, history: Sequence[ShownPost]) -> str:
    """The page of a private message, with the conversation that it belongs to."""
    signature = (
        f'<div id="sig{shown.id}" class="signature">{shown.signature}</div>'
        if shown.signature
        else ""
    )
    quote = at(f"./ucp.php?i=pm&mode=compose&action=quote&f=0&p={shown.id}")
    to = at(f"./memberlist.php?mode=viewprofile&u={viewer.id}")
    earlier = "".join(_reviewed(at, one, "pr") for one in history) if len(history) > 1 else ""
    body = f"""<form id="viewfolder" method="post"
action="{at("./ucp.php?i=pm&mode=view&action=view_message")}">
<div id="post-{shown.id}" class="post pm has-profile"><div class="inner">
<dl class="postprofile" id="profile{shown.id}"><dt class="no-profile-rank no-avatar">
{_author(at, shown)}</dt></dl>
<div class="postbody"><h3 class="first">{escape(shown.subject, quote=False)}</h3>
<ul class="post-buttons"><li><a href="{quote}" title="Quote"></a></li></ul>
<p class="author"><strong>Sent:</strong> {_date(shown.at)}
<br /><strong>From:</strong> {_author(at, shown)}
<br /><strong>To:</strong> <a href="{to}" class="username">{escape(viewer.name)}</a>&nbsp;</p>
<div class="content">{shown.body}</div>{signature}</div></div></div>
<fieldset class="display-options"><input type="hidden" name="p" value="{shown.id}" /></fieldset>
</form><div id="topicreview" class="topicreview">{earlier}</div>"""
    return page(viewer, at, shown.subject, _control_panel(body), where="ucp")


def _control_panel(body: str) -> str:
    return (
        '<h2 class="ucp-title">User Control Panel</h2><div class="panel bg3"><div class="inner">'
        f'<div id="cp-main" class="cp-main ucp-main panel-container">{body}</div></div></div>'
    )


def _date(at: float) -> str:
    """As phpBB writes it where it tells people only."""
    return f"{datetime.fromtimestamp(int(at), UTC):%a %b %d, %Y %I:%M %p}"


def posting(viewer: Viewer, at: At, form: Form) -> str:
    """The form of a reply or an edit."""
    trouble = f'<p class="error">{escape(form.error, quote=False)}</p>' if form.error else ""
    review = ""
    if form.review:
        shown = "".join(_reviewed(at, post, "ppr") for post in form.review)
        review = (
            f"<h3>{viewer.says('review_title')}</h3><p>{viewer.says('review')}</p>{shown}<hr />"
        )
    older = "".join(_reviewed(at, post, "pr") for post in form.older)
    typed = escape(form.message, quote=False)
    body = f"""<h2 class="posting-title"><a href="{at(f"./viewtopic.php?t={form.topic}")}">
{escape(form.title, quote=False)}</a></h2>
<form id="postform" method="post" action="{at(form.action)}" enctype="multipart/form-data">
{review}
<div class="panel" id="postingbox"><div class="inner"><h3>Post a reply</h3>
<fieldset class="fields1">{trouble}
<label for="icon"><input type="radio" name="icon" id="icon" value="0" checked="checked" /></label>
<label for="icon-1"><input type="radio" name="icon" id="icon-1" value="1" /></label>
<input type="text" name="subject" id="subject" maxlength="124" value="{escape(form.subject)}" />
<select name="addbbcode20" class="bbcode-size"><option value="50">Tiny</option>
<option value="100" selected="selected">Normal</option></select>
<textarea name="message" id="message" rows="15" cols="76">{typed}</textarea>
</fieldset></div></div>
<div class="panel bg2"><fieldset class="submit-buttons">
<input type="submit" name="save" value="Save draft" class="button2" />
<input type="submit" name="preview" value="Preview" class="button1" />
<input type="submit" name="post" value="Submit" class="button1 default-submit-action" />
</fieldset></div>
<div class="panel bg3" id="options-panel"><fieldset class="fields1">
<input type="checkbox" name="disable_bbcode" id="disable_bbcode" />
<input type="checkbox" name="attach_sig" id="attach_sig" checked="checked" /></fieldset>
{_hidden(form.hidden)}</div>
<div class="panel bg3" id="attach-panel"><input type="file" name="fileupload" id="fileupload" />
<input type="submit" name="add_file" value="Add the file" class="button2" />
<textarea name="filecomment" id="filecomment" rows="1" cols="40"></textarea></div>
</form>
<h3 id="review" class="review">Topic review: {escape(form.title, quote=False)}</h3>
<div id="topicreview" class="topicreview">{older}</div>"""
    return page(viewer, at, "Post a reply", body, where="posting")


def quick_reply_form(at: At, topic_id: int, hidden: Mapping[str, str]) -> str:
    """The short form under a topic, which a referee must not take for the real one."""
    return f"""<form method="post" action="{at(f"./posting.php?mode=reply&t={topic_id}")}"
id="qr_postform"><div class="panel"><h2 class="quickreply-title">Quick Reply</h2>
<input type="text" name="subject" value="" /><textarea name="message" rows="7"></textarea>
{_hidden(hidden)}<input type="submit" name="post" value="Submit" class="button1" /></div></form>"""


def _hidden(fields: Mapping[str, str]) -> str:
    return "\n".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}" />'
        for name, value in fields.items()
    )


def _pagination(at: At, topic_id: int, start: int, per_page: int, total: int) -> str:
    pages = max(1, -(-total // per_page))
    current = start // per_page + 1
    if pages == 1:
        return (
            f'<div class="pagination">{total} posts &bull; Page <strong>1</strong> of '
            "<strong>1</strong></div>"
        )

    def address(number: int) -> str:
        offset = (number - 1) * per_page
        return at(f"./viewtopic.php?t={topic_id}" + (f"&start={offset}" if offset else ""))

    items: list[str] = []
    if current > 1:
        items.append(
            '<li class="arrow previous"><a class="button button-icon-only" '
            f'href="{address(current - 1)}" rel="prev" role="button"></a></li>'
        )
    shown = {1, pages, *range(current - 2, current + 3)}
    before = 0
    for number in range(1, pages + 1):
        if number not in shown:
            continue
        if number - before > 1:
            items.append('<li class="ellipsis" role="separator"><span>…</span></li>')
        before = number
        items.append(
            f'<li class="active"><span>{number}</span></li>'
            if number == current
            else f'<li><a class="button" href="{address(number)}" role="button">{number}</a></li>'
        )
    if current < pages:
        items.append(
            '<li class="arrow next"><a class="button button-icon-only" '
            f'href="{address(current + 1)}" rel="next" role="button"></a></li>'
        )
    return f'<div class="pagination">{total} posts <ul>{"".join(items)}</ul></div>'


def _author(at: At, post: ShownPost) -> str:
    if post.author_id == 1:
        return f'<span class="username">{escape(post.author)}</span>'
    profile = at(f"./memberlist.php?mode=viewprofile&u={post.author_id}")
    return f'<a href="{profile}" class="username">{escape(post.author)}</a>'


def _time(at: float) -> str:
    moment = datetime.fromtimestamp(int(at), UTC)
    return f'<time datetime="{moment.isoformat()}">{moment:%a %b %d, %Y}</time>'


def _post(viewer: Viewer, at: At, post: ShownPost) -> str:
    permalink = at(f"./viewtopic.php?p={post.id}") + f"#p{post.id}"
    profile = (
        f'<dl class="postprofile" id="profile{post.id}"><dt class="no-avatar">{_author(at, post)}'
        "</dt></dl>"
    )
    waiting = (
        f'<p class="post-notice unapproved"><strong>{viewer.says("unapproved")}</strong></p>'
        if not post.approved
        else ""
    )
    notice = ""
    if post.edits:
        when = f"{datetime.fromtimestamp(int(post.edited_at), UTC):%a %b %d, %Y %H:%M}"
        said = viewer.says("edited").format(name=_author(at, post), when=when, times=post.edits)
        notice = f'<div class="notice">{said}</div>'
    if post.deleted:
        notice += '<div class="notice post_deleted_msg">Deleted by admin</div>'
    signature = (
        f'<div id="sig{post.id}" class="signature">{post.signature}</div>' if post.signature else ""
    )
    edit = (
        f'<li><a href="{at(f"./posting.php?mode=edit&p={post.id}")}" title="Edit post"></a></li>'
        if post.editable
        else ""
    )
    state = " deleted" if post.deleted else ""
    # All of a foe's post is there, and a click shows it; who wrote it stands before it once more.
    folded, ignored = "", ""
    if post.ignored:
        folded = ' style="display: none;"'
        show = at(f"./viewtopic.php?p={post.id}&view=show") + f"#p{post.id}"
        ignored = (
            f'<div class="ignore" id="post_hidden{post.id}">'
            f"{viewer.says('by_foe').format(name=_author(at, post))}<br />"
            f'<a class="display_post" data-post-id="{post.id}" href="{show}">'
            f"{viewer.says('show')}</a></div>"
        )
        profile = profile.replace(' class="postprofile"', f' class="postprofile"{folded}')
    return f"""<div id="p{post.id}" class="post has-profile bg{post.id % 2 + 1}{state}">
<div class="inner">{profile}<div class="postbody">{ignored}<div id="post_content{post.id}"{folded}>
<h3><a href="{permalink}">{escape(post.subject, quote=False)}</a></h3>
<ul class="post-buttons">{edit}</ul>
<p class="author"><a class="unread" href="{permalink}" title="Post"></a>
<span class="responsive-hide">by <strong>{_author(at, post)}</strong> &raquo; </span>
{_time(post.at)}</p>{waiting}
<div class="content">{post.body}</div>
{notice}{signature}</div></div></div></div>"""


def _reviewed(at: At, post: ShownPost, prefix: str) -> str:
    permalink = at(f"./viewtopic.php?p={post.id}") + f"#p{post.id}"
    return f"""<div class="post bg2"><div class="inner">
<div class="postbody" id="{prefix}{post.id}">
<h3><a href="{permalink}">{escape(post.subject, quote=False)}</a></h3>
<p class="author">by <strong>{_author(at, post)}</strong></p>
<div class="content">{post.body}</div></div></div></div>"""
