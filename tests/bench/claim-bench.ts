import type { Client } from "pg";
import { Pool } from "pg";
import {
  claimDeliveries,
  type ClaimRequest,
} from "../../services/webhook-dispatcher/src/delivery/claim-deliveries.ts";
import { insertBacklog, setPending } from "./backlog-tables.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import type { Endpoint } from "./events.ts";
import { median } from "./figures.ts";
import { whileStopped } from "./while-stopped.ts";

type Claims = MeasuredClaims & { pending: number };

/** @property cpuMs of the database for one claim; `claims` until every endpoint was looked at, which took `claimed` in all. */
export type MeasuredClaims = { medianMs: number; cpuMs: number; claims: number; claimed: number };

/**
 * The dispatcher's own claim, on its own tables, with a thousand and with a million deliveries pending: all but a few
 * of them for one dead merchant, and due before those. Each claim is rolled back; the dispatcher stands still
 * meanwhile.
 */
export async function benchClaims(
  { sandbox }: Bench,
  client: Client,
  dead: Endpoint,
  others: Endpoint[],
): Promise<void> {
  const dispatcher = sandbox.processes["webhook-dispatcher"]!;
  await whileStopped([dispatcher], async () => {
    // What it had begun to claim is over.
    await client.query("select pg_sleep(0.1)");
    const merchantIds = others.map(({ merchantId }) => merchantId);
    const results: Claims[] = [];
    for (const pending of [FEW, MANY]) {
      const { rows } = await client.query<{ count: number }>(
        "select count(*)::int as count from webhooks.event where merchant_id = $1",
        [dead.merchantId],
      );
      await insertBacklog(client, dead.merchantId, Math.max(0, pending - rows[0]!.count));
      await setPending(client, dead.merchantId, merchantIds, pending);
      results.push({ pending, ...(await measureClaims(sandbox.databaseUrl)) });
    }
    report(results);
  });
}

const FEW = 1_000;
const MANY = 1_000_000;
const CLAIMS = 40;
const WARM_UP_CLAIMS = 10;

/**
 * Claims of 500, as the dispatcher makes them: one after the other, and where it knows rooms, until every endpoint was looked
 * at. They are rolled back.
 *
 * @param rooms as the dispatcher knows them.
 */
export async function measureClaims(url: string, rooms: ClaimRequest["rooms"] = []): Promise<MeasuredClaims> {
  const pool = new Pool({ connectionString: url, max: 1, options: AS_DISPATCHER });
  try {
    const times: number[] = [];
    let [claims, claimed] = [0, 0];
    const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
    const backend = rows[0]!.pid;
    let usedBefore = 0;
    for (let index = 0; index < WARM_UP_CLAIMS + CLAIMS; index++) {
      if (index === WARM_UP_CLAIMS) usedBefore = cpuTimeMs(backend);
      await pool.query("begin");
      [claims, claimed] = [0, 0];
      let after: string | undefined;
      do {
        const startedAt = performance.now();
        const each = await claimDeliveries(pool, { limit: 500, rooms, leaseMs: 30_000, shiftMs: 0, after });
        if (index >= WARM_UP_CLAIMS) times.push(performance.now() - startedAt);
        claims++;
        claimed += each.deliveries.length;
        after = each.after;
      } while (after !== undefined && rooms.length > 0);
      await pool.query("rollback");
    }
    const cpuMs = (cpuTimeMs(backend) - usedBefore) / CLAIMS / claims;
    return { medianMs: median(times), cpuMs, claims, claimed };
  } finally {
    await pool.end();
  }
}

/** As the dispatcher's connections are: its role, its schema, and the plans it allows (see its service.ts). */
const AS_DISPATCHER = Object.entries({
  role: "webhooks_app",
  search_path: "webhooks",
  "holdfast.lease_holder": "be0c0000-0000-8000",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  jit: "off",
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

function report(results: Claims[]): void {
  for (const { pending, medianMs, claimed } of results) {
    print(
      `a claim of ${claimed} with ${String(pending).padStart(7)} pending: median ${medianMs.toFixed(2)} ms`,
    );
  }
  const [few, many] = results as [Claims, Claims];
  const ratio = many.medianMs / few.medianMs;
  printGoal("a claim with a million pending, to one with a thousand", ratio.toFixed(2), "<= 2", ratio <= 2);
  witness(
    few.claimed === many.claimed && few.claimed > 0,
    `claims of ${few.claimed} and ${many.claimed} deliveries`,
  );
}
