import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inquireAbout, orderIdOf, type CardRequest, type ProbedAcquirer } from "@holdfast/acquirer";
import { BoundedHttpClient, type RawHttpExchange } from "../../packages/acquirer/src/bounded-http-client.ts";
import { ADAPTERS, type AdapterName } from "../conformance/bank-protocols.ts";
import { playBank } from "../conformance/played-banks.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { median } from "./figures.ts";

/** A sale, and the answers that the played bank gave to its calls and to its inquiry's, in their order. */
type Recorded = { request: CardRequest; answers: { sale: RawHttpExchange[]; inquiry: RawHttpExchange[] } };
/** CPU time for one, of each round. */
type Figures = { saleMs: number[]; inquiryMs: number[]; approved: number };

/**
 * What an adapter itself costs a payment: it builds a request, signs it, reads the answer and judges. The played banks answer
 * real calls once; then the same calls are made again with these answers, without any network, the adapters in turns.
 */
export async function benchAdapters({ rounds }: Pick<Bench, "rounds">): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "holdfast-bench-adapters-"));
  const wire = takeOverTheWire();
  const closing: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true })];
  try {
    const banks: { name: AdapterName; acquirer: ProbedAcquirer; sales: Recorded[]; figures: Figures }[] = [];
    for (const name of ADAPTERS) {
      const bank = await playBank(name, directory);
      closing.push(() => bank.close());
      const acquirer = bank.connect();
      closing.push(() => acquirer.close());
      const sales = await record(acquirer, wire);
      await measure(acquirer, sales, wire, { saleMs: [], inquiryMs: [], approved: 0 });
      banks.push({ name, acquirer, sales, figures: { saleMs: [], inquiryMs: [], approved: 0 } });
    }
    for (let round = 0; round < rounds; round++)
      for (const { acquirer, sales, figures } of banks) await measure(acquirer, sales, wire, figures);
    report(rounds, banks);
  } finally {
    wire.giveBack();
    for (const close of closing.toReversed()) await close();
  }
}

/** Different payments, so that nothing could be remembered of the one before. */
const SALES = 64;
/** How often each is made in a round. */
const TIMES = 20;
const GOAL_MS = 0.3;

type Wire = { answers: RawHttpExchange[] | undefined; heard: RawHttpExchange[]; giveBack(): void };

/** Has every adapter's calls answered by `answers` in turn where there are some, and otherwise notes what the bank says. */
function takeOverTheWire(): Wire {
  // oxlint-disable-next-line typescript/unbound-method -- called with the client that it belongs to, below
  const { exchangeBytes } = BoundedHttpClient.prototype;
  const wire: Wire = {
    answers: undefined,
    heard: [],
    giveBack: () => void (BoundedHttpClient.prototype.exchangeBytes = exchangeBytes),
  };
  BoundedHttpClient.prototype.exchangeBytes = async function (call, expiresAt) {
    if (wire.answers) return wire.answers.shift() ?? { kind: "not_sent" };
    const answer = await exchangeBytes.call(this, call, expiresAt);
    wire.heard.push(answer);
    return answer;
  };
  return wire;
}

async function record(acquirer: ProbedAcquirer, wire: Wire): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  for (let index = 0; index < SALES; index++) {
    const request = saleOf(BigInt(10_000 + index));
    wire.heard = [];
    await acquirer.sale(request);
    const sale = wire.heard;
    wire.heard = [];
    await verdict(acquirer, request);
    recorded.push({ request, answers: { sale, inquiry: wire.heard } });
  }
  return recorded;
}

function saleOf(amountMinor: bigint): CardRequest {
  const reference = randomUUID();
  return {
    reference,
    orderId: orderIdOf(reference),
    amountMinor,
    currency: "TRY",
    card: { pan: "4111111111111111", expiryMonth: "12", expiryYear: "35", cvv: "123" },
    cardHolderName: "Ada Lovelace",
    installmentCount: 1,
    customer: { ip: "203.0.113.7" },
    expiresAt: new Date(Date.now() + HOUR_MS),
  };
}

const HOUR_MS = 3_600_000;

async function verdict(
  acquirer: ProbedAcquirer,
  { reference, orderId, amountMinor, currency, expiresAt }: CardRequest,
) {
  const sentAt = new Date(expiresAt.getTime() - HOUR_MS);
  const attempt = { reference, kind: "sale", amountMinor, currency, sentAt } as const;
  return await inquireAbout(acquirer, { orderId, since: sentAt, operation: "sale" }, attempt, expiresAt);
}

/** All sales, and then all inquiries: the two are counted by themselves. */
async function measure(
  acquirer: ProbedAcquirer,
  sales: readonly Recorded[],
  wire: Wire,
  figures: Figures,
): Promise<void> {
  figures.saleMs.push(
    await cpuOf(async ({ request, answers }) => {
      wire.answers = [...answers.sale];
      if ((await acquirer.sale(request)).kind === "approved") figures.approved++;
    }, sales),
  );
  figures.inquiryMs.push(
    await cpuOf(async ({ request, answers }) => {
      wire.answers = [...answers.inquiry];
      if ((await verdict(acquirer, request)).kind === "approved") figures.approved++;
    }, sales),
  );
  wire.answers = undefined;
}

/** @returns milliseconds of CPU for one. */
async function cpuOf(work: (sale: Recorded) => Promise<void>, sales: readonly Recorded[]): Promise<number> {
  const before = process.cpuUsage();
  for (let times = 0; times < TIMES; times++) for (const sale of sales) await work(sale);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (TIMES * sales.length);
}

function report(rounds: number, banks: readonly { name: AdapterName; figures: Figures }[]): void {
  print(
    `adapters: ${rounds} rounds of ${SALES * TIMES} sales of each adapter, alternating, without the network`,
  );
  for (const { name, figures } of banks) {
    const [sale, inquiry] = [median(figures.saleMs), median(figures.inquiryMs)];
    print(
      `${name.padEnd(8)} each sale ${sale.toFixed(3)} ms of CPU  each inquiry with its judgement ${inquiry.toFixed(3)} ms`,
    );
    const both = sale + inquiry;
    printGoal(
      `${name}: its own CPU for a payment and an inquiry about it`,
      `${both.toFixed(3)} ms`,
      `< ${GOAL_MS} ms`,
      both < GOAL_MS,
    );
  }
  const approved = banks.reduce((sum, { figures }) => sum + figures.approved, 0);
  const asked = banks.length * rounds * SALES * TIMES * 2;
  witness(approved === asked, `${asked} sales and inquiries were answered, ${approved} of them as approved`);
}
