// Creates a command's output folder and checks that the results can be written, before the work starts.
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The output folder is not writable. The message names the flag, the folder and the reason. */
export class FolderFault extends Error {}

/**
 * Creates `folder` if it is missing and checks that each of `files` can be written in it. Existing files keep
 * their content.
 * @param flag the flag that names the folder, e.g. `--out`
 * @throws FolderFault, after removing the folders that this call created
 */
export function makeFolder(flag: string, folder: string, files: readonly string[] = []): void {
  const path = resolve(folder);
  const made: string[] = [];
  try {
    make(path, made);
    const probe = join(path, `.kritai-${process.pid}`);
    writeFileSync(probe, "");
    rmSync(probe);
    for (const name of files) assertFile(join(path, name));
  } catch (fault) {
    for (const created of made.reverse()) rmdirSync(created);
    throw new FolderFault(`${flag} ${folder} cannot be written to: ${(fault as Error).message}`);
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Creates missing folders one by one: Node's `recursive` option loops forever on a file system that creates
 * none, such as /proc.
 */
function make(path: string, made: string[]): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) return;
  if (there !== undefined) throw new Error(`${path} is a file, not a folder`);
  make(dirname(path), made);
  try {
    mkdirSync(path);
    made.push(path);
  } catch (fault) {
    // Another process may have created the folder in the meantime.
    if (!isFolder(path)) throw fault;
  }
}

function assertFile(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isDirectory()) throw new Error(`${path} is a folder, not a file`);
  closeSync(openSync(path, "r+"));
}
