// Sets up the app over fakes for the route tests.

import { completeDeps, type GivenDeps } from "../../../src/api/door/complete-deps.ts";
import { createApp } from "../../../src/app.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import {
  builtAssets,
  fakeRunLog,
  fakeSpecStore,
  fakeVerifier,
  fixedClock,
  preferring,
  type Script,
} from "../../harness/fakes.ts";
import { labTemplates } from "../../harness/lab-templates.ts";

export const fenced = (code: string) => `Here.\n\`\`\`python\n${code}\n\`\`\``;

/** The better of two programs is the longer one, in all route tests. */
export const longest: Script = preferring((candidate) => candidate.length);

export function setUp(deps: Partial<GivenDeps> & { script?: Script } = {}) {
  const { script = longest, ...given } = deps;
  const parts = {
    verifier: fakeVerifier(script),
    runLog: fakeRunLog(),
    specs: fakeSpecStore(),
    templates: labTemplates(),
    // A deadline counted from 0 would be over for a verifier on the runtime's clock once the process is old.
    clock: fixedClock(undefined, systemClock.now()),
    timers: systemClock as Timers,
    assets: builtAssets,
    keys: [],
    lines: [] as Record<string, unknown>[],
  };
  const app = createApp(completeDeps({ ...parts, report: (line) => parts.lines.push(line), ...given }));
  const call = (path: string, init: RequestInit = {}) => app.request(`http://localhost${path}`, init);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { ...parts, app, call, post };
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  retryable: boolean;
  errors?: { path: string; message: string }[];
}

/** The problem document of a reply, after checking that it is one. */
export async function problemOf(response: Response): Promise<Problem> {
  const type = response.headers.get("content-type");
  if (type !== "application/problem+json") throw new Error(`not a problem document: ${response.status} ${type}`);
  const problem = (await response.json()) as Problem;
  if (problem.status !== response.status) throw new Error("the document's status is not the reply's");
  if (problem.request_id !== response.headers.get("x-request-id")) throw new Error("the request ids differ");
  if (!new RegExp(`^http://[^/]+/docs/errors#${problem.code}$`).test(problem.type))
    throw new Error(`type is ${problem.type}`);
  return problem;
}

export const twoRollouts = () => ({
  groups: [{ prompt: "Sum the list.", rollouts: [{ text: fenced("sum(xs) + 0") }, { text: fenced("0") }] }],
});
