// The programs of the gateway and the simulator and their command line: --help, and the refusal of all else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

/** Runs a program to its end; one that starts to serve is killed and has no status. */
async function run(main: string, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env.PATH ?? "", PORT: "0", ENGINE_URL: "http://127.0.0.1:1", ENGINE_MODEL: "m" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", (part) => String(part).startsWith("ready ") && child.kill("SIGKILL"));
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, out, err };
}

describe.each([
  [
    "gateway",
    /^ {2}ENGINE_URL .*\(required\)\n(?:.*\n)* {2}ENGINE_MAX_IN_FLIGHT .*\(256\)\n(?:.*\n)* {2}PORT .*\(8792\)$/m,
  ],
  ["simulator", /^ {2}PORT .*\(8791\)\n(?:.*\n)* {2}SCALE .*\(1\)\n(?:.*\n)* {2}FAULT .*slow-drip.*\(none\)$/m],
])("the %s's program", (name, variables) => {
  const main = `gpu-backend/${name === "simulator" ? "engines/simulator" : name}/main.ts`;

  it.each(["--help", "-h"])("lists its variables with their defaults on %s, and ends with 0", async (flag) => {
    const { status, out, err } = await run(main, flag);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(out).toMatch(variables);
    expect(out).toContain(`npm run ${name} -w gpu-backend`);
  });

  it.each([
    [["--port", "9"], "there is no flag --port\n"],
    [["--help", "--api-key=hush"], "there is no flag --api-key\n"],
    [["hush"], "this command takes no arguments\n"],
  ])("refuses %j with 2, names the flag and shows no value", async (args, words) => {
    const { status, out, err } = await run(main, ...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain(`kritai ${name}: ${words}`);
    expect(err).not.toContain("hush");
  });
});
