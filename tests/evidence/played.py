"""An honest referee for tests: plays threads whose evidence holds, post by post."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from referee.evidence import (
    CHAIN,
    Beacon,
    Block,
    BlockRoll,
    Commit,
    LockedWords,
    Reveal,
    SeedDice,
    SetDice,
    SetRoll,
    ThreadPost,
    block_text,
    commitment,
    next_commits,
    public_input,
    randomness,
    split_block,
)

REFEREE = "1"
MASTER = "2"

# What players and game masters write, and what forums and attackers make of it.
NASTY = (
    "[acción: ataque | objetivo: Bandido 1]",
    "“El Zurdo” dice: «¡Basta!» — y calla…",
    "8) :D ;-) :lol: (c) (tm) <3 ^_^ =) xD",
    "[/code][b]negrita[/b]```</pre><script>",
    'PBW-EVIDENCE 1 start "thread" sum 12345678 12345678',
    "%41 %2 % %% 100%",
    "a--b -- c...d ,, ''x'' +-3 ->",
    " dos  espacios   y\nun salto\tde línea ",
    "\u200bcero\u00a0ancho\u2060\ufeff\u202e",
    "👩\u200d🚀 e\u0301 q\u0301 \u0301",
    "words 1 by 2 dice lock.1 1d6 = 4",
    "https://foro.example/t/1?x=[1](2) @Lucía #3",
    "x" * 200,
    "",
)

SIGNATURES: Mapping[int, str] = {
    123: "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482"
    "e26cd02df835d3546d23c4b13e0dfc92",
    1000: "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
    "e342b73a8dd2bacbe47e4b6b63ed5e39",
    657413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be"
    "41076862b98fad56e91a6b85b89cd97b",
}
"""What drand's chain ``quicknet`` has published, by round."""


def recorded(number: int, signature: str) -> bool:
    """A checker of signatures that needs no library: only the recorded ones are good."""
    return SIGNATURES.get(number) == signature


Dice = Mapping[str, Sequence[int]]
"""Label to the sides of its dice."""


@dataclass
class Table:
    """A thread in the making."""

    thread: str = "duelo"
    posts: list[ThreadPost] = field(default_factory=list)
    publics: dict[str, str] = field(default_factory=dict)
    most_chars: int = 60_000
    people: Mapping[str, str] = field(default_factory=dict)
    """User ids of a real forum, where they are others."""

    def secret(self, seed: str) -> bytes:
        return hashlib.sha256(f"secret of {self.thread} {seed}".encode()).digest()

    def say(self, author_id: str, words: str) -> str:
        """Post something and return the post's id."""
        post_id = str(100 + len(self.posts))
        self.posts.append(ThreadPost(post_id, author_id, words, edited=False))
        return post_id

    def declare(self, author_id: str, words: str) -> LockedWords:
        """Post a tag among other words, as it is locked later."""
        post_id = self.say(author_id, f"Me acerco despacio.\n{words}\nY sonrío.")
        return LockedWords(post_id, self.people.get(author_id, author_id), words)

    def show(self, block: Block) -> None:
        """Post a block in the referee's code, in as many posts as it takes."""
        for part in split_block(block, self.most_chars):
            post_id = str(100 + len(self.posts))
            self.post_block(post_id, block_text(replace(part, mark=f"m{post_id}")))

    def post_block(self, post_id: str, text: str) -> None:
        self.posts.append(ThreadPost(post_id, REFEREE, "Así fue.", text, edited=False))

    def reveal(self, seed: str) -> Reveal:
        return Reveal(seed, self.secret(seed).hex())

    def commits(self, kind: str, number: int) -> tuple[Commit, ...]:
        seeds = next_commits(kind, number)
        return tuple(Commit(seed, commitment(self.secret(seed))) for seed in seeds)

    def rolled(
        self, seed: str, dice: Dice, sets: Mapping[str, Sequence[int]] | None = None
    ) -> tuple[BlockRoll, ...]:
        named = SetDice(SeedDice(self.secret(seed), self.publics[seed]), sets or {})
        return tuple(
            BlockRoll(
                seed,
                label,
                tuple(sides),
                tuple(named.face(label, i, n) for i, n in enumerate(sides)),
            )
            for label, sides in dice.items()
        )

    def start(self) -> None:
        self.show(Block(self.thread, "start", commits=self.commits("start", 0)))

    def opening(self, number: int, dice: Dice) -> None:
        seed = f"open.{number}"
        previous = self.publics.get(f"lock.{number - 1}", "")
        self.publics[seed] = public_input(seed, self.thread, previous=previous)
        rolls = self.rolled(seed, dice)
        self.show(Block(self.thread, "opening", number, reveals=(self.reveal(seed),), rolls=rolls))

    def question(self, number: int, words: Sequence[LockedWords], dice: Dice) -> None:
        """Stop a round: its declarations and first dice are shown, its secret is not."""
        seed = f"lock.{number}"
        self.publics[seed] = public_input(seed, self.thread, words)
        rolls = self.rolled(seed, dice)
        self.show(Block(self.thread, "question", number, words=tuple(words), rolls=rolls))

    def announce(self, number: int, words: Sequence[LockedWords], beacon: int) -> None:
        """Lock a round with what was declared, and name the beacon that it waits for."""
        beacons = (Beacon(CHAIN, beacon),)
        self.show(Block(self.thread, "question", number, words=tuple(words), beacons=beacons))

    def round(
        self,
        number: int,
        words: Sequence[LockedWords],
        opening: Dice,
        dice: Dice,
        amended: Sequence[LockedWords] = (),
        sets: Mapping[str, Sequence[int]] | None = None,
        beacon: Beacon | None = None,
    ) -> None:
        seeds = (f"open.{number}", f"lock.{number}")
        signed = beacon is not None and beacon.signature
        light = randomness(beacon.signature) if beacon is not None and signed else ""
        self.publics[seeds[1]] = public_input(seeds[1], self.thread, words, beacon=light)
        self.show(
            Block(
                self.thread,
                "round",
                number,
                reveals=tuple(map(self.reveal, seeds)),
                commits=self.commits("round", number) if not amended or beacon else (),
                words=tuple(words),
                amended=tuple(amended),
                beacons=() if beacon is None else (beacon,),
                sets=tuple(SetRoll(label, tuple(faces)) for label, faces in (sets or {}).items()),
                rolls=self.rolled(seeds[0], opening) + self.rolled(seeds[1], dice, sets or {}),
            )
        )

    def secret_roll(self, number: int, words: Sequence[LockedWords]) -> None:
        """Make a secret roll: its tag is frozen, its dice are not shown."""
        seed = f"secret.{number}"
        self.publics[seed] = public_input(seed, self.thread, words)
        commits = self.commits("secret", number)
        self.show(Block(self.thread, "secret", number, commits=commits, words=tuple(words)))

    def open_secret(self, number: int, words: Sequence[LockedWords], sides: Sequence[int]) -> None:
        """Show the dice of a secret roll."""
        seed = f"secret.{number}"
        rolls = self.rolled(seed, {f"S{number}": sides})
        reveals = (self.reveal(seed),)
        self.show(
            Block(self.thread, "opened", number, reveals=reveals, words=tuple(words), rolls=rolls)
        )

    def rolls(self, number: int, words: Sequence[LockedWords], dice: Dice) -> None:
        seed = f"roll.{number}"
        self.publics[seed] = public_input(seed, self.thread, words)
        self.show(
            Block(
                self.thread,
                "rolls",
                number,
                reveals=(self.reveal(seed),),
                commits=self.commits("rolls", number),
                words=tuple(words),
                rolls=self.rolled(seed, dice),
            )
        )


def duel(most_chars: int = 60_000) -> Table:
    """A duel of two rounds in a thread of its own."""
    return play_duel(Table(most_chars=most_chars))


def play_duel(table: Table) -> Table:
    """Two rounds with everything that a thread can hold: free rolls, a question, a correction."""
    table.say(MASTER, "La noche cae sobre el molino. [árbitro: iniciar]")
    table.start()
    initiative = {"Lope.initiative": [10], "Bandido 1.initiative": [10]}
    table.opening(1, initiative)
    climb = table.declare("57", "[tirada: 1d100+35 | motivo: Trepar]")
    stress = table.declare("58", "[tirada: 4d6k3]")
    table.rolls(1, [climb, stress], {"Lope.roll": [100], "Iria.roll": [6, 6, 6, 6]})
    first = [
        table.declare("57", "[acción: ataque | objetivo: Bandido 1 | arma: «espada»]"),
        table.declare(MASTER, "[acción Bandido 1: parada | arma: clava]"),
    ]
    blows = {"Lope.attack": [100], "Bandido 1.parry": [100], "Lope.damage": [8, 4]}
    table.round(1, first, initiative, blows)
    table.opening(2, initiative)
    second = [
        table.declare("57", "[acción: ataque | objetivo: Bandido 1]"),
        table.declare(MASTER, "[acción Bandido 1: ataque | objetivo: Lope]"),
    ]
    table.question(2, second, {"Bandido 1.attack": [100]})
    table.declare("57", "[respuesta: esquiva]")
    duels = {"Bandido 1.attack": [100], "Lope.dodge": [100], "Lope.attack": [100]}
    table.round(2, second, initiative, duels)
    ruling = table.declare(MASTER, "[árbitro: mod | Lope.dodge | -20]")
    hit = {**duels, "Bandido 1.damage": [6, 6], "Bandido 1.hit_location": [10]}
    table.round(2, second, initiative, hit, [ruling])
    return table


def full_duel() -> Table:
    """A duel with two secret rolls besides, one of them opened, and a die set by the master."""
    table = duel()
    hidden = [
        [table.declare(MASTER, f"[árbitro: tirada secreta | 1d100 | motivo: {why}]")]
        for why in ("Acechar", "Escuchar")
    ]
    for number, asked in enumerate(hidden, 1):
        table.secret_roll(number, asked)
    table.open_secret(2, hidden[1], [100])
    initiative = {"Lope.initiative": [10], "Bandido 1.initiative": [10]}
    table.opening(3, initiative)
    third = [table.declare("57", "[acción: ataque | objetivo: Bandido 1]")]
    setting = table.declare(MASTER, "[árbitro: dado | Lope.damage | 8 | motivo: un favor]")
    blows = {"Lope.attack": [100], "Lope.damage": [8, 4]}
    table.round(3, third, initiative, blows, [setting], {"Lope.damage": [8]})
    return table


def beacon_duel() -> Table:
    """Four rounds: a beacon's value, one gone on without, one more value, and none at all."""
    table = Table(thread="faro")
    table.start()
    initiative = {"Lope.initiative": [10], "Bandido 1.initiative": [10]}
    blows = {"Lope.attack": [100], "Bandido 1.parry": [100], "Lope.damage": [8, 4]}
    for number, round_ in enumerate((123, 1000, 657413, 0), 1):
        table.opening(number, initiative)
        words = [
            table.declare("57", "[acción: ataque | objetivo: Bandido 1]"),
            table.declare(MASTER, "[acción Bandido 1: parada | arma: clava]"),
        ]
        if not round_:
            table.round(number, words, initiative, blows)
            continue
        table.announce(number, words, round_)
        beacon, amended = Beacon(CHAIN, round_, SIGNATURES[round_]), []
        if number == 2:
            beacon = Beacon(CHAIN, round_)
            amended = [table.declare(MASTER, "[árbitro: sin faro | motivo: no llega]")]
        table.round(number, words, initiative, blows, amended, beacon=beacon)
    return table


NAMES = (
    "Lope",
    "Íñigo",
    "Bandido 1",
    "Bandido 10",
    "“El Zurdo”",
    "seed",
    "Jean-Luc",
    "🗡️ Ana",
    "35",
)
PURPOSES = ("attack", "parry", "damage", "hit_location", "dodge#2")
SIZES = (4, 6, 8, 10, 20, 100)


def random_fight(random: Random, rounds: int = 2) -> Table:
    """An honest fight with random names, words and dice."""
    table = Table(thread=random.choice(["duelo", "mesa/7", "El molino: acto II"]))
    table.start()
    cast = random.sample(NAMES, random.randint(2, 4))
    answered = 0
    for number in range(1, rounds + 1):
        opening = {f"{name}.initiative": [10] for name in cast}
        table.opening(number, opening)
        if random.random() < 0.5:
            answered += 1
            asked = [table.declare("57", f"[tirada: {random.randint(1, 9)}d6]")]
            table.rolls(answered, asked, {"Lope.roll": [6] * random.randint(1, 5)})
        words = [
            table.declare(
                str(50 + place),
                f"[acción {name}: ataque | objetivo: {random.choice(cast)} | niveles: {place}]",
            )
            for place, name in enumerate(cast)
        ]
        dice = {
            f"{name}.{purpose}": random.choices(SIZES, k=random.randint(1, 3))
            for name in cast
            for purpose in random.sample(PURPOSES, 2)
        }
        table.round(number, words, opening, dice)
    return table
