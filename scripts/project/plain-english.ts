// `npm run check -- prose`: finds obscure words in comments, messages and documentation, and obscure names.
// Exits with 1 and one line per finding.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { BANNED_FORMS, BANNED_NAMES } from "./prose/banned.ts";
import { type Readable, readHashComments, readMarkdown, readTypeScript } from "./prose/sentences.ts";

export interface Finding {
  path: string;
  line: number;
  found: string;
  instead: string;
}

/** Files that are not this project's prose: other people's words, generated files and prompts of judges. */
const EXEMPT =
  /(?:^|\/)(?:vectors|recorded|golden|fixtures|public|presets)\/|\.generated\.|^CHANGELOG\.md$|^lab\/results\/|^problems\/agents\/|^scripts\/project\/prose\/|^test\/project\/plain-english/;

/** `path: name` of names that stay, since data that is stored or sent has them. */
export const ALLOWED: ReadonlySet<string> = new Set([
  // A part of a turn: turns are logged as JSON, and found by the hash of it.
  "src/core/transcript/messages.ts: own",
]);

/** Names are checked in the product and the laboratory, not in tests, problems or sandbox programs. */
const hasNames = (path: string) => path.endsWith(".ts") && !/(?:^|\/)tests?\/|^problems\//.test(path);

const isMarkdown = (path: string) => path.endsWith(".md");
const hasHashComments = (path: string) => /\.(?:py|sh)$/.test(path);

export function readFile(path: string, text: string): Readable {
  if (isMarkdown(path)) return readMarkdown(text);
  return hasHashComments(path) ? readHashComments(text) : readTypeScript(path, text);
}

/** Everything in a file's text that is banned, in the order of its lines. */
export function findingsIn(path: string, text: string): Finding[] {
  const { prose, names } = readFile(path, text);
  const forms = prose.flatMap(({ line, text: words }) => {
    const form = BANNED_FORMS.find(({ pattern }) => pattern.test(words));
    const match = form?.pattern.exec(words);
    return form === undefined || !match ? [] : [{ path, line, found: aroundIn(words, match), instead: form.instead }];
  });
  const banned = (hasNames(path) ? names : []).flatMap(({ line, text: name }) => {
    const instead = BANNED_NAMES.get(name);
    return instead === undefined ? [] : [{ path, line, found: name, instead }];
  });
  return [...forms, ...banned].filter(({ found }) => !ALLOWED.has(`${path}: ${found}`)).sort((a, b) => a.line - b.line);
}

const aroundIn = (words: string, { index, 0: found }: RegExpExecArray) =>
  words.slice(Math.max(0, index - 30), index + found.length + 30).trim();

if (import.meta.main) {
  const paths = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((path) => /\.(?:ts|mjs|js|py|sh|md)$/.test(path) && !EXEMPT.test(path));
  const findings = paths.flatMap((path) => findingsIn(path, readFileSync(path, "utf8")));
  for (const { path, line, found, instead } of findings) console.error(`${path}:${line}: "${found}": write ${instead}`);
  console.log(`${paths.length} files, ${findings.length} banned forms or names`);
  if (findings.length > 0) process.exitCode = 1;
}
