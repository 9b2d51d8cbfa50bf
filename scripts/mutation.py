"""Faults that are compiled into modules of Swift, all at once: the one whose number is in APNSIFT_MUTANT is on.

The formatter makes this simple: a binary operator has a space on both sides, and nothing else does. `a < b` becomes
`a <% 7 %< b`: both new operators have the precedence of `<`, so that no operand need be found. The compiler says which faults
are none in Swift; `refused` finds them by its errors.
"""

import re
from collections import Counter
from dataclasses import dataclass

OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "&+": "&-", "&-": "&+"}
OTHER_ASSIGNMENT = {"+=": "-=", "-=": "+=", "&+=": "&-=", "&-=": "&+="}
MOST_IN_FILE, MOST = 1000, 1 << 17  # numbers
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass
class Mutant:
    path: str
    line: int  # from 1
    text: str  # the line
    change: str
    edits: list  # (start, end, new text, with {} for the number)
    number: int = 0

    @property
    def key(self):
        """What names it whatever lines are before it."""
        return self.path, self.change, self.text


# Strings may have interpolations with strings in them, one level deep.
INTERPOLATION = r'\\\((?:[^()"]|"[^"\n]*"|\((?:[^()"]|"[^"\n]*"|\([^()]*\))*\))*\)'
NO_CODE = re.compile(rf'//[^\n]*|/\*[\s\S]*?\*/|"""[\s\S]*?"""|#"[^\n]*?"#|"(?:{INTERPOLATION}|\\.|[^"\\\n])*"')
# What changes nothing but speed, or is not in a release.
NO_EFFECT = re.compile(r"\b(?:assert|[\w.]+\.reserveCapacity)\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)|\bkeepingCapacity: \w+")
KEYWORDS = ("return|if|guard|while|for|switch|case|default|let|var|func|init|static|private|fileprivate|public|package|mutating|"
            "import|throw|else|defer|do|typealias|enum|struct|extension|indirect|lazy|weak|_")
# An assignment, or a call.
STATEMENT = re.compile(rf"(?:try )?(?!(?:{KEYWORDS})\b)\w[\w.?!]*"
                       r"(?:(?:\[[^\]]*\][\w.?!]*)* (?:[-+|&^]|&[-+])?= .+|\(.*\))")
DECLARATION = re.compile(r"\b(?:init|func|subscript)\b|\bvar .*\{$")
OPEN, CLOSE = "([{", ")]}"


def masked(source):
    """The source with blanks in all comments, strings and what has no effect, of the same length."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return NO_EFFECT.sub(blank, NO_CODE.sub(blank, source))


def lines_in_braces(code):
    """(start, end) of each line that begins directly inside of braces, and whose brackets are in pairs."""
    opened, start = [], 0
    for line in code.split("\n"):
        before = list(opened)
        for character in line:
            if character in OPEN:
                opened.append(character)
            elif character in CLOSE and opened:
                opened.pop()
        if before == opened and before[-1:] == ["{"]:
            yield start, start + len(line)
        start += len(line) + 1


def conditions(code):
    """(start, end) of each condition of `if`, `guard` and `while` that is an expression."""
    for found in re.finditer(r"(?<![#.\w])(?:if|guard|while) ", code):
        depth, start = 0, found.end()
        for index in range(start, len(code)):
            character = code[index]
            ends = depth == 0 and (character == "{" or code.startswith("else ", index))
            if ends or depth == 0 and character == ",":
                yield start, index
                start = index + 1
            if ends:
                break
            depth += (character in OPEN) - (character in CLOSE)


def mutants(path, source):
    """All faults of a file, in its order."""
    code = masked(source)
    found = [*operators(code), *literals(code), *negations(code), *drops(code)]
    lines = source.split("\n")
    seen, result = Counter(), []
    for start, change, edits in sorted(found):
        line = code.count("\n", 0, start) + 1
        text = lines[line - 1].strip()
        if not text.startswith(("import ", "@", "#", "infix ", "precedencegroup ")):
            seen[text, change] += 1
            number = seen[text, change]
            result.append(Mutant(path, line, text, change + f" #{number}" * (number > 1), edits))
    return result


def operators(code):
    for found in re.finditer(r"(?<!func)\s(&?[-+]=?|[<>]=?|[=!]=|&&|\|\|)(?=\s)", code):
        operator, second = found[1], found[1] if found[1] in OTHER else "%"
        if other := (OTHER | OTHER_ASSIGNMENT).get(operator):
            yield found.start(1), f"{operator} → {other}", [(*found.span(1), f"{operator}% {{}} %{second}")]


def literals(code):
    # Neither parts of names, members of tuples and fractions, nor sizes in types.
    for found in re.finditer(r"(?<![\w$])(?<!(?<!\.)\.)(?<!\w<)(0x[\da-fA-F_]+|0b[01_]+|\d[\d_]*)(?!\w|\.\d| of )", code):
        yield found.start(), f"{found[0]} → +1", [(*found.span(), f"__int({{}}, {found[0]})")]
    for found in re.finditer(r"(?<![\w.])(?<!while )(?:true|false)\b", code):
        yield found.start(), f"{found[0]} → !", [(*found.span(), f"__not({{}}, {found[0]})")]
    for found in re.finditer(r"(?<![\w.])(?<!func )(min|max)\(", code):
        yield found.start(), "min ↔ max", [(*found.span(), f"__{found[1]}({{}}, ")]


def negations(code):
    for start, end in conditions(code):
        start += re.match(r"\s*(?:try |await )*", code[start:end]).end()
        condition = code[start:end]
        is_expression = not re.match(r"(?:let|var|case|_|true)\b|#", condition)
        # `!=` is the negation of `==` already.
        if is_expression and (not re.search(r" [=!]= ", condition) or re.search(r" (?:&&|\|\|) ", condition)):
            yield start, "negated", [(start, start, "{} %! ")]


def drops(code):
    for start, end in lines_in_braces(code):
        line = code[start:end]
        before, after = code[:start].rstrip()[-1:], code[end:].lstrip()[:1]
        if STATEMENT.fullmatch(line.strip()) and before not in "=,(+-*/&|<?" and after not in ".?&|+-*/=<":
            # Without the comment after it, which is blank.
            start, end = start + len(line) - len(line.lstrip()), start + len(line.rstrip())
            yield start, "dropped", [(start, start, "if !__on({}) {{ "), (end, end, " }}")]


def mutated(source, chosen):
    """The source with the chosen faults in it. Lines stay where they are."""
    edits = sorted((start, end, text.format(mutant.number)) for mutant in chosen for start, end, text in mutant.edits)
    parts, at = [], 0
    for start, end, text in edits:
        parts += [source[at:start], text]
        at = end
    return "".join(parts) + source[at:]


def refused(errors, source, chosen):
    """The faults of a file that the compiler's errors, pairs of a line and a message, are about."""
    lines = source.split("\n")
    result = []
    for line, message in errors:
        here = [mutant for mutant in chosen if mutant.line == line]
        named = [name.strip("%") for name in re.findall(r"'(\S*%\S*)'", message)]
        if not here or re.search("initializ|missing return", message):
            # What was not set, or not returned, is reported later than it was dropped.
            first = next((number for number in range(line, 0, -1) if DECLARATION.search(lines[number - 1])), 1)
            within = [mutant for mutant in chosen if first <= mutant.line <= line + 20]
            here = [mutant for mutant in within if mutant.change.startswith("dropped") and mutant.line <= line] or within
        result += [mutant for mutant in here if mutant.change.split()[0] in (named or OTHER | OTHER_ASSIGNMENT)] or here
    return result


def helpers():
    """What a module with faults needs. The variable is read before main, so that a fault costs one load and one branch."""
    head = "@usableFromInline @inline(__always) func"
    parts = [PRELUDE.replace("MOST", str(MOST))]
    for operator, other in OTHER.items():
        group = ("MutantComparison" if operator in COMPARISONS else "AdditionPrecedence" if operator[-1] in "+-"
                 else "LogicalConjunctionPrecedence" if operator == "&&" else "LogicalDisjunctionPrecedence")
        parts.append(f"infix operator {operator}%: {group}\ninfix operator %{operator}: {group}\n"
                     f"{head} {operator}% <T>(a: T, k: Int) -> __At<T> {{ __At(a, k) }}")
        if operator in ("&&", "||"):
            parts.append(f"{head} %{operator} (a: __At<Bool>, b: @autoclosure () throws -> Bool) rethrows -> Bool {{\n"
                         f"  __on(a.k) ? try a.a {other} b() : try a.a {operator} b()\n}}")
            continue
        kind = "Equatable" if operator in ("==", "!=") else "Comparable" if operator in COMPARISONS else "FixedWidthInteger"
        result = "Bool" if operator in COMPARISONS else "T"
        parts.append(f"{head} %{operator} <T: {kind}>(a: __At<T>, b: T) -> {result} {{ __on(a.k) ? a.a {other} b : a.a {operator} b }}")
    for operator, result in ("==", ""), ("!=", "!"):
        parts.append(f"{head} %{operator} <T>(a: __At<T?>, b: _OptionalNilComparisonType) -> Bool {{ {result}__not(a.k, a.a == b) }}")
    for operator, other in OTHER_ASSIGNMENT.items():
        parts.append(f"infix operator {operator}%: AssignmentPrecedence\n"
                     f"{head} {operator}% <T: FixedWidthInteger>(a: inout T, b: __At<T>) "
                     f"{{ if __on(b.k) {{ a {other} b.a }} else {{ a {operator} b.a }} }}")
    return "\n".join([*parts, ""])


PRELUDE = """import Glibc

@usableFromInline nonisolated(unsafe) var __mutant: Int = -1
nonisolated(unsafe) var __reached: UnsafeMutablePointer<UInt8>? = nil

/// With a file in APNSIFT_MUTANTS_REACHED, byte K becomes 1 where fault K is evaluated, and none is on.
func __start() {
  if let text = getenv("APNSIFT_MUTANT") { __mutant = atol(text) }
  guard let path = getenv("APNSIFT_MUTANTS_REACHED") else { return }
  let file = open(path, O_RDWR | O_CREAT, 0o644)
  guard file >= 0, ftruncate(file, MOST) == 0 else { return }
  guard let map = mmap(nil, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), map != MAP_FAILED else { return }
  (__reached, __mutant) = (map.assumingMemoryBound(to: UInt8.self), -2)
}
@section(".init_array") @used let __starter: @convention(c) () -> Void = __start

@inline(never) @usableFromInline func __note(_ k: Int) -> Bool {
  __reached?[k] = 1
  return false
}
@usableFromInline @inline(__always) func __on(_ k: Int) -> Bool {
  let on = __mutant
  if _fastPath(on != k && on != -2) { return false }
  return on == k || __note(k)
}

@usableFromInline struct __At<T> {
  @usableFromInline let a: T
  @usableFromInline let k: Int
  @usableFromInline @inline(__always) init(_ a: T, _ k: Int) { (self.a, self.k) = (a, k) }
}

precedencegroup MutantComparison {
  associativity: left
  higherThan: LogicalConjunctionPrecedence
  lowerThan: NilCoalescingPrecedence
}
precedencegroup MutantCondition {
  higherThan: TernaryPrecedence
  lowerThan: LogicalDisjunctionPrecedence
}
precedencegroup MutantOperand {
  higherThan: AssignmentPrecedence
  lowerThan: TernaryPrecedence
}
infix operator %!: MutantCondition
infix operator %%: MutantOperand
@usableFromInline @inline(__always) func %! (k: Int, a: Bool) -> Bool { __on(k) ? !a : a }
@usableFromInline @inline(__always) func %% <T>(k: Int, a: T) -> __At<T> { __At(a, k) }
@usableFromInline @inline(__always) func __int<T: FixedWidthInteger>(_ k: Int, _ n: T) -> T { __on(k) ? n &+ 1 : n }
@usableFromInline @inline(__always) func __not(_ k: Int, _ a: Bool) -> Bool { __on(k) ? !a : a }
@usableFromInline @inline(__always) func __min<T: Comparable>(_ k: Int, _ a: T, _ b: T) -> T { __on(k) ? max(a, b) : min(a, b) }
@usableFromInline @inline(__always) func __max<T: Comparable>(_ k: Int, _ a: T, _ b: T) -> T { __on(k) ? min(a, b) : max(a, b) }
"""
