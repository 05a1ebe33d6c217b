// `npm run evaluate` as a process: exit codes, what is said where, Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { writeFixtureSet } from "./fixture-set.ts";

const MAIN = new URL("../../evaluate/main.ts", import.meta.url).pathname;
const folder = temporaryFolder();
beforeAll(() => void writeFixtureSet(`${folder.path}/set`, { problems: 2, lists: 4 }));
afterAll(() => folder.remove());

function start(...flags: string[]) {
  const child = spawn(process.execPath, [MAIN, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, said }));
  return { child, ended };
}

/** Kritai's reply to a rewards request, in which lists that `fails` names have no generation. */
function replyTo(body: string, fails: (listId: string) => boolean): string {
  const { groups } = JSON.parse(body) as { groups: { group_id: string; rollouts: object[] }[] };
  const counts = { comparisons: 1, generations: 1, prompt_tokens: 9, completion_tokens: 9 };
  return JSON.stringify({
    request_id: "r",
    spec_hash: "sha256:1",
    groups: groups.map(({ group_id, rollouts }) => {
      const failed = fails(group_id);
      return {
        group_id,
        status: failed ? "failed" : "ok",
        selected: failed ? null : 0,
        win_counts: rollouts.map((_, i) => (failed ? null : i === 0 ? rollouts.length - 1 : 0)),
        rollouts: rollouts.map(() => ({ error: failed ? "deadline" : null })),
        metrics: { position_flip_rate: null },
        verifier: { ...counts, parsed: failed ? 0 : 1, failed: failed ? 1 : 0 },
      };
    }),
  });
}

describe("npm run evaluate", () => {
  it("exits with 3 and says so when only modified lists failed, and retries only these", async () => {
    writeFixtureSet(`${folder.path}/modified`, { problems: 2, lists: 4, adversarial: 4 });
    let broken = true;
    let asked = 0;
    const server = createServer(async (request, response) => {
      // It keeps no log.
      if (request.method === "GET") return void response.writeHead(501).end();
      const body = (await request.toArray()).join("");
      asked += (JSON.parse(body) as { groups: unknown[] }).groups.length;
      response
        .setHeader("content-type", "application/json")
        .end(replyTo(body, (id) => broken && id.startsWith("adversarial")));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const flags = ["--set", `${folder.path}/modified`, "--out", `${folder.path}/part`, "--target", target];
    const run = () =>
      start(...flags, "--split", "all", "--k", "1", "--formulations", "list_em", "--adversarial", "all").ended;
    expect(await run()).toMatchObject({ code: 3, said: expect.stringContaining("lists failed (4 deadline)") });
    expect(asked).toBe(12);
    broken = false;
    expect(await run()).toMatchObject({ code: 0 });
    expect(asked).toBe(16);
    server.closeAllConnections();
    server.close();
  });

  it("exits with 1 and keeps an earlier report if no list is answered", async () => {
    const server = createServer(async (request, response) => {
      if (request.method === "GET") return void response.writeHead(501).end();
      const body = (await request.toArray()).join("");
      response.setHeader("content-type", "application/json").end(replyTo(body, () => true));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const out = `${folder.path}/unanswered`;
    mkdirSync(out);
    writeFileSync(`${out}/report.html`, "of before");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const flags = [
      "--set",
      `${folder.path}/set`,
      "--out",
      out,
      "--target",
      target,
      "--k",
      "1",
      "--formulations",
      "list_em",
    ];
    const run = await start(...flags).ended;
    server.closeAllConnections();
    server.close();
    expect(run).toMatchObject({ code: 1, said: expect.stringContaining("answered no list completely (") });
    expect(readFileSync(`${out}/report.html`, "utf8")).toBe("of before");
  });

  it("explains itself with exit code 0, and a fault of the flags or of the set with 2 and 1", async () => {
    expect(await start("--help").ended).toMatchObject({ code: 0, said: expect.stringContaining("--compare DIR") });
    expect(await start("--set", "s").ended).toMatchObject({
      code: 2,
      said: expect.stringContaining("one of --verifier, --target and --control is required"),
    });
    const flags = ["--set", `${folder.path}/none`, "--out", `${folder.path}/o`, "--control", "oracle"];
    expect(await start(...flags).ended).toMatchObject({ code: 1, said: expect.stringContaining("no manifest.json") });
  });

  it("sends nothing to a target that is not ready, and reports the reason", async () => {
    let asked = 0;
    const server = createServer((request, response) => {
      if (request.method === "POST") asked++;
      const checks = { database: { ok: true }, verifier: { ok: false, detail: "unreachable" } };
      response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify({ ready: false, checks }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run = start("--set", `${folder.path}/set`, "--out", `${folder.path}/unready`, "--target", target);
    expect(await run.ended).toMatchObject({
      code: 1,
      said: expect.stringContaining("is not ready (verifier: unreachable); no request was sent"),
    });
    expect(asked).toBe(0);
    server.closeAllConnections();
    server.close();
  });

  it("counts each list when the target has judged it, before the reply ends", async () => {
    const counted = Promise.withResolvers<void>();
    const server = createServer(async (request, response) => {
      if (request.method === "GET") return void response.writeHead(501).end();
      const body = (await request.toArray()).join("");
      const { groups, ...reply } = JSON.parse(replyTo(body, () => false)) as { groups: object[] };
      response.setHeader("content-type", "application/x-ndjson");
      for (const [index, group] of groups.entries())
        response.write(`${JSON.stringify({ type: "group", index, ...group })}\n`);
      child.stderr.on("data", (data) => `${data}`.includes("8 of 8 lists evaluated") && counted.resolve());
      await counted.promise;
      response.end(`${JSON.stringify({ type: "done", ...reply })}\n`);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const flags = ["--set", `${folder.path}/set`, "--split", "all", "--out", `${folder.path}/streamed`];
    const { child, ended } = start(...flags, "--target", target, "--k", "1", "--formulations", "list_em");
    expect(await ended).toMatchObject({ code: 0 });
    server.closeAllConnections();
    server.close();
  });

  it("exits at once on SIGTERM to npm, with the number of answered lists", async () => {
    const asked = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      if (request.method === "GET") return void response.writeHead(501).end();
      asked.resolve();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const flags = ["--set", `${folder.path}/set`, "--out", `${folder.path}/terminated`, "--target", target];
    const npm = spawn("npm", ["run", "evaluate", "--", ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    npm.stderr.on("data", (data) => (said += data));
    await asked.promise;
    npm.kill("SIGTERM");
    expect(await once(npm, "close")).toEqual([130, null]);
    expect(said).toContain("interrupted after 0 of ");
    server.closeAllConnections();
    server.close();
  });

  it("exits at once on SIGINT while the target delays its replies, with exit code 130 and how to resume", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const asked = once(server, "request");
    const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { child, ended } = start("--set", `${folder.path}/set`, "--out", `${folder.path}/held`, "--target", target);
    await asked;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({
      code: 130,
      said: expect.stringContaining("Run the same command again to resume."),
    });
    server.closeAllConnections();
    server.close();
  });
});
