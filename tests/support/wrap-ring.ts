import { wrapRingCommand } from "@holdfast/service-runtime";

/** A ring as `holdfast wrap-ring` prints it. @param env has the key's provider. */
export async function wrapRing(setting: string, ring: string, env: NodeJS.ProcessEnv): Promise<string> {
  let printed = "";
  await wrapRingCommand(
    [setting],
    env,
    (text) => (printed += text),
    async () => ring,
  );
  return printed.trim();
}
