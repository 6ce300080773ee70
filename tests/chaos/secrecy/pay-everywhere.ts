import { join } from "node:path";
import { ClientHistory } from "../client/client-history.ts";
import { playCardholder } from "../client/cardholder.ts";
import { fieldsOf, MerchantClient, type Order } from "../client/merchant-client.ts";
import type { System } from "../system/system.ts";
import { untilSettled } from "../settle.ts";

/** The security code of every payment here. */
export const CODE = "739";

type Way = {
  name: string;
  cardholder?: "right" | "wrong" | "never";
  fault?: { operation: string; behaviour: string };
};

/** Everything that a bank's adapter does with a card: in one step, by a form, and where the bank answers badly. */
const WAYS: readonly Way[] = [
  { name: "sale" },
  { name: "declined", fault: { operation: "sale", behaviour: "decline" } },
  { name: "lost", fault: { operation: "sale", behaviour: "http_500" } },
  { name: "garbage", fault: { operation: "sale", behaviour: "garbage" } },
  { name: "challenge", cardholder: "right" },
  { name: "wrong", cardholder: "wrong" },
  { name: "abandoned", cardholder: "never" },
  { name: "no form", cardholder: "right", fault: { operation: "enrol", behaviour: "garbage" } },
  { name: "unfinished", cardholder: "right", fault: { operation: "complete", behaviour: "http_500" } },
];

/**
 * Pays in every way at every bank, each with a card of its own and under an Idempotency-Key that is used again.
 * @returns the cards' numbers, and the merchants' answers.
 */
export async function payEverywhere(system: System): Promise<{ pans: string[]; answers: string[] }> {
  const history = new ClientHistory(join(system.dir, "history.jsonl"));
  const gateways = system.gateways.map(({ process, merchantPort }) => ({
    name: process.name,
    port: merchantPort,
  }));
  const pans: string[] = [];
  // The merchant at this place has its account at the bank at this place (bank-accounts.ts).
  for (const [index, bank] of system.banks.entries()) {
    const merchant = system.shops[index]!.merchant;
    const client = new MerchantClient({ merchant, history, gateways, timeoutMs: TIMEOUT_MS });
    for (const way of WAYS) {
      const pan = panOf(pans.length);
      pans.push(pan);
      if (way.fault) await bank.queueFault({ ...way.fault, times: 1 });
      await payOnce(client, { ...way, name: `${bank.name} ${way.name}` }, pan);
    }
  }
  await untilSettled(system.superuserUrl, { withinMs: TIMEOUT_MS });
  return { pans, answers: history.entries.map((entry) => JSON.stringify(entry)) };
}

const TIMEOUT_MS = 120_000;

async function payOnce(client: MerchantClient, { name, cardholder }: Way, pan: string): Promise<void> {
  const order: Order = {
    orderId: name,
    amount: "12.50",
    currency: "TRY",
    card: "approve_visa",
    sale: true,
    ...(cardholder && { cardholder }),
  };
  const key = name.replaceAll(" ", "-");
  const body = JSON.stringify({ ...fieldsOf(order), amount: 12.5, pan, cvv: CODE });
  const answer = await client.post(order, { key, body });
  await client.post(order, { key, body });
  const { redirectUrl } = JSON.parse(answer.body ?? "{}") as { redirectUrl?: string };
  if (redirectUrl !== undefined && cardholder) await playCardholder(redirectUrl, cardholder);
  await client.post(order, { key, body, gateway: 1 });
}

/** A number with a right last digit, of no use anywhere else. */
function panOf(index: number): string {
  const digits = `4539578763${String(index).padStart(5, "0")}`;
  const sum = Array.from(digits, Number).reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
