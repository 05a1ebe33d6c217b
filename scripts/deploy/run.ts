// How steps are run: each says what there is and what it would do; with --yes it does it. The first that
// fails ends the run by its name, the reason and the next command.
import type { Target } from "./target.ts";
import type { Values } from "./values.ts";
import type { WranglerReply } from "./wrangler.ts";

export interface Run {
  target: Target;
  values: Values;
  flags: { yes: boolean; url: string; wait: number; set: readonly string[]; name: string };
  wrangler(args: readonly string[], input?: string): Promise<WranglerReply>;
  say(line: string): void;
  /** The command that goes on, with more flags, as a person types it. */
  command(flags?: string): string;
  /** The findings of steps for those behind them. */
  found: Found;
}

interface Found {
  /** The account's id, once it is known. */
  account: string;
  /** Names of the secrets that the Worker has. */
  secrets: Set<string>;
  /** The Worker's versions; empty without a Worker. */
  versions: Version[];
  /** The version that answers. */
  active: Version | null;
  /** Queues that are there. */
  queues: Set<string>;
  /** Those that a Worker reads. */
  consumed: Set<string>;
  /** Whether the code that answers is this one. */
  current: boolean;
  /** The key made in this run, or given as KRITAI_API_KEY; empty: none. */
  key: string;
}

export interface Version {
  id: string;
  number: number;
  /** Tag of the content, where a deploy of ours made it. */
  tag: string | null;
  created_on: string;
}

/** `done`: there is nothing to do. `later`: it shows only once what stands before it is done. */
export type State = { done: string } | { todo: string } | { later: string };

export interface Step {
  name: string;
  check(run: Run): Promise<State>;
  /** Does what `check` said is to do, and says what it did. */
  act?(run: Run): Promise<string>;
  /** The remedy for a failure that names none. */
  remedy: string;
}

/** A step that cannot go on. */
export class StepFault extends Error {
  /** The remedy for a person; null: the step's remedy. */
  readonly next: string | null;
  constructor(reason: string, next: string | null = null) {
    super(reason);
    this.next = next;
  }
}

/** @throws StepFault where wrangler failed */
export function orFault(reply: WranglerReply, next: string | null = null): WranglerReply {
  if (!reply.ok) throw new StepFault(reply.reason, next);
  return reply;
}

/**
 * Runs the steps in their order.
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
      run.say(`\nfailed at the step "${step.name}": ${fault.message}\nnext: ${next}\nthen: ${then}`);
      return 1;
    }
  }
  if (changes === 0) run.say("nothing to change");
  else if (!run.flags.yes)
    run.say(`\nnothing was changed; to do ${changes === 1 ? "this" : "these"}: ${run.command()}`);
  return 0;
}
