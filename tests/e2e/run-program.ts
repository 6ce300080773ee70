import { execFile } from "node:child_process";
import { join } from "node:path";
import { holdfast } from "../support/index.ts";

type Ended = { status: number | null; stdout: string };

/**
 * Runs a program of this repository as from the command line, and leaves this process free to see that the product has
 * closed connections meanwhile.
 *
 * @param path from the root.
 */
export async function runProgram(path: string, ...args: string[]): Promise<Ended> {
  return await run([process.execPath, join(import.meta.dirname, "../..", path), ...args]);
}

/** Runs a program of the product. */
export async function runHoldfast(...args: string[]): Promise<Ended> {
  return await run(await holdfast(...args));
}

async function run([node = "", ...args]: string[]): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = execFile(node, args, { encoding: "utf8" }, (_error, stdout) =>
      resolve({ status: child.exitCode, stdout }),
    );
  });
}
