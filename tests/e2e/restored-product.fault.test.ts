// The drill of docs/backup.md, with all data of the product. PostgreSQL and JetStream are lost together, and
// the product is restored from a base back-up and the archived WAL alone, to a point before the loss.
// Payments acknowledged until then are there, and comparing with the bank finds later ones.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, withClient } from "@holdfast/sandbox/infrastructure";
import { expect, onTestFinished, test } from "vitest";
import { readBank } from "../chaos/system/read-ledgers.ts";
import { nextPort } from "../chaos/system/port-block.ts";
import { untilSettled } from "../chaos/settle.ts";
import { checkInvariants, describeViolation, emptyLedgers, INVARIANTS, readRows } from "../checker/index.ts";
import {
  aimAt,
  archiveEverything,
  archiveSettings,
  backUp,
  makeArchive,
  untilRestored,
} from "../deploy/point-in-time.ts";
import { eventually, startLedgerReceiver, type LedgerReceiver } from "../support/index.ts";
import { preAuthorization, startProduct, type RunningSandbox } from "./running-sandbox.ts";

test(
  "the product is restored with all that was acknowledged before the point, and the bank tells what came later",
  { timeout: 900_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "holdfast-drill-"));
    chmodSync(dir, 0o711);
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const [home, backup] = [join(dir, "home"), join(dir, "backup")];
    const portBase = await firstOfPorts();
    const archive = makeArchive(join(dir, "archive"));
    await archiveFromTheBeginning(home, archive);

    const lost = await run({ home, portBase }, async (sandbox) => {
      const before = await work(sandbox);
      return await withClient(sandbox.file.databaseUrl, async (client) => {
        await backUp(client, join(home, "postgres"), backup, async () => {
          before.push(...(await work(sandbox)));
        });
        before.push(...(await work(sandbox)));
        await client.query("select pg_create_restore_point('before the loss')");
        const after = await work(sandbox);
        await archiveEverything(client, archive);
        return { before, after };
      });
    });
    const lostAt = performance.now();
    // PostgreSQL and JetStream only: the secrets are in the secret store, the bank has its own ledger.
    for (const name of ["postgres", "nats"]) rmSync(join(home, name), { recursive: true });

    await cp(backup, join(home, "postgres"), { recursive: true });
    aimAt(join(home, "postgres"), archive, "before the loss");
    const postgres = await startPostgres(serverIn(home));
    await untilRestored(postgres);
    await postgres.stop();

    await run({ home, portBase }, async (sandbox) => {
      const seconds = Math.round((performance.now() - lostAt) / 1_000);
      process.stdout.write(`everything answers again ${seconds} s after the loss\n`);
      const merchant = sandbox.merchant();
      for (const { path, status, amount } of lost.before) {
        expect((await merchant("GET", path)).body, path).toMatchObject({ status, amount });
      }
      for (const { path } of lost.after) expect((await merchant("GET", path)).status, path).toBe(404);
      await expectInvariants(sandbox, lost.after);
      expect(await reportedByBankAlone(sandbox)).toEqual(
        lost.after.map(({ reference }) => reference).toSorted(),
      );
      // The product continues, webhooks included, with a new stream.
      await work(sandbox);
      await expectInvariants(sandbox, lost.after);
    });
  },
);

/** The first of as many ports, one after another, as the product has. */
async function firstOfPorts(): Promise<number> {
  const ports = await Promise.all(Array.from({ length: 13 }, () => nextPort()));
  return ports[0]!;
}

type Acknowledged = {
  path: string;
  status: string;
  amount: number;
  /** The bank's reference. */
  reference: string;
};

/**
 * Makes a sale whose webhook has arrived, and a refund of it that an operator has approved and the bank has
 * paid.
 */
async function work({ receiver, ...sandbox }: Shop): Promise<Acknowledged[]> {
  const [merchant, operator] = [sandbox.merchant(), sandbox.operator()];
  const arrived = receiver.ledger.length;
  const sale = await merchant("POST", "/api/payment", preAuthorization({ amount: 100 }));
  expect(sale.status).toBe(201);
  const paymentPath = `/api/payment/${sale.body.paymentId}`;
  const asked = await merchant("POST", `${paymentPath}/refund`, { amount: 30, currency: "TRY" });
  expect(asked.status).toBe(202);
  const refundPath = asked.headers.get("Location")!;
  const refundId = refundPath.split("/").at(-1)!;
  expect((await operator("POST", `/operator/refunds/${refundId}/approve`, {})).status).toBe(200);
  await eventually(async () => {
    expect((await merchant("GET", refundPath)).body).toMatchObject({ status: "SUCCESS" });
    expect(receiver.ledger.length).toBeGreaterThanOrEqual(arrived + 2);
  });
  return [
    { path: paymentPath, status: "SUCCESS", amount: 100, reference: sale.body.paymentId },
    { path: refundPath, status: "SUCCESS", amount: 30, reference: `${refundId}:refund` },
  ];
}

type Shop = RunningSandbox & { receiver: LedgerReceiver };

/** The product until it is stopped in order, with the merchant's receiver beside it. */
async function run<Result>(
  { home, portBase }: { home: string; portBase: number },
  during: (shop: Shop) => Promise<Result>,
): Promise<Result> {
  const sandbox = await startProduct({ home, portBase, settings: { MATCH_INTERVAL: "100ms" } });
  try {
    const { merchants, receiver: files } = sandbox.file;
    const [cert, key] = [readFileSync(files.certFile), readFileSync(files.keyFile)];
    const receiver = await startLedgerReceiver({ cert, key });
    onTestFinished(() => receiver.close());
    const webhook = `/operator/merchants/${merchants[0]!.merchantId}/webhook`;
    expect((await sandbox.operator()("PUT", webhook, { url: receiver.url })).status).toBeLessThan(300);
    return await during({ ...sandbox, receiver });
  } finally {
    await sandbox.stop();
  }
}

/** A server that has never run otherwise: from its first start with the product on. */
async function archiveFromTheBeginning(home: string, archive: string): Promise<void> {
  mkdirSync(home, { mode: 0o711 });
  const postgres = await startPostgres(serverIn(home));
  await withClient(postgres.superuserUrl("postgres"), async (client) => {
    for (const [name, value] of Object.entries(archiveSettings(archive)))
      await client.query(`alter system set ${name} = '${value}'`);
  });
  await postgres.stop();
}

/** The server with the sandbox's settings. */
function serverIn(home: string) {
  return { dataDir: join(home, "postgres"), logFile: join(home, "postgres.log"), durable: true };
}

/** Checks the rows of the product against the bank's ledger, without what is lost, once everything is at rest. */
async function expectInvariants({ file }: RunningSandbox, lost: Acknowledged[]): Promise<void> {
  await untilSettled(file.databaseUrl, { withinMs: 120_000 });
  const rows = await withClient(file.databaseUrl, (client) =>
    readRows(async <Row>(text: string) => (await client.query(text)).rows as Row[]),
  );
  const bank = await readBank(file.acquirerUrl, file.accountId);
  const isLost = ({ reference }: { reference: string }) => lost.some((one) => one.reference === reference);
  const violations = (lines: typeof bank) =>
    checkInvariants(
      { ...emptyLedgers({ refusalsAreLines: [file.accountId] }), ...rows, bank: lines },
      OF_ROWS_AND_BANK,
    ).map(describeViolation);
  expect(violations(bank.filter((line) => !isLost(line)))).toEqual([]);
  // The checker would see them.
  expect(violations(bank)).not.toEqual([]);
}

/** Leaves out the invariants on clients' records, which the test checks itself. */
const OF_ROWS_AND_BANK = INVARIANTS.filter(({ number }) => number !== 2 && number !== 6);

/** Imports the bank's file. @returns the references of its lines that name nothing of ours. */
async function reportedByBankAlone(sandbox: RunningSandbox): Promise<string[]> {
  const { file } = sandbox;
  const operator = sandbox.operator();
  const text = await (await fetch(`${file.acquirerUrl}/settlement`)).text();
  const form = new FormData();
  form.set("file", new Blob([text]), "bank.csv");
  const upload = await fetch(
    `${file.operatorUrl}/operator/settlements?accountId=${file.accountId}&mapping=generic`,
    {
      method: "POST",
      headers: { Authorization: `Bearer ${file.operators[0]!.token}` },
      body: form,
    },
  );
  expect(upload.status).toBe(202);
  const { importId } = (await upload.json()) as { importId: string };
  await eventually(async () => {
    const { body } = await operator("GET", `/operator/settlements/${importId}`);
    expect(body).toMatchObject({ state: "TAKEN", comparedAt: expect.any(String) as string });
  });
  const { body } = await operator("GET", "/operator/differences?class=MISSING_HERE");
  const referenceOf = (line: number) => text.split("\r\n")[line - 1]!.split(",")[1]!;
  return (body.items as { line: number }[]).map(({ line }) => referenceOf(line)).toSorted();
}
