"""What the fake MyBB answers: pages with the ids and classes of its own theme, and little else.

Written by hand after the captured pages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import Final

WORDS: Final[dict[str, Mapping[str, str]]] = {
    "en": {
        "errors": "Please correct the following errors before continuing:",
        "flood": "You are trying to post a message too quickly after posting a previous message. "
        "Please wait {seconds} more seconds.",
        "missing": "The message is missing. Please enter a message.",
        "short": "The message is too short. Please enter a message longer than 5 characters.",
        "long": "The message is too long. Please enter a message shorter than 65535 characters "
        "(currently {length}).",
        "token": "Authorization code mismatch. Are you accessing this function correctly? Please "
        "go back and try again.",
        "twin": "You have already posted this reply to the specified thread. Please visit the "
        "thread to see your reply.",
        "closed": "You cannot post replies in this thread because it has been closed by a "
        "moderator.",
        "closed_edit": "You cannot edit existing posts in this thread because it has been closed "
        "by a moderator.",
        "no_letter": "That private message does not exist.",
        "no_thread": "The specified thread does not exist.",
        "no_post": "The specified post does not exist.",
        "disabled": "This bulletin board is currently closed. The Administrator has specified the "
        "reason as to why below.",
        "password": "You have entered an invalid username/password combination.",
        "captcha": "Please fill out the image verification code to continue the login process.",
        "no_permission": "You do not have permission to access this page.",
        "log_in": "You are either not logged in or do not have permission to view this page.",
        "logged_in": "You have successfully been logged in.",
        "posted": "Thank you, your reply has been posted.",
        "queued": "The administrator has specified that all new posts require moderation. You "
        "will now be returned to the thread.",
        "deleted": "This post has been deleted.",
        "edited": "This post was last modified:",
        "now": "Less than 1 minute ago",
    },
    "es": {
        "errors": "Corrige los siguientes errores antes de continuar:",
        "flood": "Estás tratando de enviar un mensaje después de enviar un mensaje previo. Por "
        "favor, espera {seconds} segundos más.",
        "missing": "Falta el mensaje. Por favor, escribe un mensaje.",
        "short": "El mensaje es demasiado corto. Por favor, escribe más de 5 caracteres.",
        "long": "El mensaje es demasiado largo ({length} caracteres).",
        "token": "El código de autorización no coincide. Vuelve atrás e inténtalo de nuevo.",
        "twin": "Ya has enviado esta respuesta al tema. Visítalo para verla.",
        "closed": "No puedes responder en este tema porque ha sido cerrado por un moderador.",
        "closed_edit": "No puedes editar mensajes en este tema porque ha sido cerrado por un "
        "moderador.",
        "no_letter": "Ese mensaje privado no existe.",
        "no_thread": "El tema especificado no existe.",
        "no_post": "El mensaje especificado no existe.",
        "disabled": "El foro se encuentra cerrado en estos momentos.",
        "password": "El nombre de usuario o la contraseña no son correctos.",
        "captcha": "Escribe el código de la imagen para continuar.",
        "no_permission": "No tienes permiso para acceder a esta página.",
        "log_in": "No te has identificado o no tienes permiso para ver esta página.",
        "logged_in": "Te has identificado correctamente.",
        "posted": "Gracias, tu respuesta ha sido enviada.",
        "queued": "El administrador ha decidido que todos los mensajes sean moderados.",
        "deleted": "Este mensaje ha sido borrado.",
        "edited": "Este mensaje fue modificado por última vez:",
        "now": "Hace menos de 1 minuto",
    },
}
NAME: Final = "Taberna de pruebas"


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom a page is made; id 0 is a guest."""

    id: int
    name: str
    lang: str
    key: str
    base: str
    user_url: Callable[[int], str]

    def says(self, key: str, **facts: object) -> str:
        """A sentence in the viewer's language."""
        return WORDS[self.lang][key].format(**facts)


@dataclass(frozen=True, slots=True)
class ShownPost:
    """A post as its reader gets it."""

    id: int
    number: int
    author_id: int
    author: str
    at: float
    body: str
    subject: str
    signature: str = ""
    edits: int = 0
    approved: bool = True
    deleted: bool = False
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What a posting form holds."""

    action: str
    title: str
    button: str
    subject: str
    message: str
    hidden: Mapping[str, str]
    errors: Sequence[str] = ()
    moderates: bool = False
    older: Sequence[ShownPost] = field(default=())


def page(viewer: Viewer, title: str, body: str, *, head: str = "") -> str:
    """The frame of every page."""
    if viewer.id:
        profile = viewer.user_url(viewer.id)
        welcome = (
            f'<span class="welcome"><strong>Welcome back, <a href="{profile}">'
            f"{escape(viewer.name)}</a></strong>. You last visited: "
            '<span title="30-11-2026">Today</span>, 00:57 '
            f'<a href="{viewer.base}/member.php?action=logout&amp;logoutkey={viewer.key}" '
            'class="logout">Log Out</a></span>'
        )
    else:
        welcome = (
            '<span class="welcome">Hello There, Guest! '
            f'<a href="{viewer.base}/member.php?action=login" class="login">Login</a></span>'
            '<div class="modal" id="quick_login" style="display: none;">'
            f'<form method="post" action="{viewer.base}/member.php">'
            '<input name="action" type="hidden" value="do_login" />'
            '<input name="quick_login" type="hidden" value="1" />'
            f'<input name="my_post_key" type="hidden" value="{viewer.key}" />'
            '<input name="quick_username" type="text" value="" />'
            '<input name="quick_password" type="password" value="" /></form></div>'
        )
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xml:lang="{viewer.lang}" lang="{viewer.lang}" xmlns="http://www.w3.org/1999/xhtml">
<head>
<title>{escape(title)}</title>
{head}<meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />
</head>
<body>
<div id="container"><a name="top" id="top"></a>
<div id="header"><div id="panel"><div class="upper"><div class="wrapper">
<form action="{viewer.base}/search.php"><fieldset id="search">
<input name="keywords" type="text" class="textbox" />
<input type="hidden" name="action" value="do_search" /></fieldset></form>
{welcome}</div></div></div></div>
<div id="content"><div class="wrapper">
<div class="navigation"><a href="{viewer.base}/index.php">{NAME}</a>
<span class="active">{escape(title, quote=False)}</span></div><br />
{body}
</div></div>
<div id="footer"><div class="upper"><div class="wrapper"><ul class="menu bottom_links">
<li><a href="#top">Return to Top</a></li></ul></div></div>
<div class="lower"><span id="current_time"><strong>Current time:</strong> 30-11-2026, 00:58</span>
</div></div>
</div>
</body>
</html>
"""


def message(viewer: Viewer, text: str) -> str:
    """A page that only says something; the text may hold markup."""
    body = f"""<table border="0" cellspacing="0" cellpadding="5" class="tborder">
<tr><td class="thead"><span class="smalltext"><strong>{NAME}</strong></span></td></tr>
<tr><td class="trow1">{text}</td></tr></table>"""
    return page(viewer, "Board Message", body)


def no_permission(viewer: Viewer) -> str:
    """ "You are either not logged in or do not have permission", with its list of reasons."""
    login = (
        ""
        if viewer.id
        else f' <a href="{viewer.base}/member.php?action=login">Login</a> | '
        f'<a href="{viewer.base}/member.php?action=register">Need to register?</a>'
    )
    reasons = f"<ol><li>{viewer.says('no_permission')}{login}</li></ol>"
    return message(viewer, f"{viewer.says('log_in')}{reasons}")


def redirect(viewer: Viewer, url: str, said: str) -> str:
    """ "Thank you, you will now be taken to...", with a timer."""
    return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xml:lang="{viewer.lang}" lang="{viewer.lang}" xmlns="http://www.w3.org/1999/xhtml">
<head>
<title>{NAME}</title>
<meta http-equiv="refresh" content="2;URL={escape(url)}" />
</head>
<body>
<table class="tborder"><tr><td class="thead"><strong>{NAME}</strong></td></tr>
<tr><td class="trow1" align="center"><p>{said}</p></td></tr>
<tr><td class="trow2" align="right"><a href="{escape(url)}">Click here</a></td></tr></table>
</body>
</html>
"""


def login(viewer: Viewer, *, error: str = "", captcha: bool = False) -> str:
    """The login form, with a picture to read after too many mistakes."""
    puzzle = (
        '<tr><td><input type="text" name="imagestring" value="" />'
        '<input type="hidden" name="imagehash" value="0123456789abcdef" /></td></tr>'
        if captcha
        else ""
    )
    body = f"""{_errors(viewer, [error] if error else [])}
<form action="member.php" method="post">
<table border="0" cellspacing="0" cellpadding="5" class="tborder">
<tr><td class="thead" colspan="2"><strong>Login</strong></td></tr>
<tr><td class="trow1"><strong>Username:</strong></td>
<td class="trow1"><input type="text" class="textbox" name="username" size="25" value="" /></td></tr>
<tr><td class="trow2"><strong>Password:</strong></td>
<td class="trow2"><input type="password" class="textbox" name="password" size="25" value="" />
</td></tr>
<tr><td class="trow1" colspan="2"><label><input type="checkbox" class="checkbox" name="remember"
checked="checked" value="yes" /> Remember me</label></td></tr>{puzzle}
</table>
<div align="center"><input type="submit" class="button" name="submit" value="Login" /></div>
<input type="hidden" name="action" value="do_login" />
<input type="hidden" name="url" value="" />
<input name="my_post_key" type="hidden" value="{viewer.key}" />
</form>"""
    return page(viewer, "Login", body)


def code(viewer: Viewer) -> str:
    """What a plugin for two-step verification asks for once the password was right."""
    body = """<form action="member.php" method="post"><table class="tborder"><tr><td class="trow1">
<input type="text" class="textbox" name="my2fa_code" value="" /></td></tr></table>
<input type="hidden" name="action" value="verify" /></form>"""
    return page(viewer, "Verification", body)


def index(viewer: Viewer) -> str:
    """A list of forums."""
    body = f"""<table border="0" cellspacing="0" cellpadding="5" class="tborder">
<tr><td class="thead" colspan="2"><strong>{NAME}</strong></td></tr>
<tr><td class="tcat">Forum</td><td class="tcat">Posts</td></tr>
<tr><td class="trow1"><a href="forumdisplay.php?fid=2">Partida</a></td><td class="trow2">9</td></tr>
</table>"""
    return page(viewer, NAME, body)


def inbox(viewer: Viewer, letters: Sequence[ShownPost]) -> str:
    """The first page of the inbox, the newest message first."""
    nothing = '<tr><td colspan="6" class="trow1">There are no messages.</td></tr>'
    rows = "".join(_letter_row(viewer, letter) for letter in letters) or nothing
    folder = f"""<form action="private.php" method="post" name="pmForm">
<input type="hidden" name="my_post_key" value="{viewer.key}" />
<table border="0" class="tborder"><tr><td class="thead" colspan="6"><strong>Inbox</strong></td></tr>
<tr><td class="tcat" colspan="3"><a href="private.php?fid=0&amp;sortby=subject&amp;order=asc">Title
</a></td><td class="tcat">Sender</td><td class="tcat">Date</td>
<td class="tcat"><input name="allbox" type="checkbox" class="checkbox checkall" value="1" /></td>
</tr>{rows}
<tr><td class="tfoot" colspan="6"><input type="submit" name="delete" value="Delete" /></td></tr>
</table><input type="hidden" name="action" value="do_stuff" /></form>"""
    return page(viewer, "Private Messaging", _messenger(folder))


def _letter_row(viewer: Viewer, letter: ShownPost) -> str:
    read = f"private.php?action=read&amp;pmid={letter.id}"
    return f"""<tr><td class="trow1" align="center" width="2%">
<img src="{viewer.base}/images/new_pm.png" alt="New" title="New" /></td><td class="trow1"></td>
<td class="trow1" width="35%"><a class="new_pm" href="{read}">{escape(letter.subject)}</a>
<span class="smalltext"><a href="{read}&amp;denyreceipt=1">Deny receipt</a></span></td>
<td class="trow1" align="center">{_profile(viewer, letter)}</td>
<td class="trow1" align="right"><span class="smalltext">Today, 00:57</span></td>
<td class="trow1"><input type="checkbox" name="check[{letter.id}]" value="1" /></td>
</tr>"""


def letter(viewer: Viewer, shown: ShownPost) -> str:
    """The page of a private message: a post without a number."""
    profile = _profile(viewer, shown)
    signature = (
        f'<div class="signature scaleimages">{shown.signature}</div>' if shown.signature else ""
    )
    message = f"""<table border="0" class="tborder tfixed clear no_bottom_border">
<tr><td class="thead"><strong>{escape(shown.subject)}</strong></td></tr>
<tr><td id="posts_container"><div id="posts"><a name="pid" id="pid"></a>
<div class="post " style="" id="post_"><div class="post_author"><div class="author_information">
<strong><span class="largetext">{profile}</span></strong><br /></div></div>
<div class="post_content"><div class="post_head">
<span class="post_date">Today, 00:57<br />To: {escape(viewer.name)}
<span class="post_edit" id="edited_by_"></span></span></div>
<div class="post_body scaleimages" id="pid_">
{shown.body}
</div>
{signature}<div class="post_meta" id="post_meta_"></div></div>
<div class="post_controls"><a href="private.php?action=send&amp;pmid={shown.id}&amp;do=reply"
class="postbit_reply_pm"><span>Reply</span></a></div></div></div></td></tr></table>
<form action="private.php" method="post" name="input"><table class="tborder"><tr>
<td class="thead"><strong>Quick Reply</strong></td></tr><tr><td class="trow1">
<textarea name="message"></textarea><input type="hidden" name="pmid" value="{shown.id}" /></td></tr>
</table></form>"""
    return page(viewer, f"Viewing PM {shown.subject}", _messenger(message))


def _messenger(body: str) -> str:
    return f"""<table width="100%" border="0"><tr><td width="180"><table class="tborder"><tr>
<td class="thead"><strong>Menu</strong></td></tr><tr><td class="trow1 smalltext">
<a href="private.php">Inbox</a></td></tr></table></td><td valign="top">{body}</td></tr></table>"""


def thread(
    viewer: Viewer,
    *,
    topic: int,
    title: str,
    locked: bool,
    posts: Sequence[ShownPost],
    number: int,
    pages: int,
    page_url: Callable[[int], str],
    last_id: int,
) -> str:
    """A page of a thread."""
    bar = _pagination(number, pages, page_url)
    button = ""
    if viewer.id:
        kind, label = ("closed_button", "Thread Closed") if locked else ("new_reply_button", "New")
        button = (
            f'<a href="newreply.php?tid={topic}" class="button {kind}"><span>{label}</span></a>'
        )
    quick = _quick_reply(viewer, topic, title, number, last_id) if viewer.id and not locked else ""
    shown = "\n".join(_post(viewer, topic, post) for post in posts)
    body = f"""<div class="float_left">{bar}</div><div class="float_right">{button}&nbsp;</div>
<table border="0" cellspacing="0" cellpadding="5" class="tborder tfixed clear">
<tr><td class="thead"><div class="float_right"><span class="smalltext"><strong>
<a href="showthread.php?mode=threaded&amp;tid={topic}">Threaded Mode</a></strong></span></div>
<div><strong>{escape(title, quote=False)}</strong></div></td></tr>
<tr><td id="posts_container"><div id="posts">
{shown}
</div></td></tr>
<tr><td class="tfoot"><form action="search.php" method="post">
<input type="hidden" name="action" value="thread" /><input type="hidden" name="tid"
value="{topic}" /></form></td></tr></table>
<div class="float_left">{bar}</div><div class="float_right">{button}&nbsp;</div>
{quick}
<ul class="thread_tools"><li class="printable"><a href="printthread.php?tid={topic}">Print</a></li>
</ul>
<span class="smalltext">Users browsing this thread: {escape(viewer.name)}</span>"""
    return page(viewer, title, body)


def posting(viewer: Viewer, form: Form) -> str:
    """The form of a reply or an edit."""
    older = "".join(
        f'<tr><td class="tcat">{escape(post.author)}</td></tr>'
        f'<tr><td class="trow1">{post.body}</td></tr>'
        for post in form.older
    )
    delete = (
        '<form action="editpost.php" method="post" name="editpost">'
        f'<input type="hidden" name="my_post_key" value="{viewer.key}" />'
        '<input type="checkbox" name="delete" value="1" />'
        '<input type="hidden" name="action" value="deletepost" />'
        '<input type="submit" name="submit" value="Delete Now" /></form>'
        if form.moderates
        else ""
    )
    typed = escape(form.message, quote=False)
    body = f"""{_errors(viewer, form.errors)}{delete}
<form action="{escape(form.action)}" method="post" enctype="multipart/form-data" name="input">
<input type="hidden" name="my_post_key" value="{viewer.key}" />
<table border="0" cellspacing="0" cellpadding="5" class="tborder">
<tr><td class="thead" colspan="2"><strong>Post a New Reply</strong></td></tr>
<tr><td class="tcat" colspan="2"><span class="smalltext"><strong>{escape(form.title)}</strong>
</span></td></tr>
<tr><td class="trow2"><input type="text" class="textbox" name="subject" size="40" maxlength="85"
value="{escape(form.subject)}" /></td></tr>
<tr><td class="trow1"><label><input type="radio" class="radio" name="icon" value="-1"
checked="checked" />no icon</label><label><input type="radio" name="icon" value="6" /></label>
</td></tr>
<tr><td class="trow2">
<textarea id="message" name="message" rows="20" cols="70">{typed}</textarea>
</td></tr>
<tr><td class="trow1"><label><input type="checkbox" class="checkbox"
name="postoptions[signature]" value="1" checked="checked" /></label>
<label><input type="checkbox" class="checkbox" name="postoptions[disablesmilies]" value="1" />
</label></td></tr>
<tr><td class="trow2"><label><input type="radio" name="postoptions[subscriptionmethod]"
checked="checked" value="" /></label><label><input type="radio"
name="postoptions[subscriptionmethod]" value="email" /></label></td></tr>
</table>
<div align="center"><input type="submit" class="button" name="{form.button}" value="Send" />
<input type="submit" class="button" name="previewpost" value="Preview Post" />
<input type="submit" class="button" name="savedraft" value="Save as Draft" /></div>
{_hidden(form.hidden)}
</form>
<table class="tborder tfixed"><tr><td class="thead"><strong>Thread Review</strong></td></tr>
{older}</table>"""
    return page(viewer, "Post Reply", body)


def _hidden(fields: Mapping[str, str]) -> str:
    return "\n".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}" />'
        for name, value in fields.items()
    )


def _errors(viewer: Viewer, errors: Sequence[str]) -> str:
    if not errors:
        return ""
    items = "".join(f"<li>{escape(error, quote=False)}</li>" for error in errors)
    return f'<div class="error"><p><em>{viewer.says("errors")}</em></p><ul>{items}</ul></div><br />'


def _pagination(number: int, pages: int, page_url: Callable[[int], str]) -> str:
    if pages == 1:
        return ""
    first = max(1, min(number - 2, pages - 4))
    last = min(pages, first + 4)
    parts = [f'<span class="pages">Pages ({pages}):</span>']
    if number > 1:
        parts.append(_page_link(page_url(number - 1), "pagination_previous", "&laquo; Previous"))
    if first > 1:
        parts.append(_page_link(page_url(1), "pagination_first", "1"))
    parts += [
        f'<span class="pagination_current">{other}</span>'
        if other == number
        else _page_link(page_url(other), "pagination_page", str(other))
        for other in range(first, last + 1)
    ]
    if last < pages:
        parts.append("..." + _page_link(page_url(pages), "pagination_last", str(pages)))
    if number < pages:
        parts.append(_page_link(page_url(number + 1), "pagination_next", "Next &raquo;"))
    return f'<div class="pagination">{" ".join(parts)}</div>'


def _page_link(url: str, kind: str, label: str) -> str:
    return f'<a href="{escape(url)}" class="{kind}">{label}</a>'


def _quick_reply(viewer: Viewer, topic: int, title: str, number: int, last_id: int) -> str:
    """The short form under a thread, which a referee must not take for the real one."""
    hidden = {
        "my_post_key": viewer.key,
        "subject": f"RE: {title}",
        "action": "do_newreply",
        "lastpid": str(last_id),
        "from_page": str(number),
        "tid": str(topic),
        "method": "quickreply",
    }
    return f"""<form method="post" action="newreply.php?tid={topic}&amp;processed=1"
name="quick_reply_form" id="quick_reply_form">{_hidden(hidden)}
<textarea name="message" id="message" rows="8" cols="80"></textarea>
<input type="submit" class="button" value="Post Reply" id="quick_reply_submit" /></form>"""


def _profile(viewer: Viewer, post: ShownPost) -> str:
    if not post.author_id:
        return escape(post.author)
    return f'<a href="{viewer.user_url(post.author_id)}">{escape(post.author)}</a>'


def _post(viewer: Viewer, topic: int, post: ShownPost) -> str:
    profile = _profile(viewer, post)
    anchor = f'<a name="pid{post.id}" id="pid{post.id}"></a>'
    if post.deleted:
        return f"""{anchor}<div class="post deleted_post_hidden" id="post_{post.id}">
<div class="deleted_post_author"><strong><span class="largetext">{profile}</span></strong></div>
<div class="post_content"><em>{viewer.says("deleted")}</em></div></div>"""
    when = f"{datetime.fromtimestamp(int(post.at), UTC):%d-%m-%Y, %H:%M}"
    edited = ""
    if post.edits:
        edited = (
            f'<span class="edited_post">({viewer.says("edited")} '
            f'<span title="{when}">{viewer.says("now")}</span> by {profile}.)</span>'
        )
    signature = (
        f'<div class="signature scaleimages">{post.signature}</div>' if post.signature else ""
    )
    ignored, hidden = "", ""
    if post.ignored:
        ignored = (
            f'<div class="ignored_post" id="ignored_post_{post.id}"><div '
            f'class="ignored_post_author"><strong><span class="largetext">{profile}</span>'
            "</strong></div></div>"
        )
        hidden = "display: none;"
    shade = "" if post.approved else "unapproved_post"
    return f"""{ignored}{anchor}
<div class="post {shade}" style="{hidden}" id="post_{post.id}">
<div class="post_author"><div class="author_information">
<strong><span class="largetext">{profile}</span></strong>
<a href="online.php"><img src="{viewer.base}/images/buddy_online.png" alt="Online"
class="buddy_status" /></a><br /></div></div>
<div class="post_content"><div class="post_head"><div class="float_right">
<strong><a href="showthread.php?tid={topic}&amp;pid={post.id}#pid{post.id}"
title="{escape(post.subject)}">#{post.number}</a></strong></div>
<span class="post_date">{when} <span class="post_edit" id="edited_by_{post.id}">{edited}</span>
</span></div>
<div class="post_body scaleimages" id="pid_{post.id}">
{post.body}
</div>
{signature}
<div class="post_meta" id="post_meta_{post.id}"></div></div></div>"""
