"""What the fake SMF answers: pages with the ids and classes of its default theme, and little else.

Written by hand after the captured pages. ``at`` turns an address into what stands in a page: it
puts the session id in for visitors who do not send cookies back, as SMF does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Final

At = Callable[[str], str]

WORDS: Final[dict[str, Mapping[str, str]]] = {
    "en": {
        "topic_locked": "This topic is locked, you are not allowed to post or modify messages.",
        "topic_gone": "The topic or board you are looking for appears to be either missing or off "
        "limits to you.",
        "cant_find_messages": "Could not find messages with that ID.",
        "cannot_post_reply_any": "You are not permitted to post replies to topics on this board.",
        "cannot_pm_read": "You cannot read your personal messages.",
        "no_access": "You are not allowed to access this section",
        "cannot_modify_any": "You aren't allowed to modify posts.",
        "error_form_already_submitted": "You have already submitted this post!  You might have "
        "accidentally double clicked or tried to refresh the page.",
        "post_WaitTime_broken": "The last posting from your IP was less than {seconds} seconds "
        "ago. Please try again later.",
        "login_threshold_fail": "Sorry, you are out of login chances. Please come back and try "
        "again later.",
        "banned": "Sorry Árbitro, you are banned from using this forum!",
        "no_message": "The message body was left empty.",
        "long_message": "The message exceeds the maximum allowed length (20000 characters).",
        "session_timeout": "Your session timed out while posting. Please try to re-submit your "
        "message.",
        "new_reply": "Warning - while you were typing a new reply has been posted. You may wish "
        "to review your post.",
        "only_members": "Only registered members are allowed to access this section.",
        "password": "Password incorrect",
        "waiting": "Your post is awaiting approval by a moderator.",
    },
    "es": {
        "topic_locked": "Este tema está bloqueado, no puedes publicar ni modificar mensajes.",
        "topic_gone": "El tema o foro que buscas no existe o no está a tu alcance.",
        "cant_find_messages": "No se han encontrado mensajes con ese ID.",
        "cannot_post_reply_any": "No tienes permiso para responder a los temas de este foro.",
        "cannot_pm_read": "No puedes leer tus mensajes personales.",
        "no_access": "No puedes acceder a esta sección",
        "cannot_modify_any": "No tienes permiso para modificar mensajes.",
        "error_form_already_submitted": "¡Ya has enviado este mensaje!",
        "post_WaitTime_broken": "El último mensaje desde tu IP fue hace menos de {seconds} "
        "segundos. Inténtalo más tarde.",
        "login_threshold_fail": "Has agotado tus intentos de identificarte.",
        "banned": "Lo sentimos, Árbitro, has sido expulsado de este foro.",
        "no_message": "El cuerpo del mensaje está vacío.",
        "long_message": "El mensaje excede la longitud máxima permitida (20000 caracteres).",
        "session_timeout": "Tu sesión ha expirado mientras escribías. Intenta enviar de nuevo el "
        "mensaje.",
        "new_reply": "Atención: mientras escribías se ha publicado una nueva respuesta.",
        "only_members": "Sólo los miembros registrados pueden acceder a esta sección.",
        "password": "Contraseña incorrecta",
        "waiting": "Tu mensaje espera la aprobación de un moderador.",
    },
}
NAME: Final = "Taberna de pruebas"


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom a page is made; id 0 is a guest. ``token`` is the name and value of the session."""

    id: int
    name: str
    lang: str
    base: str
    token: tuple[str, str]

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
    edited_at: float = 0.0
    approved: bool = True
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What a posting form holds.

    Attributes:
        error: What is wrong, and
        serious: whether that stops it.
        marked: Whether the message itself is what is wrong.
    """

    action: str
    topic: int
    subject: str
    message: str
    last_msg: int
    number: int
    error: str = ""
    serious: bool = False
    marked: bool = False
    older: Sequence[ShownPost] = ()


def page(viewer: Viewer, at: At, title: str, body: str, *, head: str = "") -> str:
    """The frame of every page."""
    name, value = viewer.token
    if viewer.id:
        alerts = at(f"?action=profile;area=showalerts;u={viewer.id}")
        account = (
            f'<li><a href="{at("?action=profile")}" id="profile_menu_top"><span class="textmenu">'
            f"{escape(viewer.name)}</span></a></li>"
            f'<li><a href="{alerts}" id="alerts_menu_top">Alerts</a></li>'
            f'<li id="nojs_logout"><a href="{viewer.base}/index.php?action=logout;{name}={value}">'
            "Log out</a></li>"
        )
    else:
        account = (
            f'<li class="welcome">Welcome to <strong>{NAME}</strong>.</li>'
            f'<li class="button_login"><a href="{at("?action=login")}" class="open">Log in</a></li>'
        )
    return f"""<!DOCTYPE html>
<html lang="{viewer.lang}-US">
<head>
<meta charset="UTF-8">
<script>
var smf_session_id = "{value}";
var smf_session_var = "{name}";
var smf_member_id = {viewer.id};
</script>
<title>{escape(title)}</title>
{head}</head>
<body id="smf" class="action_messageindex board_1">
<div id="footerfix"><div id="top_section"><div class="inner_wrap">
<ul class="floatleft" id="top_info">{account}</ul>
<form id="search_form" action="{at("?action=search2")}" method="post">
<input type="search" name="search" value=""></form></div></div>
<div id="wrapper"><div id="content_section"><div id="main_content_section">
{body}
</div></div></div></div>
<div id="footer"><div class="inner_wrap"><ul><li class="copyright">SMF 2.1.5</li></ul></div></div>
</body>
</html>
"""


def fatal(viewer: Viewer, at: At, code: str, said: str) -> str:
    """A page that only says something, with the id of what it says."""
    body = f"""<div id="fatal_error"><div class="cat_bar"><h3 class="catbg">An error has occurred
</h3></div><div class="windowbg">
<div id="{code}" class="padding">{escape(said, quote=False)}</div></div></div>
<div class="centertext"><a class="button floatnone" href="javascript:back()">Back</a></div>"""
    return page(viewer, at, "An error has occurred", body)


def closed(viewer: Viewer, at: At) -> str:
    """The board is closed; its own people may still log in."""
    body = f"""<form action="{at("?action=login2")}" method="post" name="frmLogin" id="frmLogin">
<div class="login" id="maintenance_mode"><div class="cat_bar"><h3 class="catbg">Maintenance Mode
</h3></div><p>We are back soon.</p><input type="text" name="user">
<input type="password" name="passwrd"></div></form>"""
    return page(viewer, at, "Maintenance Mode", body)


def login(
    viewer: Viewer, at: At, hidden: Mapping[str, str], *, error: str = "", notice: str = ""
) -> str:
    """The login form."""
    trouble = f'<div class="errorbox">{escape(error, quote=False)}</div>' if error else ""
    told = f'<p class="information centertext">{escape(notice)}</p>' if notice else ""
    body = f"""<div class="login">{told}<div class="roundframe">
<form class="login" action="{at("?action=login2")}" name="frmLogin" id="frmLogin" method="post">
{trouble}<input type="text" id="loginuser" name="user" size="20" value="" required>
<input type="password" id="loginpass" name="passwrd" value="" size="20" required>
<select name="cookielength" id="cookielength"><option value="3153600" selected>Forever</option>
<option value="60">1 Hour</option></select>
<input type="submit" value="Log in" class="button">
{_hidden(hidden)}</form></div></div>"""
    return page(viewer, at, "Log in", body)


def index(viewer: Viewer, at: At) -> str:
    """A list of boards."""
    body = f'<div id="boardindex_table"><a href="{at("?board=1.0")}">Partida</a></div>'
    return page(viewer, at, NAME, body)


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
    last_id: int,
    number: int,
) -> str:
    """A page of a topic."""
    canonical = f"{viewer.base}/index.php?topic={topic_id}.{start}"
    bar = _pages(at, topic_id, start, per_page, total)
    name, value = viewer.token
    lock = ' <span class="main_icons lock"></span>' if locked else ""
    reply, quick = "", ""
    if viewer.id and not locked:
        address = at(f"?action=post;topic={topic_id}.{start};last_msg={last_id}")
        reply = f'<a class="button button_strip_reply active" href="{address}">Reply</a>'
        hidden = {
            "topic": str(topic_id),
            "subject": f"Re: {title}",
            "icon": "xx",
            "from_qr": "1",
            "goback": "1",
            "last_msg": str(last_id),
            name: value,
            "seqnum": str(number),
        }
        quick = (
            f'<div id="quickreply"><form action="{at("?board=1;action=post2")}" method="post" '
            f'name="postmodify" id="postmodify">{_hidden(hidden)}<textarea class="editor" '
            'name="quickReply" id="quickReply"></textarea><input type="submit" value="Post" '
            'name="post"></form></div>'
        )
    shown = "".join(_post(viewer, at, topic_id, post) for post in posts)
    body = f"""<div id="display_head" class="information"><h2 class="display_title">
<span id="top_subject">{escape(title, quote=False)}</span>{lock}</h2></div>
<div class="pagesection top"><div class="buttonlist floatright">{reply}
<a class="button button_strip_mark_unread"
href="{at("?action=markasread;sa=topic")};{name}={value}">Mark unread</a></div>{bar}</div>
<div id="forumposts"><form action="{at(f"?action=quickmod2;topic={topic_id}.{start}")}"
method="post" name="quickModForm" id="quickModForm">
{shown}</form></div>
<div class="pagesection"><div class="buttonlist floatright">{reply}</div>{bar}</div>
<div id="moderationbuttons"></div>
{quick}"""
    return page(viewer, at, title, body, head=f'<link rel="canonical" href="{canonical}">\n')


def code(viewer: Viewer, at: At) -> str:
    """What a board with two-step verification asks for once the password was right."""
    body = """<form action="?action=logintfa" method="post" accept-charset="UTF-8" name="frmTfa"
id="frmTfa"><div class="roundframe"><input type="text" name="tfa_code" size="8" value="">
<input type="text" name="tfa_backup" size="30" value=""><input type="submit" value="Log in"></div>
</form>"""
    return page(viewer, at, "Verification", body)


def folder(viewer: Viewer, at: At, listed: Sequence[ShownPost], shown: Sequence[ShownPost]) -> str:
    """A page of private messages: the list, and those of them that are shown in full."""
    name, value = viewer.token
    full = {post.id for post in shown}
    rows = "".join(_letter_row(at, letter, here=letter.id in full) for letter in listed)
    nothing = '<tr class="windowbg"><td colspan="5">You have no messages</td></tr>'
    body = f"""<form class="flow_hidden" action="{at("?action=pm;sa=pmactions;f=inbox;start=0")}"
method="post" name="pmFolder" id="pmFolder"><div class="cat_bar"><h3 class="catbg">Inbox</h3></div>
<table class="table_grid"><thead><tr class="title_bar">
<th class="half_table pm_subject"><a href="{at("?action=pm;sort=subject")}">Subject</a></th>
<th class="lefttext pm_from_to">From</th></tr></thead><tbody>{rows or nothing}</tbody></table>
<div class="clear_right"><br></div>
{"".join(_letter(at, letter) for letter in shown)}
<input type="hidden" name="{name}" value="{value}"></form>"""
    return page(viewer, at, "Personal Messages", body)


def _letter_row(at: At, letter: ShownPost, *, here: bool) -> str:
    elsewhere = at(f"?action=pm;pmid={letter.id};kstart;f=inbox;start=0;sort=date;desc")
    where = f"{'' if here else elsewhere}#msg{letter.id}"
    profile = _profile(at, letter)
    return f"""<tr class="windowbg unread_pm"><td class="table_icon pm_icon"></td>
<td class="pm_time">Today at 00:57</td><td class="pm_subject">
<a href="{where}">{escape(letter.subject, quote=False)}</a>
<span class="pm_inline_time"><span class="main_icons members"></span> {profile}</span></td>
<td class="pm_from_to">{profile}</td><td class="centercol table_icon pm_moderation">
<input type="checkbox" name="pms[]" id="deletelisting{letter.id}" value="{letter.id}"></td></tr>"""


def _letter(at: At, letter: ShownPost) -> str:
    signature = f'<div class="signature">{letter.signature}</div>' if letter.signature else ""
    return f"""<div class="windowbg" id="msg{letter.id}"><div class="post_wrapper">
<div class="poster"><h4><span class="on" title="Online"></span>
{_profile(at, letter)}
</h4><ul class="user_info"><li class="postcount">Posts: 8</li></ul></div>
<div class="postarea"><div class="keyinfo"><div id="subject_{letter.id}" class="subject_title">
<h5>{escape(letter.subject, quote=False)}</h5></div><div class="postinfo"><span class="smalltext">
<strong> Sent to:</strong> Árbitro <strong> on:</strong> Today at 00:57</span></div></div>
<div class="post"><div class="inner" id="msg_{letter.id}">
{letter.body}
</div></div><div class="under_message"></div></div>
<div class="moderatorbar">{signature}</div></div></div>"""


def posting(viewer: Viewer, at: At, form: Form) -> str:
    """The form of a reply or an edit."""
    name, value = viewer.token
    kind = "errorbox" if form.serious else "noticebox"
    hide = "" if form.error else ' style="display: none"'
    edge = "border: 1px solid red;" if form.marked else ""
    hidden = {
        "last_msg": str(form.last_msg),
        "additional_options": "0",
        name: value,
        "seqnum": str(form.number),
    }
    older = "".join(
        f'<div class="windowbg"><div id="msg{post.id}"><h5><span>Posted by</span> '
        f'{escape(post.author)}</h5><div class="list_posts smalltext" id="msg_{post.id}_body" '
        f'data-msgid="{post.id}">{post.body}</div></div></div>'
        for post in form.older
    )
    typed = escape(form.message, quote=False)
    body = f"""<form action="{at(form.action)}" method="post" name="postmodify" id="postmodify"
class="flow_hidden" enctype="multipart/form-data"><div id="post_area"><div class="roundframe">
<input type="hidden" name="topic" value="{form.topic}">
<div class="{kind}"{hide} id="errors"><dl><dt><strong id="error_serious">The message has the
following error or errors that must be corrected before continuing:</strong></dt>
<dd class="error" id="error_list">{escape(form.error, quote=False)}</dd></dl></div>
<input type="text" id="subject" name="subject" maxlength="84" value="{escape(form.subject)}">
<select name="icon" id="icon"><option value="xx" selected>Standard</option>
<option value="thumbup">Thumb Up</option></select>
<textarea class="editor" name="message" id="message" style="width: 100%;{edge}">{typed}</textarea>
<input type="hidden" name="message_mode" id="message_mode" value="0">
<input type="file" multiple="multiple" name="attachment[]" id="attachment1">
<input type="hidden" name="notify" value="0"><input type="checkbox" name="notify" value="1">
<input type="checkbox" name="goback" id="check_back" checked value="1">
<span id="post_confirm_buttons"><input type="submit" name="save_draft" value="Save draft">
<input type="submit" name="preview" value="Preview">
<input type="submit" value="Post" name="post"></span></div></div>
{_hidden(hidden)}</form>
<div id="recent" class="flow_hidden main_section">{older}</div>"""
    return page(viewer, at, "Post reply", body)


def _hidden(fields: Mapping[str, str]) -> str:
    return "\n".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in fields.items()
    )


def _pages(at: At, topic_id: int, start: int, per_page: int, total: int) -> str:
    """The links to other pages, those far away left out."""
    last = max(0, (total - 1) // per_page * per_page)

    def link(offset: int, label: str) -> str:
        return f'<a class="nav_page" href="{at(f"?topic={topic_id}.{offset}")}">{label}</a> '

    near = [start + per_page * step for step in range(-2, 3)]
    near = [offset for offset in near if 0 <= offset <= last]
    parts = ['<span class="pages">Pages</span>']
    if start:
        parts.append(link(start - per_page, '<span class="main_icons previous_page"></span>'))
    if not near or near[0] > 0:
        parts.append(link(0, "1"))
        parts.append('<span class="expand_pages"> ... </span>')
    for offset in near:
        label = str(offset // per_page + 1)
        is_here = offset == start
        parts.append(
            f'<span class="current_page">{label}</span> ' if is_here else link(offset, label)
        )
    if not near or near[-1] < last:
        parts.append('<span class="expand_pages"> ... </span>')
        parts.append(link(last, str(last // per_page + 1)))
    if start < last:
        parts.append(link(start + per_page, '<span class="main_icons next_page"></span>'))
    return f'<div class="pagelinks floatleft">{"".join(parts)}</div>'


def _profile(at: At, post: ShownPost) -> str:
    if not post.author_id:
        return escape(post.author)
    address = at(f"?action=profile;u={post.author_id}")
    return f'<a href="{address}" title="View the profile">{escape(post.author)}</a>'


def _post(viewer: Viewer, at: At, topic_id: int, post: ShownPost) -> str:
    when = f"{datetime.fromtimestamp(int(post.at), UTC):%d-%m-%Y, %H:%M}"
    online = ""
    if post.author_id:
        message = at(f"?action=pm;sa=send;u={post.author_id}")
        online = f'<a href="{message}" title="PM"><span class="on" title="Online"></span></a>'
    edited = ""
    if post.edited_at:
        edited = f'<span class="lastedit">Last Edit</span>: {when} by {escape(post.author)}'
    waiting = (
        "" if post.approved else f'<div class="noticebox">{escape(viewer.says("waiting"))}</div>'
    )
    hidden = ' style="display:none;"' if post.ignored else ""
    signature = (
        f'<div class="signature" id="msg_{post.id}_signature">{post.signature}</div>'
        if post.signature
        else ""
    )
    permalink = at(f"?msg={post.id}")
    return f"""<div class="{"windowbg" if post.approved else "approvebg"}" id="msg{post.id}">
<div class="post_wrapper"><div class="poster"><h4>
{online}
{_profile(at, post)}
</h4><ul class="user_info"><li class="postcount">Posts: 8</li></ul></div>
<div class="postarea"><div class="keyinfo"><div id="subject_{post.id}" class="subject_title">
<a href="{permalink}" rel="nofollow">{escape(post.subject, quote=False)}</a></div>
<span class="page_number floatright">#{post.number}</span><div class="postinfo">
<a href="{permalink}" rel="nofollow" title="Reply #{post.number}" class="smalltext">{when}</a>
<span class="smalltext modified floatright{" mvisible" if edited else ""}"
id="modified_{post.id}">{edited}</span></div></div>
<div class="post">{waiting}
<div class="inner" data-msgid="{post.id}" id="msg_{post.id}"{hidden}>
{post.body}
</div></div>
<div class="under_message"><a href="{at(f"?action=post;quote={post.id};topic={topic_id}")}">Quote
</a></div></div><div class="moderatorbar">{signature}</div></div></div>
<hr class="post_separator">"""
