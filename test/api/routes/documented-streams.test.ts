// Guarantees that every line and every event of a stream is what the OpenAPI document says of it.
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import * as examples from "../../../scripts/build/openapi/examples.ts";
import { openapi } from "../../harness/openapi.ts";
import * as contracts from "../contracts/examples.ts";
import { setUp } from "./harness.ts";

const validator = new Ajv2020({ strict: false, validateFormats: false });
validator.addSchema(openapi, "document");

function faultsOf(component: string, values: readonly unknown[]): string[] {
  const validate = validator.compile({ $ref: `document#/components/schemas/${component}` });
  return values.flatMap((value) => (validate(value) ? [] : validator.errorsText(validate.errors)));
}

test("a line of the rewards' stream is a RewardsEvent", async () => {
  const accept = { accept: "application/x-ndjson" };
  const response = await setUp().post("/v1/rewards", examples.rewardsRequest, accept);
  const lines = (await response.text()).trimEnd().split("\n");
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(
    faultsOf(
      "RewardsEvent",
      lines.map((line) => JSON.parse(line)),
    ),
  ).toEqual([]);
  expect(faultsOf("RewardsEvent", [{ type: "done" }])).toHaveLength(1);
});

test("an event of the judge's stream is a ChatChunk, and the last one the end", async () => {
  const body = { ...contracts.chat, stream: true, stream_options: { include_usage: true } };
  const response = await setUp().post("/v1/chat/completions", body);
  const events = (await response.text()).trimEnd().split("\n\n");
  expect(events.pop()).toBe("data: [DONE]");
  const chunks = events.map((event) => JSON.parse(event.slice("data: ".length)));
  expect(chunks).toHaveLength(4);
  expect(faultsOf("ChatChunk", chunks)).toEqual([]);
  expect(faultsOf("ChatChunk", [contracts.chat])).toHaveLength(1);
});
