// Guarantees that the examples on pages do what they say: each command that calls a deployment is answered,
// each request and each spec is taken. Python and TypeScript have separate client tests.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { VerifyEventSchema, VerifyRequestSchema } from "../src/core/wire/verify-protocol.ts";
import { setUp } from "./api/routes/harness.ts";
import { fakeTemplateStore } from "./harness/fakes.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");
const listed = [
  "ls-files",
  "--cached",
  "--others",
  "--exclude-standard",
  "README.md",
  "docs/*.md",
  "clients/*.md",
  "lab/*.md",
];
const pages = execFileSync("git", listed, { cwd: ROOT, encoding: "utf8" }).trim().split("\n");

interface Block {
  at: string;
  language: string;
  text: string;
}

const blocks: Block[] = pages.flatMap((path) =>
  [...textOf(path).matchAll(/^```(\w+)\n(.*?)^```/gms)].map(({ 1: language = "", 2: text = "", index }) => ({
    at: `${path}:${textOf(path).slice(0, index).split("\n").length + 1}`,
    language,
    text,
  })),
);

/** The files that a reader has put beside a command that names them. */
const FILES = {
  "preset.json": JSON.stringify({
    shape: "pair",
    messages: [{ role: "user", text: "[Question]\n{{question}}\n\n{{candidates}}\nEnd with [[A]] or [[B]]." }],
    candidate: "[Answer {{letter}}]\n{{text}}\n[End of answer {{letter}}]",
    parser: { kind: "bracket", labels: ["A", "B"] },
  }),
};

const folder = mkdtempSync(join(tmpdir(), "kritai-examples-"));
afterAll(() => rmSync(folder, { recursive: true }));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
// For commands that send a file of the repository.
symlinkSync(new URL("../lab", import.meta.url), join(folder, "lab"));

/** A shell's function in place of curl: writes what it was called with, a NUL behind each argument. */
const CURL = `curl() {
  local body=""
  for arg in "$@"; do
    printf '%s\\0' "$arg" >>calls
    case "$arg" in @-) body="$(cat)" ;; @*) body="$(cat "\${arg#@}")" ;; esac
  done
  printf 'BODY\\0%s\\0END\\0' "$body" >>calls
}
npm() { :; }
npx() { :; }
KEY=key KRITAI=https://HOST KRITAI_API_KEY=key
`;

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/** The calls of a block's commands, of which others do nothing; what a reader fills in is filled in. */
function callsOf(block: string): Call[] {
  writeFileSync(join(folder, "calls"), "");
  execFileSync("bash", ["-euc", CURL + block.replace(/<[a-z][^<>]*>/g, "filled-in")], { cwd: folder });
  return readFileSync(join(folder, "calls"), "utf8")
    .split("END\0")
    .slice(0, -1)
    .map((call) => {
      const [words = "", sent = ""] = call.split("BODY\0");
      const args = words.split("\0").slice(0, -1);
      const given = (...names: string[]) =>
        args.flatMap((arg, i) => (names.includes(arg) ? [args[i + 1] as string] : []));
      const data = given("-d", "--data").at(0);
      const headers = given("-H").map((header) => header.split(/:\s*/, 2) as [string, string]);
      const url = new URL(args.find((arg) => /^https?:/.test(arg)) as string);
      return {
        method: given("-X").at(0) ?? (data === undefined ? "GET" : "POST"),
        path: url.pathname + url.search,
        headers: Object.fromEntries(headers),
        body: data === undefined ? null : data.startsWith("@") ? sent.replace(/\0$/, "") : data,
      };
    });
}

/** Where `npm run gateway -w gpu-backend` listens. */
const GATEWAY = "127.0.0.1:8792";

const deployment = () => setUp({ templates: fakeTemplateStore() });

describe("commands of pages", () => {
  const calling = blocks.filter(
    ({ language, text }) => language === "sh" && /^curl /m.test(text) && !text.includes(GATEWAY),
  );

  it("are read as they stand", () => {
    expect(calling.length).toBeGreaterThan(9);
    expect(callsOf(`curl -s http://h/a -H 'x: y' -d '{"a":\n"b"}'\nnpm start\ncurl http://h/b?c=d`)).toEqual([
      { method: "POST", path: "/a", headers: { x: "y" }, body: '{"a":\n"b"}' },
      { method: "GET", path: "/b?c=d", headers: {}, body: null },
    ]);
  });

  it.each(calling)("$at are answered", async ({ text }) => {
    const { call, post } = deployment();
    for (const { method, path, headers, body } of callsOf(text)) {
      const run = /^\/v1\/runs\/([^/]+)\//.exec(path)?.[1];
      // The run that the page speaks of.
      if (run !== undefined)
        await post("/v1/rewards", {
          run_id: run,
          step: 1,
          groups: [{ prompt: "p", rollouts: [{ text: "a" }, { text: "b" }] }],
        });
      const response = await call(path, { method, headers, body });
      expect(response.status, `${method} ${path}: ${(await response.text()).slice(0, 500)}`).toBeLessThan(300);
    }
  });
});

describe("the gateway's page", () => {
  it("shows a request and events of its protocol", () => {
    const calls = blocks
      .filter(({ text }) => /^curl /m.test(text) && text.includes(GATEWAY))
      .flatMap(({ text }) => callsOf(text));
    expect(calls).toHaveLength(1);
    for (const { body } of calls) VerifyRequestSchema.parse(JSON.parse(body ?? ""));
    const events = blocks
      .filter(({ text }) => text.startsWith('{"type":"accepted"'))
      .flatMap(({ text }) => text.trim().split("\n"));
    expect(events.map((event) => VerifyEventSchema.parse(JSON.parse(event)).type)).toContain("done");
  });
});

/** JSON as pages have it: with comments. */
const parsed = (text: string): unknown => JSON.parse(text.replace(/(?<=[\s,{}[\]])\/\/.*$/gm, ""));

describe("requests and specs of pages", () => {
  const written = blocks
    .filter(({ language, text }) => /^jsonc?$/.test(language) && !/\.\.[,}\]]|…/.test(text))
    .flatMap(({ at, text }) =>
      text
        .trim()
        .split(/\n(?=\{)/)
        .map((document) => ({ at, document: parsed(document) as Record<string, unknown> })),
    );
  const requests = written.filter(({ document }) => "groups" in document && !("group_id" in document));
  const specs = written.filter(({ document }) => "signals" in document || "judge" in document || "audit" in document);

  it.each(requests)("$at is taken", async ({ document }) => {
    const response = await deployment().post("/v1/rewards", document);
    const text = await response.text();
    // Taken, and more is needed than these tests have: a sandbox, a reward model.
    expect(response.status === 200 || text.includes("this deployment has none"), text.slice(0, 500)).toBe(true);
  });

  it.each(specs)("$at is a spec", async ({ document }) => {
    const response = await deployment().post("/v1/specs/check?n=8", document);
    expect(response.status, (await response.text()).slice(0, 500)).toBe(200);
  });
});

describe("the settings by samples and judge", () => {
  const ROWS = /^\| (7B|32B|hosted) \| (\d+) \| `(\{.*?\})` \|.*$/gm;
  const table =
    textOf("lab/results/settings.md")
      .split("\n## ")
      .find((part) => part.startsWith("The table")) ?? "";
  const rows = [...table.matchAll(ROWS)].map(([, judge, samples, setting = ""]) => ({
    judge,
    samples,
    setting: JSON.parse(setting) as Record<string, unknown>,
  }));

  it("are three settings for each, as the study of them found", () => {
    expect(rows.map(({ judge, samples }) => `${judge} ${samples}`)).toEqual(
      ["7B", "32B", "hosted"].flatMap((judge) => [4, 8, 16].map((samples) => `${judge} ${samples}`)),
    );
    expect(rows.filter(({ setting }) => Object.keys(setting).length !== 3)).toEqual([]);
  });

  it.each(rows)("of a $judge and $samples samples are a spec's", async ({ samples, setting }) => {
    const judge = { preset: setting.vote === "soft" ? "letter-select" : "text-select", ...setting };
    const spec = { candidate: { extract: "whole" }, reward: "auto", judge };
    const response = await deployment().post(`/v1/specs/check?n=${samples}`, spec);
    expect(response.status, (await response.text()).slice(0, 500)).toBe(200);
  });
});
