// Reads the committed example problems.
import { readFileSync } from "node:fs";

/** Reads a JSON file below `problems/`. */
export const readExample = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../problems/${path}`, import.meta.url), "utf8"));

/** A question without a program, with answers labelled by hand. */
export interface TextProblem {
  id: string;
  title: string;
  kind: string;
  question: string;
  /** A right answer, for judges that compare with a reference. */
  reference: string;
  /** The points of a good answer. */
  points: string[];
  /** `met`: indexes of the points that the answer meets. */
  answers: { text: string; met: number[]; note: string }[];
}

export const textProblems = (): TextProblem[] => readExample("texts.json");

/** The share of the points that an answer meets: its label, which no verifier sees. */
export const sharesMet = ({
  points,
  answers,
}: Pick<TextProblem, "points"> & { answers: readonly { met: number[] }[] }) =>
  answers.map(({ met }) => met.length / points.length);

/** A task for agents with recorded runs, labelled by the files that they left. */
export interface AgentTask {
  id: string;
  title: string;
  kind: string;
  prompt: string;
  /** The points of a good run. */
  points: string[];
  /** `met`: indexes of the points that the run meets. */
  runs: {
    note: string;
    met: number[];
    messages: object[];
    files?: { path: string; text: string; base: string }[];
  }[];
}

export const agentTasks = (): AgentTask[] => readExample("agents.json");

/** A task's runs as a group, with their labels. */
export const agentGroup = ({ id, prompt, points, runs }: AgentTask) => ({
  group_id: id,
  prompt,
  rollouts: runs.map(({ messages, files, met }) => ({
    messages,
    ...(files !== undefined && { files }),
    pass_rate: met.length / points.length,
  })),
});
