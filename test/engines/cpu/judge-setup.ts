// Helpers shared by the tests of the CPU verifier's judge: a statement with samples, programs, a sandbox and
// a judge over it.
import { afterAll, beforeAll } from "vitest";
import { Judge } from "../../../gpu-backend/engines/cpu/judge.ts";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { createRenderer, parsePrompt, type ReadPrompt } from "../../../src/core/judges/render.ts";

export const QUESTION =
  "Add the numbers.\n\n### Sample Input 1\n```\n2\n1 2\n```\n### Sample Output 1\n```\n3\n```\n### Sample Input 2\n```\n1\n4\n```\n### Sample Output 2\n```\n4\n```\n";
export const RIGHT = "n = int(input())\nprint(sum(map(int, input().split())))";
export const WRONG = "n = int(input())\nprint(max(map(int, input().split())))";
export const NEVER = "while True: pass";

/** Both are started before a file's tests by `withJudge`. */
export let sandbox: Sandbox;
export let judge: Judge;

/** Has a file's tests run over a separate sandbox and judge. */
export function withJudge(): void {
  beforeAll(async () => {
    sandbox = await createSandbox({ workers: 1 });
    judge = new Judge(sandbox);
  });
  afterAll(() => sandbox.close());
}

export function ask(
  candidates: string[],
  more: { question?: string; language?: string | null; form?: ReadPrompt["form"] } = {},
) {
  const { question = QUESTION, language = "python", form = "exact_match" } = more;
  const [message] = createRenderer("code-select", form, { question, language, candidates })(
    candidates.map((_, i) => i),
  );
  return judge.answer(parsePrompt(message?.content ?? "") as ReadPrompt);
}
