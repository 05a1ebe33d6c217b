// `public/` as a folder that is in no commit: which files decide what it holds, whether it holds that, and
// replacing it whole.
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";

export interface BuiltFolder {
  /** Where all other paths begin. */
  root: string;
  /** Files, and folders with all that is in them, that the content is made of; more do no harm. */
  sources: readonly string[];
  folder: string;
  /** Where the last build leaves the digests of its sources and of what it wrote. */
  stamp: string;
}

/**
 * The static assets, as wrangler.toml binds them. The lock file stands for the packages whose code
 * goes into them.
 */
export const PUBLIC: BuiltFolder = {
  root: new URL("../../..", import.meta.url).pathname,
  sources: ["src", "scripts", "docs", "package.json", "package-lock.json"],
  folder: "public",
  stamp: "dist/public.sha256",
};

/** The files at `place` below `root`, in one order on every machine; none where nothing is there. */
function filesAt(root: string, place: string): string[] {
  const stats = statSync(join(root, place), { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isFile()) return [place];
  return readdirSync(join(root, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function digestOf(files: readonly string[], read: (path: string) => string | Buffer): string {
  const digest = createHash("sha256");
  for (const path of files) {
    const content = read(path);
    digest.update(`${path}\0${Buffer.byteLength(content)}\0`).update(content);
  }
  return digest.digest("hex");
}

const onDisk = (root: string) => (path: string) => readFileSync(join(root, path));

/** SHA-256 over the paths and contents of all sources. */
export function sourcesDigest({ root, sources }: BuiltFolder): string {
  const files = sources.flatMap((place) => filesAt(root, place));
  return digestOf(files, onDisk(root));
}

/** Whether the folder holds, unchanged, what was built from sources of that digest. */
export function isBuiltFrom(digest: string, { root, folder, stamp }: BuiltFolder): boolean {
  const path = join(root, stamp);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  return readFileSync(path, "utf8") === `${digest} ${digestOf(filesAt(root, folder), onDisk(root))}\n`;
}

/**
 * Makes `files`, by their paths below the folder, all that the folder holds. Each file is there in
 * whole before and after, so that whoever reads or builds beside it comes to no harm.
 */
export function replaceFolder(built: BuiltFolder, digest: string, files: Readonly<Record<string, string>>): void {
  const { root, folder, stamp } = built;
  const contents = new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
  const paths = [...contents.keys()].sort();
  const written = digestOf(paths, (path) => contents.get(path) as string);
  mkdirSync(dirname(join(root, stamp)), { recursive: true });
  const temporary = mkdtempSync(`${join(root, stamp)}-`);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(temporary, "file"), text);
    renameSync(join(temporary, "file"), join(root, path));
  };
  try {
    for (const path of paths) write(path, contents.get(path) as string);
    for (const path of filesAt(root, folder)) if (!contents.has(path)) rmSync(join(root, path), { force: true });
    write(stamp, `${digest} ${written}\n`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
