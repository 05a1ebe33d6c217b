// Reading a body off the wire: the same text however it is cut into pieces, an end to bodies that
// never come whole.
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { parseVerifyRequest, readVerifyRequest } from "../../gpu-backend/gateway/http/verify-request.ts";
import { OpenBytes } from "../../gpu-backend/gateway/scheduling/open-bytes.ts";
import { gatewayTimers } from "../../gpu-backend/gateway/timers/gateway-timers.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { VirtualTime } from "../harness/virtual-time.ts";
import { group, pairs, request } from "./requests.ts";

function incoming(): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.headers["content-type"] = "application/json";
  return message;
}

const asked = request([group("ü-€-𝒳", 2, pairs(2), "Ŝumo € 𝒳")]);
const bytes = Buffer.from(JSON.stringify(asked));

it.each([1, 2, 3, 7, 64, bytes.length])(
  "reads the same from pieces of %i bytes, characters cut or not",
  async (size) => {
    const message = incoming();
    const read = readVerifyRequest(message, gatewayTimers, new OpenBytes().open());
    for (let at = 0; at < bytes.length; at += size) message.push(bytes.subarray(at, at + size));
    message.push(null);
    expect(await read).toEqual(asked);
  },
);

it.each([1, 2])("refuses a character that the end cuts, in %i pieces", async (pieces) => {
  const message = incoming();
  const cut = bytes.subarray(0, bytes.indexOf("€") + 1);
  if (pieces === 2) message.push(cut.subarray(0, 5));
  message.push(pieces === 2 ? cut.subarray(5) : cut);
  message.push(null);
  await expect(readVerifyRequest(message, gatewayTimers, new OpenBytes().open())).rejects.toMatchObject({
    code: "invalid_encoding",
  });
});

it("gives up on a body that stops, and on one whose sender goes", async () => {
  const time = new VirtualTime();
  const slow = expect(readVerifyRequest(incoming(), time.clock, new OpenBytes().open())).rejects.toMatchObject({
    code: "request_timeout",
  });
  await time.advance(LIMITS.body_read_ms);
  await slow;
  const message = incoming();
  const gone = readVerifyRequest(message, gatewayTimers, new OpenBytes().open());
  message.destroy();
  const closed = once(message, "close");
  await expect(gone).rejects.toMatchObject({ code: "request_timeout" });
  await closed;
});

it.each([
  [{ deadline_ms: 700_000 }, "deadline_ms", "700000; must be at most 600000 (limit deadline_ms_max)"],
  [{ deadline_ms: 0 }, "deadline_ms", "0; must be at least 1"],
  [{ prompt: 7 }, "prompt", "expected string, got number"],
  [{ tools: [] }, "tools", "unknown field"],
  [{ form: "letters" }, "form", 'must be one of "exact_match", "scores"'],
  [
    { groups: [{ ...group("g", 2, pairs(2)), group_id: "x".repeat(200) }] },
    "groups[0].group_id",
    "200 characters; must be at most 128 characters (limit id_chars)",
  ],
  [
    { groups: [group("g", 2, pairs(2, { samples: 65 }))] },
    "groups[0].comparisons[0].samples",
    "65; must be at most 64 (limit samples_max)",
  ],
])("names the field, what came and the limit, in the edge's own words: %j", (change, path, message) => {
  let thrown: unknown;
  try {
    parseVerifyRequest({ ...asked, ...change });
  } catch (fault) {
    thrown = fault;
  }
  expect(thrown).toMatchObject({ code: "invalid_request", errors: [{ path, message }] });
});

it("names the place where a text stops being JSON", async () => {
  const message = incoming();
  message.push('{"deadline_ms": 1, "groups": [{"group_id": NaN}]}');
  message.push(null);
  const path = "groups[0].group_id";
  await expect(readVerifyRequest(message, gatewayTimers, new OpenBytes().open())).rejects.toMatchObject({
    code: "invalid_json",
    errors: [{ path }],
  });
});

it("takes a group's images by digest, as data URLs alone", () => {
  const with_ = (images: object) => ({ ...asked, groups: [{ ...asked.groups[0], images }] });
  const digest = "ab".repeat(32);
  const taken = parseVerifyRequest(with_({ [digest]: "data:image/png;base64,AAAA" }));
  expect(taken.groups[0]?.images).toEqual({ [digest]: "data:image/png;base64,AAAA" });
  const many = Object.fromEntries(Array.from({ length: 521 }, (_, i) => [`${i}`.padStart(64, "0"), "data:image/png,"]));
  for (const images of [{ [digest]: "https://example.com/a.png" }, { short: "data:image/png;base64,AAAA" }, many])
    expect(() => parseVerifyRequest(with_(images))).toThrow(/groups\[0\]\.images/);
});
