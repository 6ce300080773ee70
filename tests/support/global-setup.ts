// The `globalSetup` of a vitest configuration that starts one PostgreSQL and one nats-server for the whole
// run, and creates a template database with the migrations of every service. Test files use them by
// `createTestDatabase()` and `inject`.
import type { TestProject } from "vitest/node";
import { startTestInfrastructure } from "./template-database.ts";

/** Called by vitest before the first test; the function returned is called after the last. */
export async function setup(project: Pick<TestProject, "provide">): Promise<() => Promise<void>> {
  const infrastructure = await startTestInfrastructure();
  project.provide("holdfast", infrastructure.provided);
  return infrastructure.stop;
}
