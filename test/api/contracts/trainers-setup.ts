// Helpers shared by the tests of one-sample contracts: the sample that a body becomes, and refusals.
import { fixedRooms, gathered } from "./sample-setup.ts";
import { setUp } from "./setup.ts";

/** The sample that a body becomes. */
export async function sampleOf(path: string, body: object) {
  const { rooms, joined } = fixedRooms(gathered());
  const reply = await setUp({ rooms }).post(path, body);
  if (reply.status !== 200) throw new Error(await reply.text());
  const [{ prompt, rollout, language }] = joined as [(typeof joined)[0]];
  return { prompt, rollout, language };
}
