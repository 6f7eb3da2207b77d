"""Tags that their author lost inside a quotation or a block of code."""

from referee.tags import TagProblem, lost_tags


def test_a_tag_in_code_is_offered_to_be_posted_again(vocabulary):
    words = "[acción: ataque | Moro 1]"
    (problem,) = lost_tags(f"así:\n{words}\n", vocabulary)
    assert problem == TagProblem("lost_tag", words, {"keyword": "acción"}, words)


def test_a_quoted_tag_that_stands_in_another_post_is_not_lost(vocabulary):
    seen = ["[acción: ataque | Moro 1]"]
    assert lost_tags("Iria: [ACCIÓN:  ataque |“Moro 1”]", vocabulary, seen) == ()
    assert len(lost_tags("Iria: [acción: ataque | Moro 2]", vocabulary, seen)) == 1


def test_prose_and_broken_tags_in_a_quotation_are_nobodys_loss(vocabulary):
    assert lost_tags("[risas: todos] [acción: x", vocabulary) == ()


def test_a_page_full_of_quoted_tags_is_reported_in_part(vocabulary):
    text = "".join(f"[acción: ataque | Moro {n}]" for n in range(50))
    assert len(lost_tags(text, vocabulary)) == 5
