import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ALL_COMMANDS, LOGGING_SERVICES } from "@holdfast/contracts";
import { connectBus } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { eventually, filesUnder } from "../support/index.ts";
import { expect, test } from "vitest";
import { genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { archive } from "../../tools/installation/src/archive/archive-command.ts";
import { backUp } from "../deploy/point-in-time.ts";
import { encodingsOf, findSecrets } from "./encodings.ts";
import { misplacedCards, storedRows } from "./misplaced-cards.ts";
import {
  bankWill,
  collectTelemetry,
  preAuthorization,
  runSandbox,
  type Client as ApiClient,
  type RunningSandbox,
} from "./running-sandbox.ts";

/** Luhn-valid and of no use anywhere else, so that one find is one leak. */
const PANS = ["4539578763621486", "5425233430109903", "374245455400126"];
/** Typed on the hosted page: with 3-D Secure, and without. */
const TYPED = ["4556737586899855", "5105105105105100"] as const;
const DECLINED = "4929420573595709";
const SILENT = "4916108926268679";
const MISPLACED = "4716347184862961";
/** A card number in a bank's file and a letter, and in their names. */
const FILED = "4916391027568433";
const CVV = "7391";
/** The value of a header that an endpoint's owner adds. */
const HEADER = "Basic c2VjcmVjeTpvZiBhIGhlYWRlcg==";

test("no card number, cvv or secret is in any log at `debug`, bus message, span, metric, row, file, archive, back-up or answer of a run", async () => {
  const collector = await collectTelemetry({
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_METRIC_EXPORT_INTERVAL: "500",
  });
  const sandbox = await runSandbox();
  for (const service of LOGGING_SERVICES) {
    const raised = await sandbox.operator()("PUT", "/operator/log-level", { service, level: "debug" });
    expect(raised.body.replicas).toEqual([expect.objectContaining({ level: "debug" })]);
  }
  const bus = await captureBus(sandbox);
  const { answers, secret } = await runEverything(sandbox);
  await eventually(() => collector.metrics.get("payments")?.has("holdfast.acquirer.duration") === true);
  const messages = await bus.stop();
  await makeCopies(sandbox);
  const rows = await storedRows(sandbox.file.databaseUrl);
  await sandbox.stop();

  const secrets = new Map(
    [...PANS, ...TYPED, DECLINED, SILENT, MISPLACED, FILED].map((pan): [string, Map<string, Buffer>] => [
      `card ${pan.slice(-4)}`,
      encodingsOf(pan),
    ]),
  );
  secrets.set("merchant's secret", encodingsOf(secret));
  secrets.set("an endpoint's header", encodingsOf(HEADER));
  const tokens = sandbox.file.operators.flatMap(({ name, token }) => partsOfToken(name, token));
  const leaks: string[] = [];
  const scan = (where: string, content: Buffer, forTokens = true) => {
    const sought = forTokens ? new Map([...secrets, ...tokens]) : secrets;
    leaks.push(...findSecrets(content, sought).map((found) => `${found} in ${where}`));
    // Four digits stand anywhere by chance, so the cvv is looked for by its name.
    if (/cvv\W{1,6}\d{3,4}/i.test(content.toString("latin1"))) leaks.push(`cvv in ${where}`);
  };
  collector.bodies.forEach((body, index) => scan(`export ${index}`, body));
  answers.forEach((answer, index) => scan(`answer ${index}`, Buffer.from(answer)));
  // An operator's command carries the operator's token as its proof, and nothing else on the bus does.
  const proven = new Set(ALL_COMMANDS.flatMap(({ subject, role }) => (role === undefined ? [] : [subject])));
  messages.forEach(({ subject, data }) => scan(`message on ${subject}`, data, !proven.has(subject)));
  for (const { table, row } of rows) scan(`a row of ${table}`, Buffer.from(row));
  const files = await filesUnder(sandbox.home);
  for (const file of files) scan(file, await readFile(file), !file.endsWith("sandbox.json"));

  expect(leaks).toEqual([]);
  expect(collector.spans.some(({ name }) => name === "acquirer authorize")).toBe(true);
  expect(messages.some(({ subject }) => subject === "payments.pre-authorize")).toBe(true);
  expect(new Set(rows.map(({ table }) => table))).toContain("payments.payment");
  const approval = messages.find(({ subject }) => subject === "refunds.approve");
  expect(approval?.data.toString()).toContain(sandbox.file.operators[1]!.token);
  const parts = ["postgres/pg_wal/", "nats/", "archive/2025-01/payments.payment.csv", "backup/backup_label"];
  for (const part of parts)
    expect(
      files.some((file) => file.startsWith(join(sandbox.home, part))),
      part,
    ).toBe(true);
  // The logs were read at their most talkative level.
  const logOf = (name: string) =>
    readFile(
      files.find((file) => file.endsWith(`${name}.log`))!,
      "utf8",
    );
  expect(await logOf("payments")).toContain('"msg":"acquirer called"');
  for (const name of ["payments", "refunds"]) expect(await logOf(name)).toContain('"msg":"command answered"');
});

/** The claims and signature of a token; its header is the same for everybody. */
function partsOfToken(name: string, token: string): [string, Map<string, Buffer>][] {
  const [, claims = "", signature = ""] = token.split(".");
  return [
    [`claims of ${name}'s token`, encodingsOf(claims)],
    [`signature of ${name}'s token`, encodingsOf(signature)],
  ];
}

/** Calls of operators about one refund, allowed and refused. */
async function operate(sandbox: RunningSandbox, merchant: ApiClient): Promise<string[]> {
  const [alice, bora, vera] = [sandbox.operator(0), sandbox.operator(1), sandbox.operator(2)];
  const sale = await merchant("POST", "/api/payment", { ...preAuthorization(), installmentCount: 1 });
  const path = `/operator/payments/${sale.body.paymentId}/refunds`;
  const asked = await alice("POST", path, { amount: 1, currency: "TRY", reason: "secrecy" });
  const refund = `/operator/refunds/${asked.body.refundId}`;
  const refused = await vera("POST", `${refund}/approve`, {});
  expect(refused.status).toBe(403);
  const approved = await bora("POST", `${refund}/approve`, {});
  expect(approved.status).toBe(200);
  return [sale, asked, refused, approved, await alice("GET", "/operator/audit-log")].map(({ text }) => text);
}

/**
 * Payments that succeed, fail, stay unknown, and every kind of refused request whose answer could repeat its content.
 */
async function runEverything(sandbox: RunningSandbox): Promise<{ answers: string[]; secret: string }> {
  const created = await sandbox.operator()("POST", "/operator/merchants", { name: "Secrecy" });
  const merchant = sandbox.merchant(created.body);
  const [pan = ""] = PANS;
  const bodies: unknown[] = [
    ...PANS.map((number) => preAuthorization({ pan: number, cvv: CVV })),
    preAuthorization({ orderId: pan, pan }),
    preAuthorization({ cardHolderName: pan, pan, cvv: CVV, amount: "x" }),
    preAuthorization({ pan: `${pan}0` }),
    preAuthorization({ pan, extra: pan, [pan]: pan }),
    `{"pan":"${pan}","pan":"${pan}","cvv":"${CVV}"}`,
    `{"pan":"${pan}`,
    `${pan} ${CVV}`,
  ];
  const answers: string[] = [];
  await bankWill(sandbox, "decline");
  answers.push((await merchant("POST", "/api/pre-authorization", preAuthorization({ pan: DECLINED }))).text);
  for (const body of bodies) {
    const answer = await merchant("POST", "/api/pre-authorization", body, {
      "Idempotency-Key": `key-${answers.length}`,
    });
    answers.push(answer.text + JSON.stringify([...answer.headers]));
  }
  for (const [method, path] of [
    ["GET", `/api/payment/${pan}`],
    ["GET", `/api/${pan}?pan=${pan}`],
    ["DELETE", `/api/payment/${pan}`],
    ["GET", `/${pan}`],
  ] as const) {
    answers.push((await merchant(method, path, undefined, { "X-Request-Id": pan, traceparent: pan })).text);
  }
  const wrong = sandbox.merchant({ apiKey: pan, apiSecret: created.body.apiSecret });
  answers.push((await wrong("POST", "/api/pre-authorization", preAuthorization({ pan }))).text);
  answers.push(...(await payOnPage(sandbox, merchant)));
  answers.push(...(await misplaceCards(sandbox, merchant)));
  answers.push(...(await operate(sandbox, merchant)));
  answers.push(...(await sendFiles(sandbox, merchant)));
  answers.push(...(await addHeaders(sandbox, String(created.body.merchantId))));
  await bankWill(sandbox, "hang");
  const abandoned = new AbortController();
  const silent = fetch(`${sandbox.file.gatewayUrl}/api/pre-authorization`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-API-KEY": created.body.apiKey,
      "X-API-SECRET": created.body.apiSecret,
    },
    body: JSON.stringify(preAuthorization({ pan: SILENT, cvv: CVV })),
    signal: abandoned.signal,
  }).catch(() => undefined);
  const ledger = `${sandbox.file.acquirerUrl}/ledger`;
  await expect.poll(async () => (await (await fetch(ledger)).text()).includes(SILENT.slice(-4))).toBe(true);
  abandoned.abort();
  await silent;
  answers.push(await (await fetch(ledger)).text());
  return { answers, secret: created.body.apiSecret as string };
}

/** An endpoint with a header, which is shown by its name, and one that is refused. */
async function addHeaders(sandbox: RunningSandbox, merchantId: string): Promise<string[]> {
  const operator = sandbox.operator();
  const path = `/operator/merchants/${merchantId}/webhooks`;
  const given = (value: string) => ({
    url: "https://shop.example/hook",
    headers: [{ name: "authorization", value }],
  });
  const added = await operator("POST", path, given(HEADER));
  expect(added.body).toMatchObject({ headers: [{ name: "authorization" }] });
  const refused = await operator("POST", path, given(`${HEADER}\r\nhost: other`));
  expect(refused.status).toBe(400);
  return [added, refused, await operator("GET", path)].map(({ text }) => text);
}

/** All actions and mistakes of a buyer with a card on the hosted page. */
async function payOnPage({ file }: RunningSandbox, merchant: ApiClient): Promise<string[]> {
  const answers: string[] = [];
  const hear = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(file.publicUrl + path, {
      redirect: "manual",
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    const text = await response.text();
    answers.push(text + JSON.stringify([...response.headers]));
    return { text, location: response.headers.get("Location") ?? "" };
  };
  for (const [index, pan] of TYPED.entries()) {
    const checkout = await merchant("POST", "/api/checkout", {
      orderId: "order-1",
      amount: 12.5,
      currency: "TRY",
      successUrl: "https://shop.example/paid",
      failureUrl: "https://shop.example/failed",
      threeDs: index === 0,
    });
    const path = `/checkout/${checkout.body.checkoutId}`;
    const page = await hear(path);
    const [paymentId = "", token = ""] = ["paymentId", "token"].map(
      (name) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(page.text)?.[1],
    );
    const form = { paymentId, token };
    const card = { pan, cardHolderName: "Ada Lovelace", expiry: "12/30", cvv: CVV.slice(0, 3) };
    await hear(`${path}/card`, { ...form, bin: pan });
    await hear(`${path}/pay`, { ...form, ...card, cardHolderName: pan, expiry: pan, cvv: pan });
    await hear(`${path}/pay`, { ...form, ...card, token: pan });
    await hear(`${path}?lang=${pan}&faults=pan.${pan},${pan}`);
    await hear(`/checkout/${pan}`);
    const paid = await hear(`${path}/pay`, { ...form, ...card });
    expect(paid.location).toContain(checkout.body.checkoutId);
    await hear(path);
    const found = await merchant("GET", `/api${path}`);
    expect(found.body).toMatchObject({ status: "COMPLETED" });
    answers.push(found.text);
  }
  return answers;
}

/**
 * Sends a card number in every stored field of merchants and operators: each answer names its field, and
 * nothing is stored.
 */
async function misplaceCards(sandbox: RunningSandbox, merchant: ApiClient): Promise<string[]> {
  const answers: string[] = [];
  const clients = { merchant, operator: sandbox.operator() };
  for (const { listener, method, path, body, headers, field } of misplacedCards(MISPLACED)) {
    const answer = await clients[listener](method, path, body, headers);
    expect(answer.body, `${method} ${path} ${field}`).toMatchObject({
      code: "validation_failed",
      errors: [{ field, code: "card_number" }],
    });
    answers.push(answer.text + JSON.stringify([...answer.headers]));
  }
  return answers;
}

/** A bank's file and a letter with the whole number in them, and files that have it in their names. */
async function sendFiles(sandbox: RunningSandbox, merchant: ApiClient): Promise<string[]> {
  const { accountId, operatorUrl, operators } = sandbox.file;
  const operator = sandbox.operator();
  const send = async (path: string, name: string, content: string) => {
    const body = new FormData();
    body.set("file", new Blob([content]), name);
    const headers = { Authorization: `Bearer ${operators[0]!.token}` };
    const answer = await fetch(operatorUrl + path, { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  const file = genericFile(
    genericLine({ card: FILED }),
    genericLine({ kind: FILED }),
    genericLine({ bank_reference: FILED, currency: FILED }),
    genericLine({ auth_code: FILED, payout_id: FILED, settles_on: FILED }),
  );
  const settlements = `/operator/settlements?accountId=${accountId}&mapping=generic`;
  const preview = settlements.replace("?", "/preview?");
  const [previewed, taken] = [
    await send(preview, "bank.csv", file),
    await send(settlements, "bank.csv", file),
  ];
  expect([previewed.status, taken.status]).toEqual([200, 202]);
  const imported = `/operator/settlements/${(JSON.parse(taken.text) as { importId: string }).importId}`;
  let read = await operator("GET", imported);
  await eventually(async () => {
    read = await operator("GET", imported);
    expect(read.body).toMatchObject({ state: "TAKEN", lines: 2, faults: 2 });
  });
  const sale = await merchant("POST", "/api/payment", { ...preAuthorization(), installmentCount: 1 });
  const opened = await operator("POST", `/operator/payments/${sale.body.paymentId}/chargebacks`, {
    amount: 1,
    currency: "TRY",
  });
  const evidence = `/operator/chargebacks/${opened.body.chargebackId}/evidence`;
  const letter = `"Your card ${FILED} was charged."`;
  const kept = await send(evidence, "letter.txt", letter);
  expect(kept.status).toBe(201);
  const { evidenceId } = (JSON.parse(kept.text) as { evidence: { evidenceId: string }[] }).evidence[0]!;
  // The one answer that may have it: the letter as it was sent.
  expect((await operator("GET", `${evidence}/${evidenceId}`)).text).toBe(letter);
  const named = [
    await send(settlements, `report ${FILED}.csv`, genericFile(genericLine())),
    await send(preview, `report-${FILED}.csv`, genericFile(genericLine())),
    await send(evidence, `${FILED}.pdf`, "a letter"),
  ];
  for (const { status, text } of named) {
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ errors: [{ field: "file", code: "card_number" }] });
  }
  return [previewed, taken, read, opened, kept, ...named].map(({ text }) => text);
}

type Captured = { subject: string; data: Buffer };

async function captureBus({ file }: RunningSandbox): Promise<{ stop(): Promise<Captured[]> }> {
  const { nats: connection } = await connectBus({ url: file.natsUrl, name: "secrecy" });
  const messages: Captured[] = [];
  connection.subscribe(">", {
    callback: (_error, { subject, data, headers }) => {
      const headerText = (headers?.keys() ?? [])
        .map((name) => `${name}: ${headers?.values(name).join()}`)
        .join("\n");
      messages.push({ subject, data: Buffer.concat([data, Buffer.from(headerText)]) });
    },
  });
  await connection.flush();
  return {
    async stop() {
      await connection.drain();
      return messages;
    },
  };
}

/**
 * Makes an archive and a base back-up, which are files of the run, too. The back-up begins with a checkpoint: what PostgreSQL
 * has in memory is in its own files as well.
 */
async function makeCopies({ home, file: { databaseUrl } }: RunningSandbox): Promise<void> {
  const month = "2025-01";
  const args = ["--month", month, "--keep", "--out", join(home, "archive"), "--database-url", databaseUrl];
  let printed = "";
  await withClient(databaseUrl, async (client) => {
    // A payment is archived half a year after its month.
    await client.query(`update payments.payment set created_at = '${month}-15', updated_at = '${month}-15'`);
    await client.query("update payments.payment_watch set ended_at = coalesce(ended_at, now())");
    await archive(args, { ALLOW_PLAINTEXT: "postgres" }, (text) => void (printed += text));
    await backUp(client, join(home, "postgres"), join(home, "backup"), async () => {});
  });
  expect(printed).toMatch(/: [1-9]\d* payments written/);
}
