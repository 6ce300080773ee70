// Steps of every rotation: it goes through the processes while merchants, buyers and operators continue.
import { expect, onTestFinished } from "vitest";
import { OperatorClient } from "../chaos/client/operator-client.ts";
import type { ServiceProcess } from "../chaos/system/service-process.ts";
import type { System } from "../chaos/system/system.ts";
import type { SystemUnderTest } from "../chaos/system-under-test.ts";
import { loadTimers } from "../chaos/system/timers.ts";
import { eventually } from "../support/index.ts";
import type { BalancedGateways } from "./balanced-gateways.ts";
import { startSteadyLoad, type OperatorAt } from "./steady-load.ts";

/** A busy machine must not cause errors that a rotation would not. */
export const PATIENT = {
  ...loadTimers,
  ACQUIRER_TIMEOUT: "7s",
  HANDLER_TIMEOUT: "8s",
  REQUEST_TIMEOUT: "9s",
  PAYMENTS_TIMEOUT: "6s",
  LEASE_DURATION: "21s",
  REVERSE_UNSEEN_AFTER: "15s",
  THREE_DS_SESSION_DURATION: "60s",
  WEBHOOK_ATTEMPT_TIMEOUT: "5s",
  WEBHOOK_LEASE: "15s",
  DATABASE_CONNECTION_TIMEOUT: "30s",
};

/** Runs a load until the test ends, however it ends. */
export function startLoad(sut: SystemUnderTest, gateways: BalancedGateways, operatorAt: OperatorAt) {
  const load = startSteadyLoad(sut, gateways, operatorAt);
  onTestFinished(() => load.stop());
  return {
    ...load,
    /** Waits for so many rounds to begin and end, in which nothing may be refused. */
    async ranFor(rounds: number): Promise<void> {
      const until = load.rounds() + rounds;
      await eventually(() => load.rounds() >= until || load.refused.length > 0, { withinMs: 120_000 });
      expect(load.refused).toEqual([]);
    },
  };
}

/** An operator whom the rig's own identity provider knows. @param ca of the listeners, where they have TLS. */
export function operatorOf(sut: () => SystemUnderTest, ca?: () => string): OperatorAt {
  return async (gateway) => {
    const { operators, gateways: all, tokenOf } = sut().system;
    return new OperatorClient({
      name: "bora",
      token: await tokenOf("bora"),
      ports: [all[gateway]!.operatorPort],
      history: operators.history,
      ...(ca && { ca: ca() }),
    });
  };
}

/**
 * Restarts the processes of a service one after another, each when the previous one is ready.
 *
 * @param envOf settings with which a process is started, in addition to its own.
 */
export async function rollOutTo(
  { payments, refunds, webhooks, gateways: all }: System,
  gateways: BalancedGateways,
  envOf: (service: ServiceProcess) => Record<string, string>,
): Promise<void> {
  const restart = async (service: ServiceProcess) => {
    await service.process.terminate({ withinMs: 60_000 });
    await service.process.start(envOf(service));
  };
  for (const service of [...payments, ...refunds, ...webhooks]) await restart(service);
  for (const [index, gateway] of all.entries()) {
    await gateways.without(index, async () => {
      for (const listener of [gateway, gateway.operator, gateway.pages]) await restart(listener);
    });
  }
}
