import { operations, type ApiPaymentResponse, type CommandReply } from "@holdfast/contracts";
import { handler, type Incoming } from "@holdfast/messaging";
import { orNotStarted } from "@holdfast/postgres";
import type { AccountOf } from "../../bank/calls/account-connections.ts";
import { withMerchantPermit, type PermitDeps } from "../../bank/calls/with-merchant-permit.ts";
import { cancelPayment, capturePayment, type MerchantOperationDeps } from "./merchant-operations.ts";

export type OperationHandlerDeps = MerchantOperationDeps & PermitDeps & { accountOf: AccountOf };

/** Commands of a merchant about an approved payment. */
export function operationHandlers(deps: OperationHandlerDeps) {
  return [
    handler(operations.capture.command, (message) =>
      onItsConnection(deps, message, () => capturePayment(deps, message)),
    ),
    handler(operations.cancel.command, (message) =>
      onItsConnection(deps, message, () => cancelPayment(deps, message)),
    ),
  ];
}

/** Operates on a connection to the account that the payment is stored with. */
export async function onItsConnection(
  deps: OperationHandlerDeps,
  { context, payload }: Incoming<{ paymentId: string }>,
  operate: () => Promise<CommandReply<ApiPaymentResponse>>,
): Promise<CommandReply<ApiPaymentResponse>> {
  const { deadlineAt, merchant } = context;
  const { merchantId } = merchant;
  const found = await orNotStarted(async () => ({
    accountId: await deps.accountOf({ paymentId: payload.paymentId, merchantId }),
  }));
  if ("outcome" in found) return found;
  const { accountId } = found;
  if (accountId === undefined) return await operate();
  return await withMerchantPermit(deps, { accountId, merchantId, deadlineAt }, operate);
}
