import { renameSync, rmSync, writeFileSync } from "node:fs";

/** Replaces a file by rename, so that no reader ever sees half of it. */
export function replaceFile(file: string, content: string, mode: number): void {
  const unfinished = `${file}.new`;
  // Removed first, because the mode of a file that is already there would stay as it is.
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, content, { mode });
  renameSync(unfinished, file);
}
