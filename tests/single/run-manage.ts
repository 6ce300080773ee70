import { spawn } from "node:child_process";

/** Runs deploy/single/manage with that input; answers what it printed, and the last that it said. */
export async function runManage(
  cwd: string,
  args: string[],
  input: string,
  env: NodeJS.ProcessEnv,
): Promise<{ status: number | null; output: string; said: string }> {
  const running = spawn("./manage", args, { cwd, env });
  running.stdin.on("error", () => undefined).end(input);
  const [output, said] = [running.stdout, running.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    running.on("error", reject).on("close", resolve);
  });
  return { status, output: output!(), said: said!().split("\n").slice(-40).join("\n") };
}
