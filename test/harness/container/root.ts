// A root of the file system like the base image's: Node, a shell and their libraries, with nothing of this
// checkout; and processes that see no other. Linux, as root.
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Programs of the base image that Debian has everywhere and the Dockerfile's commands use. */
const PROGRAMS = ["/bin/sh", "/bin/mkdir", "/bin/cp", "/usr/bin/setpriv", "/bin/true"];
const MOUNTS = ["dev", "proc", "tmp"];

/** Whether such processes can be started here. */
export const ROOTS = process.platform === "linux" && spawnSync("unshare", ["-m", "true"]).status === 0;

function place(from: string, root: string, to = from): void {
  const target = join(root, to);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  try {
    linkSync(realpathSync(from), target);
  } catch {
    copyFileSync(from, target);
  }
}

/** The libraries of a program by the loader's own word. */
function librariesOf(program: string): string[] {
  const said = spawnSync("ldd", [program], { encoding: "utf8" }).stdout;
  return [...said.matchAll(/(\/\S+)(?= \(0x)/g)].map(([, path]) => path as string);
}

/** Makes the base in `root`, with what further programs of the image need of it. */
export function makeRoot(root: string, programs: readonly string[] = []): void {
  const found = PROGRAMS.filter((path) => existsSync(path));
  for (const path of found) place(path, root);
  place(process.execPath, root, "/usr/local/bin/node");
  const libraries = [...found, process.execPath, ...programs].flatMap(librariesOf);
  for (const path of libraries) place(path, root);
  for (const name of [...MOUNTS, "etc"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "etc/hosts"), "127.0.0.1 localhost\n");
}

export interface Confinement {
  root: string;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Folders of this machine that it sees too, read-only, by their paths there. */
  folders?: Readonly<Record<string, string>>;
  /** Nothing but the volume and /tmp can be written: what `docker run --read-only` does. */
  read_only?: { data: string; user: number };
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The command as one that sees `root` alone. */
function confined({ root, cwd, folders = {}, read_only }: Confinement, command: readonly string[]): [string, string[]] {
  const at = (name: string) => quoted(join(root, name));
  const mounts = [
    "mount --make-rprivate /",
    `mount --bind ${quoted(root)} ${quoted(root)}`,
    `mount --rbind /dev ${at("dev")}`,
    `mount --rbind /proc ${at("proc")}`,
    ...Object.entries(folders).map(([to, from]) => `mount --bind -o ro ${quoted(from)} ${at(to)}`),
    ...(read_only === undefined
      ? []
      : [
          `mount -t tmpfs tmpfs ${at("tmp")}`,
          `mount --bind ${quoted(read_only.data)} ${at("data")}`,
          `mount -o remount,bind,ro ${quoted(root)}`,
        ]),
  ];
  const user = read_only === undefined ? [] : [`--setgid=${read_only.user}`, `--setuid=${read_only.user}`];
  const inside = ["unshare", `--root=${root}`, `--wd=${cwd}`, ...user, "--", ...command];
  return ["unshare", ["-m", "sh", "-c", `${mounts.join(" && ")} && exec ${inside.map(quoted).join(" ")}`]];
}

const PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/** @throws Error with what the command said, when it fails */
export async function runInRoot(within: Confinement, command: readonly string[]): Promise<void> {
  const [program, args] = confined(within, command);
  await promisify(execFile)(program, args, { env: { ...within.env, PATH } });
}

/** The process itself is the command's: signals reach it. */
export function startInRoot(within: Confinement, command: readonly string[]): ChildProcess {
  const [program, args] = confined(within, command);
  return spawn(program, args, { env: { ...within.env, PATH }, stdio: ["ignore", "pipe", "pipe"] });
}
