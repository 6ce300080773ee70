import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVerifyToken, operatorTokenSettings, type VerifyToken } from "@holdfast/operator-token";
import { parseConfig } from "@holdfast/service-runtime";
import { z } from "zod";
import { createOperatorIdentity, type OperatorIdentity } from "../support/operator-identity.ts";
import { print, printGoal, witness, type Bench } from "./bench.ts";
import { median, quantile } from "./figures.ts";

/** ES256 is what the sandbox's identity provider signs with; many others sign with RS256. */
const ALGORITHMS = ["ES256", "EdDSA", "RS256"] as const;
type Algorithm = (typeof ALGORITHMS)[number];

type Provider = { verify: VerifyToken; tokens: string[]; tokensOfImpostor: string[] };
/** Of one verification each, and of all those of a round together the CPU time for one. */
type Figures = { timesMs: number[]; cpuMs: number[]; verified: number };

/**
 * What each service pays that decides for an operator: it verifies the token of each command by itself. The services'
 * own check, in this process, with the provider's keys read and kept, the algorithms in turns.
 */
export async function benchOperatorToken({ rounds }: Bench): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "holdfast-bench-keys-"));
  try {
    const figures = {} as Record<Algorithm, Figures>;
    const providers = {} as Record<Algorithm, Provider>;
    let impostors = 0;
    for (const algorithm of ALGORITHMS) {
      figures[algorithm] = { timesMs: [], cpuMs: [], verified: 0 };
      const provider = (providers[algorithm] = await createProvider(algorithm, directory));
      await measure(provider, WARM_UP, { timesMs: [], cpuMs: [], verified: 0 });
      const judged = await Promise.all(provider.tokensOfImpostor.map((token) => provider.verify(token)));
      impostors += judged.filter((operator) => operator !== undefined).length;
    }
    for (let round = 0; round < rounds; round++)
      for (const algorithm of ALGORITHMS) await measure(providers[algorithm], SAMPLES, figures[algorithm]);
    report(rounds, figures, impostors);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const WARM_UP = 2_000;
const SAMPLES = 5_000;
/** Different people's, so that nothing could be remembered of the one before. */
const TOKENS = 64;
const GOAL_MS = 0.2;

async function createProvider(algorithm: Algorithm, directory: string): Promise<Provider> {
  const identity = await createOperatorIdentity(algorithm);
  const impostor = await createOperatorIdentity(algorithm);
  const settings = await identity.settings(join(directory, `${algorithm}.json`));
  return {
    verify: createVerifyToken(parseConfig(z.object(operatorTokenSettings), settings)),
    tokens: await tokensOf(identity),
    tokensOfImpostor: await tokensOf(impostor),
  };
}

async function tokensOf(identity: OperatorIdentity): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: TOKENS }, (_, index) => identity.token({ claims: { sub: `operator-${index}` } })),
  );
}

/** One after the other: with several at the same time, one's wait would count as another's work. */
async function measure({ verify, tokens }: Provider, count: number, figures: Figures): Promise<void> {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    const operator = await verify(tokens[index % tokens.length]!);
    figures.timesMs.push(performance.now() - startedAt);
    if (operator?.subject === `operator-${index % tokens.length}`) figures.verified++;
  }
  const { user, system } = process.cpuUsage(before);
  figures.cpuMs.push((user + system) / 1_000 / count);
}

function report(rounds: number, figures: Record<Algorithm, Figures>, impostors: number): void {
  print(
    `operator-token: ${rounds} rounds of ${SAMPLES} verifications of each kind, alternating, with cached keys`,
  );
  for (const algorithm of ALGORITHMS) {
    const { timesMs, cpuMs } = figures[algorithm];
    print(
      `${algorithm}  median ${median(timesMs).toFixed(3)} ms  p99 ${quantile(timesMs, 0.99).toFixed(3)} ms  ` +
        `CPU ${median(cpuMs).toFixed(3)} ms each`,
    );
  }
  const typicalMs = median(figures.ES256.timesMs);
  printGoal(
    "verifying an operator's token (ES256), median",
    `${typicalMs.toFixed(3)} ms`,
    `< ${GOAL_MS} ms`,
    typicalMs < GOAL_MS,
  );
  const verified = ALGORITHMS.reduce((sum, algorithm) => sum + figures[algorithm].verified, 0);
  const sent = ALGORITHMS.length * rounds * SAMPLES;
  witness(
    verified === sent && impostors === 0,
    `${sent} valid tokens, ${verified} verified as their operator's; ${ALGORITHMS.length * TOKENS} tokens of another key, ` +
      `${impostors} of them verified`,
  );
}
