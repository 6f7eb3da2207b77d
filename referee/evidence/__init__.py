"""Evidence for dice: commitments, named dice, evidence blocks, verification, the log's hash chain.

Pure: values in, values out. ``docs/evidence.md`` is the protocol as a specification.
"""

from referee.evidence.audit import AUDIT_CODES, AuditReport, Before, Difference, Replay, audit
from referee.evidence.block import (
    Block,
    BlockRoll,
    Commit,
    Reveal,
    SetRoll,
    block_text,
    split_block,
)
from referee.evidence.canonical import canonical
from referee.evidence.chain import GENESIS, Break, check, link
from referee.evidence.reader import FAULTS, BlockProblem, Fault, defuse, find_blocks
from referee.evidence.seeds import (
    MOST_SIDES,
    UNPOSTED,
    LockedWords,
    SeedDice,
    SetDice,
    commitment,
    first_commits,
    next_commits,
    public_input,
    secret_label,
    seed_name,
)
from referee.evidence.verify import (
    CODES,
    Finding,
    PostLike,
    Report,
    RollCheck,
    SeedCheck,
    ThreadPost,
    Verdict,
    WordsCheck,
    verify,
)

__all__ = [
    "AUDIT_CODES",
    "CODES",
    "FAULTS",
    "GENESIS",
    "MOST_SIDES",
    "UNPOSTED",
    "AuditReport",
    "Before",
    "Block",
    "BlockProblem",
    "BlockRoll",
    "Break",
    "Commit",
    "Difference",
    "Fault",
    "Finding",
    "LockedWords",
    "PostLike",
    "Replay",
    "Report",
    "Reveal",
    "RollCheck",
    "SeedCheck",
    "SeedDice",
    "SetDice",
    "SetRoll",
    "ThreadPost",
    "Verdict",
    "WordsCheck",
    "audit",
    "block_text",
    "canonical",
    "check",
    "commitment",
    "defuse",
    "find_blocks",
    "first_commits",
    "link",
    "next_commits",
    "public_input",
    "secret_label",
    "seed_name",
    "split_block",
    "verify",
]
