import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "@holdfast/sandbox/infrastructure";
import type { Environment } from "./start-service.ts";
import { makeTestDirectory } from "./test-directory.ts";

/** The clock of a service that runs as a process of its own, which a test can set while it runs. */
export type ShiftedClock = {
  /** The environment of the process. */
  env: Environment;
  /** Sets the clock this much ahead of the machine's. */
  set(shiftMs: number): void;
  /** `GET` of the process's health port. */
  health(path: "/readyz" | "/metrics"): Promise<{ status: number; text: string }>;
  close(): void;
};

export async function createShiftedClock(shiftMs: number): Promise<ShiftedClock> {
  const dir = makeTestDirectory();
  const file = join(dir, "shift");
  const port = await freePort();
  const set = (ms: number) => {
    // Renames the file, so that the process never reads half of it.
    writeFileSync(`${file}.new`, String(ms));
    renameSync(`${file}.new`, file);
  };
  set(shiftMs);
  return {
    env: {
      NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, "shift-clock.ts")).href}`,
      CLOCK_SHIFT_FILE: file,
      HEALTH_PORT: String(port),
    },
    set,
    async health(path) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, text: await answer.text() };
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  };
}
