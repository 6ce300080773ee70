import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The paths of all files in a directory and in those below it. */
export async function filesUnder(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
