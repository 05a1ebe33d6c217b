// Deploy steps that replace an API key without downtime: add a second key of the same name, later remove the
// older one.
import { setTimeout as sleep } from "node:timers/promises";
import { type Run, type Step, StepFault } from "./run.ts";
import { newKey, putSecrets, showKey } from "./secrets.ts";

/** The entries of API_KEYS: from the environment, or from the notes of the last deploy. */
function entriesOf({ values }: Run): string[] {
  const keys = values.get("API_KEYS") ?? values.notes().api_keys;
  if (keys === undefined) {
    throw new StepFault(
      "this machine has no record of the API keys, and Cloudflare does not show secrets",
      "set the environment variable API_KEYS to its current value",
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
  if (named.length === 0) throw new StepFault(`there is no key named ${name}`, `use one of ${names}`);
  return named;
}

const PROBE_MS = 500;

/** Waits until the deployment accepts the key. */
async function untilLetIn({ flags, values }: Run, key: string): Promise<void> {
  const url = flags.url || values.notes().url;
  if (!url) {
    throw new StepFault(
      "the new key is set but not tested: this machine does not know the deployment's URL",
      "send a request with the new key yourself",
    );
  }
  const until = performance.now() + flags.wait * 1000;
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const reply = await fetch(`${url}/v1/runs`, { headers }).catch(() => null);
    // 403: the key is valid, but has no scope for this page.
    if (reply !== null && [200, 403].includes(reply.status)) return;
    if (performance.now() >= until) {
      throw new StepFault(
        `the new key is set, but a request with it to ${url} got ${reply?.status ?? "no reply"}`,
        "send a request with the new key yourself in a minute",
      );
    }
    await sleep(PROBE_MS);
  }
}

/** @returns the step that adds a second key named `name` */
export const rotate = (name: string): Step => ({
  name: "rotate key",
  remedy: "fix the error above; the old key still works",
  async check(run) {
    const [, ...others] = entriesNamed(run, name);
    if (others.length > 0) {
      throw new StepFault(
        `there are already ${others.length + 1} keys named ${name}`,
        run.command(`--retire-key ${name}`),
      );
    }
    return { todo: `add a second key named ${name}; the first keeps working` };
  },
  async act(run) {
    const [old = ""] = entriesNamed(run, name);
    const { key, entry } = newKey(name);
    const scopes = scopesOf(old);
    showKey(run, name, key);
    await putSecrets(run, { API_KEYS: [...entriesOf(run), scopes === "" ? entry : `${entry}:${scopes}`].join(",") });
    await untilLetIn(run, key);
    return `both keys work; once every client uses the new one, run ${run.command(`--retire-key ${name}`)}`;
  },
});

/** @returns the step that removes all keys named `name` except the newest */
export const retire = (name: string): Step => ({
  name: "retire key",
  remedy: "fix the error above; both keys still work",
  async check(run) {
    const named = entriesNamed(run, name);
    return named.length === 1
      ? { done: `there is one key named ${name}` }
      : { todo: `remove the older key named ${name}` };
  },
  async act(run) {
    const newest = entriesNamed(run, name).at(-1);
    const remaining = entriesOf(run).filter((entry) => nameOf(entry) !== name || entry === newest);
    await putSecrets(run, { API_KEYS: remaining.join(",") });
    return `there is one key named ${name}`;
  },
});
