// Holds several containers' processes behind stock nginx, with the repository's configuration, to
// one service: groups of one-sample requests stay whole while a replica is killed in their midst, and
// a stop of all loses nothing.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../../lab/chaos/parts.ts";
import { type Group, groupsOf, rewardsOf, SIZE } from "../../lab/trainers/groups.ts";
import { MODEL, ScriptedVerifier } from "../../lab/trainers/verifier.ts";
import { filesOf, ROOT, textOf } from "../harness/imports.ts";
import { type PostgresServer, startPostgres } from "../harness/postgres-wire.ts";

const KEY = "a-key-of-this-test";
const REPLICAS = 3;
const CONFIGURATION = textOf("deploy/nginx/nginx.conf");

describe.skipIf(spawnSync("nginx", ["-v"]).status !== 0)("three replicas behind nginx", () => {
  const folder = mkdtempSync(join(tmpdir(), "kritai-replicas-"));
  const image = join(folder, "image");
  const verifier = new ScriptedVerifier();
  const replicas: ChildProcess[] = [];
  let postgres: PostgresServer;
  let nginx: ChildProcess;
  let ports: number[];
  let origin: string;

  const envOf = (n: number): Record<string, string> => ({
    ...{ PATH: process.env.PATH ?? "", TMPDIR: folder, HOST: "127.0.0.1", PORT: `${ports[n]}`, REPLICA: `${n}` },
    ...{
      DATA_DIR: join(folder, `data-${n}`),
      DATABASE_URL: postgres.url,
      KEY_LIMITS: "trainer:tokens_per_day=1000000000",
    },
    ...{ API_KEYS: `trainer:${createHash("sha256").update(KEY).digest("hex")}` },
    ...{ VERIFIER_URL: verifier.url, VERIFIER_MODEL: MODEL },
  });
  async function startReplica(n: number): Promise<void> {
    const child = spawn(process.execPath, [join(image, "scripts/stack/serve.mjs")], {
      env: envOf(n),
      stdio: ["ignore", "pipe", "inherit"],
    });
    replicas[n] = child;
    const lines = createInterface(child.stdout as Readable);
    await new Promise<void>((ready, refuse) => {
      lines.on("line", (line) => /^ready /.test(line) && ready());
      child.once("exit", (code) => refuse(new Error(`replica ${n} ended with ${code}`)));
    });
  }
  async function end(n: number, signal: NodeJS.Signals): Promise<void> {
    const ended = once(replicas[n] as ChildProcess, "exit");
    replicas[n]?.kill(signal);
    await ended;
  }
  const all = (work: (n: number) => Promise<void>) => Promise.all(Array.from({ length: REPLICAS }, (_, n) => work(n)));
  const at = (path: string, init: RequestInit = {}) =>
    fetch(origin + path, {
      ...init,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...init.headers },
    });

  async function nginxAnswers(): Promise<void> {
    while ((await at("/healthz").catch(() => null)) === null) await pause(20);
  }

  beforeAll(async () => {
    ports = await freePorts(REPLICAS + 1);
    origin = `http://127.0.0.1:${ports.at(-1)}`;
    execFileSync(process.execPath, [join(ROOT, "scripts/stack/commands/image.ts"), image]);
    symlinkSync(join(ROOT, "node_modules"), join(image, "node_modules"));
    await verifier.bringBack();
    postgres = await startPostgres();
    const migrate = spawn(process.execPath, [join(image, "scripts/stack/migrate.mjs")], { env: envOf(0) });
    await once(migrate, "exit");
    await all(startReplica);
    mkdirSync(join(folder, "nginx"));
    const local = CONFIGURATION.replace(/kritai-(\d):8787/g, (_, n) => `127.0.0.1:${ports[Number(n)]}`)
      .replace("listen 8080", `listen 127.0.0.1:${ports.at(-1)}`)
      .replaceAll("/tmp/", `${folder}/nginx/`);
    writeFileSync(join(folder, "nginx.conf"), local);
    nginx = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf"), "-g", "daemon off;"], { stdio: "inherit" });
    await nginxAnswers();
  });
  afterAll(async () => {
    nginx?.kill("SIGTERM");
    for (const replica of replicas) replica.kill("SIGKILL");
    await verifier.takeAway();
    await postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** As slime asks: each sample by itself, again after a refusal or a broken connection. */
  async function sample(run: string, group: Group, text: string) {
    const body = JSON.stringify({ prompt: group.prompt, response: text, label: "l" });
    for (let tries = 0; ; tries++) {
      const path = `/slime/reward?format=object&group_size=${SIZE}&tries=10&run_id=${run}`;
      const reply = await at(path, { method: "POST", body }).catch(() => null);
      if (reply?.ok) return (await reply.json()) as { score: number; rm_members: number; rm_cut_short: number };
      await reply?.body?.cancel();
      await pause(Math.min(100 * 2 ** tries, 2_000));
    }
  }

  it("64 x 8 one-sample requests, a replica killed and started again in their midst: none wrong, none split, none lost", async () => {
    verifier.answer_ms = 20;
    // A run a group: of 8 runs now and then none is at one of the replicas, whose ports are chance.
    const runs = Array.from({ length: 64 }, (_, r) => `run-${r}`);
    const groups = runs.flatMap((run) => groupsOf(run, 1).map((group) => ({ run, group })));
    const asked = Promise.all(
      groups.map(({ run, group }) => Promise.all(group.texts.map((text) => sample(run, group, text)))),
    );
    await expect.poll(() => verifier.answers).toBeGreaterThan(300);
    await end(1, "SIGKILL");
    const cut = verifier.answers;
    await startReplica(1);
    const replies = await asked;
    // Some of 64 groups of 28 pairs were still to be judged.
    expect(cut).toBeLessThan(64 * 28);
    const wanted = groups.map(({ group }) => rewardsOf(group));
    expect(replies.map((of) => of.map(({ score }) => score))).toEqual(
      wanted.map((rewards) => rewards.map((reward) => expect.closeTo(reward, 6))),
    );
    const unlike = replies.flat().filter(({ rm_members, rm_cut_short }) => rm_members !== SIZE || rm_cut_short !== 0);
    expect([replies.flat().length, unlike]).toEqual([64 * SIZE, []]);
    // Each group had one room, and the replica that was killed had some of them.
    const rooms = ports
      .slice(0, REPLICAS)
      .map((_, n) => globSync("objects/do/kritai-GroupRoom/*.sqlite", { cwd: join(folder, `data-${n}`) }));
    const counts = rooms.map((files) => files.filter((file) => !file.includes("metadata")).length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(64);
    expect(counts[1]).toBeGreaterThan(0);
  });

  it("a batch is found by its id and a kept reply by its key, whoever took them, also after a stop and a start of all", async () => {
    verifier.answer_ms = 0;
    const [group] = groupsOf("batch", 1);
    const rollouts = (group as Group).texts.map((text) => ({ text }));
    const body = JSON.stringify({ groups: [{ prompt: "p", rollouts }] });
    const taken = await Promise.all(
      Array.from({ length: 9 }, async (_, k) => {
        const later = await at("/v1/rewards", { method: "POST", body, headers: { prefer: "respond-async" } });
        const kept = await at("/v1/rewards", { method: "POST", body, headers: { "idempotency-key": `k${k}` } });
        return { location: later.headers.get("location") as string, kept: await kept.text() };
      }),
    );
    // The rest of a key's limit, at the replica of a run that was judged.
    const tokensLeft = async () => {
      const reply = await at("/slime/reward?group_size=1&on_failure=0&run_id=run-0", {
        method: "POST",
        body: JSON.stringify({ prompt: "alone", response: "x", label: "l" }),
      });
      return Number(/r=(\d+)/.exec(reply.headers.get("ratelimit") ?? "")?.[1]);
    };
    // Partly gathered: two of three samples have come before everything stops.
    const alone = [1, 2, 3].map((value) => `\`\`\`python\nx = ${"1".repeat(value)}\n\`\`\``);
    const one = (text: string) =>
      at("/slime/reward?format=object&group_size=3&tries=10&run_id=stopped", {
        method: "POST",
        body: JSON.stringify({ prompt: "s", response: text, label: "l" }),
      });
    const waiting = await Promise.all(alone.slice(0, 2).map(one));
    expect(waiting.map(({ status }) => status)).toEqual([503, 503]);
    const before = await tokensLeft();
    expect(before).toBeLessThan(1_000_000_000);
    await all((n) => end(n, "SIGTERM"));
    expect((await at("/healthz")).status).toBe(503);
    await all(startReplica);
    await expect.poll(async () => (await at("/healthz")).status).toBe(200);
    expect(await tokensLeft()).toBeLessThanOrEqual(before);
    const holders = new Set(taken.map(({ location }) => location.at("/v1/batches/".length + 10)));
    expect(holders.size).toBeGreaterThan(1);
    for (const [k, { location, kept }] of taken.entries()) {
      expect(await (await at(`${location}?wait=20`)).json()).toMatchObject({ state: "done" });
      const again = await at("/v1/rewards", { method: "POST", body, headers: { "idempotency-key": `k${k}` } });
      expect([again.headers.get("idempotent-replayed"), await again.text()]).toEqual(["true", kept]);
    }
    const scores = await Promise.all(
      alone.map(async (text) => ((await (await one(text)).json()) as { score: number }).score),
    );
    expect(scores).toEqual([0, 0.5, 1]);
  });
});

it("nginx sends samples that gather to one place: no such route is among those that any replica answers", () => {
  const gathering = filesOf("src/api/tools/*.ts").filter((path) =>
    /shared\/(?:gathered|sample-route)/.test(textOf(path)),
  );
  const paths = gathering.flatMap((path) =>
    [...textOf(path).matchAll(/path: "(\/[^"]*)"/g)].map(([, found]) => found as string),
  );
  expect(paths).toEqual(expect.arrayContaining(["/slime/reward", "/openrlhf/get_reward", "/verl/compute_score"]));
  const block = /map \$uri \$whole_group \{(.*?)\n {2}\}/s.exec(CONFIGURATION)?.[1] ?? "";
  const patterns = [...block.matchAll(/~(\S+) 1;/g)].map(([, pattern]) => new RegExp(pattern as string));
  expect(patterns.some((pattern) => pattern.test("/k/key/v1/rewards"))).toBe(true);
  // The first that fits counts: a group that its caller fills is in one place.
  const rules = [...block.matchAll(/~(\S+) ([01]);/g)].map(([, pattern, whole]) => ({
    pattern: new RegExp(pattern as string),
    whole,
  }));
  const wholeOf = (path: string) => rules.find(({ pattern }) => pattern.test(path))?.whole;
  const named = ["/v1/groups/mine/rollouts", "/k/key/v1/groups/mine/close", "/v1/groups/mine.0/verdicts"];
  expect(named.map(wholeOf)).toEqual(["0", "0", "1"]);
  expect(
    paths.filter((path) => patterns.some((pattern) => pattern.test(path) || pattern.test(`/k/key${path}`))),
  ).toEqual([]);
  expect(readFileSync(join(ROOT, "deploy/nginx/nginx.conf"), "utf8").match(/server kritai-\d/g)).toHaveLength(
    3 * REPLICAS,
  );
});
