"""Which conversations a mailbox is searched in for those who are awaited."""

from adapters.base import Post, ThreadPage
from adapters.letters import by_others, worth_reading


def test_two_conversations_of_everybody_who_is_awaited_are_read_and_no_more() -> None:
    listed = [(1, {"a"}), (2, {"z"}), (3, {"a", "b"}), (4, {"a"}), (5, {"b"}), (6, {"b"})]
    assert worth_reading(listed, {"a", "b"}) == [1, 3, 5]
    assert worth_reading(listed, {"c"}) == []


def test_where_a_list_names_nobody_a_conversation_may_be_anybodys() -> None:
    assert worth_reading([(number, ()) for number in range(9)], {"a", "b"}) == [0, 1, 2, 3]


def test_a_message_that_only_quotes_says_nothing_and_ones_own_is_no_letter() -> None:
    posts = (
        Post("10", "a", "A", "Ataco."),
        Post("9", "a", "A", "", set_aside="Ataco."),
        Post("8", "me", "Yo", "¿Qué haces?"),
        Post("7", "a", "A", "Espero."),
    )
    page = ThreadPage("https://foro/1", posts, title="Secreto", viewer_id="me")
    found = [(letter.title, letter.post.id) for letter in by_others([page])]
    assert found == [("Secreto", "7"), ("Secreto", "10")]
