import { join } from "node:path";
import { commandActor, failpoint, readCommandLine, UsageError } from "@holdfast/service-runtime";
import { z } from "zod";
import { withProductDatabase } from "../database/product-database.ts";
import { ArchiveDamagedError, readManifest } from "./archive-files.ts";
import { lastWritten, writeMonth } from "./archive-month.ts";
import { attachMonth, detachMonth, type Moved } from "./move-month.ts";

const HELP = `npm run archive -- --month YYYY-MM [--out DIR] [--keep | --attach] [--database-url URL | --home DIR]

Writes the ended payments of a month, with their refunds and all that belongs to them, into DIR/YYYY-MM: CSV files with a
manifest of checksums. Then reads the files back, and removes from the database the payments that are unchanged in them.

  --month YYYY-MM      the month in which the payments were made (UTC); it must have ended half a year ago or earlier
  --out DIR            where months are archived (default: archive)
  --keep               writes the files and removes nothing
  --attach             brings a month back into the database from its files, after checking their checksums and that the
                       audit log has their manifest as the last one written for the month
  --database-url URL   the product's database, as a role that may act as the owner of each schema
                       (default: $DATABASE_ADMIN_URL with the database $DATABASE_NAME)
  --home DIR           uses the database of the sandbox in DIR (default, where neither is set: .holdfast)

exits with 0 when it is done, with 1 when some payments differ from the archive and were left as they are, with 2 when
nothing could be done
docs/archive.md explains what is archived and what stays.
`;

const AGE_MIN_MS = 180 * 86_400_000;

const argumentsSchema = z
  .object({
    month: z
      .string({ error: "--month is required" })
      .regex(/^20\d{2}-(0[1-9]|1[0-2])$/, "--month must be like 2025-01"),
    out: z.string().min(1, "--out may not be empty"),
    keep: z.boolean(),
    attach: z.boolean(),
  })
  .refine(({ keep, attach }) => !(keep && attach), "--keep and --attach exclude each other")
  .refine(
    ({ month, attach }) => attach || endOf(month) <= Date.now() - AGE_MIN_MS,
    "a month is archived half a year after its end at the earliest",
  );

function endOf(month: string): number {
  const [year, number] = month.split("-").map(Number);
  return Date.UTC(year!, number);
}

type Output = (text: string) => void;

/** @returns the exit code. @throws when files or database cannot be read, or a file is not what was archived. */
export async function archive(args: string[], env: NodeJS.ProcessEnv, out: Output): Promise<number> {
  const line = readCommandLine(
    args,
    {
      help: HELP,
      options: {
        month: { type: "string" },
        out: { type: "string", default: "archive" },
        keep: { type: "boolean", default: false },
        attach: { type: "boolean", default: false },
        "database-url": { type: "string" },
        home: { type: "string", default: ".holdfast" },
      },
    },
    out,
  );
  if (!line) return 0;
  const { values } = line;
  const parsed = argumentsSchema.safeParse(values);
  if (!parsed.success) throw new UsageError(parsed.error.issues.map(({ message }) => message).join("; "));
  const asked = { ...parsed.data, actor: commandActor("archive", env) };
  return await withProductDatabase(values, env, SESSION, (db) => carryOut(db, asked, out));
}

const SESSION = {
  application_name: "archive",
  // Times are text in the files.
  options:
    "-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1",
};

type Asked = z.infer<typeof argumentsSchema> & { actor: string };
type Db = Parameters<typeof writeMonth>[0];

async function carryOut(
  db: Db,
  { month, out: parent, keep, attach, actor }: Asked,
  out: Output,
): Promise<number> {
  const directory = join(parent, month);
  if (!attach && !(await readManifest(directory))) {
    const { payments, staying } = await writeMonth(db, { month, directory, actor });
    out(`${directory}: ${payments} payments written\n`);
    for (const [why, count] of staying) out(`  ${count} stay: ${why}\n`);
    await failpoint("installation.after_archive_files");
  }
  // The files on the disk decide which rows are moved.
  const manifest = await readManifest(directory);
  if (!manifest) throw new Error(`there is no archive in ${directory}`);
  if (manifest.month !== month) throw new Error(`${directory} is the archive of ${manifest.month}`);
  if (manifest.sha256 !== (await lastWritten(db, month)))
    throw new ArchiveDamagedError(
      `the manifest in ${directory} is not the last one that the audit log has for ${month}`,
    );
  if (keep) return 0;
  const moving = { directory, manifest, actor };
  if (attach) return report("brought back", "were there already", await attachMonth(db, moving), out);
  return report("removed from the database", "had been removed before", await detachMonth(db, moving), out);
}

function report(what: string, was: string, { moved, before, different }: Moved, out: Output): number {
  out(`${moved} payments ${what}${before > 0 ? `, ${before} ${was}` : ""}\n`);
  if (different === 0) return 0;
  out(
    `${different} payments differ between the archive and the database, or have not ended; they were left as they are\n`,
  );
  return 1;
}
