// Finds every regular expression of the product: literals from the source's syntax tree, and those that
// modules make of constants, by making them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parser } from "@lezer/javascript";

export interface FoundRegex {
  file: string;
  line: number;
  source: string;
  flags: string;
}

const TYPESCRIPT = parser.configure({ dialect: "ts" });

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourcesIn(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}

/** Literals, and the places where one is made: `late` within a function. */
export function regexesOf(folders: readonly string[]) {
  const literals: FoundRegex[] = [];
  const made: { file: string; late: boolean }[] = [];
  for (const file of folders.flatMap(sourcesIn)) {
    const text = readFileSync(file, "utf8");
    TYPESCRIPT.parse(text).iterate({
      enter({ name, from, to, node }) {
        const written = text.slice(from, to);
        const line = text.slice(0, from).split("\n").length;
        if (name === "RegExp") {
          const end = written.lastIndexOf("/");
          literals.push({ file, line, source: written.slice(1, end), flags: written.slice(end + 1) });
        }
        if ((name !== "NewExpression" && name !== "CallExpression") || !/^(?:new )?RegExp\(/.test(written)) return;
        let late = false;
        for (let above = node.parent; above !== null; above = above.parent) {
          late ||= /Function|Method/.test(above.name);
        }
        made.push({ file, late });
      },
    });
  }
  return { literals, made };
}

/** Those that importing a module makes. */
export async function madeBy(file: string): Promise<FoundRegex[]> {
  const found: FoundRegex[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags = ""]: [string | RegExp, string?]) {
      if (typeof source === "string") found.push({ file, line: 0, source, flags });
      return new target(source, flags);
    },
  });
  try {
    await import(/* @vite-ignore */ join(process.cwd(), file));
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}
