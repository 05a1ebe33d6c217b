// Holds that queues on a full disk lose no message that they took, deliver them once somebody takes them, and
// take new ones then, without a restart. Linux, as root: the disk is a small one in memory.
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { ROOTS } from "../harness/container/root.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const CHILD = new URL("full-disk-child.ts", import.meta.url).pathname;

describe.skipIf(!ROOTS)("queues on a full disk", () => {
  it.each([
    ["queue", 100_000],
    ["queue", 1_000],
    ["others", 100_000],
    ["others", 2_000],
  ])("filled by %s, messages of %i characters: all are delivered, and new ones are taken", async (by, chars) => {
    const disk = `${folder.path}/${by}-${chars}`;
    mkdirSync(disk);
    const run = `mount -t tmpfs -o size=24m tmpfs ${disk} && exec "$0" "$@"`;
    const command = ["-m", "sh", "-c", run, process.execPath, CHILD, disk, by, String(chars)];
    const { stdout } = await promisify(execFile)("unshare", command);
    const { refused, sent, lost, again } = JSON.parse(stdout) as Record<string, number | string>;
    expect({ refused, lost, again }).toEqual({ refused: "ERR_SQLITE_ERROR", lost: 0, again: 20 });
    expect(sent).toBeGreaterThanOrEqual(50);
  });
});
