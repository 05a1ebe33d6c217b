// Makes the folder that a command's results go to, and the proof that they can, before the work is done.
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A folder that cannot take results; the message names the flag, the folder and the reason. */
export class FolderFault extends Error {}

/**
 * Makes `folder` where it is missing and proves that each of `files` can be written in it. What is
 * there keeps its content.
 * @param flag that named it, e.g. `--out`. @throws FolderFault; then no folder is left that was not
 *   there before
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
 * One folder at a time: Node's own recursive way turns for ever where a file system makes none, as
 * in /proc.
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
    // Another process may have made it meanwhile.
    if (!isFolder(path)) throw fault;
  }
}

function assertFile(path: string): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isDirectory()) throw new Error(`${path} is a folder, not a file`);
  closeSync(openSync(path, "r+"));
}
