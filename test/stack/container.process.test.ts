// Holds the container to what docs/container.md says of it: its image is built by the Dockerfile's
// own steps in a root that holds nothing else, and started from there as its user, with all but the
// volume and /tmp read-only, before a judge and a Postgres.
import { type ChildProcess, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDockerfile } from "../harness/container/dockerfile.ts";
import { buildImage, filesIn, type Image } from "../harness/container/image.ts";
import { ROOTS, runInRoot, startInRoot } from "../harness/container/root.ts";
import { ROOT } from "../harness/imports.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { type PostgresServer, startPostgres } from "../harness/postgres-wire.ts";

const KEY = "a-key-of-this-test";
const API_KEYS = `trainer:${createHash("sha256").update(KEY).digest("hex")}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe.skipIf(!ROOTS)("the container", () => {
  let image: Image;
  let data: string;
  let mock: MockVerifier;
  let postgres: PostgresServer;
  let vars: Record<string, string>;
  let release = Promise.withResolvers<void>();

  beforeAll(async () => {
    image = await buildImage();
    data = mkdtempSync(join(tmpdir(), "kritai-data-"));
    chownSync(data, image.user, image.user);
    mock = await startMockVerifier(() => async (reply) => {
      await release.promise;
      await answer("\\boxed{A}")(reply);
    });
    release.resolve();
    postgres = await startPostgres();
    const port = `${await freePort()}`;
    const verifier = { VERIFIER_URL: mock.url, VERIFIER_MODEL: "mock-model" };
    vars = { ...image.env, HOST: "127.0.0.1", PORT: port, API_KEYS, DATABASE_URL: postgres.url, ...verifier };
  });
  afterAll(async () => {
    release.resolve();
    for (const child of children) child.kill("SIGKILL");
    await mock?.close();
    await postgres?.close();
    image?.remove();
    rmSync(data, { recursive: true, force: true });
  });

  const within = () => ({
    ...{ root: image.root, cwd: image.cwd, env: vars },
    read_only: { data, user: image.user },
  });
  const said: string[] = [];
  const children: ChildProcess[] = [];
  async function start(): Promise<ChildProcess> {
    const child = startInRoot(within(), image.command);
    children.push(child);
    createInterface(child.stderr as Readable).on("line", (line) => said.push(line));
    const lines = createInterface(child.stdout as Readable).on("line", (line) => said.push(line));
    const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`${code}: ${said.join("\n")}`)));
    await Promise.race([
      ended,
      new Promise<void>((ready) => lines.on("line", (line) => /^ready /.test(line) && ready())),
    ]);
    ended.catch(() => {});
    return child;
  }
  const at = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${vars.PORT}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...init.headers },
    });
  const rollouts = [1, 2].map((value) => ({ text: `\`\`\`python\nprint(${value})\n\`\`\`` }));
  const group = JSON.stringify({ run_id: "r", groups: [{ prompt: "p", rollouts }] });

  it("migrates, scores and logs a group, refuses without its key, and ends its requests before it ends", async () => {
    await runInRoot(within(), ["node", "scripts/stack/migrate.mjs"]);
    const child = await start();
    await expect.poll(async () => (await at("/readyz")).status).toBe(200);
    await runInRoot(within(), image.health);
    expect((await at("/v1/runs", { headers: { authorization: "", host: "localhost" } })).status).toBe(401);
    expect((await at("/docs")).headers.get("content-type")).toBe("text/html; charset=utf-8");
    const reply = (await (await at("/v1/rewards", { method: "POST", body: group })).json()) as { request_id: string };
    expect(reply).toMatchObject({ groups: [{ status: "ok" }], logged: "queued" });
    await expect.poll(async () => (await at(`/v1/requests/${reply.request_id}`)).status).toBe(200);
    // A client that goes ends the judge's work.
    release = Promise.withResolvers();
    const [leaving, before] = [new AbortController(), mock.log.length];
    const left = at("/v1/rewards", { method: "POST", body: group.replace('"p"', '"o"'), signal: leaving.signal });
    await expect.poll(() => mock.log.length).toBeGreaterThan(before);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(() => mock.counters.client_closed).toBe(1);
    release.resolve();
    // A request is under way when the container is stopped: it has its answer, another has none.
    release = Promise.withResolvers();
    const asked = mock.log.length;
    const underWay = at("/v1/rewards", { method: "POST", body: group.replace('"p"', '"q"') });
    await expect.poll(() => mock.log.length).toBeGreaterThan(asked);
    const ended = once(child, "exit");
    child.kill(image.stop_signal as NodeJS.Signals);
    await expect
      .poll(() =>
        at("/healthz").then(
          () => "answered",
          () => "refused",
        ),
      )
      .toBe("refused");
    release.resolve();
    expect(await (await underWay).json()).toMatchObject({ groups: [{ status: "ok" }] });
    expect(await ended).toEqual([0, null]);
  });

  it("keeps batches and replies over a stop and over a kill", async () => {
    const first = await start();
    const submitted = await at("/v1/rewards", { method: "POST", body: group, headers: { prefer: "respond-async" } });
    const { location } = (await submitted.json()) as { location: string };
    const keyed = { method: "POST", body: group, headers: { "idempotency-key": "k" } };
    const kept = await (await at("/v1/rewards", keyed)).text();
    first.kill("SIGKILL");
    await once(first, "exit");
    const second = await start();
    const again = await at("/v1/rewards", keyed);
    expect([again.headers.get("idempotent-replayed"), await again.text()]).toEqual(["true", kept]);
    expect(await (await at(`${location}?wait=20`)).json()).toMatchObject({ state: "done" });
    const ended = once(second, "exit");
    second.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("names what its variables lack and starts nothing", async () => {
    const lacking = { ...within(), env: { ...vars, API_KEYS: "", VERIFIER_URL: "nowhere" } };
    await expect(runInRoot(lacking, image.command)).rejects.toThrow(/kritai: API_KEYS: required\n.*VERIFIER_URL/s);
  });

  it("holds no tool of development, and is at most 100 MB compressed beside its base image", () => {
    const modules = filesIn(image, "app/node_modules");
    expect(modules.filter((path) => /wrangler|miniflare|esbuild|typescript|vitest/.test(path))).toEqual([]);
    expect(filesIn(image, "app").filter((path) => path.endsWith(".ts"))).toEqual([]);
    const bytes = execFileSync("sh", ["-c", "tar c app data | gzip -1 | wc -c"], { cwd: image.root, encoding: "utf8" });
    expect(Number(bytes)).toBeGreaterThan(10e6);
    expect(Number(bytes)).toBeLessThan(100e6);
  });
});

it("the Dockerfile runs as no superuser, names its signal and its health check, and no step needs an emulator", () => {
  const stages = parseDockerfile(readFileSync(join(ROOT, "Dockerfile"), "utf8"));
  const last = stages.at(-1)?.instructions ?? [];
  const words = last.map(({ word }) => word);
  expect(words).toEqual(expect.arrayContaining(["USER", "STOPSIGNAL", "HEALTHCHECK", "VOLUME", "CMD"]));
  expect(words).not.toContain("RUN");
  expect(last.find(({ word }) => word === "USER")?.args).toEqual(["1000:1000"]);
  expect(stages.slice(0, -1).map(({ platform }) => platform)).toEqual(["$BUILDPLATFORM", "$BUILDPLATFORM"]);
  expect(new Set(stages.map(({ from }) => from)).size).toBe(1);
  expect(stages[0]?.from).toMatch(/^node:\d+\.\d+\.\d+-slim$/);
  const installs = stages.flatMap(({ instructions }) =>
    instructions.flatMap(({ word, args }) => (word === "RUN" ? args : [])),
  );
  expect(installs.filter((text) => /npm (?:install|i)\b/.test(text))).toEqual([]);
  for (const { word, flags, args } of stages.flatMap(({ instructions }) => instructions)) {
    if (word === "COPY" && flags.from === undefined)
      for (const source of args.slice(0, -1)) expect(existsSync(join(ROOT, source)), source).toBe(true);
  }
});
