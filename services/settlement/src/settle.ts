/** `npm run settle`: takes banks' files, and says how an account settles. HELP has its options. */
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { SettlementPreview } from "@holdfast/contracts";
import { createDatabase, ownersDatabaseUrl } from "@holdfast/postgres";
import {
  commandActor,
  createLogger,
  parseConfig,
  readCommandLine,
  UsageError,
} from "@holdfast/service-runtime";
import { Pool, types } from "pg";
import { z } from "zod";
import { createBusinessEvents } from "./business-events.ts";
import { fileChangesSetting } from "./config.ts";
import type { SettlementDatabase } from "./database.ts";
import { importFile } from "./import/import-command.ts";
import { previewFile } from "./import/preview-file.ts";
import { readMappings, SHIPPED_MAPPINGS } from "./import/mapping.ts";
import { FILE_BOUNDS, LEASE_MS } from "./import/import-leased-file.ts";
import { checkStatements, isSettled, type CheckedStatements } from "./statement/check-statements.ts";

const HELP = `npm run settle -- import FILE --account ID --mapping NAME [--preview] [--mappings DIR] [--database-url URL | --home DIR]
npm run settle -- check --from DAY --to DAY [--database-url URL | --home DIR]

import takes a bank's settlement file, whole or not at all. Running settlement services compare its lines.
check adds up, for each day and currency, all lines of the banks' files and all statements, and names the lines that are in
no statement.

  --account ID         the account that the file is about, as GET /operator/acquirer-accounts shows it
  --mapping NAME       how the file is read: generic, nestpay, iyzico, camt.053, or one of --mappings
  --preview            says what importing the file would come to, and keeps nothing
  --mappings DIR       a directory with further mappings (*.json), which may replace the shipped ones
  --from, --to DAY     the first and the last day to check, such as 2026-03-01
  --database-url URL   connects as settlement_owner (default: $MIGRATION_DATABASE_URL)
  --home DIR           uses the database of the sandbox in DIR (default: .holdfast)

docs/settlement.md explains mappings and what is compared.
`;

type Output = (text: string) => void;

const USAGE = "import FILE --account ID --mapping NAME, or check --from DAY --to DAY (--help explains both)";

/**
 * @returns the exit code. 0: the file was imported, and every line is in a statement or was left out by a
 * decision. 1: the file was refused, or a line waits or is lost.
 */
export async function settle(args: string[], env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(
    args,
    {
      help: HELP,
      positionals: true,
      options: {
        account: { type: "string" },
        mapping: { type: "string" },
        preview: { type: "boolean", default: false },
        mappings: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        "database-url": { type: "string" },
        home: { type: "string", default: ".holdfast" },
      },
    },
    out,
  );
  if (!line) return 0;
  const { values, positionals } = line;
  const [command, file] = positionals;
  const { account: accountId, mapping } = values;
  const days = z.object({ from: z.iso.date(), to: z.iso.date() }).safeParse(values).data;
  const isImport = command === "import" && file && accountId && mapping && positionals.length === 2;
  const isCheck = command === "check" && days && positionals.length === 1;
  if (!isImport && !isCheck) throw new UsageError(USAGE);
  const importedBy = commandActor("settle", env);
  const pool = new Pool({
    connectionString: ownersDatabaseUrl(values, env),
    // The owner's role has this search path by default; the sandbox's superuser does not.
    options: "-c search_path=settlement",
    max: 2,
    application_name: "settle",
    // Minor units are bigint here too.
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? BigInt : types.getTypeParser(oid, format),
    },
  });
  await using db = createDatabase<SettlementDatabase>(pool);
  const log = createLogger("settle", "error");
  if (!isImport) return reportCheck(await checkStatements(db, days!), out);
  const mappings = await readMappings([SHIPPED_MAPPINGS, ...(values.mappings ? [values.mappings] : [])]);
  const events = createBusinessEvents(log);
  const { FILE_CHANGES_TWO_PEOPLE: twoPeople } = parseConfig(
    z.object({ FILE_CHANGES_TWO_PEOPLE: fileChangesSetting }),
    env,
  );
  const deps = { db, pool, events, mappings, bounds: FILE_BOUNDS, leaseMs: LEASE_MS, twoPeople };
  if (values.preview) {
    const fileName = basename(file);
    const previewed = { accountId, mapping, fileName, open: () => createReadStream(file) };
    return reportPreview(await previewFile(deps, previewed), out);
  }
  return report(await importFile(deps, { file, accountId, mapping, importedBy }), out);
}

function reportCheck(checked: CheckedStatements, out: Output): number {
  for (const { day, currency, lines, statements, leftOut, addsUp } of checked.days) {
    if (addsUp && leftOut.length === 0) continue;
    out(`${day} ${currency}: lines ${lines}, statements ${statements} (minor units)\n`);
    for (const { why, lines: count, minor, isOpen } of leftOut)
      out(`  left out: ${minor} in ${count} lines: ${why}${isOpen ? ", open" : ""}\n`);
    if (!addsUp) out("  these do not add up: a line is in no statement, or in two\n");
  }
  for (const { importId, line, days, minor, currency } of checked.unread)
    out(
      `not readable: line ${line} of import ${importId}, ${days ?? "of an unknown day"}, ${minor === null ? "of an unknown amount" : `${minor} ${currency}`}\n`,
    );
  const faulty = checked.days.filter(
    ({ addsUp, leftOut }) => !addsUp || leftOut.some(({ isOpen }) => isOpen),
  );
  out(`${checked.days.length} days and currencies were added up, ${faulty.length} of them have open lines\n`);
  return isSettled(checked) ? 0 : 1;
}

function reportPreview(preview: SettlementPreview, out: Output): number {
  const { refusal, lines, faults, firstDay, lastDay, kinds, verdicts, differences, faultyLines } = preview;
  if (refusal) out(`it would be refused (${refusal.reason}): ${refusal.detail}\n`);
  out(`${lines} lines can be read, ${faults} cannot; days ${firstDay ?? "-"} to ${lastDay ?? "-"}\n`);
  for (const each of kinds)
    out(
      `  ${each.kind}: ${each.lines} lines, gross ${each.grossAmount}, fee ${each.feeAmount}, net ${each.netAmount} ${each.currency}\n`,
    );
  for (const [verdict, count] of Object.entries(verdicts)) out(`  ${count} lines would be ${verdict}\n`);
  for (const [kind, count] of Object.entries(differences?.opens ?? {}))
    out(`  ${count} differences would begin: ${kind}\n`);
  for (const [kind, count] of Object.entries(differences?.resolves ?? {}))
    out(`  ${count} differences would end: ${kind}\n`);
  for (const { line, reason } of faultyLines.slice(0, FAULTS_PRINTED)) out(`  line ${line}: ${reason}\n`);
  out("nothing of the file was kept\n");
  return refusal ? 1 : 0;
}

const FAULTS_PRINTED = 10;

function report(outcome: Awaited<ReturnType<typeof importFile>>, out: Output): number {
  if (outcome.outcome === "refused") {
    out(
      `${outcome.importId ? `import ${outcome.importId}: ` : ""}refused (${outcome.reason}): ${outcome.detail}\nnothing of the file was taken\n`,
    );
    return 1;
  }
  const { importId = "", lines, faults } = outcome;
  if (outcome.outcome === "taken")
    out(`import ${importId}: ${lines} lines taken, ${faults} lines with faults\n`);
  else
    out(
      `import ${importId}: ${lines} lines read, ${faults} lines with faults\nthey count once another person confirms them: POST /operator/settlements/${importId}/confirm\n`,
    );
  if (faults > 0) out(`their reasons: GET /operator/settlements/${importId}\n`);
  return 0;
}
