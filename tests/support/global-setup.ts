// For `globalSetup` in a vitest configuration: one PostgreSQL and one nats-server for the whole run, and a template
// database with the migrations of every service. Test files take them with `createTestDatabase()` and `inject`.
import type { TestProject } from "vitest/node";
import { startTestInfrastructure } from "./template-database.ts";

/** Called by vitest before the first test; the function returned is called after the last. */
export async function setup(project: Pick<TestProject, "provide">): Promise<() => Promise<void>> {
  const infrastructure = await startTestInfrastructure();
  project.provide("holdfast", infrastructure.provided);
  return infrastructure.stop;
}
