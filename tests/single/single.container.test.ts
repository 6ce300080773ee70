// An hour of one machine's life in minutes, by the commands of docs/single-machine.md: install, first payment, back-up, loss
// of the volume, restore, and an update, a rollback, stops and kills under two payments a second.
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startReceiver, type Receipt, type Receiver } from "@holdfast/merchant-receiver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { docker } from "../containers/docker.ts";
import { payThroughOutages } from "../containers/pay-through-outages.ts";
import { preAuthorization, type Client } from "../e2e/running-sandbox.ts";
import { eventually } from "../support/index.ts";
import { approvedAtBank, kill, layOutOneMachine, PROJECT, query, type OneMachine } from "./one-machine.ts";

const CONTAINERS = ["core", "edge", "nats", "postgres", "caddy"] as const;
/** Longer than a drain, an update's migrations and a start on a busy machine. */
const OUTAGE_SECONDS_MAX = 120;

let machine: OneMachine;
let merchant: Client;
let receiver: Receiver | undefined;
const receipts: Receipt[] = [];
/** Payments that were answered 201, by id. */
const paid: string[] = [];

beforeAll(async () => {
  machine = await layOutOneMachine();
  const image = ["--tag", "holdfast/simulators:single-test", "--build-arg", "NODE_IMAGE=node:26-slim"];
  await docker(["build", "--target", "simulators", ...image, machine.git("rev-parse", "--show-toplevel")]);
});
afterAll(async () => {
  await receiver?.close();
  await machine?.dispose();
});

async function pay(key: string): Promise<void> {
  const body = preAuthorization({ amount: 100, orderId: key });
  const answer = await merchant("POST", "/api/payment", body, { "Idempotency-Key": key });
  expect([answer.status, answer.body.status]).toEqual([201, "SUCCESS"]);
  paid.push(answer.body.paymentId as string);
}

/** Payments whose success the merchant has been told, by a webhook that is genuine. */
const told = () =>
  new Set(
    receipts
      .filter(({ verdict }) => verdict.valid)
      .map(({ received }) => JSON.parse(Buffer.from(received.body).toString()) as Record<string, string>)
      .filter(({ status }) => status === "SUCCESS")
      .map(({ paymentId }) => paymentId!),
  );

/** Expects each payment once at the bank and once here, and the merchant's webhook about it. */
async function expectNothingLostOrDoubled(): Promise<void> {
  await eventually(() => expect(paid.filter((id) => !told().has(id))).toEqual([]), { withinMs: 120_000 });
  for (const id of paid)
    expect(await merchant("GET", `/api/payment/${id}`)).toMatchObject({ body: { status: "SUCCESS" } });
  expect((await approvedAtBank(machine.manage)).toSorted()).toEqual(
    paid.map((id) => `sale ${id}`).toSorted(),
  );
}

test("an installation by the page ends with TLS, and no stranger let in", async () => {
  await machine.manage("prepare");
  await machine.manage("up");
  const running = await machine.manage("compose", "ps");
  for (const name of CONTAINERS) expect(running).toMatch(new RegExp(`${PROJECT}-${name}-1 .*Up`));
  expect(await machine.refusal("status")).toContain("there is no base back-up");
  expect(await machine.probe("api.shop.test", "/api/payment/none")).toBe(401);
  expect(await machine.probe("pay.shop.test", "/checkout/none")).toBe(404);
  expect(await machine.probe("console.shop.test", "/logged-out")).toBe(200);
});

test("an account at a bank, a merchant and a webhook endpoint lead to the first payment", async () => {
  const account = await machine.operator("ada", "POST", "/operator/acquirer-accounts", {
    protocol: "sim",
    name: "Bank",
    default: true,
    currencies: ["TRY"],
    settings: { url: "http://acquirer-simulator:8083" },
    secrets: {},
  });
  const confirm = `/operator/acquirer-accounts/${account["accountId"]}/confirm`;
  await expect(machine.operator("ada", "POST", confirm, { version: 1 })).rejects.toThrow("answered 4");
  await machine.operator("ben", "POST", confirm, { version: 1 });
  const created = await machine.operator("ada", "POST", "/operator/merchants", { name: "Grocer" });
  merchant = machine.merchant(created);
  const url = `https://hooks.shop.test:${machine.receiverPort}/webhooks`;
  const webhook = `/operator/merchants/${created["merchantId"]}/webhook`;
  const { secret = "" } = await machine.operator("ada", "PUT", webhook, { url });
  receiver = await startReceiver({
    cert: readFileSync(machine.certificates.certFile),
    key: readFileSync(machine.certificates.keyFile),
    host: "0.0.0.0",
    port: machine.receiverPort,
    secret,
    onReceipt: (receipt) => void receipts.push(receipt),
  });
  await eventually(() => pay("first"));
  await expectNothingLostOrDoubled();
});

test("evidence has the settings of every service, the schemas and the logs, and no card number", async () => {
  // Without TLS inside, there is always a finding.
  await machine.refusal("evidence", "--scan-minutes", "1");
  const evidence = JSON.parse(readFileSync(join(machine.single, "evidence", "evidence.json"), "utf8"));
  expect(evidence.installation.processes).toHaveLength(9);
  expect(evidence.settings.map(({ inForce }: { inForce: object }) => inForce)).not.toContainEqual({});
  expect(evidence.audit).toMatchObject({ intact: true, anchored: true });
  expect(evidence.cardNumbers).toMatchObject({ database: { found: [] }, files: { found: [], unread: [] } });
  const files = evidence.cardNumbers.files.files.map(({ file }: { file: string }) => file);
  expect(files).toEqual(
    expect.arrayContaining(["/logs/core", "/logs/edge", expect.stringMatching(/^\/stream\//)]),
  );
});

test("after a back-up and the loss of the database's volume a restore has every payment", async () => {
  await machine.manage("backup");
  expect(await machine.manage("status")).toMatch(/last archived change: \d/);
  for (let order = 0; order < 10; order++) await pay(`before-loss-${order}`);
  const segment = await query(machine.manage, "postgres", "select pg_walfile_name(pg_switch_wal())");
  await eventually(() => existsSync(join(machine.backupDir, "wal", `${segment}.gz`)));

  await machine.manage("compose", "rm", "--force", "--stop", "postgres");
  await docker(["volume", "rm", `${PROJECT}_postgres-data`]);
  await machine.manage("restore");
  expect(await machine.manage("command", "refunds", "compare-reservations")).toBeDefined();
  await machine.manage("up");
  await eventually(() => pay("after-restore"));
  await expectNothingLostOrDoubled();
});

test("new secrets beside a live database are refused by name, and nothing is written", async () => {
  const { single } = machine;
  const [all, away] = [join(single, "secrets", "all"), join(single, "secrets", "all.away")];
  renameSync(all, away);
  try {
    expect(await machine.refusal("prepare")).toContain("secrets/all is lost, which opens the database");
    expect(existsSync(all)).toBe(false);
  } finally {
    renameSync(away, all);
  }
});

test("an update, its rollback, stops and kills lose and double no payment", async () => {
  const payments = payThroughOutages(merchant, OUTAGE_SECONDS_MAX * 1_000);
  const next = machine.nextRevision(
    "services/payments/migrations/0002-drill.sql",
    "alter table payments.payment add column drill text;\n",
  );
  const columns = `select count(*) from information_schema.columns where column_name = 'drill'`;
  const added = () => query(machine.manage, "holdfast", columns);

  await payments.step("nothing", async () => {});
  await payments.step("update", () => machine.manage("update", next));
  expect(await added()).toBe("1");
  expect(machine.git("rev-parse", "HEAD")).toBe(next);
  await payments.step("rollback", () => machine.manage("rollback"));
  expect(await added()).toBe("1");
  expect(machine.git("rev-parse", "HEAD")).not.toBe(next);
  for (const name of CONTAINERS) {
    await payments.step(`${name} is stopped and started`, () => machine.manage("compose", "restart", name));
    await payments.step(`${name} is killed`, () => kill(machine.manage, name));
  }
  const done = await payments.stop();
  process.stdout.write(payments.table());
  paid.push(...done.map(({ paymentId }) => paymentId));
  const statuses = new Set(done.flatMap(({ statuses: each }) => each));
  expect(
    [...statuses].filter((status) => ![201, 202, 409, 502, 503, 504, "no answer"].includes(status)),
  ).toEqual([]);
  await expectNothingLostOrDoubled();
  expect(await machine.manage("verify-audit")).toBeDefined();
});

test("a back-up whose disk is not mounted is refused by name, while payments go on", async () => {
  const mark = join(machine.backupDir, "holdfast");
  rmSync(mark);
  expect(await machine.refusal("backup")).toContain("its disk is not mounted");
  await pay("without-a-disk");
});
