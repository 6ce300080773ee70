import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceDefinitions, startSandbox, type Sandbox, type SandboxFile } from "@holdfast/sandbox";
import * as fc from "fast-check";
import { readApiDocument } from "./api-document.ts";
import { exchangeBytes } from "./exchange-bytes.ts";
import { liveHeapOf } from "./heap.ts";
import { faultsOf } from "./judge-answer.ts";
import { pageFaultsOf } from "./judge-page.ts";
import { pageRequests, type KnownPage } from "./page-requests.ts";
import { documentRequests, noiseRequests, type FuzzRequest, type Known } from "./requests.ts";

export type FuzzOptions = { home: string; seed: number; requests: number; log: (line: string) => void };

export type FuzzReport = {
  /** Forbidden answers, each with the request that led to it. */
  faults: string[];
  /** The number of answers of each status. */
  statuses: Record<string, number>;
  /** Live heap in bytes of each process after the warm-up and at the end. */
  heaps: Record<string, { warm: number; end: number }>;
};

/**
 * Requests generated from the OpenAPI documents and of the public pages, many of them bent byte by byte, against the
 * whole product in real processes. Nothing is wrong in the system meanwhile, so `judge-answer.ts` may find no fault in
 * any answer: a 5xx, a status or a body that is not the document's, an error that is no problem, a card number. No
 * process ends, complains, or keeps memory.
 */
export async function runFuzz({ home, seed, requests, log }: FuzzOptions): Promise<FuzzReport> {
  const sandbox = await startInspectable(home);
  try {
    const { file } = sandbox;
    const drawn = await drawRequests(file, seed, requests);
    const faults: string[] = [];
    const statuses: Record<string, number> = {};
    const warmUp = Math.ceil(requests * WARM_UP_SHARE);
    await sendAll(file, drawn.slice(0, warmUp), { faults, statuses, first: 0 });
    const warm = await heapsOf(file);
    await sendAll(file, drawn.slice(warmUp), { faults, statuses, first: warmUp });
    const end = await heapsOf(file);
    const heaps = Object.fromEntries(PROCESSES.map((name) => [name, { warm: warm[name]!, end: end[name]! }]));
    faults.push(...memoryFaults(heaps), ...processFaults(home, file));
    log(`${requests} requests, seed ${seed}; answers by status: ${JSON.stringify(statuses)}`);
    for (const [name, { warm: before, end: after }] of Object.entries(heaps)) {
      log(
        `${name.padEnd(18)} live heap ${mebibytes(before)} MiB after the warm-up, ${mebibytes(after)} at the end`,
      );
    }
    return { faults, statuses, heaps };
  } finally {
    await sandbox.stop();
  }
}

const PROCESSES = [
  "api-gateway",
  "gateway-operator",
  "gateway-staff",
  "gateway-public",
  "payments",
  "refunds",
  "webhook-dispatcher",
  "settlement",
];
/** The part of the time in which caches fill, code is compiled, and connections are made. */
const WARM_UP_SHARE = 0.4;
/** Generous against noise, and far less than a leak of a few KiB a request would be. */
const HEAP_GROWTH_MAX = 1.25;
const HEAP_GROWTH_SLACK_BYTES = 6 * 1024 * 1024;
const CONCURRENCY = 24;

/** Settings of the product: an inspector for its heaps, and a proxy, so that forwarding headers are read. */
const SETTINGS: Record<string, string> = {
  NODE_OPTIONS: "--inspect=127.0.0.1:0",
  // Short, because some amounts have the bank stay silent.
  ACQUIRER_TIMEOUT: "1s",
  // On a busy machine a round may wait a second for its connection and log a complaint, although nothing is
  // wrong.
  DATABASE_CONNECTION_TIMEOUT: "60s",
  // Undeclared, the first request with X-Forwarded-For is an error in the log.
  TRUSTED_PROXIES: "127.0.0.1/32",
};

async function startInspectable(home: string): Promise<Sandbox> {
  const before = { ...process.env };
  Object.assign(process.env, SETTINGS);
  try {
    return await startSandbox({ home, portBase: 0, services: serviceDefinitions });
  } finally {
    for (const name of Object.keys(SETTINGS)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

async function drawRequests(file: SandboxFile, seed: number, count: number): Promise<FuzzRequest[]> {
  const [merchant, operator, owner] = [file.merchants[0]!, file.operators[0]!, file.staff[0]!];
  const credentials = {
    merchant: `X-API-KEY: ${merchant.apiKey}\r\nX-API-SECRET: ${merchant.apiSecret}`,
    operator: `Authorization: Bearer ${operator.token}`,
    staff: `Authorization: Bearer ${owner.token}`,
  };
  const known = await makeKnown(file);
  const fromDocument = documentRequests(readApiDocument(), known, credentials);
  const ofPages = pageRequests(await openPage(file, known));
  const any = fc.oneof(
    { weight: 3, arbitrary: fromDocument },
    { weight: 3, arbitrary: noiseRequests(fromDocument) },
    { weight: 2, arbitrary: ofPages },
    { weight: 1, arbitrary: noiseRequests(ofPages) },
  );
  return fc.sample(any, { seed, numRuns: count });
}

/** Payments, refunds and a checkout to ask about, and a merchant of their own for operators' changes. */
async function makeKnown({ gatewayUrl, operatorUrl, merchants, operators }: SandboxFile): Promise<Known> {
  const { apiKey, apiSecret } = merchants[0]!;
  const asMerchant = { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret };
  const asOperator = { Authorization: `Bearer ${operators[0]!.token}` };
  const other = await create(`${operatorUrl}/operator/merchants`, asOperator, { name: "Fuzzed" });
  const payments: string[] = [];
  const refunds: string[] = [];
  for (const path of ["pre-authorization", "payment", "payment", "payment"]) {
    const { paymentId = "" } = await create(`${gatewayUrl}/api/${path}`, asMerchant, CARD_PAYMENT);
    payments.push(paymentId);
    if (path === "pre-authorization") continue;
    const refund = { amount: 1, currency: "TRY" };
    refunds.push(
      (await create(`${gatewayUrl}/api/payment/${paymentId}/refund`, asMerchant, refund)).paymentId ?? "",
    );
  }
  const order = { orderId: "fuzz", amount: 100, currency: "TRY", ...SHOP };
  const checkout = await create(`${gatewayUrl}/api/checkout`, asMerchant, order);
  return {
    paymentId: [...payments, ...refunds],
    refundId: refunds,
    checkoutId: [checkout.checkoutId ?? ""],
    bin: [CARD_PAYMENT.pan.slice(0, 8), CARD_PAYMENT.pan.slice(0, 6)],
    merchantId: [other.merchantId ?? ""],
    apiKey: [other.apiKey ?? ""],
    eventId: [payments[0] ?? ""],
  };
}

/** The form of the checkout, as a buyer's browser gets it. */
async function openPage({ publicUrl }: SandboxFile, known: Known): Promise<KnownPage> {
  const checkoutId = known["checkoutId"]?.[0] ?? "";
  const page = await (await fetch(`${publicUrl}/checkout/${checkoutId}`)).text();
  const value = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(page)?.[1] ?? "";
  return { checkoutId, paymentId: value("paymentId"), token: value("token") };
}

const SHOP = { successUrl: "https://shop.example/paid", failureUrl: "https://shop.example/failed" };
const CARD_PAYMENT = {
  orderId: "fuzz",
  amount: 100,
  currency: "TRY",
  cardHolderName: "Ada Lovelace",
  pan: "4111111111111111",
  expiryMonth: "12",
  cvv: "123",
  requestIp: "203.0.113.7",
  requestPort: 443,
  expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
};

async function create(
  url: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, string>;
}

type Tally = { faults: string[]; statuses: Record<string, number>; first: number };

async function sendAll(
  file: SandboxFile,
  requests: FuzzRequest[],
  { faults, statuses, first }: Tally,
): Promise<void> {
  const ports = {
    merchant: portOf(file.gatewayUrl),
    operator: portOf(file.operatorUrl),
    staff: portOf(file.staffUrl),
    public: portOf(file.publicUrl),
  };
  let next = 0;
  const sendSome = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index]!;
      const { answers, hung } = await exchangeBytes(
        ports[request.listener],
        request.bytes,
        PATIENCE_MS[request.kind],
      );
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
      const found = answers.flatMap((answer) =>
        request.listener === "public" ? pageFaultsOf(answer) : faultsOf(answer, request),
      );
      if (hung) found.push("the server did not end the connection");
      if (answers.length === 0 && request.kind === "from the document") found.push("there was no answer");
      faults.push(...found.map((fault) => `request ${first + index}: ${fault}\n${printable(request.bytes)}`));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sendSome));
}

/** Noise mostly ends in the middle of a request: the server waits for more, and the client has no more to send. */
const PATIENCE_MS = { "from the document": 10_000, "byte noise": 200 };

async function heapsOf({ logs }: SandboxFile): Promise<Record<string, number>> {
  const sizes = await Promise.all(PROCESSES.map((name) => liveHeapOf(join(logs, `${name}.log`))));
  return Object.fromEntries(PROCESSES.map((name, index) => [name, sizes[index]!]));
}

function memoryFaults(heaps: FuzzReport["heaps"]): string[] {
  return Object.entries(heaps)
    .filter(([, { warm, end }]) => end > warm * HEAP_GROWTH_MAX + HEAP_GROWTH_SLACK_BYTES)
    .map(
      ([name, { warm, end }]) => `${name}: live heap grew from ${mebibytes(warm)} to ${mebibytes(end)} MiB`,
    );
}

/** A process that was started again has another pid in the file; a complaint is in its log. */
function processFaults(home: string, { processes, logs }: SandboxFile): string[] {
  const now = (JSON.parse(readFileSync(join(home, "sandbox.json"), "utf8")) as SandboxFile).processes;
  return PROCESSES.flatMap((name) => {
    const faults = now[name] === processes[name] ? [] : [`${name} ended by itself`];
    const complaints = readFileSync(join(logs, `${name}.log`), "utf8").match(
      /^.*"level":"(?:error|fatal)".*$/gm,
    );
    return [...faults, ...(complaints ?? []).map((line) => `${name}: ${line}`)];
  });
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

/** Bytes as they can be read and pasted; other bytes than plain text are escaped. */
function printable(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1")).slice(0, 2_000);
}
