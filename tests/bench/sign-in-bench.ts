import { randomBytes } from "node:crypto";
import { issueCredential } from "../../services/api-gateway/src/merchant/credential.ts";
import { createSignIn, type StoredCredential } from "../../services/api-gateway/src/merchant/sign-in.ts";
import { print, printGoal, witness } from "./bench.ts";
import { quantile, welchT } from "./figures.ts";

/**
 * Whether the time of a refused sign-in tells a key that exists from one that does not. The gateway's own check, in
 * this process, where no network hides a difference: 20 000 attempts of each kind, in random order, and Welch's t of
 * the two (ASVS 11.2.4). The slowest tenth of both is left out: it is the garbage collector's and the scheduler's.
 */
export async function benchSignIn(): Promise<void> {
  const peppers = { activeId: "p1", keys: new Map([["p1", randomBytes(32)]]) };
  const { apiKey: known, hash } = issueCredential(peppers);
  const { apiKey: unknown, apiSecret: wrong } = issueCredential(peppers);
  const stored: StoredCredential = { hash, merchant: { merchantId: "bench" }, usable: true };
  const signIn = createSignIn({
    // Both are read once and then cached, as they are in a gateway that is being tried out.
    findCredential: async (apiKey) => (apiKey === known ? stored : undefined),
    peppers,
    rehash: () => {},
    cacheTtlMs: 3_600_000,
    waitingMax: 1,
    clock: performance,
  });
  const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
  let signedIn = 0;
  for (let count = -WARM_UP; count < 2 * SAMPLES; count++) {
    const kind = Math.random() < 0.5 ? "known" : "unknown";
    const apiKey = kind === "known" ? known : unknown;
    const startedAt = process.hrtime.bigint();
    const merchant = await signIn.verify(apiKey, wrong);
    const tookNs = Number(process.hrtime.bigint() - startedAt);
    if (merchant) signedIn++;
    if (count >= 0) times[kind].push(tookNs);
  }
  report(times, signedIn);
}

const WARM_UP = 5_000;
const SAMPLES = 20_000;
const KEPT = 0.9;
const T_MAX = 4.5;

function report({ known, unknown }: Record<"known" | "unknown", number[]>, signedIn: number): void {
  print(
    `sign-in: refused attempts in random order, ${known.length} with a known key, ${unknown.length} with an unknown one`,
  );
  const bound = quantile([...known, ...unknown], KEPT);
  const kept = [known, unknown].map((times) => times.filter((time) => time <= bound)) as [number[], number[]];
  for (const [name, times] of [
    ["wrong secret", kept[0]],
    ["unknown key", kept[1]],
  ] as const) {
    print(
      `${name.padEnd(14)} median ${(quantile(times, 0.5) / 1_000).toFixed(2)} µs  p90 ${(quantile(times, 0.9) / 1_000).toFixed(2)} µs`,
    );
  }
  const t = Math.abs(welchT(...kept));
  printGoal("Welch's |t| between the two", t.toFixed(2), `< ${T_MAX}`, t < T_MAX);
  witness(signedIn === 0, `${signedIn} of the attempts signed in`);
}
