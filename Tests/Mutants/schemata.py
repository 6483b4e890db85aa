"""Finds the checks of the reader and rewrites each so that it can be taken out while the tests run.

A check is a condition that guards an error, or a call whose only purpose is to throw one:

    guard A, B else { throw … }         A and B are one check each
    if A || B { throw … }               and so are these
    try reader.check(count, at: place)  also `verify`, `checkEnd` and such

A mutant is the program without one of them. All are in one build: the number in KEEPSAKE_MUTANT says which is out.
"""

import re
from dataclasses import dataclass, field

# Checks that a general rule does not find, each with what stands for it: a value in place of none, or a case that passes.
SPECIAL = [
    ("Image/ValueLayout.swift", "PackedElement(rawValue: try reader.byte(at: offset + 1))", "KEPT ?? (OUT ? .bool : nil)"),
    ("Image/ValueLayout.swift", "throw unknownTag(tag, at: start)", "if OUT { return 0 }; KEPT"),
    ("Tables/DecimalParts.swift", "exponent.flatMap({ Int(exactly: $0) })", "KEPT ?? (OUT ? 0 : nil)"),
    ("Tables/DecimalParts.swift", "flatMap({ UInt128(exactly: $0) })", "KEPT ?? (OUT ? 0 : nil)"),
    ("Image/MapKeys.swift", "throw .damaged(\"The key of a map is", "if OUT { return .number(0) }; KEPT"),
    ("Image/ImageBodies.swift", "try classNumber(at: &content)", "KEPT ?? (OUT ? 0 : nil)"),
    ("Decoding/Plans/NativeDecoding.swift", "try DecimalParts(reader, at: &end)?.decimal", "KEPT ?? (OUT ? 0 : nil)"),
    ("Decoding/Plans/PrimitiveDecoding.swift", "Self(exactly: number) else", "Self(exactly: number) ?? (OUT ? 0 : nil) else"),
    ("Decoding/Plans/PrimitiveDecoding.swift", "Self(narrowing: Double(bitPattern: bits))", "KEPT ?? (OUT ? 0 : nil)"),
    (
        "Decoding/Plans/CollectionDecoding.swift",
        "try arrayHead(at: cursor) else { throw",
        "try arrayHead(at: cursor) ?? (OUT ? (0, cursor + 1) : nil) else { throw",
    ),
    ("Decoding/Containers/ValueDecoder.swift", "default: throw", "default: if OUT { break }; throw"),
    ("Values/ArchiveValue.swift", "throw image.unknownTag(tag, at: offset)", "if OUT { .none } else { KEPT }"),
]

OPENING = {"(": ")", "[": "]", "{": "}"}

# Calls for the sake of the error alone, at the beginning of a statement: what they return, if anything, is not used, and
# they move no place on.
CHECKING_CALL = re.compile(
    r"(?:^[ \t]*|\{ )(?P<call>(?:_ = try [\w.]+|try (?:[\w.?]*\.)?(?:check\w*|verify\w*|countReading|note)\())",
    re.MULTILINE,
)


@dataclass
class Check:
    number: int
    file: str
    line: int
    kind: str
    text: str


@dataclass
class Rewritten:
    text: str
    checks: list = field(default_factory=list)
    skipped: list = field(default_factory=list)


def blanked(source):
    """The source with comments and the text of strings made blank, of the same length and lines."""
    out = list(source)
    i, n = 0, len(source)
    while i < n:
        if source.startswith("//", i):
            while i < n and source[i] != "\n":
                out[i] = " "
                i += 1
        elif source.startswith('"""', i):
            end = source.index('"""', i + 3) + 3
            for k in range(i, end):
                if out[k] != "\n":
                    out[k] = " "
            i = end
        elif source[i] == '"':
            i = blank_string(source, out, i)
        else:
            i += 1
    return "".join(out)


def blank_string(source, out, start):
    i, depth = start + 1, 0
    while depth or source[i] != '"':
        if source.startswith("\\(", i):
            depth += 1
            i += 2
        elif depth and source[i] == "(":
            depth += 1
            i += 1
        elif depth and source[i] == ")":
            depth -= 1
            i += 1
        else:
            i += 2 if source[i] == "\\" else 1
    for k in range(start + 1, i):
        out[k] = "_"
    return i + 1


def closing(code, start):
    """The place of the bracket that closes the one at `start`."""
    stack = []
    for i in range(start, len(code)):
        if code[i] in OPENING:
            stack.append(OPENING[code[i]])
        elif stack and code[i] == stack[-1]:
            stack.pop()
            if not stack:
                return i
    raise ValueError("brackets")


def pieces(code, start, end, separator):
    """The extents between the separators that are in no bracket."""
    found, depth, begin, i = [], 0, start, start
    while i < end:
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
        elif depth == 0 and code.startswith(separator, i):
            found.append((begin, i))
            i += len(separator)
            begin = i
            continue
        i += 1
    found.append((begin, end))
    return found


def trimmed(code, extent):
    start, end = extent
    while start < end and code[start].isspace():
        start += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


def contains_operator(code, extent, operators):
    return any(len(pieces(code, *extent, operator)) > 1 for operator in operators)


class Rewriter:
    """Rewrites the files of the reader; numbers continue from file to file."""

    def __init__(self, also_nil=()):
        self.count = 0
        # Files where a guard that returns nil or false is a check too.
        self.also_nil = also_nil

    def rewrite(self, name, source):
        code = blanked(source)
        result = Rewritten("")
        edits, bodies = [], []
        self.guards(name, code, source, result, edits, bodies)
        self.ifs(name, code, source, result, edits, bodies)
        self.calls(name, code, source, result, edits)
        specials = self.specials(name, source, result, edits)
        self.unconditional(name, code, source, result, bodies, specials)
        # From the last to the first, so that the places of the others stay right. None overlap.
        text = source
        for place, length, replacement in sorted(edits, reverse=True):
            text = text[:place] + replacement + text[place + length :]
        result.text = text
        result.skipped = [skip for skip in result.skipped if skip[1] - 1 not in specials]
        return result

    # The number of a new mutant, and a note of what it takes out.
    def note(self, name, source, result, kind, start, end):
        number = self.count + 1
        self.count = number
        text = " ".join(source[start:end].split())
        result.checks.append(Check(number, name, source.count("\n", 0, start) + 1, kind, text))
        return number

    def skip(self, name, source, result, start, end):
        text = " ".join(source[start:end].split())
        result.skipped.append((name, source.count("\n", 0, start) + 1, text))

    def is_fault(self, name, body):
        if re.search(r"\bthrow\b", self.flat(body)):
            return True
        return name in self.also_nil and re.fullmatch(r"\s*return (nil|false)\s*", body) is not None

    @staticmethod
    def flat(body):
        """What stands in the body itself, and not in braces within it."""
        while re.search(r"\{[^{}]*\}", body):
            body = re.sub(r"\{[^{}]*\}", "", body)
        return body

    def guards(self, name, code, source, result, edits, bodies):
        for match in re.finditer(r"\bguard\b", code):
            start = match.end()
            place, depth = start, 0
            while not (depth == 0 and re.match(r"\belse\b", code[place:]) and not code[place - 1].isalnum()):
                depth += code[place] in "([{"
                depth -= code[place] in ")]}"
                place += 1
            opening = code.index("{", place)
            if not self.is_fault(name, code[opening + 1 : closing(code, opening)]):
                continue
            bodies.append((opening, closing(code, opening)))
            for clause in pieces(code, start, place, ","):
                clause = trimmed(code, clause)
                text = code[slice(*clause)]
                if re.match(r"(let|var|case|#available)\b", text):
                    self.skip(name, source, result, *clause)
                    continue
                parts = [clause]
                if not contains_operator(code, clause, ["||", "? "]):
                    parts = [trimmed(code, part) for part in pieces(code, *clause, "&&")]
                for first, last in parts:
                    number = self.note(name, source, result, "guard", first, last)
                    edits.append((first, 0, f"(mutantIsOut({number}) ? true : ("))
                    edits.append((last, 0, "))"))

    def ifs(self, name, code, source, result, edits, bodies):
        for match in re.finditer(r"(?<![#\w])if\b", code):
            start = match.end()
            opening = start
            depth = 0
            while depth or code[opening] != "{":
                depth += code[opening] in "(["
                depth -= code[opening] in ")]"
                opening += 1
            body = code[opening + 1 : closing(code, opening)]
            if not re.match(r"\s*throw\b", body):
                continue
            bodies.append((opening, closing(code, opening)))
            clauses = [trimmed(code, clause) for clause in pieces(code, start, opening, ",")]
            conditions = [c for c in clauses if not re.match(r"(let|var|case)\b", code[slice(*c)])]
            if not conditions:
                self.skip(name, source, result, start, opening)
                continue
            # Without one of several conditions the check would be stricter; so all are out together.
            first, last = conditions[-1]
            parts = [(first, last)]
            if not contains_operator(code, (first, last), ["&&", "? "]):
                parts = [trimmed(code, part) for part in pieces(code, first, last, "||")]
            for first, last in parts:
                number = self.note(name, source, result, "if", first, last)
                edits.append((first, 0, f"(mutantIsOut({number}) ? false : ("))
                edits.append((last, 0, "))"))

    def calls(self, name, code, source, result, edits):
        for match in CHECKING_CALL.finditer(code):
            start = match.start("call")
            end = self.end_of_statement(code, start)
            # What moves a place on is needed for more than its error.
            if re.search(r"&\w|\.next\(|\.resolve\(", code[start:end]):
                continue
            number = self.note(name, source, result, "call", start, end)
            edits.append((start, 0, f"if !mutantIsOut({number}) {{ "))
            edits.append((end, 0, " }"))

    @staticmethod
    def end_of_statement(code, start):
        place, depth = start, 0
        while depth > 0 or code[place] not in "\n}":
            depth += code[place] in "([{"
            depth -= code[place] in ")]}"
            place += 1
        return trimmed(code, (start, place))[1]

    def specials(self, name, source, result, edits):
        lines = set()
        for file, snippet, replacement in SPECIAL:
            if file != name:
                continue
            places = [match.start() for match in re.finditer(re.escape(snippet), source)]
            if not places:
                raise ValueError(f"{file} has no \"{snippet}\" any more: mend the list of special checks")
            for start in places:
                end = start + len(snippet)
                number = self.note(name, source, result, "special", start, end)
                lines.add(source.count("\n", 0, start))
                text = replacement.replace("OUT", f"mutantIsOut({number})").replace("KEPT", snippet)
                edits.append((start, len(snippet), text))
        return lines

    def unconditional(self, name, code, source, result, bodies, specials):
        """Errors that no condition guards: the last case of a `switch`, and what passes an error on."""
        for match in re.finditer(r"\bthrow\b", code):
            if source.count("\n", 0, match.start()) in specials:
                continue
            if not any(start < match.start() < end for start, end in bodies):
                end = code.index("\n", match.start())
                self.skip(name, source, result, match.start(), end)
