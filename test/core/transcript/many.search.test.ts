// The properties of every transcript over ten thousand of them.
import { it } from "vitest";
import { holdsOfAny } from "./properties.ts";

it("ten thousand transcripts: nothing closes its block, own words stand whole, the budget holds", () => {
  holdsOfAny(10_000);
});
