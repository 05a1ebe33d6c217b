// Every recorded request gets the reply that it got: status, type and body, byte for byte, but for
// ids and times.
// `RECORD=1 npm test -- test/recorded` writes the recording anew; a reply that
// changes is a change of the contract.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { setUp } from "../api/routes/harness.ts";
import { caseLines } from "../harness/case-lines.ts";
import { REQUESTS } from "./requests.ts";

const FILE = new URL("../vectors/recorded-replies.json", import.meta.url);

interface Recorded {
  status: number;
  type: string | null;
  body: string;
}

/** ULIDs and what is named after them differ from run to run; the clock stands still. */
const settled = (text: string) =>
  text.replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "ULID").replace(/"x-request-id":"[^"]*"/g, "");

async function replies(): Promise<Record<string, Recorded>> {
  const { call } = setUp();
  const recorded: Record<string, Recorded> = {};
  for (const { name, method, path, headers = {}, body, beside } of REQUESTS) {
    const send = (sent: unknown) =>
      call(path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(sent !== undefined && { body: typeof sent === "string" ? sent : JSON.stringify(sent) }),
      });
    const [response] = await Promise.all([send(body), ...(beside === undefined ? [] : [send(beside)])]);
    const text = settled(await response.text());
    if (recorded[name] !== undefined) throw new Error(`two requests are named ${name}`);
    recorded[name] = { status: response.status, type: response.headers.get("content-type"), body: text };
  }
  return recorded;
}

test("every recorded request gets the same reply", async () => {
  const now = await replies();
  if (process.env.RECORD === "1") writeFileSync(FILE, caseLines(now));
  const before = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Recorded>;
  expect(Object.keys(now)).toEqual(Object.keys(before));
  for (const [name, reply] of Object.entries(now)) expect(reply, name).toEqual(before[name]);
});
