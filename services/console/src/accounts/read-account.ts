import { operations, type AcquirerAccount, type AcquirerProtocol } from "@holdfast/contracts";
import type { PageContext } from "../ui/page-context.ts";

/** An account, and its protocol, by which its forms are made. */
export type WholeAccount = { account: AcquirerAccount; protocol: AcquirerProtocol };

/** Reads an account for its page or for one of its forms. */
export async function readAccount({ api, parameters }: PageContext): Promise<WholeAccount> {
  const path = { accountId: parameters["accountId"]! };
  const [account, { items }] = await Promise.all([
    api.read(operations.getAcquirerAccount, { path }),
    api.read(operations.listAcquirerProtocols),
  ]);
  const protocol = items.find((each) => each.protocol === account.protocol);
  return { account, protocol: protocol ?? { ...UNKNOWN, protocol: account.protocol } };
}

/**
 * Stands for a protocol that the payments service no longer has: the account's settings are shown, and its
 * forms are empty.
 */
const UNKNOWN = { currencies: [], settings: {}, secrets: {} };
