import { appendAuditBy, type AuditRecord } from "@holdfast/audit";
import { acquireConnection, DatabaseUnavailableError } from "@holdfast/service-runtime";
import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResultRow } from "pg";

/**
 * The gateway's statements, each a transaction of its own. What can go wrong is told apart here: nothing was done
 * (`DatabaseUnavailableError`), it may have been done (`OutcomeUnknownError`), or the statement is wrong (a
 * `DatabaseError`, which is a bug).
 */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError";
  readonly code = "outcome_unknown";
}

export type Statement = QueryConfig;

/** A statement that changes nothing: when it fails on the way, it can just be repeated. */
export async function read<Row extends QueryResultRow>(pool: Pool, statement: Statement): Promise<Row[]> {
  return await run(
    pool,
    statement,
    (cause) => new DatabaseUnavailableError("the connection broke in a query", { cause }),
  );
}

/** A statement that changes something: when the connection breaks, it may have been committed. */
export async function write<Row extends QueryResultRow>(pool: Pool, statement: Statement): Promise<Row[]> {
  return await run(
    pool,
    statement,
    (cause) => new OutcomeUnknownError("the connection broke in a statement", { cause }),
  );
}

/**
 * A statement that changes something for an operator, and the audit entry that says so, in one transaction.
 *
 * @param audit what to write down, from the statement's rows; undefined where nothing was changed.
 */
export async function writeAudited<Row extends QueryResultRow>(
  pool: Pool,
  statement: Statement,
  audit: (rows: Row[]) => AuditRecord | undefined,
): Promise<Row[]> {
  const onBroken = (cause: unknown) =>
    new OutcomeUnknownError("the connection broke in a transaction", { cause });
  return await onConnection(pool, onBroken, async (connection) => {
    try {
      await connection.query("begin");
      const { rows } = await connection.query<Row>(statement);
      const record = audit(rows);
      if (record) {
        await appendAuditBy(async (text, values) => (await connection.query(text, values)).rows, record);
      }
      await connection.query("commit");
      return rows;
    } catch (error) {
      if (error instanceof DatabaseError) await connection.query("rollback");
      throw error;
    }
  });
}

async function run<Row extends QueryResultRow>(
  pool: Pool,
  statement: Statement,
  onBroken: (cause: unknown) => Error,
): Promise<Row[]> {
  return await onConnection(
    pool,
    onBroken,
    async (connection) => (await connection.query<Row>(statement)).rows,
  );
}

async function onConnection<Result>(
  pool: Pool,
  onBroken: (cause: unknown) => Error,
  work: (connection: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connection = await acquireConnection(pool);
  let broken = false;
  try {
    return await work(connection);
  } catch (error) {
    broken = !(error instanceof DatabaseError);
    if (broken) throw onBroken(error);
    if (isOutage(error as DatabaseError))
      throw new DatabaseUnavailableError("the database refused", { cause: error });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/**
 * The server itself gave up, and so has committed nothing: shutting down, out of connections or memory, or past its
 * time-outs for statements and locks (https://www.postgresql.org/docs/18/errcodes-appendix.html).
 */
function isOutage({ code = "" }: DatabaseError): boolean {
  return code.startsWith("57") || code.startsWith("53") || code === "55P03";
}
