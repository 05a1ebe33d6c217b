// The image's file tree, made by the Dockerfile's own steps, one by one, each in a root that holds only what
// its stage has. For `npm ci` the checkout's packages are used: the same lock file.
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { workerd } from "../../../scripts/stack/workerd.ts";
import { ROOT } from "../imports.ts";
import { type Instruction, parseDockerfile, type Stage } from "./dockerfile.ts";
import { makeRoot, runInRoot } from "./root.ts";

export interface Image {
  root: string;
  env: Record<string, string>;
  cwd: string;
  user: number;
  stop_signal: string;
  command: readonly string[];
  health: readonly string[];
  remove(): void;
}

/** The state of one stage. */
interface State extends Omit<Image, "remove"> {}

/** Installs what the lock file names, and runs no package's script. */
const NPM_CI = /^npm ci(?: --(?:ignore-scripts|no-audit|no-fund|omit=dev|os=linux|cpu=\S.*))+$/;

export async function buildImage(path = join(ROOT, "Dockerfile")): Promise<Image> {
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, "dist/image-"));
  const stages = parseDockerfile(readFileSync(path, "utf8"));
  const built = new Map<string, State>();
  try {
    for (const stage of stages) built.set(stage.name, await buildStage(stage, join(folder, stage.name), built));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const image = built.get(stages.at(-1)?.name as string) as State;
  return { ...image, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function buildStage({ instructions }: Stage, root: string, built: ReadonlyMap<string, State>): Promise<State> {
  makeRoot(root, [workerd.default]);
  const state: State = { root, env: {}, cwd: "/", user: 0, stop_signal: "SIGTERM", command: [], health: [] };
  for (const instruction of instructions) await apply(state, instruction, built);
  return state;
}

async function apply(state: State, instruction: Instruction, built: ReadonlyMap<string, State>): Promise<void> {
  const { word, args } = instruction;
  const [first = ""] = args;
  if (word === "WORKDIR") {
    state.cwd = first;
    mkdirSync(join(state.root, first), { recursive: true });
  } else if (word === "COPY") copy(state, instruction, built);
  else if (word === "RUN") await run(state, first);
  else if (word === "ARG") state.env[first] = { x64: "amd64", arm64: "arm64" }[process.arch as "x64"];
  else if (word === "ENV")
    for (const arg of args) state.env[arg.split("=")[0] as string] = arg.slice(arg.indexOf("=") + 1);
  else if (word === "USER") state.user = Number(first.split(":")[0]);
  else if (word === "STOPSIGNAL") state.stop_signal = first;
  else if (word === "HEALTHCHECK") state.health = args;
  else if (word === "CMD") state.command = args;
  else if (!["EXPOSE", "VOLUME"].includes(word)) throw new Error(`the test knows no ${word}`);
}

async function run({ root, cwd, env }: State, command: string): Promise<void> {
  const packages = join(cwd, "node_modules");
  if (NPM_CI.test(command)) return void mkdirSync(join(root, packages));
  const folders = existsSync(join(root, packages)) ? { [packages]: join(ROOT, "node_modules") } : {};
  await runInRoot({ root, cwd, env, folders }, ["/bin/sh", "-c", command]);
}

function copy({ root, cwd }: State, { flags, args }: Instruction, built: ReadonlyMap<string, State>): void {
  const target = args.at(-1) as string;
  const to = join(root, target.startsWith("/") ? "" : cwd, target);
  for (const source of args.slice(0, -1)) {
    const from = flags.from === undefined ? ROOT : (built.get(flags.from) as State).root;
    if (flags.from === undefined && !isSent(source)) throw new Error(`.dockerignore keeps ${source} back`);
    const path = join(from, source);
    const folder = statSync(path).isDirectory();
    cpSync(path, folder || !/\/$/.test(target) ? to : join(to, basename(source)), {
      ...{ recursive: true, filter: (file) => !file.endsWith("/node_modules") || flags.from !== undefined },
    });
    if (flags.chown !== undefined) chownSync(to, Number(flags.chown.split(":")[0]), Number(flags.chown.split(":")[1]));
  }
}

/** Whether the build sees the path: ours names, after a `**`, what it lets through. */
function isSent(path: string): boolean {
  const lines = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
  return lines.some((line) => line.startsWith("!") && (path === line.slice(1) || path.startsWith(`${line.slice(1)}/`)));
}

/** Paths below `folder` of the image, for what must not be there. */
export const filesIn = (image: Image, folder: string): string[] =>
  existsSync(join(image.root, folder)) ? globSync("**/*", { cwd: join(image.root, folder) }) : [];
