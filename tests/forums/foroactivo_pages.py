"""What the fake Foroactivo answers: five versions of its templates, and little else of them.

Constructed, not captured: ids, classes and the order of things as in public copies of the templates
(for the Invision version as far as userscripts tell). Words of notices are general knowledge.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Final

from tests.forums import bbcode

MARKS: Final = {
    "biggrin": ("Very Happy", 1), "smile": ("Smile", 2), "sad": ("Sad", 3), "wink": ("Wink", 4),
    "cool": ("Cool", 5), "razz": ("Razz", 6),
}  # fmt: skip
NOTICES: Final[Mapping[str, str]] = {
    "success": "Su mensaje ha sido publicado con éxito.",
    "flood": "Control de flood: no puede publicar otro mensaje tan pronto.",
    "again": "Un nuevo mensaje ha sido publicado mientras usted escribía el suyo.",
    "empty": "Debe introducir un mensaje para publicar.",
    "expired": "Su sesión no es válida. Envíe de nuevo el formulario.",
    "locked": "Este tema está cerrado: no puede publicar ni editar mensajes.",
    "forbidden": "Lo sentimos, pero solo los usuarios autorizados pueden leer temas en este foro.",
    "gone": "El tema o mensaje que ha solicitado no existe.",
    "closed": "Lo sentimos, este foro no está disponible en este momento.",
    "password": "Ha especificado un nombre de usuario incorrecto o una contraseña inválida.",
}


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whose page it is; id -1 is nobody's."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A post as a page shows it."""

    id: int
    topic: str
    author_id: int
    author: str
    body: str
    at: float
    edits: int = 0
    signature: str = ""
    folded: bool = False

    @property
    def state(self) -> str:
        """The style of a post that readers see only after a click."""
        return "display:none" if self.folded else ""

    @property
    def notice(self) -> str:
        """What stands in the place of such a post; its words and links are assumed."""
        show = f"return showHiddenMessage({self.id});"
        return (
            f"El mensaje de {self.by} está oculto. "
            f'<a href="#" onclick="{show}" id="hidden-title--{self.id}">Ver el mensaje</a>'
        )

    @property
    def by(self) -> str:
        """The author's name, a link where there is an account."""
        name = f"<strong>{escape(self.author)}</strong>"
        return f'<a href="/u{self.author_id}">{name}</a>' if self.author_id > 0 else name

    @property
    def avatar(self) -> str:
        """A picture that leads to the profile."""
        picture = '<img src="https://2img.net/avatar.png" alt="" />'
        return f'<a href="/u{self.author_id}">{picture}</a>' if self.author_id > 0 else picture

    @property
    def date(self) -> str:
        """As a board in Spanish writes it, in whatever zone."""
        return f"{datetime.fromtimestamp(self.at, UTC):%d.%m.%y %-H:%M}"

    @property
    def edited(self) -> str:
        """The notice under an edited post."""
        times = f"editado {self.edits} veces" if self.edits > 1 else "editado 1 vez"
        return f"Última edición por {escape(self.author)}, {times}" if self.edits else ""


def dressed(text: str) -> str:
    """What was typed as HTML."""
    return as_foroactivo(bbcode.render(text))


def as_foroactivo(html: str) -> str:
    """A post's body as phpBB dresses it, in the dress of Foroactivo."""
    html = re.sub(
        r'<div class="codebox"><p>.*?</p><pre><code>(.*?)</code></pre></div>',
        lambda found: (
            '<dl class="codebox"><dt>Código:</dt><dd class="cont_code"><code>'
            + found[1].replace("\n", "<br />")
            + "</code></dd></dl>"
        ),
        html,
        flags=re.DOTALL,
    )
    html = re.sub(
        r'<div class="spoiler"><div class="spoiler-title">.*?</div>'
        r'<div class="spoiler-content">(.*?)</div></div>',
        r'<dl class="codebox spoiler"><dt style="cursor: pointer;">Spoiler:</dt><dd>'
        r'<div class="spoiler_content hidden">\1</div></dd></dl>',
        html,
        flags=re.DOTALL,
    )
    html = plain_emoji(html)
    html = re.sub(r'<img[^>]*class="smilies"[^>]*>', _smiley, html)
    html = re.sub(r"<blockquote[^>]*><div>", "<blockquote><div>", html)
    html = re.sub(
        r"<cite>(?:<a[^>]*>)?([^<]*?)(?:</a>)? wrote:.*?</cite>", r"<cite>\1 escribió:</cite>", html
    )
    return html.replace("<br>", "<br />")


def _smiley(found: re.Match[str]) -> str:
    picture = re.search(r"icon_e_(\w+)\.gif", found[0])
    assert picture is not None
    name, number = MARKS[picture[1]]
    source = f"https://2img.net/i/fa/i/smiles/icon_{picture[1]}.gif"
    return f'<img src="{source}" alt="{name}" longdesc="{number}" />'


def plain_emoji(html: str) -> str:
    """Emoji as letters, where phpBB has made pictures of them."""
    return re.sub(r'<img[^>]*class="emoji smilies"[^>]*>', typed_of, html)


def typed_of(found: re.Match[str]) -> str:
    """What was typed for a picture of phpBB's."""
    typed = re.search(r'alt="([^"]+)"', found[0])
    return typed[1] if typed else ""


# ------------------------------------------------------------------------------- posts


def _phpbb3(post: Shown) -> str:
    signature = (
        f'<div class="signature_div" id="sig{post.id}">{post.signature}</div>'
        if post.signature
        else ""
    )
    return f"""\
<div id="p{post.id}" class="post row1 online post--{post.id}" style="{post.state}">
<div class="inner"><span class="corners-top"><span></span></span>
<div style="position: relative; top: -30px; width: 1px;" id="{post.id}"></div>
<div class="postbody">
<ul class="profile-icons"><li><a href="/post?p={post.id}&amp;mode=quote">Citar</a></li></ul>
<h2 class="topic-title"><a href="/{post.topic}#{post.id}">Re: Escena</a></h2>
<p class="author"><img src="" alt="Mensaje" />&nbsp;por&nbsp;{post.by} {post.date}</p>
<div class="clearfix"></div>
<div class="content clearfix"><div>{post.body}</div></div>
{post.edited}
{signature}
</div>
<div class="postprofile" id="profile{post.id}"><dl><dt>{post.avatar}
<br /><strong style="font-size:1.2em">{post.by}</strong></dt><dd>Mensajes : 12</dd></dl></div>
<div class="clear"></div></div></div>
<hr id="first-post-br" />
"""


def _modernbb(post: Shown) -> str:
    signature = (
        f'<div class="signature_div" id="sig{post.id}">{post.signature}</div>'
        if post.signature
        else ""
    )
    return f"""\
<div id="p{post.id}" class="post row2 post--{post.id}" style="{post.state}">
<div style="position: relative; top: -30px; width: 1px;" id="{post.id}"></div>
<div class="postprofile" id="profile{post.id}"><dl><dt>
<div class="postprofile-avatar">{post.avatar}</div>
<div class="postprofile-name">{post.by}</div>
<div class="postprofile-rank">Aventurero</div></dt>
<dd class="postprofile-info">Mensajes : 12</dd></dl></div>
<div class="post-head">
<h2 class="topic-title"><a href="/{post.topic}#{post.id}">Re: Escena</a></h2>
<div class="topic-date">{post.date}</div></div>
<div class="postbody">
<div class="content"><div>{post.body}</div></div>
<div class="edited-message">{post.edited}</div>
{signature}
</div></div>
"""


def _punbb(post: Shown) -> str:
    signature = (
        f'<div class="sig-content"><span class="sig-line"></span>{post.signature}</div>'
        if post.signature
        else ""
    )
    return f"""\
<div class="post post--{post.id}" style="{post.state}">
<a name="{post.id}"></a>
<div class="postmain">
<div id="p{post.id}" class="posthead">
<h2><strong>12</strong> <a href="/{post.topic}#{post.id}">Re: Escena</a> {post.date}</h2></div>
<div class="postbody">
<div class="user"><div class="user-ident">
<h4 class="username">{post.by}</h4>
<div class="user-basic-info">{post.avatar}<br />Aventurero</div></div>
<div class="user-info">Mensajes : 12</div></div>
<div class="post-entry"><div class="entry-content">
<div class="vote gensmall"><div class="vote-button"><a href="/vote">+</a></div></div>
<div>
{post.body}
</div>
<p>
{post.edited}
</p>
</div></div></div>
{signature}
<div class="postfoot clearfix"><div class="user-contact">&nbsp;</div></div>
</div></div>
"""


def _invision(post: Shown) -> str:
    signature = f'<div class="signature">{post.signature}</div>' if post.signature else ""
    return f"""\
<div class="post post--{post.id}" id="p{post.id}" style="{post.state}">
<div class="postprofile"><h4>{post.by}</h4>{post.avatar}<br />Mensajes : 12</div>
<div class="postbody">
<div class="posthead"><a href="/{post.topic}#{post.id}">Re: Escena</a> {post.date}</div>
<div class="post-entry clearfix"><div>{post.body}</div></div>
<p class="edited">{post.edited}</p>
{signature}
</div></div>
"""


def _phpbb2(post: Shown) -> str:
    signature = f'<div class="signature_div">{post.signature}</div>' if post.signature else ""
    return f"""\
<tr class="post post--{post.id}" id="p{post.id}" style="{post.state}">
<td class="row1" valign="top" width="150">
<span class="name"><a name="{post.id}" id="{post.id}"></a><strong>{post.by}</strong></span><br />
<span class="postdetails poster-profile">Aventurero<br />{post.avatar}<br />Mensajes : 12</span>
</td>
<td class="row1" valign="top" width="100%">
<table width="100%" border="0" cellspacing="0" cellpadding="0">
<tr><td><span class="postdetails">Tema: Re: Escena&nbsp; &nbsp;{post.date}</span></td></tr>
<tr><td colspan="2" class="hr"><hr /></td></tr>
<tr><td colspan="2">
<div class="postbody">
<div>{post.body}</div>
<div class="clear"></div>
{signature}
</div>
<span class="gensmall">{post.edited}</span>
</td></tr></table></td></tr>
<tr class="post--{post.id}" style="{post.state}"><td class="row1 browse-arrows">
<a href="#top">Volver</a></td>
<td class="row1 messaging gensmall">&nbsp;</td></tr>
"""


HIDDEN: Final[Mapping[str, str]] = {
    # What each version writes beside a folded post; of the Invision version it is assumed.
    "phpbb3": """<div class="post row1"><div class="inner"><span class="corners-top"><span></span>
</span><p style="text-align:center">{notice}</p><div class="clear"></div></div></div>
""",
    "modernbb": '<div class="post row1"><p style="text-align:center">{notice}</p></div>\n',
    "punbb": '<p class="p-hidden">{notice}</p>\n',
    "invision": '<div class="post row1"><p style="text-align:center">{notice}</p></div>\n',
    "phpbb2": '<tr><td class="postdetails row1" colspan="2" align="center">{notice}</td></tr>\n',
}
POSTS: Final[Mapping[str, Callable[[Shown], str]]] = {
    "phpbb3": _phpbb3,
    "modernbb": _modernbb,
    "punbb": _punbb,
    "invision": _invision,
    "phpbb2": _phpbb2,
}
_AROUND: Final[Mapping[str, tuple[str, str]]] = {
    # What a version writes around its posts; in braces the title and the links to other pages.
    "phpbb3": ('<h1 class="page-title">{title}</h1>\n<p class="pagination">{paging}</p>', ""),
    "modernbb": ('<h1 class="page-title">{title}</h1>\n<div class="pagination">{paging}</div>', ""),
    "punbb": (
        """<div class="main"><div class="main-head clearfix"><h1>{title}</h1>
<p class="paging">{paging}</p></div><div class="main-content topic">""",
        "</div></div>",
    ),
    "invision": (
        '<div class="borderwrap"><h1>{title}</h1><p class="pagination">{paging}</p>',
        "</div>",
    ),
    "phpbb2": (
        """<table class="forumline" width="100%"><tr><td class="catHead" colspan="2">
<h1 class="cattitle">&nbsp;{title}</h1></td></tr>
<tr><td class="row1 pagination" colspan="2"><span class="gensmall">{paging}</span></td></tr>""",
        "</table>",
    ),
}


# ------------------------------------------------------------------------------- pages


def page(viewer: Viewer, title: str, content: str) -> str:
    """A whole page with its head."""
    known = viewer.id > 0
    entrance = (
        f'<a href="/logout?logout=1">Desconexión [ {escape(viewer.name)} ]</a>'
        if known
        else '<a href="/register">Registrarse</a> <a href="/login">Conectarse</a>'
    )
    return f"""\
<!DOCTYPE html>
<html lang="es"><head><title>{escape(title)}</title>
<script type="text/javascript">//<![CDATA[
var _userdata = new Object();
_userdata["session_logged_in"] = {int(known)};
_userdata["username"] = "{escape(viewer.name)}";
_userdata["user_id"] = {viewer.id};
//]]></script></head>
<body><div id="page-header"><a href="/">Índice</a> {entrance}</div>
{content}
<div id="page-footer">Foro gratis | Foroactivo</div></body></html>
"""


def topic(
    viewer: Viewer, engine: str, title: str, posts: Sequence[Shown], places: Sequence[str]
) -> str:
    """A page of a topic.

    Args:
        viewer: Whose.
        engine: Version of the templates.
        title: The topic's.
        posts: What stands on it.
        places: Addresses of all pages, an empty one for this page.
    """
    here, last = [*places, ""].index("") + 1, len(places)
    # Boards leave out most of many pages.
    listed = [n for n in range(1, last + 1) if n <= 3 or n > last - 3 or abs(n - here) <= 1]
    paging = " ".join(
        f'<a href="{places[number - 1]}">{number}</a>'
        if places[number - 1]
        else f"<strong>{number}</strong>"
        for number in listed
    )
    before, after = _AROUND[engine]
    shown = "".join(
        (HIDDEN[engine].format(notice=post.notice) if post.folded else "") + POSTS[engine](post)
        for post in posts
    )
    around = before.format(title=escape(title), paging=paging if len(places) > 1 else "")
    return page(viewer, title, f"{around}\n{shown}{after}")


def notice(viewer: Viewer, text: str, link: str = "") -> str:
    """A page that only says something."""
    more = f'<p>Haga clic <a href="{link}">aquí</a> para ver su mensaje</p>' if link else ""
    return page(viewer, "Información", f'<div class="panel"><p>{text}</p>{more}</div>')


def login(viewer: Viewer, *, puzzle: bool = False) -> str:
    """The page with the login form."""
    human = '<div class="g-recaptcha" data-sitekey="k"></div>' if puzzle else ""
    return page(
        viewer,
        "Conectarse",
        f"""\
<form action="/login" method="post" name="form_login"><fieldset>{human}
<input type="text" name="username" id="username" value="" />
<input type="password" name="password" id="password" />
<input type="checkbox" name="autologin" checked="checked" />
<input type="hidden" name="redirect" value="" />
<input type="hidden" name="query" value="" />
<input type="submit" name="login" value="Conectarse" /></fieldset></form>""",
    )


def code(viewer: Viewer) -> str:
    """What a board would ask for that has a second step; no such board is known."""
    body = """<form action="/login" method="post"><input type="text" name="code"
autocomplete="one-time-code" value="" /></form>"""
    return page(viewer, "Verificación", body)


def posting(
    viewer: Viewer,
    hidden: Sequence[tuple[str, str]],
    message: str,
    review: Sequence[Shown],
    said: str = "",
) -> str:
    """The page with the form for a text, and what was posted last below it."""
    fields = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}" />'
        for name, value in hidden
    )
    above = f'<div class="panel"><p class="message">{said}</p></div>' if said else ""
    older = "".join(
        f'<div class="panel"><div class="postbody"><span>por {escape(post.author)}</span>'
        f'<div class="content">{post.body}</div></div></div>'
        for post in review
    )
    return page(
        viewer,
        "Publicar una respuesta",
        f"""\
{above}<form action="/post" method="post" name="post" enctype="multipart/form-data">
<input type="text" name="subject" value="" />
<textarea name="message" id="text_editor_textarea" rows="9">
{escape(message)}</textarea>
<input type="checkbox" name="notify" checked="checked" />
{fields}
<input type="submit" name="preview" value="Previsualizar" />
<input type="submit" name="post" value="Enviar" /></form>
<div class="wrapped"><div class="h3">Últimos temas</div>{older}</div>""",
    )
