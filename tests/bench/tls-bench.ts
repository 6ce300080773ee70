import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  serviceDefinitions,
  startSandbox,
  type SandboxFile,
  type ServiceDefinition,
} from "@holdfast/sandbox";
import { freePort, localCertificates, type LocalCertificates } from "@holdfast/sandbox/infrastructure";
import { print, settled, witness, type Bench } from "./bench.ts";
import { cpuTimeMs } from "./cpu-time.ts";
import { median } from "./figures.ts";
import type { HandshakesResult } from "./handshakes.ts";
import { approvals } from "./payments-bench.ts";
import { runProgram } from "./programs.ts";
import { asMerchant, runLoad } from "./run-load.ts";

/** The merchants' API once more, over the same services. */
const GATEWAYS = ["plain HTTP", "TLS"] as const;
type Gateway = { pid: number; url: string; headers: Record<string, string>; caFile?: string };
type Gateways = Record<(typeof GATEWAYS)[number], Gateway>;
/** Payments answered in a second, and milliseconds of CPU time of the gateway's process for one. */
type Payments = { sent: number; answered: number; perSecond: number; cpuMs: number; p99Ms: number };
type Figures = Record<(typeof GATEWAYS)[number], Payments[]>;
type Handshakes = Omit<HandshakesResult, "startedAtUs" | "endedAtUs"> & { perSecond: number; cpuMs: number };

/**
 * What TLS on the merchants' listener costs: the same payments over connections that are kept, through a gateway that
 * speaks plain HTTP and one that speaks TLS, in turns; and the handshakes of new clients.
 */
export async function benchTls(bench: Bench): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "holdfast-bench-tls-"));
  try {
    const certificates = await localCertificates(join(home, "certificates"));
    const port = await freePort();
    const sandbox = await startSandbox({ home, portBase: 0, services: servicesWithTls(port, certificates) });
    try {
      await compare({ ...bench, sandbox: sandbox.file }, gatewaysOf(sandbox.file, port), port);
    } finally {
      await sandbox.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** All services, and the merchants' gateway a second time. */
function servicesWithTls(port: number, { certFile, keyFile }: LocalCertificates): ServiceDefinition[] {
  const plain = serviceDefinitions.find(({ name }) => name === "api-gateway")!;
  const settings = { RATE_LIMIT_PER_SECOND: "1000000" };
  const tls = { MERCHANT_API_PORT: `${port}`, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  return [
    ...serviceDefinitions.filter((service) => service !== plain),
    withSettings(plain, settings),
    withSettings({ ...plain, name: WITH_TLS }, { ...settings, ...tls }),
  ];
}

const WITH_TLS = "gateway-tls";

function withSettings(service: ServiceDefinition, settings: Record<string, string>): ServiceDefinition {
  return {
    ...service,
    environment: (surroundings) => ({ ...service.environment(surroundings), ...settings }),
  };
}

function gatewaysOf(sandbox: SandboxFile, port: number): Gateways {
  const { processes, caFile } = sandbox;
  const merchant = sandbox.merchants[0]!;
  return {
    "plain HTTP": { pid: processes["api-gateway"]!, ...asMerchant(sandbox, merchant) },
    TLS: {
      pid: processes[WITH_TLS]!,
      ...asMerchant({ gatewayUrl: `https://localhost:${port}` }, merchant),
      caFile,
    },
  };
}

async function compare(bench: Bench, gateways: Gateways, port: number): Promise<void> {
  const figures: Figures = { "plain HTTP": [], TLS: [] };
  const handshakes: Handshakes[] = [];
  for (const name of GATEWAYS) await pay(bench, gateways[name], Math.min(2, bench.seconds));
  await shakeHands(bench, gateways.TLS, { port, seconds: 1 });
  const before = await approvals(bench);
  for (let round = 0; round < bench.rounds; round++) {
    // The other one first each time, so that neither is always the one after the handshakes.
    for (const name of round % 2 === 0 ? GATEWAYS : GATEWAYS.toReversed())
      figures[name].push(await pay(bench, gateways[name], bench.seconds));
    handshakes.push(await shakeHands(bench, gateways.TLS, { port, seconds: bench.seconds }));
  }
  reportPayments(bench, figures);
  reportHandshakes(handshakes);
  checkWitnesses(figures, handshakes, (await approvals(bench)) - before);
}

async function pay(bench: Bench, { pid, ...target }: Gateway, seconds: number): Promise<Payments> {
  const before = cpuTimeMs(pid);
  const result = await runLoad({ ...target, connections: bench.connections, seconds });
  const cpuMs = cpuTimeMs(pid) - before;
  await settled(bench);
  const answered = result.statuses["201"] ?? 0;
  return {
    sent: result.requests,
    answered,
    perSecond: (answered * 1_000_000) / (result.endedAtUs - result.startedAtUs),
    cpuMs: cpuMs / Math.max(1, answered),
    p99Ms: result.p99Ms,
  };
}

async function shakeHands(
  { sandbox }: Bench,
  { pid }: Gateway,
  { port, seconds }: { port: number; seconds: number },
): Promise<Handshakes> {
  const before = cpuTimeMs(pid);
  const args = [`--port=${port}`, `--ca=${sandbox.caFile}`, `--seconds=${seconds}`];
  const result = await runProgram<HandshakesResult>("handshakes.ts", {
    timeoutMs: (seconds + 30) * 1_000,
    args,
  });
  return {
    ...result,
    perSecond: (result.done * 1_000_000) / (result.endedAtUs - result.startedAtUs),
    cpuMs: (cpuTimeMs(pid) - before) / Math.max(1, result.done),
  };
}

function reportPayments({ connections, rounds, seconds }: Bench, figures: Figures): void {
  print(`tls: ${connections} kept connections, ${rounds} rounds of ${seconds} s each, alternating; medians`);
  for (const name of GATEWAYS) {
    const [perSecond, cpuMs, p99Ms] = (["perSecond", "cpuMs", "p99Ms"] as const).map((field) =>
      median(figures[name].map((round) => round[field])),
    ) as [number, number, number];
    print(
      `${name.padEnd(11)} ${perSecond.toFixed(0).padStart(5)} payments/s  p99 ${p99Ms.toFixed(1)} ms  ` +
        `CPU of the gateway ${cpuMs.toFixed(3)} ms per payment`,
    );
  }
  const ratio = (field: "perSecond" | "cpuMs") =>
    median(figures.TLS.map((round, index) => round[field] / figures["plain HTTP"][index]![field]));
  print(
    `TLS divided by plain HTTP, round by round: throughput ${ratio("perSecond").toFixed(2)}, ` +
      `CPU of the gateway per payment ${ratio("cpuMs").toFixed(2)}`,
  );
}

function reportHandshakes(rounds: Handshakes[]): void {
  const perSecond = median(rounds.map((round) => round.perSecond));
  const cpuMs = median(rounds.map((round) => round.cpuMs));
  const protocols = [...new Set(rounds.flatMap((round) => round.protocols))].join(", ");
  print(
    `full handshakes (${protocols}, ECDSA P-256): ${perSecond.toFixed(0)}/s, ` +
      `CPU of the gateway ${cpuMs.toFixed(3)} ms each`,
  );
}

/** All payments were answered as accepted, the acquirer agrees, and no handshake failed. */
function checkWitnesses(figures: Figures, handshakes: Handshakes[], approved: number): void {
  const rounds = GATEWAYS.flatMap((name) => figures[name]);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const [sent, answered] = [
    sum(rounds.map((round) => round.sent)),
    sum(rounds.map((round) => round.answered)),
  ];
  const [done, failed] = [
    sum(handshakes.map((round) => round.done)),
    sum(handshakes.map((round) => round.failed)),
  ];
  witness(
    sent === answered && approved === answered && done > 0 && failed === 0,
    `${sent} payments sent, ${answered} answered 201, ${approved} approved in the acquirer's ledger; ` +
      `${done} handshakes done, ${failed} failed`,
  );
}
