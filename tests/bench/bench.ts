import type { SandboxFile } from "@holdfast/sandbox";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { setTimeout as delay } from "node:timers/promises";
import type { EventSource } from "./events.ts";
import type { Receiver } from "./receiver-client.ts";

/** The parameters of every part of the bench. */
export type Bench = {
  sandbox: SandboxFile;
  receiver: Receiver;
  events: EventSource;
  rounds: number;
  seconds: number;
  connections: number;
  /** Payments that a list has. */
  rows: number;
  /** Payments of the years before. */
  payments: number;
  /** Only shows that the part works, without waiting for idle processes. */
  quick: boolean;
};

/** Time for which each side works before anything counts: connections are open by then, and hot code is compiled. */
export const WARM_UP_S = 10;

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the counts of the witnesses. Where they differ no figure of this part counts, and the bench fails. */
export function witness(agrees: boolean, line: string): void {
  print(`counts: ${line}`);
  if (agrees) return;
  print("the counts above do not agree: the figures of this part do not count");
  process.exitCode = 1;
}

/**
 * Prints a figure beside its goal. Machines differ and a busy one is slow, so a missed goal fails nothing.
 */
export function printGoal(what: string, figure: string, goal: string, reached: boolean): void {
  print(`${what}: ${figure} (goal ${goal}: ${reached ? "reached" : "MISSED"})`);
}

/**
 * Waits until no delivery is pending and the owner knows of all. The outbox is asked as its two partial indexes are
 * made: otherwise each question reads the events published in years, and its CPU time is counted as the payments'.
 *
 * @returns true once all is settled, false after the timeout.
 */
export async function settled({ sandbox }: Bench, timeoutMs = 20_000): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  return await withClient(sandbox.databaseUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ settled: boolean }>(
        `select not exists (select from webhooks.delivery)
           and not exists (select from payments.outbox where confirmed_at is null and publish_attempts = 0)
           and not exists (select from payments.outbox where confirmed_at is null and publish_attempts > 0) as settled`,
      );
      if (rows[0]!.settled) return true;
      if (performance.now() > deadline) return false;
      await delay(50);
    }
  });
}
