import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Replaces the file as a whole, so that a crash leaves the old one or the new one. */
export async function writeDurably(path: string, content: string | Buffer): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, "w");
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(next, path);
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
