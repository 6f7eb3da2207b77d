"""Checking a thread: what holds, what was altered, what is missing, who only pretends."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from adapters.base import Post
from referee.evidence import (
    CODES,
    Block,
    BlockRoll,
    Commit,
    LockedWords,
    Report,
    Reveal,
    ThreadPost,
    block_text,
    find_blocks,
    verify,
)
from referee.evidence.verify import BROKEN, INCOMPLETE, NOTES
from tests.evidence.played import MASTER, REFEREE, Table, duel, full_duel, random_fight
from tests.evidence.vectors import CHANGES


def codes(report: Report) -> list[str]:
    return [finding.code for finding in report.findings]


def block_at(table: Table, kind: str, number: int, telling: int = 0) -> tuple[int, Block]:
    """Place and value of one of the referee's blocks."""
    found = []
    for at, post in enumerate(table.posts):
        for block in find_blocks(post.set_aside):
            assert isinstance(block, Block)
            if (block.kind, block.number) == (kind, number):
                found.append((at, block))
    return found[telling]


def rewrite(table: Table, at: int, block: Block) -> None:
    """A cheating referee edits a post of his own, with checks and sum that fit."""
    table.posts[at] = replace(table.posts[at], set_aside=block_text(block))


def checked(table: Table) -> Report:
    return verify(table.posts, [REFEREE])


@pytest.fixture
def table() -> Table:
    return duel()


def test_an_honest_thread_holds_die_by_die(table: Table) -> None:
    report = checked(table)

    assert report.verdict == "holds"
    assert codes(report) == ["amended"]
    assert len(report.rolls) == 24
    assert {roll.state for roll in report.rolls} == {"holds"}
    assert {words.state for words in report.words} == {"holds"}
    assert {seed.seed: seed.state for seed in report.seeds if seed.state != "pending"} == {
        "open.1": "holds", "lock.1": "holds", "open.2": "holds", "lock.2": "holds",
        "roll.1": "holds",
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_random_honest_fights_hold(seed: int) -> None:
    report = checked(random_fight(Random(seed), rounds=3))  # noqa: S311 - repeatable

    assert (report.verdict, report.findings) == ("holds", ())


def test_posts_split_in_parts_verify_as_one(table: Table) -> None:
    split = duel(most_chars=650)
    whole, parts = checked(table), checked(split)

    assert len(split.posts) > len(table.posts)
    assert parts.verdict == "holds"
    assert [roll.label for roll in parts.rolls] == [roll.label for roll in whole.rolls]
    assert {roll.state for roll in parts.rolls} == {"holds"}


def test_a_part_that_is_gone_is_missed() -> None:
    split = duel(most_chars=650)
    at = next(
        at
        for at, post in enumerate(split.posts)
        for block in find_blocks(post.set_aside)
        if isinstance(block, Block) and block.part[1] > 1 and block.words
    )
    lost = split.posts.pop(at)
    report = checked(split)

    assert lost.set_aside
    assert report.verdict == "incomplete"
    assert "part_missing" in codes(report)


def test_the_author_of_the_first_block_is_the_referee_unless_told(table: Table) -> None:
    report = verify(table.posts)

    assert report.verdict == "holds"
    assert report.referee_ids == (REFEREE,)
    assert report.findings[0].code == "referee_assumed"


def test_posts_of_an_adapter_can_be_checked_as_they_are(table: Table) -> None:
    posts = [
        Post(one.id, one.author_id, "Nadie", one.own_words, one.set_aside) for one in table.posts
    ]

    assert verify(posts, [REFEREE]).verdict == "holds"


def test_a_block_outside_of_a_code_block_counts_too(table: Table) -> None:
    posts = [
        replace(post, own_words=f"{post.own_words}\n{post.set_aside}", set_aside="")
        for post in table.posts
    ]

    assert verify(posts, [REFEREE]).verdict == "holds"


def test_overlapping_pages_change_nothing(table: Table) -> None:
    posts = table.posts[:8] + table.posts[6:]

    assert verify(posts, [REFEREE]) == checked(table)


def test_the_report_is_plain_json(table: Table) -> None:
    data = checked(table).as_json()

    assert json.loads(json.dumps(data)) == data
    assert data["verdict"] == "holds"
    assert data["rolls"][0]["label"] == "Lope.initiative"


# A referee who alters his own posts, with checks and sums that fit.


def change_face(block: Block) -> Block:
    roll = next(roll for roll in block.rolls if roll.label == "Lope.attack")
    other = replace(roll, faces=(roll.faces[0] % 100 + 1,))
    return replace(block, rolls=tuple(other if one is roll else one for one in block.rolls))


def test_a_changed_die_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    true = next(roll.faces[0] for roll in block.rolls if roll.label == "Lope.attack")
    rewrite(table, at, change_face(block))
    report = checked(table)

    assert codes(report) == ["die_differs", "amended"]
    finding = report.findings[0]
    assert finding.post_id == table.posts[at].id
    assert finding.facts == {
        "seed": "lock.1", "label": "Lope.attack", "die": 1, "sides": 100,
        "shown": true % 100 + 1, "derived": true,
    }  # fmt: skip
    assert [roll.label for roll in report.rolls if roll.state == "differs"] == ["Lope.attack"]
    assert report.verdict == "broken"


def test_a_changed_label_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    rolls = tuple(
        replace(roll, label="Lope.attack#2") if roll.label == "Lope.attack" else roll
        for roll in block.rolls
    )
    rewrite(table, at, replace(block, rolls=rolls))
    report = checked(table)

    assert report.findings[0].code == "die_differs"
    assert report.findings[0].facts["label"] == "Lope.attack#2"


def test_a_changed_secret_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    reveals = (block.reveals[0], Reveal("lock.1", "ab" * 32))
    rewrite(table, at, replace(block, reveals=reveals))
    report = checked(table)

    assert codes(report) == ["secret_differs", "amended"]
    assert report.findings[0].post_id == table.posts[at].id
    assert report.findings[0].facts["seed"] == "lock.1"
    assert next(seed.state for seed in report.seeds if seed.seed == "lock.1") == "differs"


def test_a_changed_commitment_is_named(table: Table) -> None:
    at, block = block_at(table, "start", 0)
    commits = tuple(
        Commit(one.seed, "ab" * 32) if one.seed == "lock.1" else one for one in block.commits
    )
    rewrite(table, at, replace(block, commits=commits))
    report = checked(table)

    # All dice of the round fit the secret, so it is the promise that was altered.
    assert codes(report) == ["commitment_differs", "amended"]
    assert report.findings[0].post_id == table.posts[at].id


def test_a_changed_declaration_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    first = block.words[0]
    forged = replace(first, words=first.words.replace("Bandido 1", "Bandido 2"))
    rewrite(table, at, replace(block, words=(forged, *block.words[1:])))
    report = checked(table)

    assert report.verdict == "broken"
    by_code = {finding.code: finding for finding in report.findings}
    assert by_code["public_input_differs"].facts["seed"] in ("lock.1", "open.2")
    assert by_code["words_not_found"].post_id == first.post_id
    states = {words.post_id: words.state for words in report.words if words.seed == "lock.1"}
    assert states == {first.post_id: "not_found", block.words[1].post_id: "holds"}


def test_a_declaration_left_out_moves_all_dice(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    rewrite(table, at, replace(block, words=block.words[:1]))

    assert "public_input_differs" in codes(checked(table))


def test_two_versions_of_the_declarations_are_named(table: Table) -> None:
    at, block = block_at(table, "round", 2, telling=1)
    changed = replace(block.words[0], words="[acción: huida]")
    rewrite(table, at, replace(block, words=(changed, *block.words[1:])))
    report = checked(table)

    finding = next(one for one in report.findings if one.code == "words_changed")
    assert finding.post_id == table.posts[at].id
    assert finding.facts == {"seed": "lock.2", "posts": [changed.post_id]}


def test_a_declaration_of_somebody_elses_post_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    changed = replace(block.words[0], author_id="58")
    rewrite(table, at, replace(block, words=(changed, *block.words[1:])))

    assert "words_of_another" in codes(checked(table))


def test_a_secret_without_any_promise_is_missed(table: Table) -> None:
    at, block = block_at(table, "start", 0)
    commits = tuple(one for one in block.commits if one.seed != "roll.1")
    rewrite(table, at, replace(block, commits=commits))
    report = checked(table)

    assert codes(report) == ["commitment_missing", "amended"]
    assert report.verdict == "incomplete"
    assert next(seed.state for seed in report.seeds if seed.seed == "roll.1") == "uncommitted"


def test_a_promise_in_the_very_post_that_breaks_it_is_too_late(table: Table) -> None:
    start, first = block_at(table, "start", 0)
    commit = next(one for one in first.commits if one.seed == "lock.1")
    rewrite(table, start, replace(first, commits=tuple(set(first.commits) - {commit})))
    at, block = block_at(table, "round", 1)
    rewrite(table, at, replace(block, commits=(*block.commits, commit)))
    report = checked(table)

    assert "commitment_late" in codes(report)
    assert report.verdict == "broken"


def test_two_promises_for_one_seed_are_named(table: Table) -> None:
    at, block = block_at(table, "rolls", 1)
    rewrite(table, at, replace(block, commits=(*block.commits, Commit("lock.2", "cd" * 32))))
    report = checked(table)

    finding = next(one for one in report.findings if one.code == "commitment_changed")
    assert finding.post_id == table.posts[at].id


def test_two_secrets_that_keep_no_promise_are_named(table: Table) -> None:
    for kind in ("opening", "round"):
        at, block = block_at(table, kind, 1)
        secret = "ab" * 32 if kind == "opening" else "cd" * 32
        reveals = tuple(
            Reveal(one.seed, secret if one.seed == "open.1" else one.secret)
            for one in block.reveals
        )
        rewrite(table, at, replace(block, reveals=reveals))

    assert "secret_changed" in codes(checked(table))


def test_one_of_two_secrets_that_keeps_no_promise_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    reveals = (Reveal("open.1", "ab" * 32), block.reveals[1])
    rewrite(table, at, replace(block, reveals=reveals))
    report = checked(table)

    assert codes(report) == ["secret_differs", "amended"]
    assert report.findings[0].post_id == table.posts[at].id


def test_one_label_rolled_twice_is_named(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    rewrite(table, at, replace(block, rolls=(*block.rolls, block.rolls[-1])))

    assert "label_repeated" in codes(checked(table))


def test_a_round_passed_over_is_missed(table: Table) -> None:
    at, _ = block_at(table, "round", 1)
    del table.posts[at]
    report = checked(table)

    assert report.verdict == "incomplete"
    assert {"reveal_missing", "previous_missing"} <= set(codes(report))
    assert {roll.state for roll in report.rolls if roll.seed == "open.2"} == {"unproved"}
    assert {roll.state for roll in report.rolls if roll.seed == "lock.2"} == {"holds"}


def test_dice_whose_secret_is_not_shown_are_unproved(table: Table) -> None:
    del table.posts[block_at(table, "round", 2)[0] :]
    report = checked(table)

    assert [roll.label for roll in report.rolls if roll.state == "unproved"] == ["Bandido 1.attack"]
    assert "rolls_unproved" in codes(report)


def test_other_dice_told_without_a_ruling_want_a_reason(table: Table) -> None:
    at, block = block_at(table, "round", 2, telling=1)
    rewrite(table, at, replace(block, amended=()))
    report = checked(table)

    assert codes(report) == ["dice_without_reason"]
    assert report.verdict == "incomplete"


def test_a_declaration_made_when_the_secret_was_known_is_named(table: Table) -> None:
    at, _ = block_at(table, "round", 1)
    declaration = block_at(table, "round", 1)[1].words[0].post_id
    place = next(i for i, post in enumerate(table.posts) if post.id == declaration)
    table.posts.insert(at, table.posts.pop(place))
    report = checked(table)

    finding = next(one for one in report.findings if one.code == "words_after_reveal")
    assert finding.post_id == declaration


def test_a_promise_made_when_all_was_known_is_noted(table: Table) -> None:
    start, first = block_at(table, "start", 0)
    late = [one for one in first.commits if one.seed in ("open.2", "roll.1")]
    rewrite(table, start, replace(first, commits=tuple(set(first.commits) - set(late))))
    round_at, block = block_at(table, "round", 1)
    rewrite(table, round_at, replace(block, commits=(*block.commits, late[0])))
    report = checked(table)

    # What goes into the dice of opening 2 is the declarations of round 1, which all stand there.
    finding = next(one for one in report.findings if one.code == "words_before_commitment")
    assert finding.facts["seed"] == late[0].seed == "open.2"
    assert finding.verdict == "holds"


def test_an_edited_promise_is_noted(table: Table) -> None:
    at, _ = block_at(table, "start", 0)
    table.posts[at] = replace(table.posts[at], edited=True)
    report = checked(table)

    assert report.verdict == "holds"
    assert {one.code for one in report.findings} == {"commitment_edited", "amended"}


# Players who edit, delete and pretend.


def test_a_declaration_edited_since_the_lock_is_noted(table: Table) -> None:
    post_id = block_at(table, "round", 1)[1].words[0].post_id
    at = next(i for i, post in enumerate(table.posts) if post.id == post_id)
    table.posts[at] = replace(table.posts[at], own_words="[acción: huida]", edited=True)
    report = checked(table)

    assert codes(report) == ["words_edited", "amended"]
    assert report.verdict == "holds"


@pytest.mark.parametrize("edited", [False, None])
def test_words_that_an_unedited_post_does_not_hold_are_missed(
    table: Table, *, edited: bool | None
) -> None:
    post_id = block_at(table, "round", 1)[1].words[0].post_id
    at = next(i for i, post in enumerate(table.posts) if post.id == post_id)
    table.posts[at] = replace(table.posts[at], own_words="Nada.", edited=edited)
    report = checked(table)

    assert codes(report) == ["words_not_found", "amended"]
    assert report.verdict == "incomplete"


def test_a_deleted_declaration_is_missed_and_its_dice_still_hold(table: Table) -> None:
    post_id = block_at(table, "round", 1)[1].words[0].post_id
    posts = [post for post in table.posts if post.id != post_id]
    report = verify(posts, [REFEREE])

    assert codes(report) == ["words_post_missing", "amended"]
    assert report.findings[0].post_id == post_id
    assert {roll.state for roll in report.rolls} == {"holds"}


def test_a_declaration_that_the_forum_respells_is_still_found(table: Table) -> None:
    posts = [
        replace(
            post,
            own_words=post.own_words.replace("«", '"')
            .replace("»", "”")
            .replace(" | ", "\u00a0|\n"),
        )
        for post in table.posts
    ]

    assert {words.state for words in verify(posts, [REFEREE]).words} == {"holds"}


def test_a_block_in_a_players_post_is_a_forgery_and_counts_for_nothing(table: Table) -> None:
    _, block = block_at(table, "round", 1)
    forged = block_text(change_face(block))
    table.posts.append(ThreadPost("900", "57", f"Mirad: saqué otra cosa.\n{forged}"))
    report = checked(table)

    assert codes(report) == ["block_forged", "amended"]
    assert report.findings[0].post_id == "900"
    assert report.findings[0].facts == {"author": "57", "kind": "round", "number": 1}
    assert (report.verdict, len(report.rolls)) == ("holds", 24)


def test_a_players_faithful_copy_is_no_forgery(table: Table) -> None:
    at, _ = block_at(table, "round", 1)
    copy = table.posts[at].set_aside
    table.posts.append(ThreadPost("900", "57", "¿Veis?", set_aside=copy))

    assert codes(checked(table)) == ["amended"]


def test_a_thread_without_evidence_says_so() -> None:
    posts = [ThreadPost("1", "57", "Hola")]

    assert codes(verify(posts)) == ["no_evidence"]
    assert verify(posts).verdict == "incomplete"
    assert codes(verify([])) == ["no_evidence"]


def test_two_fights_of_one_thread_are_checked_apart() -> None:
    other = duel()
    second = Table(thread="duelo/2")
    second.start()
    second.opening(1, {"Lope.initiative": [10], "Ana.initiative": [10]})
    moved = [replace(post, id=f"2-{post.id}") for post in second.posts]
    report = verify([*other.posts, *moved], [REFEREE])

    assert report.verdict == "holds"
    assert {seed.thread for seed in report.seeds} == {"duelo", "duelo/2"}


def test_a_die_of_no_possible_size_differs(table: Table) -> None:
    at, block = block_at(table, "round", 1)
    rolls = (*block.rolls, BlockRoll("lock.1", "Lope.luck", (1,), (1,)))
    rewrite(table, at, replace(block, rolls=rolls))

    finding = checked(table).findings[0]
    assert (finding.code, finding.facts["label"]) == ("die_differs", "Lope.luck")


def test_words_given_at_the_command_line_are_noted(table: Table) -> None:
    at, block = block_at(table, "round", 2, telling=1)
    rewrite(table, at, replace(block, amended=(LockedWords("gm:7", MASTER, "[árbitro: mod]"),)))
    report = checked(table)

    assert codes(report) == ["amended", "words_unposted"]
    assert report.verdict == "holds"


# Single characters, anywhere.


def spoil(random: Random, text: str, allowed: Callable[[str], bool]) -> str:
    at = random.choice([i for i, char in enumerate(text) if allowed(char)])
    pool = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return text[:at] + random.choice(pool.replace(text[at], "")) + text[at + 1 :]


@pytest.mark.parametrize("seed", range(300))
def test_a_changed_character_of_the_evidence_never_passes(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - repeatable
    table = random_fight(random)
    at = random.choice([i for i, post in enumerate(table.posts) if post.set_aside])
    post = table.posts[at]
    spoiled = spoil(random, post.set_aside, lambda char: not char.isspace())
    table.posts[at] = replace(post, set_aside=spoiled)
    report = checked(table)

    assert report.verdict != "holds"
    damaged = {one.post_id for one in report.findings if one.code == "block_damaged"}
    assert damaged == {post.id}


def cheat_seed(random: Random, block: Block) -> tuple[Block, str] | None:
    if not block.reveals:
        return None
    one = random.choice(block.reveals)
    digit = random.randrange(64)
    other = f"{one.secret[:digit]}{int(one.secret[digit], 16) ^ 1:x}{one.secret[digit + 1 :]}"
    reveals = tuple(Reveal(one.seed, other) if each is one else each for each in block.reveals)
    return replace(block, reveals=reveals), one.seed


def cheat_commitment(random: Random, block: Block) -> tuple[Block, str] | None:
    due = [one for one in block.commits if one.seed in ("open.1", "lock.1", "open.2", "lock.2")]
    if not due:
        return None
    one = random.choice(due)
    digit = random.randrange(64)
    other = f"{one.hash[:digit]}{int(one.hash[digit], 16) ^ 1:x}{one.hash[digit + 1 :]}"
    commits = tuple(Commit(one.seed, other) if each is one else each for each in block.commits)
    return replace(block, commits=commits), one.seed


def cheat_die(random: Random, block: Block) -> tuple[Block, str] | None:
    if not block.rolls:
        return None
    roll = random.choice(block.rolls)
    at = random.randrange(len(roll.sides))
    face = roll.faces[at] % roll.sides[at] + 1
    other = replace(roll, faces=(*roll.faces[:at], face, *roll.faces[at + 1 :]))
    rolls = tuple(other if each is roll else each for each in block.rolls)
    return replace(block, rolls=rolls), roll.label


def cheat_declaration(random: Random, block: Block) -> tuple[Block, str] | None:
    if not block.words:
        return None
    one = random.choice(block.words)
    other = replace(one, words=spoil(random, one.words, str.isalnum))
    words = tuple(other if each is one else each for each in block.words)
    return replace(block, words=words), one.post_id


CHEATS = {
    "seed": (cheat_seed, {"secret_differs", "secret_changed"}),
    "commitment": (cheat_commitment, {"commitment_differs", "commitment_changed"}),
    "die": (cheat_die, {"die_differs"}),
    "declaration": (cheat_declaration, {"words_not_found"}),
}


@pytest.mark.parametrize("what", CHEATS)
@pytest.mark.parametrize("seed", range(75))
def test_a_consistent_forgery_by_the_referee_is_found_and_its_place_named(
    what: str, seed: int
) -> None:
    cheat, expected = CHEATS[what]
    random = Random(seed)  # noqa: S311 - repeatable
    table = random_fight(random)
    choices = []
    for at, post in enumerate(table.posts):
        for block in find_blocks(post.set_aside):
            assert isinstance(block, Block)
            done = cheat(random, block)
            if done is not None:
                choices.append((at, *done))
    at, forged, name = random.choice(choices)
    rewrite(table, at, forged)
    report = checked(table)

    assert report.verdict != "holds"
    hits = [one for one in report.findings if one.code in expected]
    assert hits
    named = {value for one in hits for value in (one.post_id, *one.facts.values())}
    assert name in named
    assert table.posts[at].id in named


def test_every_code_has_one_weight() -> None:
    assert len(CODES) == len(set(CODES)) == len(BROKEN) + len(INCOMPLETE) + len(NOTES)


# Secret rolls and dice set by the game master.


def test_secret_rolls_and_set_dice_are_shown_and_break_nothing() -> None:
    report = verify(full_duel().posts, [REFEREE])
    notes = {finding.code: dict(finding.facts) for finding in report.findings}
    assert report.verdict == "holds"
    assert notes["secret_closed"]["seed"] == "secret.1"
    assert notes["die_set"]["label"] == "Lope.damage"
    assert notes["die_set"]["shown"] != notes["die_set"]["derived"]
    states = {(roll.seed, roll.label): roll.state for roll in report.rolls}
    assert states["lock.3", "Lope.damage"] == "set"
    assert states["lock.3", "Lope.attack"] == "holds"
    assert states["secret.2", "S2"] == "holds"


@pytest.mark.parametrize(
    ("about", "verdict", "code"),
    [
        ("a die is set and nothing says so", "broken", "die_differs"),
        ("a die is set otherwise than it is said", "broken", "die_differs"),
        ("a die is set and no ruling does it", "incomplete", "dice_without_reason"),
        ("a secret roll is opened under another label", "broken", "label_chosen"),
        ("nobody saw a secret roll made", "incomplete", "secret_post_missing"),
    ],
)
def test_cheating_with_secret_rolls_and_set_dice_shows(about: str, verdict: str, code: str) -> None:
    table = full_duel()
    dict(CHANGES)[about](table)
    report = verify(table.posts, [REFEREE])
    assert report.verdict == verdict
    assert code in {finding.code for finding in report.findings}
