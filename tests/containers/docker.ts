import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Runs the `docker` command and returns its output; throws with its error output when it fails. */
export async function docker(args: string[], env: Record<string, string> = {}): Promise<string> {
  const options = {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
    timeout: COMMAND_TIMEOUT_MS,
  };
  try {
    return (await promisify(execFile)("docker", args, options)).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const said = (stderr ?? message).trimEnd().split("\n").slice(-TOLD_LINES_MAX).join("\n");
    throw new Error(`docker ${args.slice(0, 8).join(" ")} failed:\n${said}`, { cause: error });
  }
}

// A first build on a slow line.
const COMMAND_TIMEOUT_MS = 470_000;
const TOLD_LINES_MAX = 60;
