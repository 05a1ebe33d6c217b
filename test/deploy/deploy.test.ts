// `npm run deploy` against stand-ins: what each failure says and that the same command then goes on;
// keys, going back and deleting. wrangler is the real one, the interfaces behind it are not.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alone } from "../../scripts/stack/worker-modules.ts";
import { shownKey, startPlace } from "./deploying.ts";

type Place = Awaited<ReturnType<typeof startPlace>>;
let place: Place;
beforeAll(async () => {
  place = await startPlace();
});
afterAll(() => place.close());

/** A refusal of Cloudflare's, by what is asked of it. */
const refused = (asked: RegExp, code: number, message: string) => {
  place.cloud.fault = (method, path) => (asked.test(`${method} ${path}`) ? { status: 400, code, message } : null);
};

/** The same of an upload, once there is a Worker that has its secrets. */
const uploadRefused = (code: number, message: string) => {
  place.cloud.fault = (method, path) =>
    method !== "GET" && /scripts\/kritai(\/versions)?$/.test(path) && place.cloud.workers.has("kritai")
      ? { status: 400, code, message }
      : null;
};

interface Failure {
  step: string;
  reason: RegExp;
  next: RegExp;
  flags?: string[];
  variables?: () => Record<string, string | undefined>;
  before?: () => unknown;
  after?: () => unknown;
}

const nowhere = "127.0.0.1:1";
/** The judge is somewhere else until it is found out, once all is deployed. */
const elsewhere = () => ({ VERIFIER_URL: `http://${nowhere}/v1` });
let key = "";

const FAILURES: Record<string, Failure> = {
  "nobody is logged in": {
    step: "account",
    reason: /^not logged in to Cloudflare$/,
    next: /wrangler login/,
    variables: () => ({ CLOUDFLARE_API_TOKEN: undefined }),
  },
  "the login has two accounts": {
    step: "account",
    reason: /2 accounts: a{32} \(Somebody's account\), b{32}/,
    next: /CLOUDFLARE_ACCOUNT_ID/,
    before: () => place.cloud.accounts.push({ id: "b".repeat(32), name: "Another" }),
    after: () => place.cloud.accounts.pop(),
  },
  "another Worker has the name": {
    step: "worker",
    reason: /a Worker named kritai that is not Kritai/,
    next: /another name in wrangler.toml/,
    before: () => place.cloud.push("kritai", { script: alone("export default {}"), annotations: {} }),
    after: () => place.cloud.workers.clear(),
  },
  "a value is missing": {
    step: "values",
    reason: /not set: VERIFIER_URL/,
    next: /\.dev\.vars/,
    variables: () => ({ VERIFIER_URL: undefined }),
  },
  "a value is malformed": {
    step: "values",
    reason: /KEY_LIMITS: /,
    next: /docs\/variables\.md/,
    variables: () => ({ KEY_LIMITS: "as many as you like" }),
  },
  "a queue is refused": {
    step: "queue kritai-run-log",
    reason: /Authentication error \[code: 10000\]/,
    next: /Queues:Edit/,
    before: () => refused(/^POST \/queues$/, 10000, "Authentication error"),
  },
  "the database is not there": {
    step: "database",
    reason: /not reachable \(ECONNREFUSED\)/,
    next: /fix DATABASE_URL/,
    variables: () => ({ DATABASE_URL: `postgres://somebody:secret-password@${nowhere}/kritai` }),
  },
  "a migration is cut off half way": {
    step: "database",
    reason: /Connection terminated/,
    next: /a failed migration is rolled back completely/,
    before: () => {
      place.database.breakAt = /INSERT INTO kritai_migrations/;
    },
  },
  "secrets are refused": {
    step: "secrets",
    reason: /Authentication error \[code: 10000\]/,
    next: /Workers Scripts:Edit/,
    before: () => refused(/secrets-bulk$/, 10000, "Authentication error"),
  },
  "the plan is the free one": {
    step: "deploy",
    reason: /CPU limits are not supported for the Free plan\. \[code: 100328\]/,
    next: /Workers Paid plan/,
    variables: elsewhere,
    before: () => uploadRefused(100328, "CPU limits are not supported for the Free plan."),
  },
  "the bundle is too large": {
    step: "deploy",
    reason: /size limit.*\[code: 10027\]/,
    next: /larger than the account's plan allows/,
    variables: elsewhere,
    before: () => uploadRefused(10027, "Your Worker exceeded the size limit of 3 MiB."),
  },
  "the network is cut while it deploys": {
    step: "deploy",
    reason: /./,
    next: /already uploaded are harmless/,
    variables: elsewhere,
    before: () => {
      place.cloud.fault = (_, path) => (path.endsWith("/consumers") ? "cut" : null);
    },
  },
  "the judge is not where it was said": {
    step: "ready",
    reason: /readyz: .*verifier/,
    next: /--set NAME/,
    flags: ["--wait", "1"],
    variables: elsewhere,
  },
  "the judge answers nothing": {
    step: "reward",
    reason: /not scored: "verifier_/,
    next: /\/docs\/errors explains the error code/,
    flags: ["--set", "VERIFIER_URL"],
    variables: () => ({ KRITAI_API_KEY: key }),
    before: () => {
      place.judging.down = true;
    },
    after: () => {
      place.judging.down = false;
    },
  },
};

describe("npm run deploy", () => {
  it("says what it would do, and does nothing, without --yes", async () => {
    const { status, output, changes } = await place.run([]);
    expect({ status, changes }).toEqual({ status: 0, changes: [] });
    expect(output).toMatch(/^queue kritai-run-log +to do: create it$/m);
    expect(output).toMatch(/^database +to do: apply 0000_run_log\.sql, /m);
    expect(output).toMatch(/^secrets +to do: generate API_KEYS, generate TOKEN_SECRET, set .*DATABASE_URL/m);
    expect(output).toMatch(/^deploy +to do: deploy the first version$/m);
    expect(output).toContain("to carry this out, run: npm run deploy --");
    expect(place.cloud.workers.size + place.cloud.queues.size).toBe(0);
    expect(await place.database.query("SELECT to_regclass('runs')")).toEqual([[null]]);
  });

  it("says the plan to somebody who is not logged in, or offline, and proposes no change", async () => {
    for (const [variables, reason] of [
      [{ CLOUDFLARE_API_TOKEN: undefined, VERIFIER_URL: undefined }, "not logged in to Cloudflare"],
      [{ CLOUDFLARE_API_BASE_URL: `http://${nowhere}`, VERIFIER_URL: undefined }, "cannot reach Cloudflare"],
    ] as const) {
      const { status, output, changes } = await place.run([], variables);
      expect({ status, changes }).toEqual({ status: 1, changes: [] });
      expect(output).toMatch(/^ {2}bindings +Durable Objects .*GROUP_ROOM.*; queues kritai-run-log, /m);
      expect(output).toMatch(
        /^ {2}secrets +generate API_KEYS, TOKEN_SECRET; set .*DATABASE_URL.*; not set yet: VERIFIER_URL$/m,
      );
      expect(output).toMatch(/^ {2}migrations +at most \d+, in one transaction: 0000_run_log\.sql, /m);
      expect(output).toMatch(/^ {2}cost +Workers Paid costs \d+ USD per month/m);
      expect(output).toMatch(
        new RegExp(`^step "account" failed: ${reason}\nnext: .+\nthen run: npm run deploy( -- [^\n]*)?$`, "m"),
      );
      expect(output).not.toContain("then run: npm run deploy -- --yes");
      expect(output).not.toContain("secret-password");
    }
  });

  it.each([[["--dry-run"]], [["--dry-run", "--yes"]]])("prints only the plan without a login: %j", async (flags) => {
    const { status, output, changes } = await place.run(flags, { CLOUDFLARE_API_TOKEN: undefined });
    expect({ status, changes }).toEqual({ status: 0, changes: [] });
    expect(output).toMatch(/^ {2}migrations /m);
    expect(output).not.toContain("account");
  });

  it("plans Workers AI as the judge where VERIFIER_PROTOCOL is decision, and asks for no address then", async () => {
    const variables = { CLOUDFLARE_API_TOKEN: undefined, VERIFIER_URL: undefined, VERIFIER_MODEL: undefined };
    const { output } = await place.run([], { ...variables, VERIFIER_PROTOCOL: "decision" });
    expect(output).toMatch(/^ {2}judge +Workers AI through the binding AI, @cf\/cloudflare\/clef-flash; /m);
    expect(output).toMatch(/^ {2}variables +VERIFIER_PROTOCOL=decision, /m);
    expect(output).not.toContain("not set yet");
    const without = await place.run([], variables);
    expect(without.output).toMatch(
      /^ {2}judge +the server at VERIFIER_URL; without a GPU, .*: VERIFIER_PROTOCOL=decision /m,
    );
  });

  for (const [cause, { step, reason, next, flags = [], variables, before, after }] of Object.entries(FAILURES)) {
    it(`says the step, the reason and what to do when ${cause}`, async () => {
      await before?.();
      const { status, output } = await place.run(["--yes", ...flags], variables?.());
      await after?.();
      place.cloud.fault = () => null;
      const said = /^step "(.+)" failed: (.*)\nnext: (.+)\nthen run: (npm run deploy -- .*--yes)$/m.exec(output);
      expect([status, said?.[1]], output).toEqual([1, step]);
      expect(said?.[2]).toMatch(reason);
      expect(said?.[3]).toMatch(next);
      expect(output).not.toContain("secret-password");
      key = (/^secrets +done/m.test(output) && shownKey(output)) || key;
    });
  }

  it("goes on where it stopped, ends with rewards, and has nothing to change when it is run again", async () => {
    const ended = await place.run(["--yes"], { KRITAI_API_KEY: key });
    expect(ended.status, ended.output).toBe(0);
    expect(ended.output).toMatch(/^reward +done: rewards -?[\d.]+ and -?[\d.]+, logged as \w+$/m);
    expect(ended.output).toMatch(/^trainer +kritai_reward\("http:\/\/127\.0\.0\.1:\d+"\)/m);
    const again = await place.run(["--yes"], { KRITAI_API_KEY: key });
    expect(again).toMatchObject({ status: 0, changes: [] });
    expect(again.output).toMatch(/^reward +ok: a test group was scored and logged\nnothing to change$/m);
    expect([...place.cloud.queues.values()].flat()).toEqual([{ script: "kritai" }, { script: "kritai" }]);
    for (const secret of [key, "secret-password"]) expect(again.output + place.notes()).not.toContain(secret);
  });
});

/** Whether a key is let in. */
async function isLetIn(name: string): Promise<boolean> {
  const reply = await fetch(`${place.cloud.address}/v1/runs`, { headers: { authorization: `Bearer ${name}` } });
  return reply.status === 200;
}

it("replaces a key without a gap: both work until the old one is taken away", async () => {
  const rotated = await place.run(["--rotate-key", "trainer", "--yes"]);
  const second = shownKey(rotated.output);
  expect(rotated.status, rotated.output).toBe(0);
  expect([await isLetIn(key), await isLetIn(second)]).toEqual([true, true]);
  expect((await place.run(["--rotate-key", "trainer", "--yes"])).output).toMatch(
    /already 2 keys named trainer\nnext: .*--retire-key/,
  );
  expect((await place.run(["--retire-key", "trainer", "--yes"])).status).toBe(0);
  expect([await isLetIn(key), await isLetIn(second)]).toEqual([false, true]);
  key = second;
});

it("lets the version before answer again, with the secrets of the newest version of that code", async () => {
  const before = place.cloud.active("kritai");
  expect((await place.run(["--rollback", "--yes"])).output).toContain("no earlier version with other code");
  // Other content, as another commit would be.
  const deployed = await place.run(["--yes"], { LOG_LEVEL: "error" });
  expect(deployed.status, deployed.output).toBe(0);
  expect(place.cloud.active("kritai")?.texts.LOG_LEVEL?.text).toBe("error");
  expect(await place.run(["--rollback"])).toMatchObject({ status: 0, changes: [] });
  const back = await place.run(["--rollback", "--yes"]);
  expect(back.status, back.output).toBe(0);
  expect(back.output).toContain(`now: roll back to version ${before?.id}`);
  expect(place.cloud.active("kritai")).toBe(before);
  expect(await isLetIn(key)).toBe(true);
});

it("deletes what it names, once the Worker is named, and not the database", async () => {
  const dry = await place.run(["--destroy"]);
  expect(dry).toMatchObject({ status: 0, changes: [] });
  for (const name of ["Worker", "kritai-run-log", "kritai-run-log-dead-letters"]) {
    expect(dry.output).toMatch(new RegExp(`^delete ${name} +to do: `, "m"));
  }
  expect(await place.run(["--destroy", "--yes", "--name", "kritae"])).toMatchObject({ status: 1, changes: [] });
  refused(/^DELETE \/workers/, 10000, "Authentication error");
  expect((await place.run(["--destroy", "--yes", "--name", "kritai"])).output).toContain('step "delete Worker"');
  place.cloud.fault = () => null;
  const gone = await place.run(["--destroy", "--yes", "--name", "kritai"]);
  expect(gone.status, gone.output).toBe(0);
  expect([...place.cloud.workers, ...place.cloud.queues]).toEqual([]);
  expect(await place.database.query("SELECT count(*) > 0 FROM runs")).toEqual([["t"]]);
});

it("deploys a second one beside it, which touches nothing of the first", async () => {
  const ended = await place.run(["--env", "staging", "--yes"]);
  expect(ended.status, ended.output).toBe(0);
  expect([...place.cloud.workers.keys()]).toEqual(["kritai-staging"]);
  expect([...place.cloud.queues.keys()]).toEqual(["kritai-staging-run-log", "kritai-staging-run-log-dead-letters"]);
  expect(ended.output).toMatch(/^reward +done: /m);
  place.cloud.workers.clear();
  place.cloud.queues.clear();
});

it("in Cloudflare's builder deploys what was pushed and asks nobody", async () => {
  // As the button leaves it: queues made, secrets asked for.
  for (const queue of ["kritai-run-log", "kritai-run-log-dead-letters"]) place.cloud.queues.set(queue, []);
  const secret = (text: string) => ({ type: "secret_text" as const, text });
  const { DATABASE_URL, VERIFIER_URL } = place.given;
  const texts = { API_KEYS: secret(""), DATABASE_URL: secret(DATABASE_URL), VERIFIER_URL: secret(VERIFIER_URL) };
  await place.cloud.push("kritai", { script: alone("export default {}"), texts });
  const unset = { DATABASE_URL: undefined, VERIFIER_URL: undefined, VERIFIER_MODEL: undefined };
  const built = await place.run([], { ...unset, WORKERS_CI: "1", CI: "true" });
  expect(built.status, built.output).toBe(0);
  expect(built.output).toMatch(/^database +later: .*npm run migrate/m);
  expect(built.output).toMatch(/^deploy +done: deployed to https:\/\/kritai\.somebody\.workers\.dev$/m);
  // Empty keys refuse every request.
  expect(await isLetIn("anybody")).toBe(false);
});

it("every deploy command of docs/deploy.md was run above", () => {
  const page = readFileSync(new URL("../../docs/deploy.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) => block.trim().split("\n"));
  expect(blocks.every((line) => line.startsWith("npm run deploy"))).toBe(true);
  const flagsOf = (words: readonly string[]) =>
    words
      .filter((word) => /^--\w/.test(word))
      .sort()
      .join(" ");
  const commands = blocks.map((line) => flagsOf(line.replace(/#.*/, "").trim().split(/\s+/).slice(3)));
  // Where it answers is given in each of the runs.
  const ran = new Set(place.calls.flatMap((call) => [flagsOf(call), flagsOf([...call, "--url"])]));
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((command) => !ran.has(command))).toEqual([]);
});
