// The faults that `npm start` finds before it starts anything, by the variable.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { misspeltVariables, startFaults } from "../../scripts/stack/preflight.ts";

const FREE = { host: "127.0.0.1", port: 0, dataDir: null };
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(reply: (url: string) => [status: number, body: string]): Promise<number> {
  const server = createServer((request, response) => {
    const [status, body] = reply(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const port = await listening(() => [200, ""]);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}

test("a variable that nothing reads and is nearly one that is read is told, and no other", () => {
  const env = { VERIFER_URL: "u", VERIFIER_MODLE: "m", API_KEY: "k", VERIFIER_URL: "u", HOME: "/", PGDATABASE: "d" };
  expect(misspeltVariables(env)).toEqual([
    "VERIFER_URL is set, but Kritai has no such variable; did you mean VERIFIER_URL?",
    "VERIFIER_MODLE is set, but Kritai has no such variable; did you mean VERIFIER_MODEL?",
    "API_KEY is set, but Kritai has no such variable; did you mean API_KEYS?",
  ]);
});

describe("a stack that cannot start is refused by its variable:", () => {
  test("a port that is taken", async () => {
    const port = await listening(() => [200, ""]);
    const [fault] = await startFaults({}, { ...FREE, port });
    expect(fault).toEqual({ path: "PORT", message: expect.stringContaining(`${port} is in use on 127.0.0.1`) });
  });

  test("a host that is not this machine's", async () => {
    const faults = await startFaults({}, { ...FREE, host: "192.0.2.1" });
    expect(faults).toEqual([{ path: "HOST", message: "cannot listen on this address (EADDRNOTAVAIL)" }]);
  });

  test("keys of a wrong form, and every other wrong variable, without their values", async () => {
    const faults = await startFaults(
      { API_KEYS: "lab:hunter2", MODELS: "nobody:hunter2", VERIFIER_URL: "ftp://hunter2" },
      FREE,
    );
    expect(faults.map(({ path }) => path)).toEqual(expect.arrayContaining(["API_KEYS", "MODELS", "VERIFIER_URL"]));
    expect(JSON.stringify(faults)).not.toContain("hunter2");
  });

  test("a database that is not there, without its address, user or password", async () => {
    const url = `postgres://someone:hunter2@127.0.0.1:${await closedPort()}/secrets`;
    const faults = await startFaults({ DATABASE_URL: url }, FREE);
    expect(faults).toEqual([
      { path: "DATABASE_URL", message: "the database cannot be used: not reachable (ECONNREFUSED)" },
    ]);
  });

  test("a folder that cannot be made", async () => {
    const [fault, ...others] = await startFaults({}, { ...FREE, dataDir: "package.json/data" });
    expect(others).toEqual([]);
    expect(fault).toEqual({
      path: "DATA_DIR",
      message: expect.stringMatching(/^package\.json\/data cannot be written to/),
    });
  });

  test("a verifier's URL that carries a password, without it", async () => {
    const [fault] = await startFaults({ VERIFIER_URL: "http://me:hunter2@127.0.0.1:9", VERIFIER_MODEL: "mine" }, FREE);
    expect(fault).toEqual({ path: "VERIFIER_URL", message: expect.stringContaining("must not carry a key") });
    expect(JSON.stringify(fault)).not.toContain("hunter2");
  });

  test("a verifier that is not there, and one that does not serve the model", async () => {
    const not_ready = "the verifier is not ready";
    const gone = { VERIFIER_URL: `http://127.0.0.1:${await closedPort()}`, VERIFIER_MODEL: "mine" };
    const missing = {
      path: "VERIFIER_URL",
      message: `${not_ready}: not reachable; start its server, or correct the address`,
    };
    expect(await startFaults(gone, FREE)).toEqual([missing]);
    const port = await listening(() => [200, JSON.stringify({ data: [{ id: "other" }] })]);
    const faults = await startFaults({ VERIFIER_URL: `http://127.0.0.1:${port}`, VERIFIER_MODEL: "mine" }, FREE);
    const advice = "set VERIFIER_MODEL to a name that the server's GET /v1/models lists";
    expect(faults).toEqual([{ path: "VERIFIER_URL", message: `${not_ready}: model not served; ${advice}` }]);
  });

  test("of several backends only the one that is not there, by its own variable", async () => {
    const port = await listening(() => [200, JSON.stringify({ data: [{ id: "mine" }] })]);
    const well = { VERIFIER_URL: `http://127.0.0.1:${port}`, VERIFIER_MODEL: "mine" };
    const faults = await startFaults({ ...well, SANDBOX_URL: `http://127.0.0.1:${await closedPort()}` }, FREE);
    expect(faults.map(({ path }) => path)).toEqual(["SANDBOX_URL"]);
  });
});

test("a stack that can start has no fault", async () => {
  const port = await listening(() => [200, JSON.stringify({ data: [{ id: "mine" }] })]);
  const env = { VERIFIER_URL: `http://127.0.0.1:${port}`, VERIFIER_MODEL: "mine", KEY_LIMITS: "*:rpm=60" };
  expect(await startFaults(env, FREE)).toEqual([]);
  expect(await startFaults({}, FREE)).toEqual([]);
});
