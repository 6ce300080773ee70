import { execFile } from "node:child_process";
import { join } from "node:path";

/**
 * Runs a program of this repository as somebody at the command line would, and leaves this process free to see that the
 * product has closed connections meanwhile.
 *
 * @param path from the root.
 */
export async function runProgram(
  path: string,
  ...args: string[]
): Promise<{ status: number | null; stdout: string }> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(import.meta.dirname, "../..", path), ...args],
      { encoding: "utf8" },
      (_error, stdout) => resolve({ status: child.exitCode, stdout }),
    );
  });
}
