// Each total outage of docs/slo.md alerts within five minutes of its beginning and is quiet fifteen minutes after its
// mend, by the rules as they are shipped. This measures time, so it needs a machine with two cores of its own; on a
// busy one `ALERTS_TIMES=4` lets time pass more slowly.
import { eventSubject } from "@holdfast/contracts";
import { connectBus } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { jetstream } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { preAuthorization, type RunningSandbox } from "../e2e/running-sandbox.ts";
import { eventually } from "../support/index.ts";
import type { Firing } from "./prometheus.ts";
import { pay, startWatchedProduct, type WatchedProduct } from "./watched-product.ts";

/** How many times faster the rules' time passes. */
const TIMES = Number(process.env["ALERTS_TIMES"] ?? 10);
const minutes = (count: number) => (count * 60_000) / TIMES;
const WITHIN = 5;
const QUIET_AFTER = 15;

let product: WatchedProduct;
const reports: string[] = [];

beforeAll(async () => {
  product = await startWatchedProduct(TIMES);
  await eventually(async () => expect(await product.prometheus.up()).toBe(product.services.length));
});
afterAll(async () => {
  await product?.stop();
  process.stdout.write(`${reports.join("\n")}\n`);
});

test("half an hour of health is quiet, and every rule is evaluated", async () => {
  expect(await firedWithin(30)).toEqual([]);
  await product.prometheus.expectHealthyRules();
});

test("clients that leave early are quiet", async () => {
  const { links, sandbox } = product;
  await links.bank.set({ kind: "delay", ms: 300 });
  let sent = 0;
  product.send((merchant) => (sent++ % 2 === 0 ? pay(merchant) : leaveEarly(sandbox)));
  const fired = await firedWithin(10);
  product.send(pay);
  await links.bank.heal();
  expect(fired).toEqual([]);
  const metrics = await (await fetch(`${sandbox.file.healthUrls["api-gateway"]}/metrics`)).text();
  const left = /^http_server_request_duration_seconds_count\{[^}]*http_response_status_code=""[^}]*\} (\d+)/m;
  expect(Number(left.exec(metrics)?.[1])).toBeGreaterThan(20);
});

test("a bank that refuses connections", async () => {
  await expectAlert("the bank refuses connections", {
    begin: () => product.links.bank.set({ kind: "refuse" }),
    mend: () => product.links.bank.heal(),
    pages: [{ alertname: "HoldfastBankUnreachable" }],
  });
});

test("a bank that hangs", async () => {
  await expectAlert("the bank hangs", {
    begin: () => product.links.bank.set({ kind: "blackhole" }),
    mend: () => product.links.bank.heal(),
    pages: [{ alertname: "HoldfastOutcomesUnknown" }],
  });
});

test.each([
  ["bus", "hangs", "blackhole"],
  ["bus", "is gone", "refuse"],
  ["database", "hangs", "blackhole"],
  ["database", "is gone", "refuse"],
] as const)("a %s that %s", async (link, what, kind) => {
  await expectAlert(`the ${link} ${what}`, {
    begin: () => product.links[link].set({ kind }),
    mend: () => product.links[link].heal(),
    pages: [{ alertname: "HoldfastErrorBudgetBurnsFast", slo: "merchant-availability" }],
  });
});

test("a database that answers slowly", async () => {
  await expectAlert("the database is slow", {
    begin: () => product.links.database.set({ kind: "delay", ms: 250 }),
    mend: () => product.links.database.heal(),
    pages: [{ alertname: "HoldfastErrorBudgetBurnsFast", slo: "own-latency" }],
  });
});

test.each([
  ["payments", "hang"],
  ["payments", "remove"],
  ["every other service", "hang"],
  ["every other service", "remove"],
] as const)("%s: %s", async (which, act) => {
  const services = product.services.filter((service) => (service === "payments") === (which === "payments"));
  await expectAlert(`${which} ${act === "hang" ? "hangs" : "is gone"}`, {
    begin: () => services.forEach((service) => product[act](service)),
    mend: () => services.forEach((service) => product.bringBack(service)),
    pages: services.map((service) => ({
      alertname: "HoldfastServiceDown",
      app_kubernetes_io_name: service,
    })),
  });
});

test("a release that refuses every payment", async () => {
  await expectAlert("every payment is refused", {
    begin: () =>
      product.send((merchant) => merchant("POST", "/api/pre-authorization", preAuthorization({ amount: 0 }))),
    mend: () => product.send(pay),
    pages: [{ alertname: "HoldfastNoPaymentSucceeds" }],
  });
});

test("what is no outage and still has to be told: once, or for a day", async () => {
  const { sandbox, links } = product;
  const bus = await connectBus({ url: sandbox.file.natsUrl, name: "test" });
  await jetstream(bus.nats).publish(eventSubject("payments"), "no event");
  await bus.close(1_000);
  await expectFiring([{ alertname: "HoldfastPoisonedMessage" }]);

  const stranger = { Authorization: "Bearer of-nobody" };
  for (let count = 0; count < 30; count++) {
    await sandbox.operator()("GET", "/operator/merchants", undefined, stranger);
  }
  await expectFiring([{ alertname: "HoldfastOperatorRefused" }]);

  await links.bank.set({ kind: "blackhole" });
  await withClient(sandbox.file.databaseUrl, async (client) => {
    await eventually(async () => {
      const { rowCount } = await client.query(
        `update payments.payment set created_at = now() - interval '25 hours'
         where recover_at is not null and recovery_attempts > 0`,
      );
      return (rowCount ?? 0) > 0;
    });
  });
  // A ticket, which waits for five minutes itself.
  await expectFiring([{ alertname: "HoldfastOutcomeUnknownForADay" }], 8);
  await links.bank.heal();
});

// At the end, because it compares with an hour ago.
test("merchants who cannot reach the gateway", async () => {
  product.send(undefined);
  await expectFiring([{ alertname: "HoldfastNoPayments" }], 13);
  product.send(pay);
  await expectQuiet();
});

/** Sends a payment and is gone before its answer. */
async function leaveEarly({ file }: RunningSandbox): Promise<void> {
  const { apiKey, apiSecret } = file.merchants[0]!;
  await fetch(`${file.gatewayUrl}/api/pre-authorization`, {
    method: "POST",
    headers: { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret, "Content-Type": "application/json" },
    body: JSON.stringify(preAuthorization()),
    signal: AbortSignal.timeout(100),
  });
}

/** The alerts that fire during so many minutes of the rules' time. */
async function firedWithin(count: number): Promise<string[]> {
  const fired = new Set<string>();
  const until = performance.now() + minutes(count);
  await eventually(
    async () => {
      for (const alert of await firing()) fired.add(JSON.stringify(alert.labels));
      return performance.now() > until;
    },
    { withinMs: minutes(count + 1) + 30_000, everyMs: 500 },
  );
  return [...fired];
}

type Page = { alertname: string } & Record<string, string>;

/** Each page within five minutes, and none fifteen minutes after the mend. */
async function expectAlert(
  what: string,
  {
    begin,
    mend,
    pages,
  }: { begin: () => void | Promise<void>; mend: () => void | Promise<void>; pages: Page[] },
): Promise<void> {
  expect(await firingPages(), `before: ${what}`).toEqual([]);
  const begunAt = performance.now();
  try {
    await begin();
    await expectFiring(pages);
  } finally {
    await mend();
  }
  const mendedAt = performance.now();
  await expectQuiet();
  const inMinutes = (ms: number) => ((ms * TIMES) / 60_000).toFixed(1);
  const quietAfter = inMinutes(performance.now() - mendedAt);
  reports.push(
    `${what}: told after ${inMinutes(mendedAt - begunAt)} min, quiet ${quietAfter} min after its mend`,
  );
}

async function expectFiring(pages: Page[], within = WITHIN): Promise<void> {
  await eventually(
    async () => {
      const labels = (await product.prometheus.firing()).map((alert) => alert.labels);
      for (const page of pages) expect(labels).toContainEqual(expect.objectContaining(page));
    },
    { withinMs: minutes(within), everyMs: 250 },
  );
}

async function expectQuiet(): Promise<void> {
  await eventually(async () => expect(await firingPages()).toEqual([]), {
    withinMs: minutes(QUIET_AFTER),
    everyMs: 250,
  });
}

/** Without our own latency: where nothing is planted it is that of a machine shared with others; the bench measures it. */
async function firing(): Promise<Firing[]> {
  return (await product.prometheus.firing()).filter(({ labels }) => labels["slo"] !== "own-latency");
}

/** One-time notices stay for an hour, which says nothing about an outage. */
async function firingPages(): Promise<Record<string, string>[]> {
  return (await firing()).filter(({ severity }) => severity === "page").map(({ labels }) => labels);
}
