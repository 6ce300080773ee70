import { randomUUID } from "node:crypto";
import {
  alterAcquirerAccount,
  confirmAccountVersion,
  confirmRoutes,
  makeAcquirerAccount,
  replaceRoutes,
  type CommandReply,
} from "@holdfast/contracts";
import type { PaymentsHarness } from "./payments-harness.ts";

/** The operators who make accounts of the simulator's protocol and route merchants to them. @param url where an account's bank is. */
export function accountOperators(payments: Pick<PaymentsHarness, "operate">, url: () => string) {
  const as = (name: string) => ({
    make: (given: object = {}) =>
      payments.operate(
        makeAcquirerAccount,
        {
          protocol: "sim",
          name: `bank ${randomUUID()}`,
          currencies: ["TRY"],
          settings: { url: url() },
          secrets: {},
          ...given,
        },
        name,
      ),
    change: (accountId: string, change: object) =>
      payments.operate(alterAcquirerAccount, { accountId, change }, name),
    confirm: (accountId: string, version: number) =>
      payments.operate(confirmAccountVersion, { accountId, version }, name),
    route: (merchantId: string, routes: object[]) =>
      payments.operate(replaceRoutes, { merchantId, routes: routes as never }, name),
    confirmRoutes: (merchantId: string, version: number) =>
      payments.operate(confirmRoutes, { merchantId, version }, name),
  });
  return {
    as,
    /** An account in use. @returns its id. */
    account: async (given: object = {}): Promise<string> => {
      const { accountId } = resultOf(await as("alice").make(given));
      resultOf(await as("bora").confirm(accountId, 1));
      return accountId;
    },
    /** A further version of it, in use. */
    change: async (accountId: string, version: number, change: object): Promise<void> => {
      resultOf(await as("alice").change(accountId, change));
      resultOf(await as("bora").confirm(accountId, version));
    },
    /** A new merchant whose payments go to these accounts. */
    merchantRoutedTo: async (...routes: object[]): Promise<string> => {
      const merchantId = randomUUID();
      resultOf(await as("alice").route(merchantId, routes));
      resultOf(await as("bora").confirmRoutes(merchantId, 1));
      return merchantId;
    },
  };
}

/** @throws where there is none. */
export function resultOf<Result>(reply: CommandReply<Result>): Result {
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
}
