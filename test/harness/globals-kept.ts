// Guarantees that a test file which shares its process leaves the globals as it found them: the next file
// would run by what it replaced. Set up for each file by vitest.config.ts.
import { afterAll, expect } from "vitest";

const PATHS = [
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "Date", "Date.now"],
  ...["performance.now", "fetch", "crypto.subtle.digest", "JSON.parse", "Map.prototype.get"],
];
const valueAt = (path: string): unknown =>
  path.split(".").reduce((of, name) => Reflect.get(of, name) as object, globalThis as object);

const found = PATHS.map(valueAt);

afterAll(() => {
  const left = PATHS.filter((path, at) => valueAt(path) !== found[at]);
  expect(left, "globals that this file replaced and did not put back").toEqual([]);
});
