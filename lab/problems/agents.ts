// The recording of agents' runs: the moves of `problems/agents/tasks.json` are made in a fresh copy of their
// task's folder, by real commands, and what the folder is like then gives the labels.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentTask } from "../../scripts/stack/examples.ts";

const AGENTS_DIR = new URL("../../problems/agents/", import.meta.url).pathname;
export const AGENTS_FILE = new URL("../../problems/agents.json", import.meta.url);
const COMMAND_MS = 20_000;

interface Move {
  say: string;
  /** A command of bash; absent: the agent has ended. */
  run?: string;
}

interface TaskSource {
  id: string;
  title: string;
  prompt: string;
  setup: string;
  points: { point: string; check?: string }[];
  shown_files: string[];
  runs: { note: string; true_at_the_end: boolean; moves: Move[] }[];
}

/** A command's output, and its exit code where it is not 0. */
function bash(command: string, folder: string, original: string): { output: string; code: number | null } {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    LC_ALL: "C",
    HOME: folder,
    ORIGINAL: original,
  };
  const { status, stdout } = spawnSync("bash", ["-c", `exec 2>&1\n${command}`], {
    ...{ cwd: folder, env, encoding: "utf8", timeout: COMMAND_MS },
  });
  const output = stdout.replaceAll(folder, "/home/agent/work").trimEnd();
  return { output: status === 0 ? output : `${output}\n(exit code ${status})`.trimStart(), code: status };
}

/** A run as chat messages with their calls and results. */
function messagesOf(moves: readonly Move[], folder: string, original: string): object[] {
  return moves.flatMap(({ say, run }, i) => {
    if (run === undefined) return [{ role: "assistant", content: say }];
    const call = { id: `c${i + 1}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ run }) } };
    return [
      { role: "assistant", content: say, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: bash(run, folder, original).output },
    ];
  });
}

const read = (folder: string, path: string): string =>
  existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : "";

/** Copies of the task's folder, made ready, for as long as `work` takes. */
function inFolders<T>({ id, setup }: TaskSource, work: (folder: string, original: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), "kritai-agents-"));
  try {
    const [folder, original] = ["work", "original"].map((name) => join(root, name)) as [string, string];
    for (const copy of [folder, original]) {
      mkdirSync(copy);
      cpSync(join(AGENTS_DIR, id), copy, { recursive: true });
      if (setup !== "" && bash(setup, copy, copy).code !== 0) throw new Error(`${id}: its setup command fails`);
    }
    return work(folder, original);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function recordRun(task: TaskSource, { note, true_at_the_end, moves }: TaskSource["runs"][number]) {
  return inFolders(task, (folder, original) => {
    const messages = messagesOf(moves, folder, original);
    const files = task.shown_files.map((path) => ({ path, text: read(folder, path), base: read(original, path) }));
    const met = task.points.flatMap(({ check }, i) => {
      const holds = check === undefined ? true_at_the_end : bash(check, folder, original).code === 0;
      return holds ? [i] : [];
    });
    return { note, met, messages, ...(files.length > 0 && { files }) };
  });
}

/** Every task with its runs as they were recorded now. */
export function recordAgents(): AgentTask[] {
  const tasks: TaskSource[] = JSON.parse(readFileSync(join(AGENTS_DIR, "tasks.json"), "utf8"));
  return tasks.map((task) => ({
    ...{ id: task.id, title: task.title, kind: "agent", prompt: task.prompt },
    points: task.points.map(({ point }) => point),
    runs: task.runs.map((run) => recordRun(task, run)),
  }));
}

/** The recorded runs as a file. */
export const agentsFile = () => ({ file: AGENTS_FILE, text: `${JSON.stringify(recordAgents(), null, 2)}\n` });
