"""Tables, terms, messages and templates: the only door between the disk and the rest.

The built-in files travel inside the packages, so they are read the same way from a checkout and
from a wheel. A game master's own folder has the same shape and goes first, entry by entry::

    templates/es/round.j2              a template in place of the built-in one
    templates/es/messages.yaml         only the messages to say otherwise
    templates/es/terms/aquelarre.yaml  only the words to add or to change
    templates/es/phrases/aquelarre.yaml  only the phrases to add
    templates/dialects/bbcode.j2
    templates/tables/aquelarre/weapons.yaml   only the rows, and in them the columns, to change

A file there that cannot be read, and an entry that has no counterpart, is a ``ConfigProblem`` with
its place; everything else of the folder still counts, and the built-in entry stands in.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from referee.deadlines import TimeWords
from referee.documents import (
    MAX_BYTES,
    ROW_NAMES,
    Place,
    Steps,
    dotted,
    item,
    listed,
    nearest,
    parse_yaml,
    place_of,
    plain,
    read_yaml,
    shortened,
)
from referee.errors import ConfigProblem
from rulesets.core.kinds import KINDS, THINGS

MAX_FILES: Final = 500
MESSAGES: Final = ("messages.yaml", "config_messages.yaml")
TEMPLATE: Final = ".j2"
# A part that only a game master's own templates include has no built-in counterpart.
OWN_PART: Final = "_"

_NOUN: Final = "noun"  # a class, or a class and words
_WORD_KEYS: Final = ("say", "accept", "feminine", "plural", _NOUN)
# Where a row comes from: a new one is the game master's own.
_PROVENANCE: Final = ("rule", "source")
# Words for values of a field and for things may be added freely: a weapon of one's own needs some.
_OPEN_FIELDS: Final = "value"


class Data:
    """Everything that is read from disk, the game master's own first. Read once, then kept.

    An object never notices later edits: build a new one for a new config.
    """

    def __init__(
        self, overrides: Path | None = None, tables: Mapping[str, Any] | None = None
    ) -> None:
        """Set up without reading.

        Args:
            overrides: The game master's own folder.
            tables: Rows from the config: by ruleset, then by table.
        """
        self._overrides = overrides
        self._rows = tables or {}
        self._kept: dict[tuple[str, ...], Any] = {}
        self._problems: dict[tuple[str, ...], tuple[ConfigProblem, ...]] = {}

    @property
    def problems(self) -> tuple[ConfigProblem, ...]:
        """What was wrong with the game master's own entries read so far."""
        return tuple(problem for found in self._problems.values() for problem in found)

    def languages(self) -> tuple[str, ...]:
        """Languages that have messages or terms, sorted."""
        folders = (entry for entry in _package("templates").iterdir() if entry.is_dir())
        return tuple(sorted(f.name for f in folders if f.joinpath("terms").is_dir()))

    def rulesets(self) -> tuple[str, ...]:
        """Rulesets that have tables, sorted."""
        folders = (entry for entry in _package("rulesets").iterdir() if entry.is_dir())
        return tuple(sorted(f.name for f in folders if f.joinpath("tables").is_dir()))

    def tables(self, ruleset_id: str) -> Mapping[str, Any]:
        """Parsed tables of a ruleset by file stem, with the game master's rows.

        Raises:
            LookupError: no such ruleset.
        """
        key = ("tables", ruleset_id)
        if key not in self._kept:
            self._kept[key], self._problems[key] = self._read_tables(ruleset_id)
        found: Mapping[str, Any] = self._kept[key]
        return found

    def place_of_row(self, ruleset_id: str, path: Steps) -> Place:
        """Where a value of a table stands: in the config, the game master's folder or built in.

        Args:
            ruleset_id: Whose table.
            path: Table, row and column, as far as known.
        """
        best = Place(f"rulesets/{ruleset_id}/tables/{path[0]}.yaml" if path else ruleset_id)
        deepest = 0
        own = [self._rows.get(ruleset_id)]
        if path and self._overrides:
            name = f"tables/{ruleset_id}/{path[0]}.yaml"
            root = self._own_yaml(name)[0]
            own.append({str(path[0]): root} if root is not None else None)
        for rows in own:
            depth, place = _deepest(rows, path)
            # A whole table in common is no trace of a row.
            if depth > max(deepest, 1):
                best, deepest = place, depth
        return best

    def terms(self, lang: str, name: str) -> Mapping[str, Any]:
        """Parsed ``terms/NAME.yaml`` of a language, with the game master's words.

        Raises:
            LookupError: no such terms.
        """
        return self._merged(f"{lang}/terms/{name}.yaml", (f"{lang}/terms/{name}.yaml",))

    def has_terms(self, lang: str, name: str) -> bool:
        """Whether a language has terms of that name."""
        return _package("templates").joinpath(f"{lang}/terms/{name}.yaml").is_file()

    def messages(self, lang: str) -> Mapping[str, Any]:
        """All sentences of a language by section, with the game master's.

        Raises:
            LookupError: no such language.
        """
        return self._merged(f"{lang}/messages", tuple(f"{lang}/{name}" for name in MESSAGES))

    def phrases(self, lang: str, name: str) -> Mapping[str, Any]:
        """Parsed ``phrases/NAME.yaml`` of a language, with the game master's; may be empty."""
        path = f"{lang}/phrases/{name}.yaml"
        if (path,) not in self._kept:
            is_builtin = _package("templates").joinpath(path).is_file()
            base = _builtin_yaml("templates", path) if is_builtin else {}
            root, problems = self._own_yaml(path)
            found = list(problems)
            if root is not None:
                base = _Phrases(root, found).merge(base, root, ())
            self._kept[path,], self._problems[path,] = base, tuple(found)
        phrases: Mapping[str, Any] = self._kept[path,]
        return phrases

    def time_words(self) -> TimeWords:
        """The words for deadlines, of all languages together."""
        return TimeWords.of(self.terms(lang, "time") for lang in self.languages())

    def templates(self, lang: str, *, own: bool = True) -> Mapping[str, str]:
        """Sources of a language's templates by name, such as ``round.j2``.

        Args:
            lang: The language.
            own: Whether the game master's stand in for the built-in ones; without them there is
                something left when one of theirs turns out to be broken.
        """
        return self._sources(lang, own=own)

    def dialect_templates(self, *, own: bool = True) -> Mapping[str, str]:
        """Sources of the dialects' templates by name, such as ``bbcode.j2``."""
        return self._sources("dialects", own=own)

    def own_template_path(self, folder: str, name: str) -> str:
        """What a problem calls the game master's template of a language or of ``dialects``."""
        return self._shown(f"{folder}/{name}")

    def profile_names(self) -> tuple[str, ...]:
        """Names of the built-in selector profiles, sorted."""
        names = _names(_package("adapters").joinpath("profiles"), ".yaml")
        return tuple(name.removesuffix(".yaml") for name in names)

    def profile(self, name: str) -> Mapping[str, Any]:
        """A built-in selector profile as its file has it.

        Raises:
            LookupError: no such profile.
        """
        profile: Mapping[str, Any] = _builtin_yaml("adapters", f"profiles/{name}.yaml")
        return profile

    def page(self, name: str) -> str:
        """A whole file of ``templates/``, such as ``verify.html``.

        Raises:
            LookupError: no such file.
        """
        return _text(_package("templates"), name)

    def check(self, rulesets: Iterable[str] = ()) -> tuple[ConfigProblem, ...]:
        """Read everything that the game master's folder may hold, and say what is wrong with it.

        Args:
            rulesets: Further rulesets whose tables are asked for.
        """
        for ruleset_id in sorted({*rulesets, *self.rulesets()}):
            self.tables(ruleset_id)
        for lang in self.languages():
            self.messages(lang)
            for name in _names(_package("templates").joinpath(lang, "terms"), ".yaml"):
                self.terms(lang, name.removesuffix(".yaml"))
            for name in _names(_package("templates").joinpath(lang, "phrases"), ".yaml"):
                self.phrases(lang, name.removesuffix(".yaml"))
            self.templates(lang)
        self.dialect_templates()
        self._problems["strays",] = tuple(self._strays())
        return self.problems

    # ------------------------------------------------------------------ the game master's folder

    def own_files(self) -> tuple[Path, ...]:
        """Files of the game master's folder, sorted: when one of them changes, so does this."""
        if self._overrides is None or not self._overrides.is_dir():
            return ()
        found: list[Path] = []
        for path in self._overrides.rglob("*"):
            if path.suffix in {".yaml", TEMPLATE} and path.is_file():
                found.append(path)
                if len(found) >= MAX_FILES:
                    break
        return tuple(sorted(found))

    def _shown(self, name: str) -> str:
        folder = self._overrides.name if self._overrides else ""
        return f"{folder}/{name}"

    def _own_yaml(self, name: str) -> tuple[Any, tuple[ConfigProblem, ...]]:
        """The root of one of the game master's files, None where there is no such file."""
        if self._overrides is None or not (path := self._overrides / name).is_file():
            return None, ()
        document = read_yaml(path, self._shown(name))
        return document.root, document.problems

    def _strays(self) -> Iterator[ConfigProblem]:
        """Files that nothing reads, mostly because their name is misspelt."""
        if self._overrides is None:
            return
        if not self._overrides.is_dir():
            yield ConfigProblem(file=self._shown(""), code="no_such_directory")
            return
        known = self._known_files()
        for path in self.own_files():
            name = path.relative_to(self._overrides).as_posix()
            if name not in known and not path.name.startswith(OWN_PART):
                yield ConfigProblem(
                    file=self._shown(name),
                    code="stray_file",
                    suggestion=nearest(name, sorted(known)),
                )

    def _known_files(self) -> set[str]:
        templates = _package("templates")
        known = {f"dialects/{name}" for name in _names(templates.joinpath("dialects"), TEMPLATE)}
        for lang in self.languages():
            known |= {f"{lang}/{name}" for name in _names(templates.joinpath(lang), TEMPLATE)}
            known |= {f"{lang}/{name}" for name in MESSAGES}
            for room in ("terms", "phrases"):
                names = _names(templates.joinpath(lang, room), ".yaml")
                known |= {f"{lang}/{room}/{name}" for name in names}
        for ruleset_id in self.rulesets():
            tables = _package("rulesets").joinpath(ruleset_id, "tables")
            known |= {f"tables/{ruleset_id}/{name}" for name in _names(tables, ".yaml")}
        return known

    # ------------------------------------------------------------------ reading

    def _merged(self, key: str, names: Sequence[str]) -> Mapping[str, Any]:
        if (key,) not in self._kept:
            base: dict[str, Any] = {}
            found = [name for name in names if _package("templates").joinpath(name).is_file()]
            if not found:
                raise LookupError(key)
            for name in found:
                base.update(_builtin_yaml("templates", name))
            problems: list[ConfigProblem] = []
            for name in names:
                root, broken = self._own_yaml(name)
                problems.extend(broken)
                if root is not None:
                    base = _Words(root, problems).merge(base, root, ())
            self._kept[key,], self._problems[key,] = base, tuple(problems)
        merged: Mapping[str, Any] = self._kept[key,]
        return merged

    def _read_tables(self, ruleset_id: str) -> tuple[dict[str, Any], tuple[ConfigProblem, ...]]:
        folder = _package("rulesets").joinpath(ruleset_id, "tables")
        if not folder.is_dir():
            raise LookupError(ruleset_id)
        stems = [name.removesuffix(".yaml") for name in _names(folder, ".yaml")]
        tables = {
            stem: _builtin_yaml("rulesets", f"{ruleset_id}/tables/{stem}.yaml") for stem in stems
        }
        problems: list[ConfigProblem] = []
        for stem in stems:
            root, broken = self._own_yaml(f"tables/{ruleset_id}/{stem}.yaml")
            problems.extend(broken)
            if root is not None:
                rows = _Rows(root, problems)
                tables[stem] = rows.merge(tables[stem], root, ())
        inline = self._rows.get(ruleset_id)
        if isinstance(inline, Mapping):
            rows = _Rows(inline, problems, ("tables", ruleset_id))
            for stem, own in inline.items():
                if stem in tables:
                    tables[stem] = rows.merge(tables[stem], own, (stem,))
                else:
                    rows.unknown("unknown_table", (stem,), stems)
        return tables, tuple(problems)

    def _sources(self, folder: str, *, own: bool) -> Mapping[str, str]:
        key = ("sources", folder, str(own))
        if key not in self._kept:
            builtin = _package("templates").joinpath(folder)
            sources = {name: _text(builtin, name) for name in _names(builtin, TEMPLATE)}
            problems: list[ConfigProblem] = []
            if own and self._overrides and (self._overrides / folder).is_dir():
                for path in sorted((self._overrides / folder).glob(f"*{TEMPLATE}")):
                    if path.name in sources or path.name.startswith(OWN_PART):
                        text, broken = _own_text(path, self._shown(f"{folder}/{path.name}"))
                        problems.extend(broken)
                        sources.update({path.name: text} if text is not None else {})
            self._kept[key], self._problems[key] = sources, tuple(problems)
        found: Mapping[str, str] = self._kept[key]
        return found


# ---------------------------------------------------------------------------------- merging


class _Merge:
    """The game master's entries laid over the built-in ones; what does not fit is a problem."""

    def __init__(
        self, root: object, problems: list[ConfigProblem], prefix: tuple[str, ...] = ()
    ) -> None:
        self.root = root
        self.problems = problems
        self.prefix = prefix

    def problem(self, code: str, path: Steps, given: object = "", **facts: str) -> None:
        """Add a problem at a place of the root."""
        place = place_of(self.root, path, key=code.startswith("unknown"))
        self.problems.append(
            ConfigProblem(
                file=place.file,
                line=place.line,
                column=place.column,
                field=dotted((*self.prefix, *path)),
                code=code,
                given=shortened(given),
                **facts,
            )
        )

    def unknown(self, code: str, path: Steps, candidates: Iterable[str]) -> None:
        """Add a problem for a name that has no counterpart."""
        names = [str(candidate) for candidate in candidates]
        name = str(path[-1])
        self.problem(code, path, name, expected=listed(names), suggestion=nearest(name, names))


class _Words(_Merge):
    """Messages and terms: a text replaces a text, ``accept`` lists grow."""

    def merge(self, base: Any, own: Any, path: tuple[str, ...]) -> Any:
        """The entry with the game master's words in it."""
        if path[-1:] == (_NOUN,) and not isinstance(own, dict):
            return plain(own)
        if isinstance(base, dict):
            return self._mapping(base, own, path)
        if isinstance(own, dict) or isinstance(base, list) != isinstance(own, list):
            self.problem("not_list" if isinstance(base, list) else "not_text", path, own)
            return base
        if isinstance(base, list):
            return [*base, *(item for item in plain(own) if item not in base)]
        return str(own)

    def _mapping(self, base: dict[str, Any], own: Any, path: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(own, dict):
            self.problem("not_mapping", path, own)
            return base
        merged = dict(base)
        for key, value in own.items():
            here = (*path, key)
            if key in base:
                merged[key] = self.merge(base[key], value, here)
            elif _may_be_new(base, here):
                merged[key] = plain(value)
            else:
                self.unknown("unknown_key", here, base)
        return merged


class _Phrases(_Merge):
    """Phrase banks: entries are added freely; phrasings (``say``) join ours, the rest replaces."""

    def merge(self, base: Any, own: Any, path: tuple[str, ...]) -> Any:
        """The bank with the game master's phrases in it."""
        if not isinstance(base, dict):
            if isinstance(own, dict) == isinstance(base, list):
                self.problem("not_list" if isinstance(base, list) else "not_value", path, own)
                return base
            if path[-1] == "say" and isinstance(base, list) and isinstance(own, list):
                return [*base, *(item for item in plain(own) if item not in base)]
            return plain(own)
        if not isinstance(own, dict):
            self.problem("not_mapping", path, own)
            return base
        merged = dict(base)
        for key, value in own.items():
            if key in base:
                merged[key] = self.merge(base[key], value, (*path, key))
            elif path or not base:
                merged[key] = plain(value)
            else:
                self.unknown("unknown_key", (key,), base)
        return merged


def _may_be_new(base: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    if "say" in base:
        return path[-1] in _WORD_KEYS
    if path[0] == _OPEN_FIELDS:
        return len(path) > 2 or (len(path) == 2 and path[1] in KINDS)
    return path[0] in THINGS and len(path) > 1


class _Rows(_Merge):
    """Table rows: merged column by column; a new row must be whole."""

    def merge(self, base: Any, own: Any, path: tuple[str, ...]) -> Any:
        """The table with the game master's rows in it."""
        if isinstance(base, list) and _row_key(base):
            return self._rows_of_list(base, own, path)
        if not isinstance(base, dict):
            return plain(own)
        if not isinstance(own, dict):
            self.problem("not_mapping", path, own)
            return base
        inside = list(base.values())
        if inside and all(isinstance(value, dict) for value in inside):
            is_group = all(isinstance(cell, dict) for row in inside for cell in row.values())
            return (self._group if is_group else self._rows)(base, own, path)
        return self._row(base, own, path, tuple(base))

    def _group(self, base: dict[str, Any], own: dict[str, Any], path: tuple[str, ...]) -> Any:
        merged = dict(base)
        for name, table in own.items():
            if name in base:
                merged[name] = self.merge(base[name], table, (*path, name))
            else:
                self.unknown("unknown_table", (*path, name), base)
        return merged

    def _rows(self, base: dict[str, Any], own: dict[str, Any], path: tuple[str, ...]) -> Any:
        columns = tuple(dict.fromkeys(column for row in base.values() for column in row))
        needed = [c for c in columns if all(c in row for row in base.values())]
        merged = dict(base)
        for name, row in own.items():
            here = (*path, name)
            if not isinstance(row, dict):
                self.problem("not_mapping", here, row)
            elif name in base:
                merged[name] = self._row(base[name], row, here, columns)
            elif all(column in row for column in needed if column not in _PROVENANCE):
                merged[name] = self._row(_provenance(base), row, here, columns)
            else:
                self.unknown("unknown_row", here, base)
        return merged

    def _rows_of_list(self, base: list[Any], own: Any, path: tuple[str, ...]) -> list[Any]:
        key = _row_key(base)
        if not isinstance(own, (list, dict)):
            self.problem("not_mapping", path, own)
            return base
        before = {str(row[key]): row for row in base}
        if isinstance(own, list):
            own = self._by_name(own, key, path)
        named = {
            name: {key: name, **row} if isinstance(row, dict) else row for name, row in own.items()
        }
        return list(self._rows(before, named, path).values())

    def _by_name(self, rows: list[Any], key: str, path: tuple[str, ...]) -> dict[str, Any]:
        named: dict[str, Any] = {}
        for index, row in enumerate(rows):
            if isinstance(row, dict) and key in row:
                named[str(row[key])] = row
            else:
                self.problem("missing", (*path, index, key))
        return named

    def _row(
        self,
        base: dict[str, Any],
        own: dict[str, Any],
        path: tuple[str, ...],
        columns: tuple[str, ...],
    ) -> dict[str, Any]:
        merged = dict(base)
        for column, value in own.items():
            here = (*path, column)
            if isinstance(base.get(column), dict):
                merged[column] = self.merge(base[column], value, here)
            elif column in columns:
                merged[column] = plain(value)
            else:
                self.unknown("unknown_column", here, columns)
        return merged


def _provenance(rows: dict[str, Any]) -> dict[str, Any]:
    """Where a new row says that it comes from: the rule of its neighbours, but of this house."""
    model: dict[str, Any] = next(iter(rows.values()), {})
    words = {"rule": model.get("rule"), "source": "house"}
    return {column: words[column] for column in _PROVENANCE if column in model}


def _row_key(rows: list[Any]) -> str:
    """The column that names the rows of a list, or nothing where it is no list of named rows."""
    for key in ROW_NAMES:
        if rows and all(isinstance(row, dict) and key in row for row in rows):
            return key
    return ""


def _deepest(rows: object, path: Steps) -> tuple[int, Place]:
    """How far a path leads into the game master's rows, and the place that it reaches."""
    depth, here = 0, rows
    for step in path:
        found = item(here, step)
        if found is None:
            break
        here, depth = found.value, depth + 1
    return depth, place_of(rows, path[:depth])


# ---------------------------------------------------------------------------------- the disk


def _package(name: str) -> Traversable:
    return resources.files(name)


def _names(folder: Traversable, ending: str) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(ending))


def _text(folder: Traversable, name: str) -> str:
    file = folder.joinpath(name)
    if not file.is_file():
        raise LookupError(name)
    return file.read_text(encoding="utf-8")


def _builtin_yaml(package: str, name: str) -> Any:
    return plain(_parsed(package, name))


@cache
def _parsed(package: str, name: str) -> Any:
    """A built-in file never changes while the program runs, and every new config asks for it."""
    document = parse_yaml(_text(_package(package), name), f"{package}/{name}")
    if document.problems:
        # A built-in file is ours to mend, not the game master's.
        raise ValueError(document.problems)
    return document.root


def _own_text(path: Path, shown: str) -> tuple[str | None, tuple[ConfigProblem, ...]]:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            problem = ConfigProblem(file=shown, code="file_too_large", expected=f"≤ {MAX_BYTES}")
            return None, (problem,)
        return raw.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return None, (ConfigProblem(file=shown, line=line, column=1, code="not_utf8"),)
    except OSError as error:
        problem = ConfigProblem(file=shown, code="cannot_read_file", given=type(error).__name__)
        return None, (problem,)
