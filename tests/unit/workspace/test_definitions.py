"""A definition is met by its first line and ends where its indentation does, in many languages."""

from __future__ import annotations

import pytest

from milepost.workspace.definitions import definition

# For each: the kind of file, the symbol, the lines of its definition, and lines around them.
EXAMPLES = {
    "a decorated function of Python": (
        "py",
        "total",
        "@cache\n@other(1)\nasync def total(\n    cart,\n) -> int:\n    x = 1\n\n    return x",
        "import total\n\n# def total(\n{}\n\n\nprint(total(1))\n",
    ),
    "a method": (
        "py",
        "Cart.total",
        "    def total(self):\n        return 1",
        "class Other:\n    def total(self):\n        return 2\n\nclass Cart:\n{}\n\n    x = 1\n",
    ),
    "an attribute": (
        "py",
        "Cart.limit",
        "    limit: int = 3",
        "class Cart:\n    other = f(limit=4)\n{}\n",
    ),
    "a constant": ("py", "LIMITS", "LIMITS = (\n    1,\n)", "print(LIMITS)\n{}\nx = LIMITS\n"),
    "a function of JavaScript": (
        "js",
        "total",
        "export default async function total(a) {\n  return a;\n}",
        "import { total } from 'x';\ntotal(function () {\n});\n{}\ntotal(1);\n",
    ),
    "an arrow": (
        "ts",
        "cartTotal",
        "export const cartTotal = async (a: number): Promise<number> => {\n  return a;\n};",
        "cartTotal(1);\n{}\nfoo(cartTotal);\n",
    ),
    "a method of a class of TypeScript": (
        "ts",
        "Cart.total",
        "  private async total(a: number): Promise<void> {\n    go();\n  }",
        "export class Cart {\n  other() {\n    this.total(1);\n  }\n{}\n}\n",
    ),
    "an interface": (
        "ts",
        "Order",
        "export interface Order {\n  id: string;\n}",
        "import type { Order } from 'x';\n{}\nlet x: Order;\n",
    ),
    "a method of Go": (
        "go",
        "Cart.Total",
        "func (c *Cart) Total(x int) int {\n\treturn 1\n}",
        "type Other struct {\n}\n\nfunc (o Other) Total() {\n}\n\n{}\n\nvar y = c.Total(1)\n",
    ),
    "a type of Go": (
        "go",
        "Cart",
        "type Cart struct {\n\tlines []Line\n}",
        "// type Cart is\n{}\n\nfunc New() Cart {\n\treturn Cart{}\n}\n",
    ),
    "a function of Rust": (
        "rs",
        "round_total",
        "#[inline]\npub(crate) fn round_total<T>(x: T) -> T\nwhere\n    T: Copy,\n{\n    x\n}",
        "use a::round_total;\n{}\nfn b() {\n    round_total(1);\n}\n",
    ),
    "a method of Rust": (
        "rs",
        "Money.round",
        "    pub fn round(&self) -> Self {\n        self\n    }",
        "impl fmt::Display for Other {\n    fn round() {\n    }\n}\n\nimpl Money {\n{}\n}\n",
    ),
    "a method of Java": (
        "java",
        "Cart.total",
        "    @Override\n    public Map<A, B> total(int x) throws Bad {\n        go();\n    }",
        "public final class Cart {\n    int y = total(1);\n{}\n}\n",
    ),
    "a constant of Java": (
        "java",
        "MAX_RETRIES",
        "    public static final int MAX_RETRIES = 3;",
        "class A {\n{}\n    int x = MAX_RETRIES;\n}\n",
    ),
    "a function of Kotlin": (
        "kt",
        "total",
        "override suspend fun total(x: Int): Int {\n    return x\n}",
        "import a.total\n{}\nval y = total(1)\n",
    ),
    "a method of C#, with braces on lines of their own": (
        "cs",
        "Total",
        "    public async Task<int> Total(int x)\n    {\n        return x;\n    }",
        "class Cart\n{\n{}\n\n    int Y => Total(1);\n}\n",
    ),
    "a structure of Swift": (
        "swift",
        "Cart",
        "public struct Cart: Codable {\n    let x: Int\n}",
        "let c = Cart(x: 1)\n{}\n",
    ),
    "a function of C": (
        "c",
        "cart_total",
        "static struct money *\ncart_total(struct cart *c)\n{\n#ifdef X\n    a();\n#endif\n}",
        "int cart_total(struct cart *c);\n{}\nint main() {\n    return cart_total(c);\n}\n",
    ),
    "a method of C++ outside of its class": (
        "cpp",
        "Cart.total",
        "int Cart::total(int x) const {\n  return x;\n}",
        "int Other::total() {\n}\n{}\n",
    ),
    "a class of C++": (
        "hpp",
        "Cart",
        "class Cart {\npublic:\n  int x;\n};",
        "class Cart;\n{}\n",
    ),
    "a macro": ("h", "CART_MAX", "#define CART_MAX 3", "#include <x>\n{}\nint x[CART_MAX];\n"),
    "a method of Ruby": (
        "rb",
        "total",
        "  def self.total(x)\n    x\n  rescue Bad\n    1\n  end",
        "class Cart\n{}\n\n  def other\n  end\nend\n",
    ),
    "a function of PHP": (
        "php",
        "total",
        "    public static function total(int $x): int\n    {\n        return 1;\n    }",
        "<?php\nclass Cart {\n{}\n}\n",
    ),
    "a function of a shell": (
        "sh",
        "build_all",
        "build_all() {\n  make\n}",
        "# build_all() {{\n{}\nbuild_all\n",
    ),
    "a table": (
        "sql",
        "orders",
        "CREATE TABLE IF NOT EXISTS shop.orders (\n  id int\n);",
        "drop table orders;\n{}\nselect * from orders;\n",
    ),
    "a function of SQL": (
        "sql",
        "round_total",
        "create or replace function round_total(x int) returns int as $$\nbegin\n\n  a;\nend;\n$$;",
        "{}\nselect round_total(1);\n",
    ),
    "a resource of Terraform": (
        "tf",
        "logs",
        'resource "aws_s3_bucket" "logs" {\n  x = 1\n}',
        'variable "other" {\n}\n{}\n\nx = aws_s3_bucket.logs.id\n',
    ),
    "a key of YAML": (
        "yml",
        "max_retries",
        "  max_retries:\n    a: 1",
        "job:\n{}\n  other: 2\n",
    ),
    "a table of TOML": ("toml", "ruff", "[tool.ruff]", "[tool]\nx = 1\n{}\n"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_exactly_the_lines_of_a_definition_are_met(name: str) -> None:
    kind, symbol, wanted, around = EXAMPLES[name]
    lines = around.replace("{}\n", wanted + "\n", 1).replace("{{", "{").split("\n")
    met = [line for line in definition(lines, symbol, kind) if line.strip()]
    wanted = wanted.removeprefix("static struct money *\n")  # a type on a line of its own
    assert met == [line for line in wanted.split("\n") if line.strip()]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("py", "    total = 3"),
        ("py", "return total(1)"),
        ("py", "if total == 3:"),
        ("py", "# class total:"),
        ("py", "The class total is"),
        ("js", "total(x, () => {"),
        ("js", "  if (total(x)) {"),
        ("java", "return total(x) {"),
        ("go", "if total(x) {"),
        ("rs", "match total(x) {"),
        ("c", "total(x);"),
        ("c", "int total(int x);"),
        ("md", "def total():"),
        ("ts", "import { total } from 'x'"),
        ("sql", "select total from x;"),
        ("py", "def subtotal(total):"),
    ],
)
def test_what_uses_or_tells_of_a_name_does_not_define_it(kind: str, line: str) -> None:
    assert definition([line], "total", kind) == []
