// Golden pairs for the comment stripper: a source and what must remain of it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs under test hold templates

export interface CommentPair {
  language: string;
  what: string;
  source: string;
  stripped: string;
  /** A JavaScript program whose completion value can be compared. */
  runs?: boolean;
}

const pair = (language: string, what: string, source: string, stripped: string, runs = false): CommentPair => ({
  language,
  what,
  source,
  stripped,
  runs,
});

const python = (what: string, source: string, stripped: string): CommentPair => pair("python", what, source, stripped);

export const PYTHON_PAIRS: readonly CommentPair[] = [
  python("a comment line goes whole", "# Correct!\nx = 1\n", "x = 1\n"),
  python("a trailing comment goes with the blanks before it", "x = 1  # note\ny = 2", "x = 1\ny = 2"),
  python("a hash in a string stays", "s = '#a' + \"#b\" # c", "s = '#a' + \"#b\""),
  python("all prefixes are strings", 's = rb\'\\\' # \'\nt = Rb"""#"""', 's = rb\'\\\' # \'\nt = Rb"""#"""'),
  python("a triple-quoted value stays", "s = '''\n# a\n''' # b", "s = '''\n# a\n'''"),
  python("an escaped quote does not end a string", "s = 'it\\'s # a' # b", "s = 'it\\'s # a'"),
  python("a module docstring goes", '"""Trust me."""\nimport sys\n', "import sys\n"),
  python(
    "a function's docstring goes",
    'def f():\n    """Doc # x\n    more"""\n    return 1\n',
    "def f():\n    return 1\n",
  ),
  python("a body of a docstring only stays a body", 'def f():\n    "doc"\n\nf()\n', 'def f():\n    ""\n\nf()\n'),
  python("an inline body stays a body", 'def f(): "doc"\nif f(): "a"; x = 1', 'def f(): ""\nif f(): ""; x = 1'),
  python("two string statements leave one", "class A:\n    'a'\n    'b' 'c'\nA()", 'class A:\n    ""\nA()'),
  python("a string statement in brackets goes", "('a'\n 'b')\nx = 1", "x = 1"),
  python("a call on a string stays", "'a'.join(x)\n('a')('b')\n'a' % f()", "'a'.join(x)\n('a')('b')\n'a' % f()"),
  python("an f-string statement stays, for it runs", "f'{g()}'\nx = 1", "f'{g()}'\nx = 1"),
  python(
    "a lambda's string stays",
    "f = lambda: 'a'\nif (lambda: 'b')(): 'c'",
    "f = lambda: 'a'\nif (lambda: 'b')(): \"\"",
  ),
  python("a lambda in a head keeps its string", "if lambda: 'a': 'b'", "if lambda: 'a': \"\""),
  python(
    "an annotation stays",
    "x: 'int'\nmatch: 'a'\ndef f(a: 'b') -> 'c': 'd'",
    "x: 'int'\nmatch: 'a'\ndef f(a: 'b') -> 'c': \"\"",
  ),
  python("a walrus is no head's end", "while x := g(): 'a'", 'while x := g(): ""'),
  python(
    "a dict's and a slice's colon are no head's end",
    "x = {1: 'a', 2:\n'b'}\ny = z['a':'b']",
    "x = {1: 'a', 2:\n'b'}\ny = z['a':'b']",
  ),
  python(
    "an f-string with nested quotes",
    "x = f'{d['#'] + \"}\"} # {a!r:>{w}}' # c",
    "x = f'{d['#'] + \"}\"} # {a!r:>{w}}'",
  ),
  python("escaped braces in an f-string", "x = f'{{# {a:{{b}}}' # c", "x = f'{{# {a:{{b}}}'"),
  python("a named character in an f-string", "x = f'\\N{NUMBER SIGN}#' # c", "x = f'\\N{NUMBER SIGN}#'"),
  python("a raw f-string ends a field after a backslash", "x = rf'\\{a}#' # c", "x = rf'\\{a}#'"),
  python("a comment in brackets goes", "x = [1, # one\n  # two\n  2]", "x = [1,\n  2]"),
  python("a comment behind a continued line leaves the line's end", "x = 1 \\\n# c\ny = 2", "x = 1 \\\n\ny = 2"),
  python(
    "a program that reads its docstring keeps it",
    '"""Usage"""  # c\nprint(__doc__)',
    '"""Usage"""\nprint(__doc__)',
  ),
  python("mentioning __doc__ in a comment keeps nothing", '"""Usage"""  # __doc__\nprint(1)', "print(1)"),
  python("a docstring that does not compile stays", "'\\user'\nx = 1", "'\\user'\nx = 1"),
  python("a string whose going would repair the program stays", "if x:\n  'a'\n    y = 1", 'if x:\n  ""\n    y = 1'),
  python("an unclosed string stays", "'''abc # d", "'''abc # d"),
  python("a hashbang and a coding line go", "#!/usr/bin/python3\n# -*- coding: utf-8 -*-\nx", "x"),
  python("CR LF lines", "x = 1 # a\r\n# b\r\ny = 2\r\n", "x = 1\r\ny = 2\r\n"),
];

const js = (what: string, source: string, stripped: string): CommentPair =>
  pair("javascript", what, source, stripped, true);

export const JAVASCRIPT_PAIRS: readonly CommentPair[] = [
  js("line and block comments", "// a\nvar x = 1; // b\nx /* c */ + 1", "var x = 1;\nx + 1"),
  js("tokens do not join", "var a = 1; var b = typeof/**/a; a+/**/+1; b", "var a = 1; var b = typeof a; a+ +1; b"),
  js("strings stay", "['//', \"/*\", '\\'//', \"*/\"] // c", "['//', \"/*\", '\\'//', \"*/\"]"),
  js(
    "templates stay, with what is nested in them",
    "`//${[`/*${1}*/`, {a: '}'}.a]}//` // c",
    "`//${[`/*${1}*/`, {a: '}'}.a]}//`",
  ),
  js("a comment in a template's hole goes", "`//${1 /* } */}`", "`//${1 }`"),
  js("a regular expression stays", '/[/]\'\\/*/.test("x") // c', '/[/]\'\\/*/.test("x")'),
  js("a division is none", "var g = 2, a = 8; a / 2 / g // '/", "var g = 2, a = 8; a / 2 / g"),
  js(
    "behind a bracket a slash divides",
    "var a = [8]; (a[0]) / 2 + a[0] / 4 // '",
    "var a = [8]; (a[0]) / 2 + a[0] / 4",
  ),
  js("behind a head's bracket it opens an expression", "if (1) /'/.test('a'); // c\n1", "if (1) /'/.test('a');\n1"),
  js(
    "behind an object it divides",
    "var x = {valueOf() { return 8; }} / 2; // '\nx",
    "var x = {valueOf() { return 8; }} / 2;\nx",
  ),
  js("behind a block it opens an expression", "{ 1; }\n/'/.source // c", "{ 1; }\n/'/.source"),
  js(
    "behind return it opens an expression",
    "(function () { return /'\\//.source; })() // c",
    "(function () { return /'\\//.source; })()",
  ),
  js(
    "a property named like a keyword divides",
    "var o = {return: 8}; o.return / 2 // '",
    "var o = {return: 8}; o.return / 2",
  ),
  js("behind an increment it divides", "var i = 8; i++ / 2 // '", "var i = 8; i++ / 2"),
  js(
    "a line end in a comment ends the statement",
    "(function () { return /* a\n b */ 1 })() === undefined",
    "(function () { return\n1 })() === undefined",
  ),
  js("a line separator ends a comment", "var a = 1 // x\u2028a = 2\na", "var a = 1\u2028a = 2\na"),
  js("a hashbang goes", "#!/usr/bin/env node\n1 + 1", "1 + 1"),
  js("a line that held only comments goes", "var a = 1\n  /* b */ // c\na", "var a = 1\na"),
  js("a comment in HTML's manner", "var a = 3; <!-- it's\n--> ` c\na /* x\n */ --> d", "var a = 3;\na"),
  js(
    "an arrow that decreases",
    "var a = 3, n = 0; while (a --> 0) n++; // c\nn",
    "var a = 3, n = 0; while (a --> 0) n++;\nn",
  ),
  pair("javascript", "a module's comparison", "import 'x';\na <!--b; // c", "import 'x';\na <!--b;"),
  pair("typescript", "TypeScript's non-null mark does not open an expression", "x! / 2; // '\ny", "x! / 2;\ny"),
  pair("javascript", "an unclosed comment stays, so that the program stays broken", "1 /* x", "1 /* x"),
];

export const BRACE_PAIRS: readonly CommentPair[] = [
  pair("c", "a line comment whose marks stand on joined lines", "int a; /\\\n/ x /*\nint b;", "int a;\nint b;"),
  pair("c", "a block comment whose marks stand on joined lines", "int a; /\\ \n* x *\\\n/ int b;", "int a; int b;"),
  pair("cpp", "a string over joined lines", 'auto s = "a\\ \n// b"; // c', 'auto s = "a\\ \n// b";'),
  pair("cpp", "a raw string whose prefix is joined", 'auto s = R\\\n"x( " // )x"; // c', 'auto s = R\\\n"x( " // )x";'),
  pair("java", "unicode escapes that make a comment", "int a; \\u002f\\uu002F x\\u000aint b;", "int a;\nint b;"),
  pair("java", "unicode escapes that make a string", 'String s = "\\u0022; // x";', 'String s = "";'),
  pair("java", "unicode escapes of backslashes", 'String s = "\\u005c" // "; // x', 'String s = "\\" // ";'),
  pair("java", "an escaped backslash before a u", 'String s = "\\\\u0022"; // x', 'String s = "\\\\u0022";'),
  pair("rust", "a hashbang in second place does not move to the first", "// a\n#!b\nc", " #!b\nc"),
  pair("kotlin", "of two hashbangs the second stays an error", "#!a\n#!b\nc", " #!b\nc"),
  pair("c", "a spliced line comment", "int a; // x \\\n still\nint b;", "int a;\nint b;"),
  pair("c", "a comment within a macro", "#define A(x) /* one\ntwo */ (x)\n", "#define A(x) (x)\n"),
  pair("c", "a comment behind a continued macro line", "#define A 1 \\\n// c\nint b;", "#define A 1 \\\n\nint b;"),
  pair("c", "strings and characters", 'char q = \'"\'; char *s = "/*//"; // c', 'char q = \'"\'; char *s = "/*//";'),
  pair("c", "an apostrophe in a directive", "#error don't // stop\nint a; // c", "#error don't // stop\nint a;"),
  pair("c", "an unclosed comment stays", "int a; /* x", "int a; /* x"),
  pair("cpp", "raw strings", 'auto s = R"x(// )" */ )x"; // c', 'auto s = R"x(// )" */ )x";'),
  pair(
    "cpp",
    "a prefix that is part of a name opens no raw string",
    'auto s = FOOR"(//)"; // c',
    'auto s = FOOR"(//)";',
  ),
  pair("cpp", "digit separators", "long a = 1'000'000; // it's", "long a = 1'000'000;"),
  pair("java", "text blocks", 'String s = """\n // a \\""" "\n"""; // c', 'String s = """\n // a \\""" "\n""";'),
  pair("java", "no comment in a comment", "/* /* */ int a; /** doc\n * more\n */\nint b;", "int a;\nint b;"),
  pair("go", "raw strings and runes", 's := `//\n\\` + "//" // c\nr := \'"\' // d', 's := `//\n\\` + "//"\nr := \'"\''),
  pair(
    "go",
    "directives stay, notes do not",
    "//go:build linux\n//go:noinline\n//nolint\npackage a",
    "//go:build linux\npackage a",
  ),
  pair("go", "a line end in a comment ends the statement", "a := b /* x\n */ c()", "a := b\nc()"),
  pair(
    "rust",
    "nested comments, lifetimes and characters",
    "fn f<'a>(x: &'a str) { /* a /* b */ c */ let q = '\"'; let e = '\\''; } // d",
    "fn f<'a>(x: &'a str) { let q = '\"'; let e = '\\''; }",
  ),
  pair(
    "rust",
    "raw strings",
    'let s = r#"// " \\"#; let b = br"\\"; let t = "a\n//"; // c',
    'let s = r#"// " \\"#; let b = br"\\"; let t = "a\n//";',
  ),
  pair(
    "rust",
    "an inner attribute is no hashbang",
    "#![allow(unused)]\n/// doc\nfn main() {}",
    "#![allow(unused)]\nfn main() {}",
  ),
  pair("rust", "a hashbang is one", "#!/usr/bin/env run\nfn main() {}", "fn main() {}"),
  pair("csharp", "verbatim strings", 'var s = @"\\"; var t = @"a""//"; // c', 'var s = @"\\"; var t = @"a""//";'),
  pair(
    "csharp",
    "interpolated strings",
    'var s = $"{d["//"]:dd//MM} {{//" + $@"{(a ? "\\\\" : b)}\\"; // c',
    'var s = $"{d["//"]:dd//MM} {{//" + $@"{(a ? "\\\\" : b)}\\";',
  ),
  pair("csharp", "raw strings", 'var s = """"\n"""//\n""""; // c', 'var s = """"\n"""//\n"""";'),
  pair(
    "kotlin",
    "templates with nested strings",
    'val s = "//${m["//"]}" + """\n//${"}"}\\""" // c',
    'val s = "//${m["//"]}" + """\n//${"}"}\\"""',
  ),
  pair(
    "kotlin",
    "quoted names and nested comments",
    "fun `it's // ok`() = 1 /* a /* b */ */ // c",
    "fun `it's // ok`() = 1",
  ),
];
