// Reads a Dockerfile into stages of instructions, as far as ours go: comments, continued lines, ARG with a
// default, JSON and plain forms.

export interface Instruction {
  word: string;
  /** `--from=x` and the like. */
  flags: Readonly<Record<string, string>>;
  /** For `[".."]` its items, else the words; for RUN the one text. */
  args: readonly string[];
}

export interface Stage {
  name: string;
  from: string;
  platform: string | null;
  instructions: readonly Instruction[];
}

/** @throws Error for an instruction in front of the first FROM that is not an ARG */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, " ")
    .split("\n");
  const args = new Map<string, string>();
  const stages: { stage: Omit<Stage, "instructions">; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const instruction = instructionOf(line);
    const { word, flags } = instruction;
    if (word === "FROM") {
      const [image = "", , name = `${stages.length}`] = instruction.args;
      const from = image.replace(/^\$\{(\w+)\}$/, (_, arg) => args.get(arg) ?? "");
      stages.push({ stage: { name, from, platform: flags.platform ?? null }, instructions: [] });
    } else if (stages.length > 0) stages.at(-1)?.instructions.push(instruction);
    else if (word === "ARG") args.set(...((instruction.args[0] as string).split("=") as [string, string]));
    else throw new Error(`${word} comes before FROM`);
  }
  return stages.map(({ stage, instructions }) => ({ ...stage, instructions }));
}

function instructionOf(line: string): Instruction {
  const [, word = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
  const flags: Record<string, string> = {};
  let text = rest;
  for (let flag = /^--([\w-]+)=(\S+)\s+/.exec(text); flag !== null; flag = /^--([\w-]+)=(\S+)\s+/.exec(text)) {
    flags[flag[1] as string] = flag[2] as string;
    text = text.slice(flag[0].length);
  }
  if (word === "RUN") return { word, flags, args: [text] };
  const listed = /^(?:CMD )?(\[.*\])$/.exec(text);
  return { word, flags, args: listed === null ? text.split(/\s+/) : (JSON.parse(listed[1] as string) as string[]) };
}
