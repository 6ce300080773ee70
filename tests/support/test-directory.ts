// Directories of servers that tests start. Their names contain the id of the process that made them, so that
// directories of killed test runs can be told from those in use.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOver } from "./process-is-over.ts";

/** A new directory below the system's temporary one, or the given one; the caller removes it. */
export function makeTestDirectory(parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // PostgreSQL started by root may have to run as another user, who must be able to pass the directory.
  chmodSync(dir, 0o711);
  return dir;
}

/**
 * The place of a run's databases: in memory if there is plenty of it. Each test file's database is some
 * thousand files. A disk's file system (ext4) skips the places of files that were removed within seconds,
 * which took a sixth of the whole run's work.
 */
export function placeForDatabases(): string {
  return hasRoom(MEMORY) ? MEMORY : tmpdir();
}

function hasRoom(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    const { bavail, bsize } = statfsSync(place);
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM;
  } catch {
    return false;
  }
}

/** Linux's file system of shared memory. */
const MEMORY = "/dev/shm";

/** Bytes, several times a run's needs. */
const ROOM = 4 * 1024 ** 3;

/** Removes directories of processes that are over: some 40 MB for each test run that was killed. */
export function removeLeftovers(): void {
  // Directories that fill the memory may be the reason why there is no room now, so they are removed first.
  for (const parent of [tmpdir(), MEMORY].filter((place) => existsSync(place))) removeLeftoversOf(parent);
}

function removeLeftoversOf(parent: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const pid = Number(name.slice(prefix.length).split("-")[0]);
    if (!isOver(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // The directory is another user's, or another run removes it, too.
    }
  }
}

const prefix = "holdfast-test-";
