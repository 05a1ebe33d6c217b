import { createLocalRooms } from "../../../src/objects/gathering/local.ts";
import { judgingDeps, never, sampleOf } from "./setup.ts";

export const codes = (n: number) => Array.from({ length: n }, (_, i) => `x = ${"1".repeat(i + 1)}`);

export function open(...given: Parameters<typeof judgingDeps>) {
  const deps = judgingDeps(...given);
  const rooms = createLocalRooms(deps);
  const join = (code: string, more: Parameters<typeof sampleOf>[1] = {}, signal = never()) =>
    rooms.join(sampleOf(code, more), signal);
  return { deps, rooms, join };
}
