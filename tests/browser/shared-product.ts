// The `globalSetup` that starts one product for all browser tests. Its eighteen processes take a minute of
// CPU to start and stop, which is more than most files need for all of their tests.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceDefinitions, startSandbox, type SandboxFile } from "@holdfast/sandbox";
import { bankProtocols } from "@holdfast/sandbox/banks";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    sandbox: SandboxFile;
  }
}

const SETTINGS = {
  // Long enough to get a connection on a busy machine.
  DATABASE_CONNECTION_TIMEOUT: "60s",
  // A bank that does not answer leaves an unknown outcome soon.
  ACQUIRER_TIMEOUT: "1s",
  // Two people close a difference, and end a dispute, above these.
  DIFFERENCE_TWO_PEOPLE_ABOVE: "TRY:100.00",
  CHARGEBACK_TWO_PEOPLE_ABOVE: "TRY:10.00",
};

/**
 * Called by vitest before the first test; the function returned is called after the last. The banks of every protocol
 * run.
 */
export async function setup(project: Pick<TestProject, "provide">): Promise<() => Promise<void>> {
  Object.assign(process.env, SETTINGS);
  const home = await mkdtemp(join(tmpdir(), "holdfast-browser-"));
  const sandbox = await startSandbox({
    home,
    portBase: 0,
    services: serviceDefinitions,
    banks: bankProtocols,
  });
  project.provide("sandbox", sandbox.file);
  return async () => {
    await sandbox.stop();
    await rm(home, { recursive: true, force: true });
  };
}
