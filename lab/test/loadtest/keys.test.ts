// Whom a key is sent to: the origin it was given for, and no other.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { LoadClient } from "../../loadtest/client.ts";
import { readFlags } from "../../loadtest/flags.ts";
import { setUp } from "../../loadtest/setup.ts";

/** The headers and the path of each request to a server. */
interface Host {
  url: string;
  seen: string[];
  close(): void;
}

/** An engine that lists a model to whoever comes with a key, or to all. */
async function host(needsKey = false): Promise<Host> {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const key = request.headers.authorization ?? "no key";
    seen.push(`${request.url} ${key}`);
    request.resume();
    response.statusCode = needsKey && key === "no key" ? 401 : 200;
    response.end(JSON.stringify({ data: [{ id: "m" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

let [target, other, guarded] = [] as unknown as [Host, Host, Host];
beforeAll(async () => {
  [target, other, guarded] = await Promise.all([host(), host(), host(true)]);
  vi.stubEnv("TARGET_KEY", "of-the-target");
  vi.stubEnv("BASELINE_KEY", "of-the-baseline");
});
afterEach(() => {
  for (const { seen } of [target, other, guarded]) seen.length = 0;
});
afterAll(() => {
  vi.unstubAllEnvs();
  for (const each of [target, other, guarded]) each?.close();
});

const planned = (baseline: string, ...flags: string[]) =>
  setUp(readFlags(["--target", target.url, "--key-env", "TARGET_KEY", "--baseline", baseline, ...flags]));

/** Sends one request of each side as the run does. */
async function sendBoth({ plan }: Awaited<ReturnType<typeof setUp>>): Promise<void> {
  for (const side of [plan.target, plan.baseline]) {
    if (side === null) continue;
    const client = new LoadClient({ ...side, connections_max: 1, timeout_ms: 10_000 });
    const [work] = side.works;
    if (work === undefined) throw new Error("no work");
    await new Promise((resolve) => client.send(work, "mark", performance.now(), resolve));
    await client.close();
  }
}

const keysIn = (seen: readonly string[]) => [...new Set(seen.map((line) => line.split(" ").slice(1).join(" ")))];

describe("a baseline", () => {
  it("of another origin is never sent the target's key, neither with the load nor when asked for its models", async () => {
    const setup = await planned(other.url);
    await sendBoth(setup);
    expect(keysIn(target.seen)).toEqual(["Bearer of-the-target"]);
    expect(other.seen[0]).toBe("/v1/models no key");
    expect(other.seen.length).toBeGreaterThan(1);
    expect(keysIn(other.seen)).toEqual(["no key"]);
    expect([setup.summaryFields.target.key_env, setup.summaryFields.baseline?.key_env]).toEqual(["TARGET_KEY", null]);
  });

  it("is sent the key that --baseline-key-env names, and the target is not", async () => {
    const setup = await planned(other.url, "--baseline-key-env", "BASELINE_KEY");
    await sendBoth(setup);
    expect(keysIn(target.seen)).toEqual(["Bearer of-the-target"]);
    expect(keysIn(other.seen)).toEqual(["Bearer of-the-baseline"]);
    expect(setup.summaryFields.baseline?.key_env).toBe("BASELINE_KEY");
  });

  it("of the target's origin is sent the target's key unless it has one of its own", async () => {
    const path = `${target.url}/engine`;
    await planned(path);
    expect(target.seen).toEqual(["/engine/v1/models Bearer of-the-target"]);
    target.seen.length = 0;
    await planned(path, "--baseline-key-env", "BASELINE_KEY");
    expect(target.seen).toEqual(["/engine/v1/models Bearer of-the-baseline"]);
  });

  it("on another port or under another scheme is of another origin", async () => {
    const secure = target.url.replace("http:", "https:");
    for (const url of [secure, target.url.replace("127.0.0.1", "localhost"), other.url]) {
      const { plan } = await planned(url, "--model", "m");
      expect(plan.baseline?.headers, url).toEqual({});
    }
  });

  it("that requires a key is reported with the flag that sets it", async () => {
    await expect(planned(guarded.url)).rejects.toThrow(
      "/models answered 401: set --baseline-key-env to the environment variable with its key",
    );
  });
});

describe("a key flag", () => {
  it("that does not name a set variable is refused, and what may be the key itself is not repeated", async () => {
    await expect(planned(other.url, "--baseline-key-env", "UNSET_KEY")).rejects.toThrow(
      "--baseline-key-env UNSET_KEY: the variable is not set",
    );
    for (const flag of ["--key-env", "--baseline-key-env"]) {
      let message = "";
      try {
        readFlags(["--target", target.url, "--baseline", other.url, flag, "sk-secret"]);
      } catch (fault) {
        message = (fault as Error).message;
      }
      expect(message).toBe(`${flag} takes the name of an environment variable, never a key`);
    }
  });
});
