"""The narrator: stories in, posts out. One for each language and kind of platform.

Every method is a function of its arguments. What broke on the way (a template, a message or a
phrase that the game master has replaced) is kept until ``problems`` is asked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from markupsafe import Markup

from referee.narration import views
from referee.narration.bank import Bank
from referee.narration.blocks import Block, Flow, joined, shortened, split
from referee.narration.press import Press, Sources
from referee.narration.sandbox import TemplateProblem
from referee.narration.stories import (
    Answer,
    Applied,
    Closing,
    Fact,
    FreeRolls,
    Game,
    Introduction,
    Missed,
    RoundReport,
    Status,
)
from referee.narration.voice import NO_GAME, Voice
from referee.narration.words import Words
from rulesets.core.declarations import fold

# A post as (mark, text); a long one is several.
Posts = tuple[tuple[str, str], ...]

# Room that every part keeps for its mark.
SIGNATURE_CHARS: Final = 60
# Where a note finds its sentence: commands answer with the codes of refusals, too.
_NOTES: Final = ("note", "refusal", "tag")


class Surface(Protocol):
    """What the narrator must know of a platform; ``adapters.base.Capabilities`` is one."""

    @property
    def dialect(self) -> str:
        """``bbcode``, ``markdown``, ``html`` or ``text``."""
        ...

    @property
    def max_post_chars(self) -> int:
        """The longest post."""
        ...

    @property
    def tables(self) -> bool:
        """Whether it shows tables well."""
        ...

    @property
    def fences(self) -> bool:
        """Whether code may stand between fences instead of being indented."""
        ...

    @property
    def spoilers(self) -> str:
        """How it folds: ``spoiler``, ``details`` or nothing."""
        ...


class Narrator:
    """Tells stories in one language on one kind of platform."""

    def __init__(self, sources: Sources, lang: str, surface: Surface) -> None:
        """Read the sources; nothing is printed yet.

        Args:
            sources: Templates, words and phrases, the game master's first.
            lang: Language code.
            surface: The platform.
        """
        lines = sources.phrases.get("reference", {})
        # A game may say otherwise what a code means in it.
        own = sources.phrases.get("messages")
        messages = [own, *sources.messages] if isinstance(own, Mapping) else sources.messages
        self.words = Words(lang, messages, sources.terms, lines)
        self.bank = Bank.of(sources.phrases, sources.terms)
        self._press = Press(
            sources,
            surface.dialect,
            surface.spoilers,
            tables=surface.tables,
            fences=surface.fences,
        )
        self._limit = surface.max_post_chars

    def problems(self) -> tuple[TemplateProblem, ...]:
        """What was broken and had to be replaced since this was last asked."""
        return self._press.taken()

    # ------------------------------------------------------------------ posts

    def introduction(self, story: Introduction, mark: str) -> str:
        """The first post of the referee in a thread."""
        voice = self._voice(story.game)
        return self._single(
            "introduction",
            voice,
            mark,
            masters=voice.listed(voice.texts(story.masters)),
            cast=[views.seat(voice, seat) for seat in story.cast],
            examples=voice.texts(story.examples),
            policies=voice.facts("policy", story.policies),
            evidence=self._press.evidence(story.evidence),
        )

    def status(self, story: Status, mark: str) -> str:
        """The post of the open round."""
        voice = self._voice(story.game)
        return self._single(
            "status",
            voice,
            mark,
            round=story.round,
            state=story.state,
            opening=voice.prose(story.events, story.roster, story.round),
            initiative=views.initiative(voice, story.events),
            order=voice.listed([voice.person(name) for name in story.order]),
            fighters=[views.fighter(voice, one) for one in story.roster],
            receipts=[views.receipt(voice, receipt) for receipt in story.receipts],
            missing=[views.seat(voice, seat) for seat in story.missing],
            deadline=voice.moment(story.deadline) or "",
            troubles=[views.trouble(voice, trouble) for trouble in story.troubles],
            asked=[views.asked(voice, asked) for asked in story.asked],
            rulings=[views.ruling(voice, ruling) for ruling in story.rulings],
            notes=voice.facts(_NOTES, story.notes),
            rolls=views.rolls(voice, story.rolls, story.events),
            evidence=self._press.evidence(story.evidence),
        )

    def round_report(
        self,
        story: RoundReport,
        mark: str,
        limit: int | None = None,
        new_mark: Callable[[], str] | None = None,
    ) -> Posts:
        """The post that resolves a round, in several parts where it is too long for one.

        Args:
            story: The round.
            mark: Of the first part.
            limit: Longest part, where it is not the platform's.
            new_mark: Makes the mark of each further part.
        """
        voice = self._voice(story.game)
        values = {
            "round": story.round,
            "prose": voice.prose(story.events, story.before, story.round),
            "fighters": [views.fighter(voice, one, story.before) for one in story.after],
            "receipts": [views.receipt(voice, receipt) for receipt in story.receipts],
            "troubles": [views.trouble(voice, trouble) for trouble in story.troubles],
            "defaulted": [views.defaulted(voice, question) for question in story.defaulted],
            "missed": [_missed(voice, missed) for missed in story.missed],
            "rulings": [views.ruling(voice, ruling) for ruling in story.rulings],
            "notes": voice.facts(_NOTES, story.notes),
            "rolls": views.rolls(voice, story.rolls, story.events),
            "evidence": self._press.evidence(story.evidence),
        }
        room = (self._limit if limit is None else limit) - SIGNATURE_CHARS
        blocks = self._blocks("round", voice, values)
        if new_mark is None:
            return ((mark, self._signed(shortened(blocks, room), mark)),)
        parts = split(blocks, room)
        marks = [mark, *(new_mark() for _ in parts[1:])]
        return tuple((own, self._signed(part, own)) for own, part in zip(marks, parts, strict=True))

    def applied(self, story: Applied, mark: str) -> str:
        """What a game master's act has changed outside the course of a round."""
        voice = self._voice(story.game)
        return self._single(
            "applied",
            voice,
            mark,
            round=story.round,
            prose=voice.prose(story.events, story.before, story.round),
            fighters=[views.fighter(voice, one, story.before) for one in story.roster],
            notes=voice.facts(_NOTES, story.notes),
            rulings=[views.ruling(voice, ruling) for ruling in story.rulings],
            rolls=views.rolls(voice, story.rolls, story.events),
            evidence=self._press.evidence(story.evidence),
        )

    def rolls(self, story: FreeRolls, mark: str) -> str:
        """The answer to free rolls."""
        voice = self._voice(story.game)
        return self._single(
            "rolls",
            voice,
            mark,
            rolls=[views.free_roll(voice, roll) for roll in story.rolls],
            troubles=[views.trouble(voice, trouble) for trouble in story.troubles],
            evidence=self._press.evidence(story.evidence),
        )

    def answer(self, story: Answer, mark: str) -> str:
        """The answer to tags: troubles, what commands did, questions, help."""
        voice = self._voice(story.game)
        return self._single(
            "answer",
            voice,
            mark,
            troubles=[views.trouble(voice, trouble) for trouble in story.troubles],
            notes=voice.facts(_NOTES, story.notes),
            asked=[views.asked(voice, asked) for asked in story.asked],
            rulings=[views.ruling(voice, ruling) for ruling in story.rulings],
            help=views.help_parts(voice, story.help),
            evidence=self._press.evidence(story.evidence),
        )

    def closing(self, story: Closing, mark: str) -> str:
        """The last post of a fight."""
        voice = self._voice(story.game)
        return self._single(
            "closing",
            voice,
            mark,
            reason=voice.say("ending", story.reason),
            rounds=story.rounds,
            fighters=[views.fighter(voice, one) for one in story.roster],
            notes=voice.facts(_NOTES, story.notes),
            evidence=self._press.evidence(story.evidence),
        )

    # ------------------------------------------------------------------ words

    def sentence(
        self,
        code: str,
        facts: Mapping[str, object],
        game: Game = NO_GAME,
        sections: str | Sequence[str] = _NOTES,
    ) -> str:
        """One sentence of ``messages.yaml``, for the command line and the log."""
        voice = self._voice(game)
        return str(voice.say(sections, code, voice.dressed(facts)))

    def sentences(self, facts: Iterable[Fact], game: Game = NO_GAME) -> tuple[str, ...]:
        """Several notes."""
        return tuple(self.sentence(fact.code, fact.facts, game) for fact in facts)

    def term(self, category: str, name: str, gender: str = "m") -> str:
        """What an id is called; the id where nobody has said."""
        return self.words.term(category, name, gender) or name

    def option(self, option: str) -> str:
        """An option of a question, as a player can write it back."""
        return self.term("option", option)

    def figure(self, word: str) -> str:
        """Id of a figure of the sheet by a word that a player wrote, or an empty string."""
        return self.words.id_of("figure", fold(word))

    def answer_tag(self, code: str, option: str) -> str:
        """The tag that answers a question, ready to be copied."""
        keyword, verb = self.term("keyword", "action"), self.term("request", "answer")
        return f"[{keyword}: {verb} | {self.term('field', 'question')}: {code} | {option}]"

    def unreadable(self) -> tuple[TemplateProblem, ...]:
        """Messages and phrases that are badly written, before anybody needs them."""
        sentences = ((f"messages.{key}", source) for key, source in self.words.sentences())
        phrases = ((f"phrases.{entry}", phrase) for entry, phrase in self.bank.phrases())
        found = (self._press.unreadable(name, source) for name, source in (*sentences, *phrases))
        return tuple(dict.fromkeys(problem for problem in found if problem is not None))

    # ------------------------------------------------------------------ printing

    def _voice(self, game: Game) -> Voice:
        return Voice(self.words, self.bank, self._press, game)

    def _blocks(self, template: str, voice: Voice, values: Mapping[str, Any]) -> tuple[Block, ...]:
        blocks = self._press.page(template, {**values, **voice.functions()})
        return blocks or (Flow(""),)

    def _single(self, template: str, voice: Voice, mark: str, **values: Any) -> str:
        """A post that must be one: it is shortened where it is too long."""
        blocks = self._blocks(template, voice, values)
        return self._signed(shortened(blocks, self._limit - SIGNATURE_CHARS), mark)

    def _signed(self, text: str, mark: str) -> str:
        """A part with its mark as the last line, in plain text.

        A mark holds letters, digits and hyphens only, so that no dialect changes it.
        """
        signature = self._press.page("mark", {"mark": Markup(mark)})
        return f"{text}\n\n{joined(signature)}"


def _missed(voice: Voice, missed: Missed) -> Markup:
    words = voice.texts(declaration.words for declaration in missed.declarations)
    facts = {"actor": voice.person(missed.actor), "words": words}
    return voice.say("missed", missed.policy, facts)
