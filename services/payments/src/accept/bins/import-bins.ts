/**
 * `npm run import-bins -- FILE.csv` replaces the BIN table by a file's, whole or not at all. Running payments
 * processes use it within BIN_TABLE_REFRESH.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { appendAudit } from "@holdfast/audit";
import { createDatabase, ownersDatabaseUrl } from "@holdfast/postgres";
import { commandActor, readCommandLine, UsageError } from "@holdfast/service-runtime";
import { sql } from "kysely";
import { Pool } from "pg";
import type { PaymentsDatabase } from "../../database.ts";
import { readBinCsv, type BinFault } from "./bin-csv.ts";
import { replaceRanges } from "./bin-queries.ts";
import type { BinRange } from "./bin-table.ts";

const HELP = `npm run import-bins -- FILE.csv [--dry-run] [--database-url URL | --home DIR]

  --dry-run            check the file without importing it
  --database-url URL   connects as payments_owner (default: $MIGRATION_DATABASE_URL)
  --home DIR           uses the database of the sandbox in DIR (default: .holdfast)

The first line names the columns, in any order: bin, bin_to, card_scheme, card_type, card_sub_type, issuer, country,
loyalty_code, installments_max. docs/bins.md explains them.
`;

type Output = (text: string) => void;

/** @returns the exit code: 0 for an import or a dry run without faults, 1 when a line is at fault. */
export async function importBins(args: string[], env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(
    args,
    {
      help: HELP,
      positionals: true,
      options: {
        "dry-run": { type: "boolean", default: false },
        "database-url": { type: "string" },
        home: { type: "string", default: ".holdfast" },
      },
    },
    out,
  );
  if (!line) return 0;
  const {
    values,
    positionals: [file, ...others],
  } = line;
  if (file === undefined || others.length > 0)
    throw new UsageError("one FILE.csv is required (--help explains it)");
  const { ranges, faults, sha256 } = await readFile(file);
  if (faults.length > 0) {
    for (const { line, reason } of faults) out(`line ${line}: ${reason}\n`);
    out(`faults: ${faults.length}; nothing was imported\n`);
    return 1;
  }
  if (values["dry-run"]) {
    out(`${ranges.length} BINs and ranges without faults; nothing was imported (dry run)\n`);
    return 0;
  }
  const url = ownersDatabaseUrl(values, env);
  const actor = commandActor("import-bins", env);
  const version = await replace(url, ranges, { file: basename(file), sha256, actor });
  out(`${ranges.length} BINs and ranges imported as version ${version}\n`);
  return 0;
}

type File = { ranges: BinRange[]; faults: BinFault[]; sha256: Buffer };

async function readFile(file: string): Promise<File> {
  const hash = createHash("sha256");
  const stream = createReadStream(file);
  stream.on("data", (chunk) => void hash.update(chunk));
  const read = await readBinCsv(stream);
  return { ...read, sha256: read.faults.length === 0 ? hash.digest() : Buffer.alloc(0) };
}

async function replace(
  url: string,
  ranges: readonly BinRange[],
  { file, sha256, actor }: { file: string; sha256: Buffer; actor: string },
): Promise<number> {
  const pool = new Pool({ connectionString: url, max: 1, application_name: "import-bins" });
  await using db = createDatabase<PaymentsDatabase>(pool);
  return await db.transaction().execute(async (trx) => {
    // The owner's role has this search path by default; the sandbox's superuser does not.
    await sql`set local search_path = payments`.execute(trx);
    const version = await replaceRanges(trx, ranges, sha256);
    await appendAudit(trx, {
      actor,
      action: "bins.imported",
      subject: `bins ${version}`,
      detail: { file, sha256: sha256.toString("hex"), ranges: ranges.length },
    });
    return version;
  });
}
