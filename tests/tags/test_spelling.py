"""Printing declarations: what is printed is read back unchanged."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tags import TagProblem, find_tags, read_tag, spell
from rulesets.core.declarations import Declaration, Kind, Timing
from tests.tags.speaking import CAST, GM, LANGUAGES, Ear, vocabulary_of
from tests.tags.test_tokens import SOUP

WORDS = vocabulary_of(*LANGUAGES)
EAR = Ear(WORDS)


def is_writable(text: str) -> bool:
    """Whether a value is as the reading of a tag leaves it: no quotes or spaces around it."""
    return EAR.one(f'[acción Lope: gritar | texto: "{text}"]', GM).fields["text"] == text


# Double quotes and unbalanced brackets are left out: the grammar has no way to write them all.
VALUES = st.one_of(
    st.sampled_from([*CAST, "espada de mano", "a | b", "x; y", "k: v", "R&D", "&lt;", "21:00"]),
    st.text(alphabet="abñÍ1 .,:;=|#*_~<>&-+!'/", min_size=1, max_size=20),
).filter(is_writable)


@st.composite
def declarations(draw: st.DrawFn, kind: Kind = Kind.ACTION, depth: int = 0) -> Declaration:
    """A declaration that a tag could have said."""
    row = draw(st.sampled_from(sorted(WORDS.rows[kind].values(), key=lambda row: row.id)))
    actor = draw(st.sampled_from(CAST))
    if row.clauses:
        clauses = st.sampled_from(["leve si daño >= 5", "grave si cae", "Moro 1: matar", "x = 2"])
        return Declaration(actor, kind, row.id, clauses=tuple(draw(st.lists(clauses, max_size=3))))
    fields = {}
    for name in draw(st.lists(st.sampled_from(row.fields), unique=True)) if row.fields else ():
        ids = WORDS.values[name].every if name in WORDS.values else ()
        fields[name] = draw(st.sampled_from(ids) if ids else VALUES)
    flags = draw(st.lists(st.sampled_from([*row.flags, "final"]), unique=True))
    timing = fallback = None
    if depth == 0:
        timing = draw(st.none() | timings())
        other = declarations(kind, depth=1).filter(lambda one: not one.clauses)
        fallback = draw(st.none() | other.map(lambda one: replace(one, actor=actor)))
    return Declaration(actor, kind, row.id, fields, tuple(flags), timing=timing, fallback=fallback)


def timings() -> st.SearchStrategy[Timing]:
    names = st.sampled_from(CAST)
    events = st.sampled_from(["falls", "attacked", "in_reach"])
    return st.one_of(
        st.builds(Timing, st.sampled_from(["after", "before"]), names, st.integers(1, 99)),
        st.builds(Timing, st.just("when"), names | st.just(""), st.just(1), events),
        st.builds(
            Timing,
            st.just("when"),
            st.integers(0, 999).map(str),
            st.just(1),
            st.just("roll_at_least"),
        ),
    )


@given(
    declaration=st.sampled_from(list(Kind)).flatmap(declarations),
    lang=st.sampled_from(LANGUAGES),
)
def test_what_is_printed_is_read_back_unchanged(declaration, lang):
    tag = spell(declaration, WORDS, lang)
    assert replace(EAR.one(tag, GM), words="") == declaration


@given(post=SOUP)
def test_what_was_read_is_printed_and_read_back_unchanged(post):
    for raw in find_tags(post, WORDS):
        read = read_tag(raw, WORDS, GM)
        if isinstance(read, Declaration):
            assert replace(EAR.one(spell(read, WORDS, "es"), GM), words=raw.words) == read


@pytest.mark.parametrize(
    ("written", "spanish", "english"),
    [
        (
            "[acc lope: golpear | MORO 1; arma = espada]",
            "[acción Lope: ataque | objetivo: Moro 1 | arma: espada]",
            "[action Lope: attack | target: Moro 1 | weapon: espada]",
        ),
        (
            "[acción Lope: saltar | carrerilla | tras: ana#2]",
            "[acción Lope: saltar | carrerilla | tras: Ana#2]",
            "[action Lope: jump | run-up | after: Ana#2]",
        ),
        (
            "[acción Lope: ataque | Ana | si: cae Moro 1 | si no: atacar Moro 2]",
            "[acción Lope: ataque | objetivo: Ana | si: Moro 1 cae | si no: ataque Moro 2]",
            "[action Lope: attack | target: Ana | if: Moro 1 falls | otherwise: attack Moro 2]",
        ),
        (
            "[acción Lope: parada | si no: [acción: ataque | Moro 2 | zona: pierna]]",
            "[acción Lope: parada | si no: [ataque | objetivo: Moro 2 | zona: pierna derecha]]",
            None,
        ),
        (
            "[reacción Moro 1: engatillar | si: tirada≥80]",
            "[reacción Moro 1: engatillar | si: tirada >= 80]",
            None,
        ),
        (
            "[acción Lope: correr | hacia Ana]",
            "[acción Lope: mover | paso: correr | hacia: Ana]",
            None,
        ),
        (
            '[acción Lope: gritar | texto: "a | b"]',
            '[acción Lope: gritar | texto: "a | b"]',
            None,
        ),
    ],
)
def test_the_canonical_tag_is_what_a_careful_player_would_write(written, spanish, english):
    value = EAR.one(written, GM)
    assert spell(value, WORDS, "es") == spanish
    if english is not None:
        assert spell(value, WORDS, "en") == english


def test_the_name_can_be_left_out():
    value = EAR.one("[acción Lope: parada]", GM)
    assert spell(value, WORDS, "es", named=False) == "[acción: parada]"


def test_what_no_terms_file_has_a_word_for_is_printed_by_its_id_and_read_back():
    made = vocabulary_of("es")
    declaration = Declaration("Lope", Kind.ACTION, "attack", {"spell": "x"})
    tag = spell(replace(declaration, verb="no_such_verb"), made, "es")
    assert tag == "[acción Lope: no_such_verb | hechizo: x]"
    assert isinstance(Ear(made).one(tag, GM), TagProblem)
