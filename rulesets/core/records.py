"""Records: frozen dataclasses that cost no more to make than open ones.

``dataclasses`` freezes a class by raising from its ``__setattr__``, so that its own ``__init__``
must go round that for every field: a record of twelve fields takes four times as long to make, and
a round makes hundreds of them. So with slots, that nobody assigns to a record is the type checker's
business here; comparing and hashing are those of a frozen class. What is declared stays the same::

    from rulesets.core.records import dataclass

    @dataclass(frozen=True, slots=True)
    class Modifier: ...
"""

import dataclasses
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, **more: Any) -> Any:
        """``dataclasses.dataclass``, with slots frozen for the type checker alone."""
        if frozen and slots:
            return dataclasses.dataclass(slots=True, unsafe_hash=True, **more)
        return dataclasses.dataclass(frozen=frozen, slots=slots, **more)
