import { randomUUID } from "node:crypto";
import type { HistoryEntry } from "../checker/index.ts";
import { recordOf } from "../checker/answers.ts";
import { playCardholder } from "../chaos/client/cardholder.ts";
import type { OperatorAnswer, OperatorClient } from "../chaos/client/operator-client.ts";
import { approve } from "../chaos/operators-at-work.ts";
import type { SystemUnderTest } from "../chaos/system-under-test.ts";
import type { BalancedGateways } from "./balanced-gateways.ts";

/** The operator at a gateway, by its index; a new token each time. */
export type OperatorAt = (gateway: number) => Promise<OperatorClient>;

export type SteadyLoad = {
  /** Answers that a rotation must not cause, as `what: status and body`. */
  refused: string[];
  rounds(): number;
  /** Resolves when everything that was begun before has ended. */
  pastRoundsOver(): Promise<void>;
  /** Begins no further round, and waits for those under way. */
  stop(): Promise<void>;
};

/**
 * Sends payments with repetitions, 3-D Secure payments with a buyer who answers the challenge, and refunds
 * that an operator approves, with webhooks for all, from a few merchants' servers without pause.
 */
export function startSteadyLoad(
  sut: SystemUnderTest,
  gateways: BalancedGateways,
  operatorAt: OperatorAt,
): SteadyLoad {
  const refused: string[] = [];
  let rounds = 0;
  const over = new AbortController();
  const current = new Set<Promise<void>>();
  const expect = (what: string, status: number, { status: actual, body }: HistoryEntry | OperatorAnswer) => {
    if (actual !== status) refused.push(`${what}: ${actual} ${JSON.stringify(body)}`);
    return actual === status;
  };

  const round = async () => {
    const [order, key] = [{ ...sut.order(), sale: true }, randomUUID()];
    const post = () => gateways.use((gateway) => sut.client.post(order, { gateway, key }));
    const first = await post();
    if (!expect("sale", 201, first)) return;
    if (!expect("repetition", 201, await post())) return;
    const paymentId = recordOf(first)!.paymentId;
    const refund = { paymentId, amount: "1.00", currency: order.currency };
    const asked = await gateways.use((gateway) => sut.client.refund(refund, { gateway }));
    if (expect("refund", 202, asked)) {
      const refundId = recordOf(asked)!.paymentId;
      const decision = await gateways.use(async (gateway) => approve(await operatorAt(gateway), refundId));
      expect("approval", 200, decision);
    }
    const secure = await gateways.use(async (gateway) => {
      const answer = await sut.client.post({ ...sut.order("challenged"), cardholder: "right" }, { gateway });
      const { redirectUrl } = JSON.parse(answer.body ?? "{}") as { redirectUrl?: string };
      if (redirectUrl !== undefined) await playCardholder(redirectUrl, "right");
      return { answer, paymentId: recordOf(answer)?.paymentId ?? "" };
    });
    if (!expect("3-D Secure", 201, secure.answer)) return;
    const paid = await gateways.use((gateway) => sut.client.get(secure.paymentId, { gateway }));
    if (recordOf(paid)?.status !== "SUCCESS") refused.push(`3-D Secure: ${paid.status} ${paid.body}`);
    rounds++;
  };
  const merchant = async () => {
    while (!over.signal.aborted) {
      const running = round();
      current.add(running);
      await running.finally(() => current.delete(running));
    }
  };
  const merchants = Promise.all(Array.from({ length: MERCHANTS }, merchant));
  return {
    refused,
    rounds: () => rounds,
    pastRoundsOver: async () => void (await Promise.all(current)),
    async stop() {
      over.abort();
      await merchants;
    },
  };
}

const MERCHANTS = 2;
