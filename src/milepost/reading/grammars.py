"""What code of many languages defines, as the grammars of tree-sitter tell it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from tree_sitter import Language, Node, Parser

# By the ending of a name: the package, and its function where it has several.
_PACKAGES = {
    "c": ("tree_sitter_c", "language"),
    "h": ("tree_sitter_cpp", "language"),
    "cc": ("tree_sitter_cpp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "cxx": ("tree_sitter_cpp", "language"),
    "hpp": ("tree_sitter_cpp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "js": ("tree_sitter_javascript", "language"),
    "jsx": ("tree_sitter_javascript", "language"),
    "mjs": ("tree_sitter_javascript", "language"),
    "cjs": ("tree_sitter_javascript", "language"),
    "rs": ("tree_sitter_rust", "language"),
    "ts": ("tree_sitter_typescript", "language_typescript"),
    "mts": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
}
_FUNCTIONS = frozenset(
    "function_declaration generator_function_declaration method_definition method_declaration "
    "constructor_declaration function_item function_definition macro_definition "
    "abstract_method_signature compact_constructor_declaration".split()
)
_HOLDERS = frozenset(
    "class_declaration abstract_class_declaration class_specifier struct_specifier "
    "interface_declaration enum_declaration record_declaration impl_item trait_item mod_item "
    "namespace_definition internal_module module annotation_type_declaration".split()
)
_WHOLE = frozenset(
    "struct_item enum_item union_item type_alias_declaration type_spec enum_specifier".split()
)
_THROUGH = frozenset(
    "program source_file translation_unit export_statement class_body interface_body enum_body "
    "declaration_list field_declaration_list statement_block enum_body_declarations "
    "template_declaration linkage_specification type_declaration preproc_ifdef preproc_if "
    "preproc_else expression_statement ambient_declaration lexical_declaration "
    "variable_declaration block".split()
)
_PREFIXES = frozenset(
    "export_statement template_declaration type_declaration ambient_declaration "
    "lexical_declaration variable_declaration expression_statement".split()
)
_COMMENTS = frozenset("comment line_comment block_comment attribute_item decorator".split())
_VALUES = frozenset("arrow_function function_expression generator_function class".split())
_DEPTH_MAX = 60

_Told = tuple[str, int, int, bool]


def _loaded() -> dict[str, Parser]:
    parsers: dict[tuple[str, str], Parser] = {}
    for package, function in set(_PACKAGES.values()):
        language: Callable[[], Any] = getattr(import_module(package), function)
        parsers[package, function] = Parser(Language(language()))
    return {ending: parsers[where] for ending, where in _PACKAGES.items()}


_PARSERS = _loaded()


def knows(ending: str) -> bool:
    """Whether there is a grammar for files of an ending."""
    return ending in _PARSERS


def definitions(ending: str, text: str) -> list[_Told]:
    """Return what code defines: symbol, first and last line, and whether it holds no others."""
    tree = _PARSERS[ending].parse(text.encode())
    return list(_defined(tree.root_node, "", 0))


def _defined(node: Node, above: str, depth: int) -> Iterator[_Told]:
    if depth > _DEPTH_MAX:
        return
    first = None
    for child in node.children:
        if child.type in _COMMENTS:
            first = child.start_point[0] if first is None else first
            continue
        begin = child.start_point[0] if first is None else first
        first = None
        yield from _child(child, begin, above, depth)


def _child(child: Node, begin: int, above: str, depth: int) -> Iterator[_Told]:
    first, last = begin + 1, child.end_point[0] + 1
    kind = child.type
    if kind in _FUNCTIONS or kind in _WHOLE:
        if name := _name(child):
            yield f"{above}{name}", first, last, True
    elif kind in _HOLDERS:
        name = _name(child)
        body = child.child_by_field_name("body")
        if name and body is not None:
            yield f"{above}{name}", first, last, False
            yield from _defined(body, f"{above}{name}.", depth + 1)
    elif kind in _THROUGH:
        for at, told in enumerate(_defined(child, above, depth + 1)):
            # What stands before the definition, such as `export`, belongs to it.
            yield (told[0], first, *told[2:]) if at == 0 and kind in _PREFIXES else told
    elif kind in {"variable_declarator", "public_field_definition", "field_definition"}:
        value, name = child.child_by_field_name("value"), _name(child)
        if value is not None and value.type in _VALUES and name:
            yield f"{above}{name}", first, last, True


def _name(node: Node) -> str:
    """Return what a definition is called."""
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        owner = next((one for one in _all(receiver) if one.type == "type_identifier"), None)
        own = _said(node.child_by_field_name("name"))
        return f"{_said(owner)}.{own}" if owner is not None else own
    if node.type == "impl_item":
        return _said(node.child_by_field_name("type")).partition("<")[0]
    found = node.child_by_field_name("name") or node.child_by_field_name("property")
    steps = 0
    while found is None and steps < 10:
        inner = node.child_by_field_name("declarator")
        if inner is None:
            return ""
        if inner.type.endswith("identifier") or inner.type in {"operator_name", "destructor_name"}:
            found = inner
        node, steps = inner, steps + 1
    return _said(found)


def _all(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.children)


def _said(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text else ""
