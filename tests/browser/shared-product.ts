// For `globalSetup`: one product for all browser tests but those that need settings of their own. Its eighteen processes take
// a minute of CPU to start and stop, which is more than most files need for all of their tests.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceDefinitions, startSandbox, type SandboxFile } from "@holdfast/sandbox";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    sandbox: SandboxFile;
  }
}

/** What the bank does not answer is known to be unknown soon. */
process.env["ACQUIRER_TIMEOUT"] ??= "1s";

/** Called by vitest before the first test; what it returns is called after the last. */
export async function setup(project: Pick<TestProject, "provide">): Promise<() => Promise<void>> {
  const { file, stop } = await startProduct();
  project.provide("sandbox", file);
  return stop;
}

/** A product of one's own, with the banks of every protocol. */
export async function startProduct(): Promise<{ file: SandboxFile; stop: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-browser-"));
  const sandbox = await startSandbox({
    home,
    portBase: 0,
    services: serviceDefinitions,
    banks: ["nestpay", "iyzico"],
  });
  return {
    file: sandbox.file,
    async stop() {
      await sandbox.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
