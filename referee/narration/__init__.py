"""From events to text: the only room that speaks to players. Pure: values in, text out."""

from referee.narration.narrator import Narrator, Posts, Surface
from referee.narration.press import Sources
from referee.narration.sandbox import TemplateFailedError, TemplateProblem

__all__ = ["Narrator", "Posts", "Sources", "Surface", "TemplateFailedError", "TemplateProblem"]
