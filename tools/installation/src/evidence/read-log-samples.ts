import { open } from "node:fs/promises";
import { sql, type Kysely } from "kysely";

/** An audit log by what it has, and its newest line, which shows an assessor the form. */
export type AuditSample = {
  log: string;
  /** Lines by action. */
  actions: Record<string, number>;
  newest: Record<string, string> | null;
};

/** Reads the five audit logs. Their details have neither secrets nor card data. */
export async function readAuditSamples(
  db: Kysely<unknown>,
  schemas: readonly string[],
): Promise<AuditSample[]> {
  const samples: AuditSample[] = [];
  for (const schema of schemas) {
    const table = sql.table(`${schema}.audit_entry`);
    const { rows: counted } = await sql<{ action: string; lines: number }>`
      select action, count(*)::int as lines from ${table} group by 1 order by 1`.execute(db);
    const { rows } = await sql<Record<string, string>>`
      select sequence::text, to_json(at) #>> '{}' as at, actor, action, subject, detail, encode(hash, 'hex') as hash
      from ${table} order by ${sql.ref("sequence")} desc limit 1`.execute(db);
    samples.push({
      log: schema,
      actions: Object.fromEntries(counted.map(({ action, lines }) => [action, lines])),
      newest: rows[0] ?? null,
    });
  }
  return samples;
}

/** The last line of a request by a person in the searched files, or else of any request. */
export async function sampleRequest(
  files: readonly { file: string; bytes: number }[],
): Promise<string | null> {
  let any: string | null = null;
  for (const { file, bytes } of files) {
    const lines = (await endOf(file, bytes)).split("\n").filter((line) => line.includes('"msg":"request"'));
    const ofPerson = lines.findLast((line) => line.includes('"actor":"'));
    if (ofPerson !== undefined) return ofPerson;
    any ??= lines.at(-1) ?? null;
  }
  return any;
}

const END_BYTES = 1_048_576;

async function endOf(file: string, bytes: number): Promise<string> {
  await using handle = await open(file);
  const from = Math.max(0, bytes - END_BYTES);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(END_BYTES), position: from });
  return buffer.toString("utf8", 0, bytesRead);
}
