#!/usr/bin/env node
/**
 * `holdfast WHAT`: every program of the product, chosen by the first argument. The file system of an image is read-only and
 * its user has no rights: credentials, identities and networks decide what a process may do, not the files it lacks.
 */
import { setSourceMapsSupport } from "node:module";
import { UsageError } from "@holdfast/service-runtime/command-line";
import { endOnSignals } from "@holdfast/service-runtime/stop-signals";
import { findProgram, HELP } from "./find-program.ts";

endOnSignals();

// This comes before the chunk of a program is loaded, so that stack traces of a bundle name the lines of the
// sources.
setSourceMapsSupport(true, { nodeModules: true });

const args = process.argv.slice(2);
if (args[0] === "--help" || args[0] === "-h") process.stdout.write(HELP);
else await run(args);

async function run(given: string[]): Promise<void> {
  try {
    const { start, rest } = findProgram(given);
    await start(rest);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`holdfast: ${error.message}\n`);
    process.exitCode = 2;
  }
}
