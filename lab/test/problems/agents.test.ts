// The recorded runs of agents follow from their tasks: made again now, they are word for word the same.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agentsFile } from "../../problems/agents.ts";

test("recording the runs again gives the committed file", () => {
  const { file, text } = agentsFile();
  expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, "utf8")));
});
