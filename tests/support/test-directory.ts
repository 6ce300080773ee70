// Directories of servers that tests start. Their names hold the process that made them, so that those of killed test
// runs can be told from those in use.
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOver } from "./process-is-over.ts";

/** A new directory below the system's temporary one; whoever makes it removes it. */
export function makeTestDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  // Under root PostgreSQL may have to run as another user, who must get through.
  chmodSync(dir, 0o711);
  return dir;
}

/** Removes what processes that are over have left: some 40 MB for each test run that was killed. */
export function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length).split("-")[0]);
    if (!isOver(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's, or another run is removing it too.
    }
  }
}

const prefix = "holdfast-test-";
