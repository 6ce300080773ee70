import {
  alterAcquirerAccount,
  confirmAccountVersion,
  confirmRoutes as confirmRoutesCommand,
  makeAcquirerAccount,
  makeTestAccount,
  probeAccount as probeAccountCommand,
  readAcquirerAccounts,
  readRoutes as readRoutesCommand,
  replaceRoutes as replaceRoutesCommand,
  type OperatorContext,
} from "@holdfast/contracts";
import { handler, type Incoming } from "@holdfast/messaging";
import type { z } from "zod";
import {
  changeAccount,
  confirmAccount,
  makeAccount,
  probeAccount,
  readAccounts,
  type ManageAccountsDeps,
} from "./manage-accounts.ts";
import { openSentSecrets } from "./open-sent-secrets.ts";
import { confirmRoutes, readRoutes, replaceRoutes } from "./manage-routes.ts";

/** What operators may ask of this service about accounts and routes; `serve` has verified who they are. */
export function accountHandlers(deps: ManageAccountsDeps) {
  const make = (livemode: boolean) => async (incoming: Incoming<MakeAccount, OperatorContext>) => {
    const { sealedSecrets, ...request } = incoming.payload;
    const sent = openSentSecrets(deps.ring, { secrets: request.secrets, sealedSecrets }, request.name);
    if (!sent) return NOT_FOR_US;
    return await makeAccount(deps, incoming.context, { ...request, livemode, secrets: sent.secrets ?? {} });
  };
  return [
    handler(makeAcquirerAccount, make(true)),
    handler(makeTestAccount, make(false)),
    handler(readAcquirerAccounts, ({ payload }) => readAccounts(deps, payload.accountId)),
    handler(alterAcquirerAccount, async ({ context, payload: { accountId, change, sealedSecrets } }) => {
      const sent = openSentSecrets(deps.ring, { secrets: change.secrets, sealedSecrets }, accountId);
      if (!sent) return NOT_FOR_US;
      return await changeAccount(deps, context, { accountId, change: { ...change, ...sent } });
    }),
    handler(confirmAccountVersion, ({ context, payload }) => confirmAccount(deps, context, payload)),
    handler(probeAccountCommand, ({ payload }) => probeAccount(deps, payload.accountId)),
    handler(readRoutesCommand, ({ payload }) => readRoutes(deps, payload.merchantId)),
    handler(replaceRoutesCommand, ({ context, payload }) => replaceRoutes(deps, context, payload)),
    handler(confirmRoutesCommand, ({ context, payload }) => confirmRoutes(deps, context, payload)),
  ];
}

type MakeAccount = z.infer<typeof makeAcquirerAccount.request>;

/** Credentials that were sealed to a key which has been replaced: nothing was started, and the operator sends them again. */
const NOT_FOR_US = { outcome: "not_started" } as const;
