// The guarantees of the pages for people: links lead somewhere, headings included; guides are short; each
// reader is sent to at most five pages; every variable has a row.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ALARMS } from "../src/core/health/alarms/table.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"];
const pages = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => existsSync(join(ROOT, path)) && !/^(?:problems|sets)\//.test(path));
const guides = pages.filter((path) => path.startsWith("docs/guides/"));

const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, "");
const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word)).length;

/** Prose alone: no code, no tables, no headings; an item of a list is a paragraph. */
function sentencesOf(markdown: string): string[] {
  const paragraphs = withoutCode(markdown)
    .replace(/\n(?!\s*(?:\n|[#|>]|[-*] |\d+\. ))/g, " ")
    .split("\n")
    .filter((line) => !/^\s*(?:[#|]|$)/.test(line))
    .map((line) => line.replace(/^\s*(?:[-*]|\d+\.) /, ""));
  return paragraphs.flatMap((line) => line.split(/(?<=[.!?])\s+/)).filter((sentence) => wordsIn(sentence) > 0);
}

/** As GitHub makes it: lower case, signs left out, blanks as hyphens. */
const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
const headingsOf = (path: string) =>
  new Set([...withoutCode(textOf(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slugOf(heading)));

describe("pages", () => {
  it("link to files and headings that are there", () => {
    const broken = pages.flatMap((path) =>
      [...withoutCode(textOf(path)).matchAll(/\]\(([^)\s]*)\)/g)].flatMap(([, link = ""]) => {
        if (/^(?:https?:|mailto:|\/)/.test(link)) return [];
        const [file = "", heading] = link.split("#");
        const to = file === "" ? path : join(dirname(path), file);
        if (!existsSync(join(ROOT, to))) return [`${path}: ${link}`];
        return heading === undefined || !to.endsWith(".md") || headingsOf(to).has(heading) ? [] : [`${path}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("send each reader to at most five pages, all of which are there", () => {
    const rows = textOf("docs/README.md").matchAll(/^\| \*\*([^*]+)\*\*.*$/gm);
    const readers = [...rows].map(([row = "", reader]) => [reader, row.match(/\]\(/g)?.length ?? 0] as const);
    expect(readers).toHaveLength(6);
    expect(readers.filter(([, links]) => links < 1 || links > 5)).toEqual([]);
  });

  it("that are guides have at most 800 words, code, and sentences of at most 18 words in the mean", () => {
    expect(guides).toHaveLength(4);
    const long = guides.map((path) => {
      const lengths = sentencesOf(textOf(path)).map(wordsIn);
      const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
      return { path, words: wordsIn(textOf(path)), mean, code: /^```/m.test(textOf(path)) };
    });
    expect(long.filter(({ words, mean, code }) => words > 800 || !(mean <= 18) || !code)).toEqual([]);
  });

  it("name every alarm once on theirs", () => {
    const named = [...textOf("docs/alarms.md").matchAll(/^\| [a-z ]+ \| (`.*) \|$/gm)].flatMap(([, cell = ""]) =>
      cell.split(", "),
    );
    expect(named.sort()).toEqual(ALARMS.map(({ name }) => `\`${name}\``).sort());
  });

  it("of docs/ have at most 25,000 words together", () => {
    const docs = pages
      .filter((path) => path.startsWith("docs/"))
      .map((path) => textOf(path).trim().split(/\s+/).length);
    expect(docs.reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(25_000);
  });

  it("are measured right", () => {
    const page =
      "# One\n\nTwo words. And three\nmore here!\n\n| a | table |\n\n- An item of five words\n\n```sh\ncode\n```\n";
    expect(sentencesOf(page).map(wordsIn)).toEqual([2, 4, 5]);
    expect(slugOf("`log_texts` and A, B: [c](d.md)")).toBe("log_texts-and-a-b-c");
  });

  it("have a row for every variable of the Worker and the gateway", () => {
    const page = textOf("docs/variables.md");
    const keysOf = (path: string, from: string, end: string) => {
      const text = textOf(path);
      const part = text.slice(text.indexOf(from), text.indexOf(end, text.indexOf(from)));
      return [...part.matchAll(/^ {2}([A-Z][A-Z0-9_]+): (?!binding|optional\(z\.custom)/gm)].map(
        ([, name]) => name as string,
      );
    };
    const worker = keysOf("src/env.ts", "const EnvSchema", "\n});");
    const gateway = keysOf("gpu-backend/gateway/usage.ts", "const HELP", "\n};");
    expect(worker).toContain("VERIFIER_URL");
    expect(gateway).toContain("ENGINE_URL");
    expect([...worker, ...gateway].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
