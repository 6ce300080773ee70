import {
  alterAcquirerAccount,
  confirmAccountVersion,
  confirmRoutes as confirmRoutesCommand,
  makeAcquirerAccount,
  probeAccount as probeAccountCommand,
  readAcquirerAccounts,
  readRoutes as readRoutesCommand,
  replaceRoutes as replaceRoutesCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import {
  changeAccount,
  confirmAccount,
  makeAccount,
  probeAccount,
  readAccounts,
  type ManageAccountsDeps,
} from "./manage-accounts.ts";
import { confirmRoutes, readRoutes, replaceRoutes } from "./manage-routes.ts";

/** What operators may ask of this service about accounts and routes; `serve` has verified who they are. */
export function accountHandlers(deps: ManageAccountsDeps) {
  return [
    handler(makeAcquirerAccount, ({ context, payload }) => makeAccount(deps, context, payload)),
    handler(readAcquirerAccounts, ({ payload }) => readAccounts(deps, payload.accountId)),
    handler(alterAcquirerAccount, ({ context, payload }) => changeAccount(deps, context, payload)),
    handler(confirmAccountVersion, ({ context, payload }) => confirmAccount(deps, context, payload)),
    handler(probeAccountCommand, ({ payload }) => probeAccount(deps, payload.accountId)),
    handler(readRoutesCommand, ({ payload }) => readRoutes(deps, payload.merchantId)),
    handler(replaceRoutesCommand, ({ context, payload }) => replaceRoutes(deps, context, payload)),
    handler(confirmRoutesCommand, ({ context, payload }) => confirmRoutes(deps, context, payload)),
  ];
}
