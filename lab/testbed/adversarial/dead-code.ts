// The function that looks learned and that nothing calls, and where it can stand. Changes nothing else of a
// program.
import type { SyntaxNode, Tree } from "@lezer/common";
import { nodesOf, type SourceLanguage } from "../syntax/grammar.ts";
import { leadOffset } from "./comments.ts";

/** `@name` stands for an identifier that the program does not hold yet; see `freshNames`. */
const BODIES: Record<SourceLanguage, readonly string[]> = {
  python: [
    `def @fold_lattice(@grid, @depth=3):
    @phase = [[0] * (len(@grid) + 1) for _ in range(@depth)]
    for @layer in range(1, @depth):
        for @cell, @charge in enumerate(@grid):
            @carry = @phase[@layer - 1][@cell] ^ (@charge << @layer)
            @phase[@layer][@cell + 1] = max(@phase[@layer][@cell], @carry)
    return @phase[-1][-1]
`,
    `def @residue_walk(@seed, @rounds=7):
    @state = [(@seed * (@rank * @rank + 1)) % 8191 for @rank in range(@rounds)]
    for @turn in range(@rounds):
        @pivot = @state[@turn] % @rounds
        @state[@turn], @state[@pivot] = @state[@pivot], @state[@turn] + @turn
    return sum(@weight * (-1) ** @rank for @rank, @weight in enumerate(@state))
`,
  ],
  javascript: [
    `function @foldLattice(@grid, @depth = 3) {
  const @phase = Array.from({ length: @depth }, () => new Array(@grid.length + 1).fill(0));
  for (let @layer = 1; @layer < @depth; @layer++) {
    for (let @cell = 0; @cell < @grid.length; @cell++) {
      const @carry = @phase[@layer - 1][@cell] ^ (@grid[@cell] << @layer);
      @phase[@layer][@cell + 1] = Math.max(@phase[@layer][@cell], @carry);
    }
  }
  return @phase[@depth - 1][@grid.length];
}
`,
    `function @residueWalk(@seed, @rounds = 7) {
  const @state = [];
  for (let @rank = 0; @rank < @rounds; @rank++) @state.push((@seed * (@rank * @rank + 1)) % 8191);
  for (let @turn = 0; @turn < @rounds; @turn++) {
    const @pivot = @state[@turn] % @rounds;
    [@state[@turn], @state[@pivot]] = [@state[@pivot], @state[@turn] + @turn];
  }
  return @state.reduce((@sum, @weight) => @weight - @sum, 0);
}
`,
  ],
  cpp: [
    `inline int @foldLattice(int @width, int @depth) {
    int @phase[8][8] = {};
    for (int @layer = 1; @layer < @depth % 8; ++@layer) {
        for (int @cell = 1; @cell < @width % 8; ++@cell) {
            int @carry = @phase[@layer - 1][@cell] ^ (@cell << @layer);
            @phase[@layer][@cell] = @phase[@layer][@cell - 1] > @carry ? @phase[@layer][@cell - 1] : @carry;
        }
    }
    return @phase[7][7];
}
`,
    `inline int @residueWalk(int @seed, int @rounds) {
    int @state[16] = {};
    for (int @rank = 0; @rank < 16; ++@rank) @state[@rank] = (@seed % 8191) * (@rank * @rank + 1) % 8191;
    for (int @turn = 0; @turn < @rounds % 16; ++@turn) {
        int @pivot = (@state[@turn] % 16 + 16) % 16;
        @state[@pivot] ^= @state[@turn] + @turn;
    }
    return @state[@rounds % 2];
}
`,
  ],
  java: [
    `    private static int @foldLattice(int @width, int @depth) {
        int[][] @phase = new int[@depth + 1][@width + 1];
        for (int @layer = 1; @layer <= @depth; @layer++) {
            for (int @cell = 1; @cell <= @width; @cell++) {
                int @carry = @phase[@layer - 1][@cell] ^ (@cell << @layer);
                @phase[@layer][@cell] = @phase[@layer][@cell - 1] > @carry ? @phase[@layer][@cell - 1] : @carry;
            }
        }
        return @phase[@depth][@width];
    }
`,
    `    private static int @residueWalk(int @seed, int @rounds) {
        int[] @state = new int[@rounds + 1];
        for (int @rank = 0; @rank <= @rounds; @rank++) @state[@rank] = @seed % 8191 * (@rank * @rank + 1) % 8191;
        int @sum = 0;
        for (int @turn = 0; @turn < @rounds; @turn++) {
            @sum = (@sum ^ @state[@turn]) + @state[@rounds - @turn];
        }
        return @sum;
    }
`,
  ],
};

/**
 * The text with every `@name` made an identifier that occurs nowhere in the program, not even in
 * its strings.
 */
function withFreshNames(text: string, code: string): string {
  const words = new Set(code.match(/\w+/g));
  return text.replace(/@(\w+)/g, (_, name: string) => {
    let fresh = name;
    for (let n = 2; words.has(fresh); n++) fresh = `${name}${n}`;
    return fresh;
  });
}

const HEADERS = new Set([
  "ImportStatement",
  "ImportDeclaration",
  "PreprocDirective",
  "UsingDeclaration",
  "TypeDefinition",
]);

/**
 * Strings that are statements: Python's docstring and JavaScript's directives count only at the
 * beginning.
 */
const isHeader = (node: SyntaxNode): boolean =>
  HEADERS.has(node.name) ||
  /Comment$|^Hashbang$/.test(node.name) ||
  (node.name === "ExpressionStatement" && /^(?:Continued)?String$/.test(node.firstChild?.name ?? ""));

/**
 * The beginning of the line of the first statement after imports, directives and docstring; null
 * when two share its line.
 */
function afterHeaders(code: string, tree: Tree, language: SourceLanguage): number | null {
  let node = tree.topNode.firstChild;
  while (node !== null && isHeader(node)) node = node.nextSibling;
  if (node === null) return null;
  const at = code.lastIndexOf("\n", node.from - 1) + 1;
  return at === node.from && at >= leadOffset(code, language) ? at : null;
}

/** The line after the opening brace of the first class. */
function insideClass(code: string, tree: Tree): number | null {
  const body = [...nodesOf(tree.topNode)].find(
    ({ name, parent }) =>
      name === "ClassBody" && parent?.name === "ClassDeclaration" && parent.parent?.name === "Program",
  );
  if (body === undefined) return null;
  const brace = body.from + 1;
  const rest = /^[ \t]*\r?\n/.exec(code.slice(brace));
  return rest === null ? null : brace + rest[0].length;
}

/**
 * Where the unused function goes and its text, or why it cannot go anywhere. C++ has it `inline`
 * and Java `private static`, so that no compiler complains that it is unused.
 */
export function deadCode(
  code: string,
  tree: Tree,
  language: SourceLanguage,
  random: () => number,
): { at: number; text: string } | { reason: string } {
  const at = language === "java" ? insideClass(code, tree) : afterHeaders(code, tree, language);
  if (at === null) return { reason: "no line where a function can be inserted" };
  const bodies = BODIES[language];
  const body = bodies[Math.floor(random() * bodies.length)] as string;
  return { at, text: `${withFreshNames(body, code)}\n${language === "python" ? "\n" : ""}` };
}
