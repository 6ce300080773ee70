import { randomUUID } from "node:crypto";
import {
  operations,
  type CommandReply,
  type CreateAcquirerAccountRequest,
  type InstallmentPrice,
} from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import type { PaymentsHarness } from "./payments-harness.ts";

/** The operators who make accounts of the simulator's protocol and route merchants to them. @param url where an account's bank is. */
export function accountOperators(payments: Operators, url: () => string) {
  const as = (name: string) => ({
    make: (given: object = {}) =>
      makeAccount(
        payments,
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
    change: (accountId: string, change: object) => changeAccount(payments, accountId, change, name),
    confirm: (accountId: string, version: number) =>
      payments.operate(operations.confirmAcquirerAccount.command, { accountId, version }, name),
    /** @param madeFrom the version that was read; without it the newest. */
    price: async (accountId: string, prices: InstallmentPrice[], madeFrom?: number) => {
      const version = madeFrom ?? (await newestVersion(payments, accountId));
      const asked = { accountId, version, prices };
      return await payments.operate(operations.putInstallmentPrices.command, asked, name);
    },
    /** @param version that was read; without it whatever there is is replaced. */
    route: (merchantId: string, routes: object[], version?: number) =>
      payments.operate(
        operations.putMerchantRoutes.command,
        { merchantId, routes: routes as never, ...(version !== undefined && { version }) },
        name,
      ),
    confirmRoutes: (merchantId: string, version: number) =>
      payments.operate(operations.confirmMerchantRoutes.command, { merchantId, version }, name),
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
    /** Prices of installments there, in use. */
    price: async (accountId: string, prices: InstallmentPrice[]): Promise<void> => {
      const { proposal } = resultOf(await as("alice").price(accountId, prices));
      resultOf(await as("bora").confirm(accountId, proposal!.version));
    },
    /** A new merchant whose payments go to these accounts. */
    merchantRoutedTo: async (...routes: object[]) => {
      const merchantId = randomUUID();
      resultOf(await as("alice").route(merchantId, routes));
      resultOf(await as("bora").confirmRoutes(merchantId, 1));
      return merchantId;
    },
  };
}

type Operators = Pick<PaymentsHarness, "operate">;

/** The version of an account that another person may confirm, or else that in use; 1 where there is no account. */
async function newestVersion(payments: Operators, accountId: string): Promise<number> {
  const reply = await payments.operate(operations.getInstallmentPrices.command, { accountId });
  if (!("result" in reply)) return 1;
  const { version = 1, proposal } = reply.result;
  return proposal?.version ?? version;
}

/** Makes an account as the gateway does: with its credentials sealed. */
export async function makeAccount(
  payments: Operators,
  { secrets, ...account }: CreateAcquirerAccountRequest,
  name: string,
) {
  const sealed = await sealSecrets(payments, account.name, secrets);
  return await payments.operate(operations.createAcquirerAccount.command, { ...account, ...sealed }, name);
}

/** Changes an account, with its credentials sealed if it gets others. */
export async function changeAccount(
  payments: Operators,
  accountId: string,
  { secrets, version, ...change }: { secrets?: object; version?: number },
  name: string,
) {
  const sealed = secrets && (await sealSecrets(payments, accountId, secrets));
  return await payments.operate(
    operations.changeAcquirerAccount.command,
    { accountId, change, ...(version !== undefined && { version }), ...sealed },
    name,
  );
}

/** @param owner the account's id, or the name of one that is made. */
export async function sealSecrets(payments: Operators, owner: string, secrets: object) {
  const { sealTo } = resultOf(await payments.operate(operations.listAcquirerAccounts.command, {}));
  return { sealedSecrets: sealReply(sealTo!, JSON.stringify({ for: owner, secrets })) };
}

/** @throws if the reply has no result. */
export function resultOf<Result>(reply: CommandReply<Result>): Result {
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
}
