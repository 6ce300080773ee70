import { print, printGoal, type Bench } from "./bench.ts";
import { median } from "./figures.ts";
import type { PaymentFigures, PaymentRounds } from "./payments-bench.ts";

/** Medians of the rounds, and their ratios. */
export function reportPayments(
  { connections, rounds, seconds }: Bench,
  peak: PaymentRounds,
  gentle: PaymentRounds,
): void {
  print(`payments: ${connections} connections, ${rounds} rounds of ${seconds} s each, alternating; medians`);
  for (const [name, figures] of Object.entries(peak)) {
    print(
      `${name.padEnd(12)} ${of(figures, "perSecond").toFixed(0).padStart(6)}/s  p50 ${of(figures, "p50Ms").toFixed(1)} ms` +
        `  p99 ${of(figures, "p99Ms").toFixed(1)} ms  CPU ms per payment: ${cpuOf(figures)}`,
    );
  }
  const throughput = ratio(peak, "perSecond");
  printGoal(
    "throughput until the webhook is delivered, divided by that of the same work in one process",
    throughput.toFixed(2),
    ">= 0.75",
    throughput >= 0.75,
  );
  const orientation = of(peak["holdfast"] ?? [], "perSecond") / of(peak["no webhooks"] ?? [], "perSecond");
  print(
    `for orientation, throughput divided by that of the bare handler without webhooks: ${orientation.toFixed(2)}`,
  );
  const gatewayMs = median((peak["holdfast"] ?? []).map(({ cpuMs }) => cpuMs["api-gateway"] ?? 0));
  printGoal("CPU of the gateway per payment", `${gatewayMs.toFixed(3)} ms`, "< 0.25 ms", gatewayMs < 0.25);
  const [p50, p99] = [ratio(gentle, "p50Ms"), ratio(gentle, "p99Ms")];
  printGoal(
    "at half of each one's peak, p50 divided by that of the same work",
    p50.toFixed(2),
    "<= 3",
    p50 <= 3,
  );
  printGoal(
    "at half of each one's peak, p99 divided by that of the same work",
    p99.toFixed(2),
    "<= 4",
    p99 <= 4,
  );
}

type Field = "perSecond" | "p50Ms" | "p99Ms";

function ratio(rounds: PaymentRounds, field: Field): number {
  return of(rounds["holdfast"] ?? [], field) / of(rounds["same work"] ?? [], field);
}

function of(figures: PaymentFigures[], field: Field): number {
  return median(figures.map((figure) => figure[field]));
}

function cpuOf(figures: PaymentFigures[]): string {
  return Object.keys(figures[0]?.cpuMs ?? {})
    .map((process) => `${process} ${median(figures.map(({ cpuMs }) => cpuMs[process] ?? 0)).toFixed(3)}`)
    .join(", ");
}
