import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { residentMiB } from "./resident-memory.ts";
import { openBrowser } from "../console/open-browser.ts";
import { pagePaths } from "../console/page-paths.ts";
import { TEST_ACCOUNT_ID } from "../support/index.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { quantile } from "./figures.ts";
import { insertHistory } from "./insert-history.ts";

type Browser = ReturnType<typeof openBrowser>;
/** Milliseconds to the first byte, by the page's name. */
type Times = Record<string, number[]>;
/** Times of the pages, and the answers that were no page. */
type Walked = { times: Times; failed: string[] };

/**
 * Measures the console's one replica with a long history: first with one operator who opens every page as
 * fast as possible, and then with 200 signed-in operators who each open one every ten seconds: the overview,
 * the search, a payment and the pending refunds.
 */
export async function benchConsole(bench: Bench): Promise<void> {
  const { sandbox } = bench;
  await insertHistory(bench);
  const orders = await makeOrders(bench);
  const alone = await signedIn(bench, 1);
  const [first, one, many] = [nothing(), nothing(), nothing()];
  const everyPage = await allPages(bench, orders[0]!);
  await openPages(bench, alone[0]!, everyPage, first);
  await measure(bench, "1 operator", one, async () => {
    for (let round = 0; round < ALONE_ROUNDS; round++) await openPages(bench, alone[0]!, everyPage, one);
  });
  const before = residentMiB(sandbox.processes["console"]!);
  const operators = await signedIn(bench, OPERATORS);
  await measure(bench, `${OPERATORS} operators`, many, async () => {
    await Promise.all(
      operators.map(async (browser, index) => {
        await delay((index / OPERATORS) * PAGE_EVERY_MS);
        for (let round = 0; round < bench.rounds; round++)
          await walk(bench, browser, orders, many, PAGE_EVERY_MS);
      }),
    );
  });
  const after = residentMiB(sandbox.processes["console"]!);
  print(`memory of the console: ${before} MiB with one operator, ${after} MiB after ${OPERATORS}`);
  const pages = Object.values(many.times).flat().length;
  const failed = [...first.failed, ...one.failed, ...many.failed];
  witness(
    pages === OPERATORS * bench.rounds * PAGES && failed.length === 0,
    `${pages} pages, of which ${failed.length} had an unexpected answer (${[...new Set(failed)].join(", ")})`,
  );
}

const nothing = (): Walked => ({ times: {}, failed: [] });

const OPERATORS = 200;
const ALONE_ROUNDS = 20;
const PAGES = 4;
const PAGE_EVERY_MS = 10_000;
const GOAL_MS = 150;
/** Sign-ins at the same time. */
const SIGN_INS = 4;

type Order = Record<"orderId" | "paymentId" | "refundId", string>;

/** Payments, and a refund that waits of each. */
async function makeOrders({ sandbox }: Bench): Promise<Order[]> {
  const { apiKey, apiSecret } = sandbox.merchants[0]!;
  const send = async (path: string, body: object) => {
    const answer = await fetch(sandbox.gatewayUrl + path, {
      method: "POST",
      headers: { "X-API-KEY": apiKey, "X-API-SECRET": apiSecret, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { paymentId: string };
  };
  const made: Order[] = [];
  for (let index = 0; index < ORDERS; index++) {
    const orderId = `console-${index}`;
    const { paymentId } = await send("/api/payment", sale(orderId));
    const refund = await send(`/api/payment/${paymentId}/refund`, { amount: 1, currency: "TRY" });
    made.push({ orderId, paymentId, refundId: refund.paymentId });
  }
  return made;
}

const ORDERS = 100;

/** Every page of the operators' console by name, except pages of records that this history does not have. */
async function allPages(
  { sandbox }: Bench,
  { paymentId: payment, refundId: refund }: Order,
): Promise<Record<string, string>> {
  const merchantId = sandbox.merchants[0]!.merchantId;
  const { event, account } = await withClient(sandbox.databaseUrl, async (client) => {
    const { rows } = await client.query<Record<"event" | "account", string>>(`
      select event_id as event, (select account_id from payments.acquirer_account limit 1) as account
      from webhooks.event limit 1`);
    return rows[0]!;
  });
  const paths = [...pagePaths("operator", { merchantId, payment, refund, event })];
  return Object.fromEntries(
    paths.flatMap(([name, path]) => (path ? [[name, path.replace(TEST_ACCOUNT_ID, account)]] : [])),
  );
}

function sale(orderId: string) {
  return {
    orderId,
    amount: 12.5,
    currency: "TRY",
    cardHolderName: "Ada Lovelace",
    pan: "4111111111111111",
    expiryMonth: "12",
    expiryYear: String((new Date().getUTCFullYear() + 2) % 100),
    cvv: "123",
    requestIp: "203.0.113.7",
    requestPort: 443,
  };
}

/** Signs each in with a browser of their own: the console keeps a session for each. */
async function signedIn({ sandbox }: Bench, count: number): Promise<Browser[]> {
  const names = ["alice", "bora", "vera"];
  const browsers: Browser[] = [];
  const next = async () => {
    while (browsers.length < count) {
      const browser = openBrowser(names[browsers.length % names.length]!);
      browsers.push(browser);
      const { status } = await browser.visit(`${sandbox.consoleUrl}/merchants`);
      if (status !== 200) throw new Error(`a sign-in ended with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIGN_INS, count) }, next));
  return browsers;
}

async function walk(
  bench: Bench,
  browser: Browser,
  orders: readonly Order[],
  walked: Walked,
  everyMs: number,
): Promise<void> {
  const { orderId, paymentId } = orders[Math.floor(Math.random() * orders.length)]!;
  const pages = {
    overview: "/",
    search: `/search?q=${orderId}`,
    payment: `/payments/${paymentId}`,
    refunds: "/refunds",
  };
  await openPages(bench, browser, pages, walked, everyMs);
}

/**
 * Opens pages by name, one after another. @param everyMs the time between them; 0 means as fast as possible.
 */
async function openPages(
  { sandbox }: Bench,
  browser: Browser,
  pages: Record<string, string>,
  { times, failed }: Walked,
  everyMs = 0,
): Promise<void> {
  for (const [name, path] of Object.entries(pages)) {
    const begunAt = performance.now();
    const answer = await browser.open(sandbox.consoleUrl + path);
    (times[name] ??= []).push(performance.now() - begunAt);
    const text = await answer.text();
    // A search with a single result leads to it.
    const isPage = answer.status === 303 || (answer.status === 200 && text.includes("</html>"));
    if (!isPage) failed.push(`${name}: ${answer.status}`);
    if (everyMs > 0) await delay(Math.max(0, everyMs - (performance.now() - begunAt)));
  }
}

/** Prints the first bytes of the pages that `run` opens, and the CPU time of a page. */
async function measure({ sandbox }: Bench, who: string, { times }: Walked, run: () => Promise<void>) {
  const names = ["console", "gateway-operator", "payments", "refunds", "webhook-dispatcher", "settlement"];
  const processes = names.flatMap((name) => {
    const pid = sandbox.processes[name];
    return pid === undefined ? [] : [{ name, pid, fromMs: cpuTimeMs(pid) }];
  });
  await run();
  const pages = Object.values(times).flat().length;
  for (const [name, ofPage] of Object.entries(times)) {
    const [middle, p99] = [quantile(ofPage, 0.5), quantile(ofPage, 0.99)];
    const figure = `${middle.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${ofPage.length}`;
    printGoal(`${who}, first byte of ${name}, median`, figure, `< ${GOAL_MS} ms`, middle < GOAL_MS);
  }
  const shares = processes.map(
    ({ name, pid, fromMs }) => `${name} ${((cpuTimeMs(pid) - fromMs) / pages).toFixed(1)} ms`,
  );
  print(`${who}, CPU time per page: ${shares.join(", ")}`);
}
