"""One program that is any mutant: each change stands beside what it changes, and a number chooses one at run time."""

import re

import tree_sitter
import tree_sitter_rust

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
TEST = "crate::mutants::is_chosen({})"
# The module that the library gets.
CHOICE = """//! Which mutant the checker is.

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

static CHOSEN: LazyLock<AtomicU32> = LazyLock::new(|| {
    AtomicU32::new(std::env::var("MUTANT").map_or(0, |text| text.parse().unwrap_or(0)))
});
static REACHED: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];

pub(crate) fn is_chosen(number: u32) -> bool {
    // There is one thread.
    let word = &REACHED[number as usize / 64];
    word.store(word.load(Relaxed) | 1 << (number % 64), Relaxed);
    CHOSEN.load(Relaxed) == number
}

/// The mutant it is now, 0 for none.
pub fn chosen() -> u32 {
    CHOSEN.load(Relaxed)
}

pub fn choose(number: u32) {
    CHOSEN.store(number, Relaxed);
}

/// The mutants that were asked for since this was called last, as bits.
pub fn take_reached() -> Vec<u64> {
    REACHED.iter().map(|word| word.swap(0, Relaxed)).collect()
}
"""


class File:
    """A file of the checker with its mutants, each with a number and the range of bytes it replaces."""

    def __init__(self, source):
        self.source = source
        self.root = PARSER.parse(source).root_node
        self.changes = {}

    def add(self, number, mutant):
        """Take the mutant in; False where it cannot be chosen at run time."""
        start, end = mutant["range"]
        node = getattr(self, mutant["genre"])(start, end)
        if node is None or self.is_constant(node):
            return False
        self.changes.setdefault(node.id, (node, []))[1].append((number, mutant["genre"], mutant["replacement"], start))
        return True

    def text(self, without):
        """The file with every mutant in it but those `without`."""
        self.without = without
        return self.render(self.root)

    # Which node a change belongs to.

    def at(self, start, end):
        return self.root.descendant_for_byte_range(start, end)

    def up(self, node, *types):
        while node is not None and node.type not in types:
            node = node.parent
        return node

    def FnValue(self, start, end):
        function = self.up(self.at(start, end), "function_item")
        returned = function and function.child_by_field_name("return_type")
        if returned is not None and b"impl " in self.raw(returned):
            return None
        return function and function.child_by_field_name("body")

    def BinaryOperator(self, start, end):
        node = self.at(start, end).parent
        if node.type not in ("binary_expression", "compound_assignment_expr"):
            return None
        # Another operator may bind otherwise: the text is read anew, up to the next parentheses.
        while node.type == "binary_expression" and node.parent.type == "binary_expression":
            node = node.parent
        return None if node.parent.type == "let_chain" else node

    def UnaryOperator(self, start, end):
        return self.up(self.at(start, start + 1), "unary_expression")

    def MatchArm(self, start, end):
        node = self.at(start, start + 1)
        while node is not None and not (node.type == "match_arm" and node.start_byte == start):
            node = node.parent
        return node and node.child_by_field_name("pattern")

    def MatchArmGuard(self, start, end):
        pattern = self.up(self.at(start, end), "match_pattern")
        guard = pattern and pattern.child_by_field_name("condition")
        if guard is None or guard.type in ("let_condition", "let_chain"):
            return None
        return pattern

    def StructField(self, start, end):
        return self.up(self.at(start, start + 1), "field_initializer", "shorthand_field_initializer")

    def is_constant(self, node):
        while node is not None:
            if node.type in ("const_item", "static_item", "token_tree", "macro_invocation"):
                return True
            if node.type == "function_item":
                modifiers = [child for child in node.children if child.type == "function_modifiers"]
                return any(b"const" in self.raw(modifier) for modifier in modifiers)
            node = node.parent
        return False

    # The text.

    def raw(self, node):
        return self.source[node.start_byte : node.end_byte]

    def render(self, node):
        if node.id not in self.changes:
            return self.children(node)
        changes = [change for change in self.changes[node.id][1] if change[0] not in self.without]
        return getattr(self, "render_" + node.type)(node, changes) if changes else self.children(node)

    def children(self, node):
        if node.child_count == 0:
            return self.raw(node)
        out, at = [], node.start_byte
        for child in node.children:
            out += [self.source[at : child.start_byte], self.render(child)]
            at = child.end_byte
        return b"".join(out) + self.source[at : node.end_byte]

    def render_block(self, node, changes):
        body = self.children(node)
        heads = [marked(n, f"if {TEST.format(n)} {{ return {text}; }}") for n, _, text, _ in changes]
        return b"{ " + b" ".join(heads) + body[1:]

    def choice(self, changes, mutated, original):
        branches = [marked(n, f"if {TEST.format(n)} {{ ".encode() + mutated(change) + b" } else") for change in changes for n in [change[0]]]
        return b"(" + b" ".join(branches) + b" { " + original + b" })"

    def render_binary_expression(self, node, changes):
        def mutated(change):
            _, _, text, start = change
            operator = self.root.descendant_for_byte_range(start, start + 1)
            return self.source[node.start_byte : start] + text.encode() + self.source[operator.end_byte : node.end_byte]

        return self.choice(changes, mutated, self.children(node))

    render_compound_assignment_expr = render_binary_expression

    def render_unary_expression(self, node, changes):
        operand = self.source[node.start_byte + 1 : node.end_byte]
        return self.choice(changes, lambda change: operand, self.children(node))

    def render_match_pattern(self, node, changes):
        guard = node.child_by_field_name("condition")
        kept = b"true"
        out = self.children(node)
        if guard is not None:
            if guard.type in ("let_condition", "let_chain"):
                return out
            kept = b"(" + self.render(guard) + b")"
            head = next(child for child in node.children if child.type == "if")
            out = self.source[node.start_byte : head.start_byte]
        for number, genre, text, _ in changes:
            test = TEST.format(number)
            if genre == "MatchArm" or text == "false":
                kept = marked(number, f"(!{test} && ".encode() + kept + b")")
            else:
                kept = marked(number, f"({test} || ".encode() + kept + b")")
        return out + b" if " + kept

    def render_field_initializer(self, node, changes):
        base = next(child for child in node.parent.children if child.type == "base_field_initializer")
        name = self.raw(node.child_by_field_name("field"))
        value = self.children(node).split(b":", 1)[1]
        return name + b":" + self.or_of_base(base, name, value, changes)

    def render_shorthand_field_initializer(self, node, changes):
        base = next(child for child in node.parent.children if child.type == "base_field_initializer")
        return self.raw(node) + b": " + self.or_of_base(base, self.raw(node), self.raw(node), changes)

    def or_of_base(self, base, name, value, changes):
        for number, *_ in changes:
            of_base = f" if {TEST.format(number)} {{ (".encode() + self.raw(base)[2:] + b")." + name
            value = marked(number, of_base + b" } else {" + value + b" }")
        return value


def marked(number, text):
    text = text.encode() if isinstance(text, str) else text
    return f"/*<{number}*/".encode() + text + f"/*>{number}*/".encode()


def around(text, offset):
    """The number of the innermost mutant at a place of such a text; None outside all."""
    open_ones = []
    for mark in re.finditer(rb"/\*([<>])(\d+)\*/", text):
        if mark.start() > offset:
            break
        number = int(mark[2])
        if mark[1] == b"<":
            open_ones.append(number)
        elif number in open_ones:
            open_ones.remove(number)
    return open_ones[-1] if open_ones else None
