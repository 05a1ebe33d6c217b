// Runs the steps in order: each one prints what exists and what it would do, and with --yes does it. The
// first failure ends the run with the step's name, the reason and the next command.
import type { Target } from "./target.ts";
import type { Values } from "./values.ts";
import type { WranglerReply } from "./wrangler.ts";

export interface Run {
  target: Target;
  values: Values;
  flags: { yes: boolean; url: string; wait: number; set: readonly string[]; name: string };
  wrangler(args: readonly string[], input?: string): Promise<WranglerReply>;
  say(line: string): void;
  /** The next command for a person to type: the flags of this run, or `flags` in place of a key's flags. */
  command(flags?: string): string;
  /** Results of earlier steps, for later ones. */
  found: Found;
}

interface Found {
  /** The account's id; empty until known. */
  account: string;
  /** Names of the secrets that the Worker has. */
  secrets: Set<string>;
  /** The Worker's versions; empty without a Worker. */
  versions: Version[];
  /** The deployed version. */
  active: Version | null;
  /** Existing queues. */
  queues: Set<string>;
  /** Queues with a consumer. */
  consumed: Set<string>;
  /** Whether the deployed code matches the sources. */
  current: boolean;
  /** The API key generated in this run, or KRITAI_API_KEY; empty: none. */
  key: string;
}

export interface Version {
  id: string;
  number: number;
  /** Content tag; null for a version that `npm run deploy` did not create. */
  tag: string | null;
  created_on: string;
}

/** `done`: there is nothing to do. `later`: known only after the earlier steps. */
export type State = { done: string } | { todo: string } | { later: string };

export interface Step {
  name: string;
  check(run: Run): Promise<State>;
  /** Does what `check` returned as `todo`; returns what it did. */
  act?(run: Run): Promise<string>;
  /** What to do after a failure that carries no remedy. */
  remedy: string;
}

/** A failed step. */
export class StepFault extends Error {
  /** What to do next; null: the step's `remedy`. */
  readonly next: string | null;
  constructor(reason: string, next: string | null = null) {
    super(reason);
    this.next = next;
  }
}

/** @throws StepFault if wrangler failed */
export function orFault(reply: WranglerReply, next: string | null = null): WranglerReply {
  if (!reply.ok) throw new StepFault(reply.reason, next);
  return reply;
}

/**
 * Runs the steps in order.
 * @returns the exit status: 1 after a failure
 */
export async function runSteps(steps: readonly Step[], run: Run): Promise<number> {
  const width = Math.max(...steps.map(({ name }) => name.length));
  let changes = 0;
  for (const step of steps) {
    const line = (text: string) => run.say(`${step.name.padEnd(width)}  ${text}`);
    try {
      const state = await step.check(run);
      if ("todo" in state) {
        changes += 1;
        line(`${run.flags.yes ? "now" : "to do"}: ${state.todo}`);
        if (run.flags.yes && step.act !== undefined) line(`done: ${await step.act(run)}`);
      } else line("done" in state ? `ok: ${state.done}` : `later: ${state.later}`);
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      const next = (fault instanceof StepFault && fault.next) || step.remedy;
      const then = run.flags.yes
        ? run.command()
        : run
            .command()
            .replace(/ --yes$/, "")
            .replace(/ --$/, "");
      run.say(`\nstep "${step.name}" failed: ${fault.message}\nnext: ${next}\nthen run: ${then}`);
      return 1;
    }
  }
  if (changes === 0) run.say("nothing to change");
  else if (!run.flags.yes) run.say(`\nnothing was changed; to carry this out, run: ${run.command()}`);
  return 0;
}
