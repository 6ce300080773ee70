// Each total outage of docs/slo.md alerts within five minutes of its beginning, and the alerts end within
// fifteen minutes of its repair, by the shipped rules. This measures time, so it needs a machine with two
// cores of its own. On a busy one `ALERTS_TIMES=4` lets time pass more slowly.
import { eventSubject } from "@holdfast/contracts";
import { connectBus } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { jetstream } from "@nats-io/jetstream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { preAuthorization, type RunningSandbox } from "../e2e/running-sandbox.ts";
import { eventually } from "../support/index.ts";
import { AlertWatch, type Page } from "./watch-alerts.ts";
import { pay, startWatchedProduct, type WatchedProduct } from "./watched-product.ts";

/** The factor by which the rules' time passes faster. */
const TIMES = Number(process.env["ALERTS_TIMES"] ?? 10);
const burnsFast = (slo: string): Page => ({ alertname: "HoldfastErrorBudgetBurnsFast", slo });

let product: WatchedProduct;
let alerts: AlertWatch;

beforeAll(async () => {
  product = await startWatchedProduct(TIMES);
  alerts = new AlertWatch(product.prometheus, TIMES);
  await eventually(async () => expect(await product.prometheus.up()).toBe(product.services.length));
});
afterAll(async () => {
  await product?.stop();
  process.stdout.write(`${alerts?.reports.join("\n")}\n`);
});

test("half an hour of health is quiet, and every rule is evaluated", async () => {
  expect(await alerts.firedWithin(30)).toEqual([]);
  await product.prometheus.expectHealthyRules();
});

test("clients that leave early are quiet", async () => {
  const { links, sandbox } = product;
  await links.bank.set({ kind: "delay", ms: 300 });
  let sent = 0;
  product.send((merchant) => (sent++ % 2 === 0 ? pay(merchant) : leaveEarly(sandbox)));
  const fired = await alerts.firedWithin(10);
  product.send(pay);
  await links.bank.heal();
  expect(fired).toEqual([]);
  const metrics = await (await fetch(`${sandbox.file.healthUrls["api-gateway"]}/metrics`)).text();
  const left = /^http_server_request_duration_seconds_count\{[^}]*http_response_status_code=""[^}]*\} (\d+)/m;
  expect(Number(left.exec(metrics)?.[1])).toBeGreaterThan(20);
});

test("a bank that refuses connections", async () => {
  await alerts.expectOutage("the bank refuses connections", {
    begin: () => product.links.bank.set({ kind: "refuse" }),
    mend: () => product.links.bank.heal(),
    pages: [{ alertname: "HoldfastBankUnreachable" }],
  });
});

test("a bank that hangs", async () => {
  await alerts.expectOutage("the bank hangs", {
    begin: () => product.links.bank.set({ kind: "blackhole" }),
    mend: () => product.links.bank.heal(),
    pages: [{ alertname: "HoldfastOutcomesUnknown" }],
  });
});

test.each([
  ["bus", "hangs", "blackhole", []],
  ["bus", "is gone", "refuse", []],
  // Commands wait for a connection to it until they are given up.
  ["database", "hangs", "blackhole", [burnsFast("own-latency")]],
  ["database", "is gone", "refuse", [burnsFast("own-latency")]],
] as const)("a %s that %s", async (link, what, kind, also) => {
  await alerts.expectOutage(`the ${link} ${what}`, {
    begin: () => product.links[link].set({ kind }),
    mend: () => product.links[link].heal(),
    pages: [burnsFast("merchant-availability")],
    also: [...also],
  });
});

test("a database that answers slowly", async () => {
  await alerts.expectOutage("the database is slow", {
    begin: () => product.links.database.set({ kind: "delay", ms: 250 }),
    mend: () => product.links.database.heal(),
    pages: [burnsFast("own-latency")],
    // Some commands do not end in their time.
    also: [burnsFast("merchant-availability")],
  });
});

test.each([
  ["payments", "hang"],
  ["payments", "remove"],
  ["every other service", "hang"],
  ["every other service", "remove"],
] as const)("%s: %s", async (which, act) => {
  const services = product.services.filter((service) => (service === "payments") === (which === "payments"));
  await alerts.expectOutage(`${which} ${act === "hang" ? "hangs" : "is gone"}`, {
    begin: () => services.forEach((service) => product[act](service)),
    mend: () => services.forEach((service) => product.bringBack(service)),
    pages: services.map((service) => ({
      alertname: "HoldfastServiceDown",
      app_kubernetes_io_name: service,
    })),
    also: CONSEQUENCES[which],
  });
});

/** Pages that a process down for minutes causes elsewhere: nobody answers merchants, or takes events. */
const CONSEQUENCES: Record<"payments" | "every other service", Page[]> = {
  payments: [burnsFast("merchant-availability"), { alertname: "HoldfastNoPaymentSucceeds" }],
  "every other service": [{ alertname: "HoldfastEventsUnconfirmed", source: "payments" }],
};

test("an endpoint that hangs wakes nobody", async () => {
  product.receiver.behave({ kind: "hang" });
  await eventually(() => expect(product.receiver.underway()).toBeGreaterThan(0));
  expect(await alerts.firedWithin(15, "page")).toEqual([]);
  product.receiver.behave({ kind: "status", status: 200 });
  product.receiver.dropConnections();
  await alerts.expectQuiet();
});

test("a release that refuses every payment", async () => {
  await alerts.expectOutage("every payment is refused", {
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
  await alerts.expectFiring([{ alertname: "HoldfastPoisonedMessage" }]);

  const stranger = { Authorization: "Bearer of-nobody" };
  for (let count = 0; count < 30; count++) {
    await sandbox.operator()("GET", "/operator/merchants", undefined, stranger);
  }
  await alerts.expectFiring([{ alertname: "HoldfastOperatorRefused" }]);

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
  await alerts.expectFiring([{ alertname: "HoldfastOutcomeUnknownForADay" }], 8);
  await links.bank.heal();
  await alerts.expectQuiet();
});

// This comes last, because it compares with an hour ago.
test("merchants who cannot reach the gateway", async () => {
  await alerts.expectOutage("no merchant reaches the gateway", {
    begin: () => product.send(undefined),
    mend: () => product.send(pay),
    pages: [{ alertname: "HoldfastNoPayments" }],
    within: 13,
  });
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
