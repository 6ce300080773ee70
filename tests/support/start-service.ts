import { spawnLogged, withParentDeathSignal, type LoggedChild } from "@holdfast/sandbox/infrastructure";
import { parseConfig, type Logger } from "@holdfast/service-runtime";
import type { ApiGateway } from "../../services/api-gateway/src/service.ts";
import type { Overrides } from "../../services/webhook-dispatcher/src/service.ts";
import { bareEnvironment } from "./bare-environment.ts";
import { eventually } from "./eventually.ts";
import { holdfast } from "./holdfast.ts";

export type { Overrides };
type Started = { stop(): Promise<void>; healthPort: number };
export type StartedServices = {
  "gateway-merchant": ApiGateway;
  "gateway-operator": ApiGateway;
  "gateway-public": ApiGateway;
  "gateway-staff": ApiGateway;
  payments: Started;
  refunds: Started;
  "webhook-dispatcher": Started;
  settlement: Started;
};
export type ServiceName = keyof StartedServices;
export type Environment = Record<string, string>;

/** A service in this process. */
export async function startService<Name extends ServiceName>(
  name: Name,
  env: Environment,
  log: Logger,
  overrides?: Overrides,
): Promise<StartedServices[Name]> {
  return await STARTERS[name](env, log, overrides);
}

/** A service is imported by the tests that start it, and by no others. */
const STARTERS: {
  [Name in ServiceName]: (
    env: Environment,
    log: Logger,
    overrides?: Overrides,
  ) => Promise<StartedServices[Name]>;
} = {
  "gateway-merchant": startGateway,
  "gateway-operator": startGateway,
  "gateway-public": startGateway,
  "gateway-staff": startGateway,
  async payments(env, log) {
    const { configSchema } = await import("../../services/payments/src/config.ts");
    const { startPayments } = await import("../../services/payments/src/service.ts");
    return await startPayments(parseConfig(configSchema, env), log);
  },
  async refunds(env, log) {
    const { configSchema } = await import("../../services/refunds/src/config.ts");
    const { startRefunds } = await import("../../services/refunds/src/service.ts");
    return await startRefunds(parseConfig(configSchema, env), log);
  },
  async settlement(env, log) {
    const { configSchema } = await import("../../services/settlement/src/config.ts");
    const { startSettlement } = await import("../../services/settlement/src/service.ts");
    return await startSettlement(parseConfig(configSchema, env), log);
  },
  async "webhook-dispatcher"(env, log, overrides) {
    const { configSchema } = await import("../../services/webhook-dispatcher/src/config.ts");
    const { startWebhookDispatcher } = await import("../../services/webhook-dispatcher/src/service.ts");
    return await startWebhookDispatcher(parseConfig(configSchema, env), log, overrides);
  },
};

async function startGateway(env: Environment, log: Logger): Promise<ApiGateway> {
  const { configSchema } = await import("../../services/api-gateway/src/config.ts");
  const { startApiGateway } = await import("../../services/api-gateway/src/service.ts");
  return await startApiGateway(parseConfig(configSchema, env), log);
}

/** A service as a process of its own, once it has started or has reached the failpoint that kills it. */
export async function spawnService(
  name: ServiceName,
  env: Environment,
  logFile: string,
): Promise<LoggedChild> {
  const child = await spawnLogged({
    name,
    command: withParentDeathSignal("KILL", await holdfast("run", programOf(name))),
    env: { ...bareEnvironment(), NODE_ENV: "test", ...env },
    logFile,
  });
  await eventually(() => {
    // Recovery may get to the failpoint before the process can say that it has started.
    const isUp = child.logTail().includes('"started"') || child.logTail().includes("failpoint ");
    if (!isUp && !child.isRunning()) throw new Error(child.logTail());
    return isUp;
  });
  return child;
}

/** One program has the four listeners of the gateway. */
function programOf(name: ServiceName): string {
  return name.startsWith("gateway-") ? "gateway" : name;
}
