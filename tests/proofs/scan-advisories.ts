/**
 * `npm run scan`: asks npm's registry for advisories about the production packages of the lockfile. A
 * registry that does not answer fails the scan. It belongs to a release and not to a merge: a new advisory
 * turns yesterday's revision red.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";
import { z } from "zod";
import { ACCEPTED_ADVISORIES, auditReportSchema, judgeAdvisories } from "./advisories.ts";
import { root } from "./results.ts";

const HELP = `npm run scan -- [--save FILE | --report FILE]

Compares the production packages of package-lock.json with the advisories of npm's registry ("npm audit"). An advisory
fails unless tests/proofs/advisories.ts accepts it. Without a registry that answers, nothing is known, and it fails.

  --save FILE    also writes the registry's report, for a machine that reaches none
  --report FILE  takes that report instead of asking; refused after 7 days, or with another lockfile
`;

const DAYS_MAX = 7;
const savedSchema = z.object({
  lockfile: z.string(),
  collectedAt: z.iso.datetime(),
  report: auditReportSchema,
});

await runProgram("scan", scan);

async function scan(args: string[], _env: NodeJS.ProcessEnv, out: (text: string) => void): Promise<number> {
  const options = { save: { type: "string" }, report: { type: "string" } } as const;
  const line = readCommandLine(args, { help: HELP, options }, out);
  if (!line) return 0;
  const { save, report: file } = line.values;
  const now = new Date();
  const lockfile = createHash("sha256")
    .update(await readFile(join(root, "package-lock.json")))
    .digest("hex");
  const report = file === undefined ? await askRegistry() : await readSaved(file, { lockfile, now });
  if (save !== undefined)
    await writeFile(save, JSON.stringify({ lockfile, collectedAt: now.toISOString(), report }));
  const faults = judgeAdvisories(report, ACCEPTED_ADVISORIES, now);
  for (const fault of faults) out(`${fault}\n`);
  out(`${report.metadata.dependencies.prod} production packages, ${faults.length} faults\n`);
  return faults.length === 0 ? 0 : 1;
}

async function askRegistry() {
  const output = await new Promise<string>((resolve, reject) => {
    // Offline, npm asks nobody and reports that there is nothing.
    const args = [
      "audit",
      "--omit=dev",
      "--json",
      "--package-lock-only",
      "--fetch-retries=1",
      "--no-offline",
    ];
    // The exit code says whether there are advisories; only the output says whether npm could ask.
    execFile("npm", args, { cwd: root, maxBuffer: 64 * 1024 ** 2, timeout: 240_000 }, (error, stdout) => {
      if (stdout === "" && error) reject(error);
      else resolve(stdout);
    });
  });
  const answer: unknown = JSON.parse(output);
  const report = auditReportSchema.safeParse(answer);
  if (report.success) return report.data;
  const { message } = z.object({ message: z.string() }).catch({ message: "not a report" }).parse(answer);
  throw new Error(`no advisories could be read, so nothing is known about them: ${message}`);
}

async function readSaved(file: string, { lockfile, now }: { lockfile: string; now: Date }) {
  const saved = savedSchema.parse(JSON.parse(await readFile(file, "utf8")));
  if (saved.lockfile !== lockfile) throw new Error(`${file} is about another package-lock.json`);
  const ageMs = now.getTime() - Date.parse(saved.collectedAt);
  if (ageMs < 0 || ageMs > DAYS_MAX * 86_400_000)
    throw new Error(`${file} was collected at ${saved.collectedAt}, not within ${DAYS_MAX} days`);
  return saved.report;
}
