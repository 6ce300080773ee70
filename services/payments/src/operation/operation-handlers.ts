import {
  cancelPayment as cancelPaymentCommand,
  capturePayment as capturePaymentCommand,
} from "@holdfast/contracts";
import { handler } from "@holdfast/messaging";
import { withConnection, type ConnectionDeps } from "../with-connection.ts";
import { cancelPayment, capturePayment, type MerchantOperationDeps } from "./merchant-operations.ts";

/** What a merchant does with a payment that was approved. */
export function operationHandlers(deps: MerchantOperationDeps & ConnectionDeps) {
  return [
    handler(
      capturePaymentCommand,
      withConnection(deps, (message) => capturePayment(deps, message)),
    ),
    handler(
      cancelPaymentCommand,
      withConnection(deps, (message) => cancelPayment(deps, message)),
    ),
  ];
}
