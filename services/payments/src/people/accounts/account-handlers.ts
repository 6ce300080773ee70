import { operations } from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import {
  changeAccount,
  confirmAccount,
  makeAccount,
  readAccounts,
  type ManageAccountsDeps,
} from "./manage-accounts.ts";
import { readInstallmentPrices, replaceInstallmentPrices } from "./manage-installment-prices.ts";
import { probeAccount, type ProbeAccountDeps } from "./probe-account.ts";
import { openSentSecrets } from "./open-sent-secrets.ts";
import { protocolsOf } from "./list-protocols.ts";
import { confirmRoutes, readRoutes, replaceRoutes } from "./manage-routes.ts";

/** Commands of operators about accounts and routes; `serve` has verified who they are. */
export function accountHandlers(deps: ManageAccountsDeps) {
  const protocols = protocolsOf(deps.connectors);
  return [
    handler(
      operations.createAcquirerAccount.command,
      async ({ context, payload: { sealedSecrets, ...request } }) => {
        const secrets = openSentSecrets(deps.ring, sealedSecrets, request.name);
        if (!secrets) return NOT_FOR_US;
        return await makeAccount(deps, context, { ...request, secrets });
      },
    ),
    handler(operations.listAcquirerAccounts.command, ({ payload }) => readAccounts(deps, payload.accountId)),
    handler(operations.listAcquirerProtocols.command, async () => ({
      outcome: "done",
      result: { items: protocols },
    })),
    handler(
      operations.changeAcquirerAccount.command,
      async ({ context, payload: { accountId, change, version, sealedSecrets } }) => {
        const asked = { accountId, madeFrom: version };
        if (!sealedSecrets) return await changeAccount(deps, context, { ...asked, change });
        const secrets = openSentSecrets(deps.ring, sealedSecrets, accountId);
        if (!secrets) return NOT_FOR_US;
        return await changeAccount(deps, context, { ...asked, change: { ...change, secrets } });
      },
    ),
    handler(operations.confirmAcquirerAccount.command, ({ context, payload }) =>
      confirmAccount(deps, context, payload),
    ),
    handler(operations.getInstallmentPrices.command, ({ payload }) =>
      readInstallmentPrices(deps, payload.accountId),
    ),
    handler(operations.putInstallmentPrices.command, ({ context, payload }) =>
      replaceInstallmentPrices(deps, context, payload),
    ),
    handler(operations.getMerchantRoutes.command, ({ payload }) => readRoutes(deps, payload.merchantId)),
    handler(operations.putMerchantRoutes.command, ({ context, payload }) =>
      replaceRoutes(deps, context, payload),
    ),
    handler(operations.confirmMerchantRoutes.command, ({ context, payload }) =>
      confirmRoutes(deps, context, payload),
    ),
  ];
}

/** The command that asks a bank whether an account's credentials are right. */
export function probeHandlers(deps: ProbeAccountDeps) {
  return [
    handler(
      operations.probeAcquirerAccount.command,
      async ({ context, payload: { accountId, proposal } }) => {
        if (!proposal) return await probeAccount(deps, context, { accountId });
        const secrets = openSentSecrets(deps.ring, proposal.sealedSecrets, accountId);
        if (!secrets) return NOT_FOR_US;
        return await probeAccount(deps, context, {
          accountId,
          proposal: { version: proposal.version, secrets },
        });
      },
    ),
  ];
}

/** Credentials that were sealed to a key which has been replaced: nothing was started, and the operator sends them again. */
const NOT_FOR_US = { outcome: "not_started" } as const;
