/**
 * The command that compares refunds with their reservations in `payments`, after one of the two databases was
 * restored to an earlier point. It prints each difference, and exits with 1 while one is left, or if it could
 * not compare. `--mend` mends differences that involve no doubt about money (see `mend-difference.ts`).
 *
 * DATABASE_URL=… NATS_URL=… NATS_USER=… NATS_PASSWORD=… holdfast compare-reservations [--mend]
 *
 * On the bus it signs in as the service.
 */
import { busOptions, connectBus } from "@holdfast/messaging";
import { COMMAND_CONNECTION_TIMEOUT_MS, createDatabase, createPool } from "@holdfast/postgres";
import {
  busSettings,
  commonWires,
  ConfigError,
  createLogger,
  describeError,
  flushLog,
  parseConfig,
  readCommandLine,
  refusePlaintext,
  UsageError,
  bankWaits,
} from "@holdfast/service-runtime";
import { z } from "zod";
import { findDifferences } from "./comparison/find-differences.ts";
import { DIFFERENCES, type Difference } from "./comparison/judge-reservation.ts";
import { mendDifference, type Mend, type MendDeps } from "./comparison/mend-difference.ts";
import { createReservationsPort } from "./comparison/reservations-port.ts";
import { configSchema } from "./config.ts";
import type { RefundsDatabase } from "./database.ts";
import { createPaymentsPort } from "./payments-port.ts";
import { createRefundBank } from "./refund/refund-bank.ts";

const { DATABASE_URL, ACQUIRER_TIMEOUT, LEASE_DURATION, PAYMENTS_TIMEOUT, ALLOW_PLAINTEXT } =
  configSchema.shape;
const commandSchema = z
  .object({
    DATABASE_URL,
    ACQUIRER_TIMEOUT,
    LEASE_DURATION,
    PAYMENTS_TIMEOUT,
    ALLOW_PLAINTEXT,
    ...busSettings,
  })
  .check(refusePlaintext((settings) => commonWires(settings)));

/** A younger reservation without a refund may belong to a request under way. */
const RELEASE_AFTER_MS = 86_400_000;
const LOOK_AGAIN_AFTER_MS = 1_000;

const HELP = `holdfast compare-reservations [--mend]

Compares refunds with what payments has reserved for them, and prints each difference.

  --mend   mends what can be mended without a doubt about money

exits with 1 while a difference is left
`;

export async function runCompareReservations(args: string[]): Promise<void> {
  try {
    const line = readCommandLine(args, {
      help: HELP,
      options: { mend: { type: "boolean", default: false } },
    });
    const left = line ? await compare(parseConfig(commandSchema, process.env), line.values) : 0;
    if (left > 0) process.exitCode = 1;
  } catch (error) {
    const isPlain = error instanceof ConfigError || error instanceof UsageError;
    process.stderr.write(`refunds: ${isPlain ? error.message : JSON.stringify(describeError(error))}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** @returns how many differences are left. */
async function compare(config: z.infer<typeof commandSchema>, { mend }: { mend: boolean }): Promise<number> {
  const log = createLogger("refunds", "error");
  const pool = createPool({
    url: config.DATABASE_URL,
    connectionsMax: 2,
    connectionTimeoutMs: COMMAND_CONNECTION_TIMEOUT_MS,
    applicationName: "refunds-compare",
    log,
  });
  const bus = await connectBus({ ...busOptions(config), name: "refunds-compare" });
  const db = createDatabase<RefundsDatabase>(pool);
  const deps: MendDeps = {
    db,
    bank: createRefundBank(bus),
    payments: createPaymentsPort(bus, { timeoutMs: config.PAYMENTS_TIMEOUT }),
    releaseAfterMs: RELEASE_AFTER_MS,
    acquirerTimeoutMs: bankWaits(config).leaseMs / 3,
    now: Date.now,
  };
  const reservations = createReservationsPort(bus, { timeoutMs: config.PAYMENTS_TIMEOUT });
  let left = 0;
  try {
    const looking = { db, reservations, lookAgainAfterMs: LOOK_AGAIN_AFTER_MS };
    const compared = await findDifferences(looking, async (difference) => {
      const result = await mendDifference(deps, difference, { dryRun: !mend });
      if (result.mended === false) left++;
      process.stdout.write(`${lineOf(difference, result)}\n`);
    });
    process.stdout.write(
      `${compared.refunds} refunds and ${compared.reservations} reservations compared, ${left} differ\n`,
    );
    return left;
  } finally {
    await bus.close(1_000);
    await pool.end();
    await flushLog(log);
  }
}

function lineOf({ kind, refundId, refund, reservation }: Difference, mend: Mend): string {
  const paymentId = refund?.payment_id ?? reservation?.paymentId;
  const amount = refund?.amount_minor ?? BigInt(reservation?.amountMinor ?? "0");
  const states = `refund ${refund?.state ?? "none"}, reservation ${reservation?.state ?? "none"}`;
  const result = mend.mended === false ? mend.why : `it is ${mend.mended} now`;
  return `${kind}: refund ${refundId} of payment ${paymentId}, ${amount} minor units (${states}): ${DIFFERENCES[kind]}; ${result}`;
}
