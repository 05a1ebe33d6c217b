// The steps that replace a key without a gap: the new one beside the old, and later the old away.
import { setTimeout as sleep } from "node:timers/promises";
import { type Run, type Step, StepFault } from "./run.ts";
import { newKey, putSecrets, showKey } from "./secrets.ts";

/** The entries of API_KEYS: as given, or as noted when they were set. */
function entriesOf({ values }: Run): string[] {
  const keys = values.get("API_KEYS") ?? values.notes().api_keys;
  if (keys === undefined) {
    throw new StepFault(
      "which keys there are is not known on this machine, and Cloudflare shows no secret",
      "give the present API_KEYS as an environment variable",
    );
  }
  return keys.split(/[\s,]+/).filter((entry) => entry !== "");
}

const nameOf = (entry: string) => entry.split(":")[0] as string;
const scopesOf = (entry: string) => entry.split(":").slice(2).join(":");

function entriesNamed(run: Run, name: string): string[] {
  const all = entriesOf(run);
  const named = all.filter((entry) => nameOf(entry) === name);
  const names = [...new Set(all.map(nameOf))].join(", ");
  if (named.length === 0) throw new StepFault(`there is no key ${name}`, `name one of ${names}`);
  return named;
}

const PROBE_MS = 500;

/** Waits until the deployment lets the key in. */
async function untilLetIn({ flags, values }: Run, key: string): Promise<void> {
  const url = flags.url || values.notes().url;
  if (!url) throw new StepFault("the key is set; its address is not known on this machine", "try the key yourself");
  const until = performance.now() + flags.wait * 1000;
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const reply = await fetch(`${url}/v1/runs`, { headers }).catch(() => null);
    // A key with other scopes is let in and refused the page.
    if (reply !== null && [200, 403].includes(reply.status)) return;
    if (performance.now() >= until) {
      throw new StepFault(`the new key is set, but ${url} answers it ${reply?.status ?? "nothing"}`, "try it again");
    }
    await sleep(PROBE_MS);
  }
}

/** @returns the step that adds a key of the name beside the one there is */
export const rotate = (name: string): Step => ({
  name: "rotate key",
  remedy: "look at the reason; the old key goes on working",
  async check(run) {
    const [, ...others] = entriesNamed(run, name);
    if (others.length > 0) {
      throw new StepFault(`${name} has ${others.length + 1} keys already`, run.command(`--retire-key ${name}`));
    }
    return { todo: `a second key for ${name}; the first goes on working` };
  },
  async act(run) {
    const [old = ""] = entriesNamed(run, name);
    const { key, entry } = newKey(name);
    const scopes = scopesOf(old);
    showKey(run, name, key);
    await putSecrets(run, { API_KEYS: [...entriesOf(run), scopes === "" ? entry : `${entry}:${scopes}`].join(",") });
    await untilLetIn(run, key);
    return `both work; when its users have the new one: ${run.command(`--retire-key ${name}`)}`;
  },
});

/** @returns the step that takes away all keys of the name but the newest */
export const retire = (name: string): Step => ({
  name: "retire key",
  remedy: "look at the reason; both keys go on working",
  async check(run) {
    const named = entriesNamed(run, name);
    return named.length === 1 ? { done: `${name} has one key` } : { todo: `take the older key of ${name} away` };
  },
  async act(run) {
    const newest = entriesNamed(run, name).at(-1);
    const remaining = entriesOf(run).filter((entry) => nameOf(entry) !== name || entry === newest);
    await putSecrets(run, { API_KEYS: remaining.join(",") });
    return `${name} has one key`;
  },
});
